/// \file  Limits of particle radii.
#pragma once

namespace scree {

/// Limits within which moments of inertia, ∝ r⁵, can be stored as floats [m].
inline constexpr double kMinRadius = 1e-9, kMaxRadius = 1e6;

}  // namespace scree

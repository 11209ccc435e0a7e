/// \file  Limits of particle radii.
#pragma once

namespace scree {

/// Limits between which moments of inertia, ∝ r⁵, fit into floats [m].
inline constexpr double kMinRadius = 1e-9, kMaxRadius = 1e6;

}  // namespace scree

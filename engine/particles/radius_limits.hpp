/// \file  Radii that particles may have.
#pragma once

namespace scree {

/// Moments of inertia, ∝ r⁵, fit into floats [m].
inline constexpr double kMinRadius = 1e-9, kMaxRadius = 1e6;

}  // namespace scree

/// \file  Radii that particles may have.
#pragma once

namespace scree {

/// Moments of inertia, ∝ r⁵, fit into floats [m].
inline constexpr double kLeastRadius = 1e-9, kGreatestRadius = 1e6;

}  // namespace scree

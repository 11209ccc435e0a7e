/// \file  Radii that particles may have.
#pragma once

namespace scree {

/// Of these the moments of inertia, ∝ r⁵, are numbers that can be divided by [m].
inline constexpr double kLeastRadius = 1e-60, kGreatestRadius = 1e60;

}  // namespace scree

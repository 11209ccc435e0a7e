/// \file  Contacts that another rank treats: with Jacobi a rank needs all of its own particles.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/contact_detection.hpp"
#include "engine/halo.hpp"
#include "engine/particles.hpp"

namespace scree {

/// Moves contacts that this rank has found but does not treat (contact_ownership) to `mirrors`, so
/// that each contact stays in `contacts` on one rank only; both keep their order.
void MoveMirrors(int rank, const Particles& particles, const Halo& halo,
                 std::vector<DetectedContact>& contacts, std::vector<DetectedContact>& mirrors);

/// Numbers that are the same on every rank: ids of the local particles, then of the walls greater
/// ones.
void SetBodyKeys(const Particles& particles, std::size_t walls, std::vector<std::int64_t>& keys);

}  // namespace scree

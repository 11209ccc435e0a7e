/// \file  The contacts of one step, as found at the beginning of the step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/contacts/bond_contacts.hpp"
#include "engine/contacts/contact_detection.hpp"
#include "engine/contacts/contact_list.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/step/candidate_lists.hpp"
#include "engine/step/step_setup.hpp"

namespace scree {

struct StepContacts {
  std::int64_t step = 0;              // base steps done when the contacts were found
  std::vector<WallPose> walls;        // all walls at that time
  std::vector<WallBody> wall_bodies;  // bodies after the particles
  ContactList owned;                  // contacts that this rank owns
  ContactList ghosts;                 // ghost contacts, if the scheme needs them
  std::size_t first_wall_body = 0;    // number of local particles at that time
  double deepest = 0.0;  // largest overlap in both lists, ignoring ordered impacts [m]; 0: none

  std::vector<BondContact> bonded;    // contacts of brittle bonds
  std::vector<BondContact> damaging;  // contacts of damage bonds

  DetectionBuffers buffers;  // scratch
  ContactList found;         // scratch, in scenes with bonds: all contacts of the narrow phase

  /// Contact j of the problem: owned contacts, then ghost contacts.
  const DetectedContact& At(std::size_t j) const {
    return j < owned.size() ? owned[j] : ghosts[j - owned.size()];
  }
};

/// Marks of the particles that are shared between ranks, whose contacts come first; empty if the
/// order of the contacts does not matter.
std::span<const std::uint8_t> SharedMarks(const StepSetup& setup, const CandidateLists& lists);

/// Reserves memory that suffices until the next lists.
void Reserve(const StepSetup& setup, const CandidateLists& lists, StepContacts& contacts);

/// Replaces the contacts by the contacts at the present positions of the particles.
/// @param rule        which gaps are active
/// @param velocities  of the particles in this step, without the change by the weight [m/s]
/// @param warm_start  null: no stored impulses
void FindContacts(const StepSetup& setup, const ActivationRule& rule, std::int64_t step,
                  FreeWallStates free_walls, const Particles& particles,
                  std::span<const Vec3> velocities, const CandidateLists& lists,
                  const WarmStart* warm_start, StepContacts& contacts);

/// FindContacts with the step and the poses of walls that `contacts` already has. Not collective.
void FindContactsAt(const StepSetup& setup, const ActivationRule& rule, const Particles& particles,
                    std::span<const Vec3> velocities, const CandidateLists& lists,
                    const WarmStart* warm_start, StepContacts& contacts);

/// Describes errors in the contacts of this rank; empty: none.
std::string DescribeDetectionError(const StepSetup& setup, const Particles& particles,
                                   const StepContacts& contacts);

}  // namespace scree

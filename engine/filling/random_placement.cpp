#include "engine/filling/random_placement.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "engine/particles/trial_position.hpp"
#include "engine/ranks/byte_buffer.hpp"
#include "engine/ranks/sparse_values.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr double kSpheresPerCell = 64.0;  // few enough that all ranks get cells
constexpr int kColours = 8;
constexpr std::uint64_t kDraws = 1024;  // maximum draws for a sphere's first position in a round
constexpr std::uint64_t kMaxTrialsPerRound = 128;     // trials of a sphere
constexpr std::int64_t kMaxTrialsPerSuccess = 10000;  // above this the region counts as full

FillBlocks CellsOf(const Box& bounds, const SphereSizes& sizes, int ranks) {
  const double per_sphere = bounds.Extent().prod() / static_cast<double>(sizes.count);
  constexpr double kRounding = 1.0 + 1e-9;
  const double width =
      std::max(2.0 * sizes.largest * kRounding, std::cbrt(kSpheresPerCell * per_sphere));
  FillBlocks::Unit cells;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cell_count = bounds.Extent()[static_cast<Eigen::Index>(axis)] / width;
    cells[axis] = std::max<std::int64_t>(1, static_cast<std::int64_t>(cell_count));
  }
  return {bounds, cells, ranks};
}

/// An empty grid that covers the cells of a rank and a margin of one diameter. A cell of this grid
/// will hold about one sphere.
SphereGrid GridFor(const FillBlocks& cells, const SphereSizes& sizes, const Box& bounds, int rank) {
  const Vec3 margin = Vec3::Constant(2.0 * sizes.largest);
  const Box rank_box = cells.BoxOf(cells.UnitsOf(rank));
  const Box grid_box = {(rank_box.lower - margin).cwiseMax(bounds.lower),
                        (rank_box.upper + margin).cwiseMin(bounds.upper)};
  const double per_sphere = bounds.Extent().prod() / static_cast<double>(sizes.count);
  return {grid_box, std::max(2.0 * sizes.smallest, std::cbrt(per_sphere))};
}

/// Class of a radius, eight classes per factor of two. Class 0 has the largest spheres of all
/// ranks.
std::size_t ClassOf(double radius, double largest) {
  constexpr int kPerOctave = 8;
  const double ratio = largest / radius;
  const int octave = std::ilogb(ratio);
  const int part = static_cast<int>(kPerOctave * (std::scalbn(ratio, -octave) - 1.0));
  return static_cast<std::size_t>(kPerOctave * octave + part);
}

/// Trials of a sphere in its cell. They double in each round: few trials at first keep the
/// positions uniform over the region, and many trials later save messages.
std::uint64_t TrialsIn(int round) {
  return round < 7 ? std::uint64_t{1} << round : kMaxTrialsPerRound;
}

/// Number of a random draw for a first trial position. These numbers are above those of the trials
/// in cells, so that all draws differ.
std::uint64_t FirstTrialNumber(int round, std::uint64_t draw) {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 48;
  return kFirst + static_cast<std::uint64_t>(round) * kDraws + draw;
}
std::uint64_t CellTrialNumber(int round, std::uint64_t trial) {
  return static_cast<std::uint64_t>(round) * kMaxTrialsPerRound + trial;
}

Box Intersection(const Box& a, const Box& b) {
  return {a.lower.cwiseMax(b.lower), a.upper.cwiseMin(b.upper)};
}

}  // namespace

RandomPlacement::RandomPlacement(const Communicator& communicator, const Region& region,
                                 const SphereSizes& sizes, std::uint64_t seed, ParticleId first_id)
    : communicator_(communicator),
      region_(region),
      sizes_(sizes),
      seed_(seed),
      first_id_(first_id),
      bounds_(BoundsOf(region)),
      is_box_(std::holds_alternative<Box>(region)),
      cells_(CellsOf(bounds_, sizes, communicator.Size())),
      placed_(GridFor(cells_, sizes, bounds_, communicator.Rank())),
      classes_(ClassOf(sizes.smallest, sizes.largest) + 1) {}

void RandomPlacement::AddSphere(const UnplacedSphere& sphere) {
  const PlacementCandidate candidate = CandidateOf(sphere, 0);
  if (!IsInOwnCell(candidate)) return;
  classes_[ClassOf(sphere.radius, sizes_.largest)].push_back(candidate);
}

std::vector<FoundPosition> RandomPlacement::Find(const IsFree& is_free) {
  for (std::vector<PlacementCandidate>& candidates : classes_) {
    for (int round = 0;; ++round) {
      const std::vector<UnplacedSphere> unplaced = PlaceCandidates(candidates, round, is_free);
      if (communicator_.Sum(static_cast<std::int64_t>(unplaced.size())) == 0) break;
      RequireSuccess();
      candidates = SendToCells(unplaced, round + 1);
    }
    candidates = {};
  }
  return std::move(found_);
}

/// Draws the first trial position of a sphere, uniform over the region, and finds its cell.
RandomPlacement::PlacementCandidate RandomPlacement::CandidateOf(const UnplacedSphere& sphere,
                                                                 int round) const {
  const Box centres = CentresIn(bounds_, sphere.radius);
  PlacementCandidate candidate{sphere};
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    candidate.position =
        TrialPosition(centres, seed_, first_id_ + sphere.number, FirstTrialNumber(round, draw));
    if (is_box_ || Contains(region_, candidate.position, sphere.radius)) break;
  }
  candidate.cell = cells_.UnitOf(candidate.position);
  const auto parity = [&](std::size_t axis) { return static_cast<int>(candidate.cell[axis] % 2); };
  candidate.colour = parity(0) + 2 * parity(1) + 4 * parity(2);
  return candidate;
}

bool RandomPlacement::IsInOwnCell(const PlacementCandidate& candidate) const {
  return cells_.OwnerOf(candidate.cell) == communicator_.Rank();
}

/// Places spheres colour by colour, the largest first in each cell. @returns the unplaced spheres
std::vector<UnplacedSphere> RandomPlacement::PlaceCandidates(
    std::vector<PlacementCandidate>& candidates, int round, const IsFree& is_free) {
  std::ranges::sort(candidates, {}, [](const PlacementCandidate& candidate) {
    const auto& [x, y, z] = candidate.cell;
    return std::tuple(candidate.colour, z, y, x, -candidate.sphere.radius, candidate.sphere.number);
  });
  std::vector<UnplacedSphere> unplaced;
  auto candidate = candidates.begin();
  for (int colour = 0; colour < kColours; ++colour) {
    const std::size_t first = found_.size();
    for (; candidate != candidates.end() && candidate->colour == colour; ++candidate) {
      if (!TryPlace(*candidate, round, is_free)) unplaced.push_back(candidate->sphere);
    }
    SendPlaced(first);
  }
  return unplaced;
}

bool RandomPlacement::TryPlace(const PlacementCandidate& candidate, int round,
                               const IsFree& is_free) {
  const auto& [number, radius, part] = candidate.sphere;
  const Box centres = Intersection(cells_.BoxOf(candidate.cell), CentresIn(bounds_, radius));
  for (std::uint64_t trial = 0; trial < TrialsIn(round); ++trial) {
    ++trials_.attempted;
    const Vec3 position = trial == 0 ? candidate.position
                                     : TrialPosition(centres, seed_, first_id_ + number,
                                                     CellTrialNumber(round, trial));
    if (!is_box_ && !Contains(region_, position, radius)) continue;
    if (placed_.Overlaps(position, radius) || !is_free(position, radius)) continue;
    placed_.Add({position, radius});
    found_.push_back({candidate.sphere, position});
    ++trials_.successful;
    return true;
  }
  return false;
}

/// Sends the spheres placed since `first` to the ranks nearby, and adds the spheres that those
/// ranks have placed.
void RandomPlacement::SendPlaced(std::size_t first) {
  std::map<int, ByteWriter> messages;
  for (std::size_t k = first; k < found_.size(); ++k) {
    const PlacedSphere sphere{found_[k].position, found_[k].sphere.radius};
    cells_.ForEachRankNear(sphere.centre, sphere.radius + sizes_.largest, [&](int rank) {
      if (rank != communicator_.Rank()) messages[rank].Put(sphere);
    });
  }
  for (const PlacedSphere& sphere : SendValues<PlacedSphere>(communicator_, messages)) {
    placed_.Add(sphere);
  }
}

/// Sends spheres to the owners of their cells in this round. @returns the candidates of this rank
std::vector<RandomPlacement::PlacementCandidate> RandomPlacement::SendToCells(
    const std::vector<UnplacedSphere>& unplaced, int round) const {
  std::vector<PlacementCandidate> candidates;
  std::map<int, ByteWriter> messages;
  for (const UnplacedSphere& sphere : unplaced) {
    const PlacementCandidate candidate = CandidateOf(sphere, round);
    if (IsInOwnCell(candidate)) {
      candidates.push_back(candidate);
    } else {
      messages[cells_.OwnerOf(candidate.cell)].Put(sphere);
    }
  }
  for (const UnplacedSphere& sphere : SendValues<UnplacedSphere>(communicator_, messages)) {
    candidates.push_back(CandidateOf(sphere, round));
  }
  return candidates;
}

/// Throws an InputError if too few of the trials since the last check were successful.
void RandomPlacement::RequireSuccess() {
  std::array<std::int64_t, 2> totals = {trials_.attempted, trials_.successful};
  communicator_.Sum(totals);
  if (totals[0] < kMaxTrialsPerSuccess) return;
  trials_ = {};
  if (totals[1] * kMaxTrialsPerSuccess >= totals[0]) return;
  throw InputError(
      Text("found positions for only ", communicator_.Sum(static_cast<std::int64_t>(found_.size())),
           " of ", sizes_.count,
           " spheres; expected a smaller solid_fraction or number, a larger region, or "
           "less of it inside walls (boxes, cylinders, spheres and half spaces are solid)"));
}

}  // namespace scree

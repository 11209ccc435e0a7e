/// \file  Which rank owns a point, and which ranks are near a box: pure geometry, no messages.
///
/// Subdomains are boxes. That they form a grid today is known here alone: others keep and tell it
/// as cuts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/geometry/box.hpp"
#include "solvers/types.hpp"

namespace scree {

/// A periodic image: how many domain lengths a copy is shifted along each axis.
using Image = std::array<std::int8_t, 3>;

/// A subdomain near another one, as seen from there.
struct NearSubdomain {
  int rank = 0;
  Image image = {};  // shift that brings our particles next to it
  Box box;           // its box, in its own place [m]
};

class Subdomains {
 public:
  /// One box per rank. @param grid  boxes along each axis, all ≥ 1
  Subdomains(const Domain& domain, const std::array<int, 3>& grid);

  int Count() const { return grid_[0] * grid_[1] * grid_[2]; }
  /// How the domain is cut, as numbers for files: with equal cuts a domain has equal boxes.
  std::vector<std::int32_t> Cuts() const { return {grid_.begin(), grid_.end()}; }
  /// The least extent of a box along each axis, inside the domain [m].
  Vec3 SmallestBox() const;
  const Domain& WholeDomain() const { return domain_; }

  /// The rank whose box holds the point; beyond an open end of the domain, the nearest box.
  int OwnerOf(const Vec3& x) const;

  /// Box of a rank, half open. At open ends of the domain it reaches to infinity, so that each
  /// point has exactly one owner.
  Box BoxOf(int rank) const;

  /// All other boxes and periodic images, this rank's own images included, that lie within `reach`
  /// of its box, ordered by rank, then image.
  std::vector<NearSubdomain> Near(int rank, double reach) const;

  /// Moves a point by whole periods into the domain.
  Vec3 Wrap(const Vec3& x) const { return domain_.Wrap(x); }

  /// Vector of a periodic shift [m]; exact multiples of the domain's lengths.
  Vec3 Shift(const Image& image) const;

  /// The farthest that a particle may reach for partners, so that these come from adjacent boxes
  /// and no pair meets twice: the width of a box on divided axes, half the length on periodic ones
  /// [m]; infinite for a single box without periodic ends.
  double LargestReach() const;

  /// @throws InputError if ghosts would have to come from beyond the next box: a divided or
  ///         periodic axis needs boxes at least `reach` wide, a periodic length twice that.
  void DemandWidth(double reach) const;

 private:
  std::array<int, 3> CellOf(int rank) const;
  int RankOf(const std::array<int, 3>& cell) const;
  double Cut(int axis, int number) const;

  Domain domain_;
  std::array<int, 3> grid_;
};

/// Whether numbers from a file can be cuts; how many boxes these make, and what they are called.
bool AreCuts(std::span<const std::int32_t> cuts);
std::int64_t CountBoxes(std::span<const std::int32_t> cuts);
std::string DescribeCuts(std::span<const std::int32_t> cuts);  // "2x1x1"

/// The grid of `ranks` boxes whose inner faces have the smallest area; among equals the one with
/// the most boxes along x, then y.
std::array<int, 3> SmallestHaloGrid(const Domain& domain, int ranks);

}  // namespace scree

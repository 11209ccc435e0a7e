/// \file  Which rank owns a point, and which ranks are near a box: pure geometry, no messages.
///
/// Subdomains are boxes, the leaves of a tree of cuts (recursive bisection): each cut divides a box
/// and the ranks that share it, so that the ranks of any box of the tree are numbers in a row.
///
///     ranks 0..4 --x < 3.1--> ranks 0..1 --z < 0.5--> rank 0     Cuts in the order in which a walk
///          \                       \----------------> rank 1     that takes the lower side first
///           \------> ranks 2..4 ...                              meets them: no pointers
///
/// A grid of equal boxes is such a tree too.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/geometry/periodic_images.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// A subdomain near another one, as seen from there.
struct NeighbourSubdomain {
  int rank = 0;
  Image image = {};  // shift that brings our particles next to it
  Box box;           // of that rank, not shifted [m]
};

/// Divides a box and its ranks.
struct Cut {
  double place = 0.0;      // along the axis; the lower side ends before it [m]
  std::int32_t axis = 0;   // 0, 1, 2
  std::int32_t below = 1;  // ranks on the lower side, ≥ 1; the others are above
  friend bool operator==(const Cut&, const Cut&) = default;
};

/// How a domain is cut, for files: a grid of equal boxes is named, other cuts are listed.
struct Cuts {
  std::array<std::int32_t, 3> grid = {0, 0, 0};  // boxes along each axis; zeros: none
  std::vector<Cut> tree;                         // if there is no grid: one less than boxes
  bool IsGrid() const { return grid[0] != 0; }
  friend bool operator==(const Cuts&, const Cuts&) = default;
};

/// Whether numbers from a file can be cuts; how many boxes these make, and what they are called.
bool AreCuts(const Cuts& cuts);
std::int64_t CountBoxes(const Cuts& cuts);
std::string DescribeCuts(const Cuts& cuts);  // "2x1x1", "12 boxes by bisection"

/// The walk down the tree, for those who follow more than a point or a box.
struct TreeNode {
  std::size_t cut = 0;  // its number in the tree, if the box is divided
  int first_rank = 0;
  int ranks = 1;

  bool IsLeaf() const { return ranks == 1; }
  TreeNode Lower(const Cut& its) const { return {cut + 1, first_rank, its.below}; }
  TreeNode Upper(const Cut& its) const {
    return {cut + static_cast<std::size_t>(its.below), first_rank + its.below, ranks - its.below};
  }
};

/// What a cut leaves of a box on its two sides.
Box LowerPart(Box box, const Cut& cut);
Box UpperPart(Box box, const Cut& cut);

class Subdomains {
 public:
  /// One box per rank. @param grid  boxes along each axis, all ≥ 1
  Subdomains(const Domain& domain, const std::array<int, 3>& grid);
  /// @pre AreCuts(cuts)
  static Subdomains WithCuts(const Domain& domain, const Cuts& cuts);

  int Count() const { return static_cast<int>(tree_.size()) + 1; }
  /// How the domain is cut: with equal cuts a domain has equal boxes.
  Cuts Description() const;
  const std::vector<Cut>& Tree() const { return tree_; }
  /// The least extent of a box along each axis, inside the domain [m].
  const Vec3& SmallestBox() const { return smallest_; }
  const Domain& WholeDomain() const { return domain_; }

  /// The rank whose box holds the point; beyond an open end of the domain, the nearest box.
  int OwnerOf(const Vec3& x) const;

  /// Box of a rank, half open. At open ends of the domain it reaches to infinity, so that each
  /// point has exactly one owner.
  Box BoxOf(int rank) const;

  /// All other boxes and periodic images, this rank's own images included, that lie within `reach`
  /// of its box, ordered by rank, then image.
  /// @param reach  at most half a periodic length
  std::vector<NeighbourSubdomain> Near(int rank, double reach) const;

  /// Where the periodic images are as Near, Wrap and Shift see them: at rest in line, or in a
  /// sheared domain where the last MoveImages has brought them.
  const PeriodicImages& Images() const { return images_; }
  /// @param time  since all images stood in line [s]
  void MoveImages(double time) { images_ = PeriodicImages(domain_, time); }

  /// Moves a point by whole periods into the domain.
  Vec3 Wrap(const Vec3& x) const { return images_.Wrap(x); }

  /// Vector of a periodic shift [m]; exact multiples of the domain's lengths, but for the shear.
  Vec3 Shift(const Image& image) const { return images_.Shift(image); }

  /// The farthest that a particle may reach for partners [m]: half the length on periodic axes, so
  /// that no pair meets twice; in a grid also the width of a box on divided axes. Boxes that follow
  /// the work may be narrower: Near finds what lies beyond.
  double LargestReach() const;

  /// @param skin  part of the reach that the user may choose [m]
  /// @throws InputError for a reach that is too large: a divided axis of a grid needs boxes at
  ///         least `reach` wide, a periodic length twice that.
  void RequireWidth(double reach, double skin = 0.0) const;

 private:
  Subdomains(const Domain& domain, std::vector<Cut> tree);
  /// All of the domain, to infinity at open ends, and all ranks.
  Box Outermost() const;
  TreeNode Root() const { return {0, 0, Count()}; }
  void MeasureBoxes(const TreeNode& node, const Box& box);
  void FindNear(const TreeNode& node, const Box& box, const Box& from, double reach,
                NeighbourSubdomain& found, std::vector<NeighbourSubdomain>& near) const;

  Domain domain_;
  PeriodicImages images_;
  std::array<int, 3> grid_ = {0, 0, 0};  // zeros: cuts that are no grid
  std::vector<Cut> tree_;
  Vec3 smallest_;
};

/// The grid of `ranks` boxes whose inner faces have the smallest area; among equals the one with
/// the most boxes along x, then y.
std::array<int, 3> SmallestHaloGrid(const Domain& domain, int ranks);

}  // namespace scree

/// \file  Subdomains of the ranks: owners of points, and ranks near a box. No communication.
///
/// Subdomains are boxes, the leaves of a tree of cuts (recursive bisection). Each cut divides a box
/// and its ranks, so that the ranks of any box in the tree are consecutive.
///
///     ranks 0..4 --x < 3.1--> ranks 0..1 --z < 0.5--> rank 0
///          \                       \----------------> rank 1
///           \------> ranks 2..4 ...
///
/// Cuts are stored in preorder, the lower side first, so that the tree needs no pointers.
/// A grid of equal boxes is such a tree as well.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/geometry/periodic_images.hpp"
#include "solvers/base/types.hpp"

namespace scree {

struct NeighbourSubdomain {
  int rank = 0;
  Image image = {};  // periods that shift this rank's particles next to the neighbour
  Box box;           // of the neighbour, not shifted [m]
};

/// Divides a box and its ranks.
struct Cut {
  double position = 0.0;         // coordinate along the axis; the lower side ends before it [m]
  std::int32_t axis = 0;         // 0, 1, 2
  std::int32_t ranks_below = 1;  // number of ranks on the lower side, ≥ 1; the others are above
  friend bool operator==(const Cut&, const Cut&) = default;
};

/// Division of a domain, for files: a grid of equal boxes, or a list of cuts.
struct Cuts {
  std::array<std::int32_t, 3> grid = {0, 0, 0};  // boxes along each axis; zeros: no grid
  std::vector<Cut> tree;                         // empty for a grid; else one cut less than boxes
  bool IsGrid() const { return grid[0] != 0; }
  friend bool operator==(const Cuts&, const Cuts&) = default;
};

/// Whether values from a file are valid cuts.
bool AreCuts(const Cuts& cuts);
std::int64_t CountBoxes(const Cuts& cuts);
std::string DescribeCuts(const Cuts& cuts);  // "2x1x1", "12 boxes by bisection"

struct TreeNode {
  std::size_t cut = 0;  // index of the cut in the tree, unless the node is a leaf
  int first_rank = 0;
  int ranks = 1;

  bool IsLeaf() const { return ranks == 1; }
  TreeNode Lower(const Cut& division) const { return {cut + 1, first_rank, division.ranks_below}; }
  TreeNode Upper(const Cut& division) const {
    return {cut + static_cast<std::size_t>(division.ranks_below), first_rank + division.ranks_below,
            ranks - division.ranks_below};
  }
};

/// The parts of a box on the two sides of a cut.
Box LowerPart(Box box, const Cut& cut);
Box UpperPart(Box box, const Cut& cut);

class Subdomains {
 public:
  /// One box per rank. @param grid  boxes along each axis, all ≥ 1
  Subdomains(const Domain& domain, const std::array<int, 3>& grid);
  /// @pre AreCuts(cuts)
  static Subdomains WithCuts(const Domain& domain, const Cuts& cuts);

  int Count() const { return static_cast<int>(tree_.size()) + 1; }
  /// The cuts, for WithCuts. Equal cuts of a domain give equal boxes.
  Cuts Description() const;
  const std::vector<Cut>& Tree() const { return tree_; }
  /// Smallest width of a box along each axis, inside the domain [m].
  const Vec3& SmallestBox() const { return smallest_; }
  const Domain& WholeDomain() const { return domain_; }

  /// The rank whose box contains the point, or the rank of the nearest box for a point beyond an
  /// open end of the domain.
  int OwnerOf(const Vec3& x) const;

  /// Box of a rank, half open. It reaches to infinity at open ends of the domain, so that each
  /// point has exactly one owner.
  Box BoxOf(int rank) const;

  /// All boxes and their periodic images within `reach` of this rank's box. The box itself is not
  /// included, but its periodic images are. Ordered by rank, then by image.
  /// @param reach  at most half a periodic length [m]
  std::vector<NeighbourSubdomain> NeighboursWithin(int rank, double reach) const;

  /// The periodic images that NeighboursWithin, Wrap and Shift use. In a sheared domain they are
  /// those of the last call of MoveImages.
  const PeriodicImages& Images() const { return images_; }
  /// @param time  since all images were aligned [s]
  void MoveImages(double time) { images_ = PeriodicImages(domain_, time); }

  /// Moves a point by whole periods into the domain.
  Vec3 Wrap(const Vec3& x) const { return images_.Wrap(x); }

  /// Vector of a periodic shift [m]: exact multiples of the domain's lengths, plus the offset of
  /// sheared images.
  Vec3 Shift(const Image& image) const { return images_.Shift(image); }

  /// Maximum distance at which particles may have partners [m]: half the length of periodic axes,
  /// so that no two particles are partners through both ends. In a grid it is also at most the
  /// width of a box along divided axes. Boxes from bisection may be narrower than this distance.
  double LargestReach() const;

  /// Requires that the reach is at most LargestReach.
  /// @param reach  maximum distance of partners [m]
  /// @param skin   part of the reach that the user can change [m]
  /// @throws InputError with advice if the reach is too large
  void RequireWidth(double reach, double skin = 0.0) const;

 private:
  Subdomains(const Domain& domain, std::vector<Cut> tree);
  /// The box of the whole domain, infinite at open ends.
  Box DomainBox() const;
  TreeNode Root() const { return {0, 0, Count()}; }
  void MeasureBoxes(const TreeNode& node, const Box& box);
  void FindNear(const TreeNode& node, const Box& box, const Box& from, double reach,
                NeighbourSubdomain& found, std::vector<NeighbourSubdomain>& near) const;

  Domain domain_;
  PeriodicImages images_;
  std::array<int, 3> grid_ = {0, 0, 0};  // zeros: the cuts are not a grid
  std::vector<Cut> tree_;
  Vec3 smallest_;
};

/// The grid of `ranks` boxes with the smallest area of inner faces. If several grids have this
/// area, the one with the most boxes along x, then y.
std::array<int, 3> SmallestHaloGrid(const Domain& domain, int ranks);

}  // namespace scree

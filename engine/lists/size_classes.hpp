/// \file  Spheres sorted by size, and each size into cells that suit it: a small sphere does not
///        have to look at all the small ones that a large one reaches.
///
/// A class holds radii that differ by a factor of two at most; equal spheres are one class. (The
/// idea of a grid for each class of sizes: V. Ogarko, S. Luding, "A fast multilevel algorithm for
/// contact detection of arbitrarily polydisperse objects", Computer Physics Communications 183
/// (2012) 931.)
#pragma once

#include <span>
#include <vector>

#include "engine/lists/cell_grid.hpp"
#include "solvers/base/types.hpp"

namespace scree {

class SizeClasses {
 public:
  SizeClasses() = default;
  SizeClasses(std::span<const Vec3> centres, std::span<const double> radii, double skin) {
    Sort(centres, radii, skin);
  }

  /// Sorts by class, small ones first, and in each along its cells. Reuses memory.
  /// @param skin  the distance of surfaces for which the cells are made [m]; any other can be asked
  ///              for as well
  /// @pre finite centres; radii > 0
  void Sort(std::span<const Vec3> centres, std::span<const double> radii, double skin);

  /// The spheres' indices in this order; inside a class see CellGrid::Order. Sorting spheres that
  /// are in this order changes nothing.
  const std::vector<Index>& Order() const { return order_; }

  /// Calls visit(begin, end) with ranges of slots in Order() that together hold, once each, all
  /// spheres whose surface is closer to x than `distance`, and some farther ones.
  template <class Visit>
  void VisitRunsNear(const Vec3& x, double distance, Visit&& visit) const {
    VisitClassesNear(x, distance, 0, visit);
  }

  /// The same for the sphere in slot k, centre x, only slots after it: each pair is met once.
  template <class Visit>
  void VisitRunsAfter(std::size_t k, const Vec3& x, double distance, Visit&& visit) const {
    std::size_t c = 0;
    while (k >= first_[c + 1]) ++c;
    const std::size_t first = first_[c];
    classes_[c].cells.VisitRunsAfter(
        k - first, x, distance + classes_[c].largest,
        [&](std::size_t begin, std::size_t end) { visit(first + begin, first + end); });
    VisitClassesNear(x, distance, c + 1, visit);
  }

  /// Memory of the arrays.
  std::size_t Bytes() const;

 private:
  struct SizeClass {
    double largest = 0.0;  // radius [m]
    CellGrid cells;        // of its spheres
  };

  /// From class c on.
  template <class Visit>
  void VisitClassesNear(const Vec3& x, double distance, std::size_t c, Visit&& visit) const {
    for (; c < classes_.size(); ++c) {
      const std::size_t first = first_[c];
      classes_[c].cells.VisitRunsNear(
          x, distance + classes_[c].largest,
          [&](std::size_t begin, std::size_t end) { visit(first + begin, first + end); });
    }
  }

  bool SortAsOneClass(std::span<const Vec3> centres, std::span<const double> radii, double skin);
  void OrderBySize(std::span<const double> radii);

  std::vector<SizeClass> classes_;  // small ones first
  std::vector<std::size_t> first_;  // one per class and one more: slot of the first sphere
  std::vector<Index> order_;
  // Scratch, of several classes.
  std::vector<Index> by_size_;
  std::vector<Vec3> centres_;
};

}  // namespace scree

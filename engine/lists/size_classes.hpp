/// \file  Spheres sorted into classes of size, with a cell grid for each class. A small sphere then
///        need not search all the small spheres within the reach of a large one.
///
/// The radii in a class differ by at most a factor of two. Equal spheres form a single class.
/// Source: V. Ogarko, S. Luding, "A fast multilevel algorithm for contact detection of arbitrarily
/// polydisperse objects", Computer Physics Communications 183 (2012) 931.
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

  /// Sorts by class, smallest first, and along the cells within each class. Reuses memory.
  /// @param skin  distance of surfaces for which the cells are optimised [m]; searches may use any
  ///              distance
  /// @pre finite centres; radii > 0
  void Sort(std::span<const Vec3> centres, std::span<const double> radii, double skin);

  /// Indices of the spheres in sorted order; for the order within a class see CellGrid::Order.
  /// Sorting spheres that already are in this order does not change it.
  const std::vector<Index>& Order() const { return order_; }

  /// Calls visit(begin, end) with disjoint ranges of slots in Order(). Together they contain all
  /// spheres whose surface is closer to x than `distance`, and possibly some farther ones.
  template <class Visit>
  void VisitRunsNear(const Vec3& x, double distance, Visit&& visit) const {
    VisitClassesNear(x, distance, 0, visit);
  }

  /// As VisitRunsNear for the sphere in slot k with centre x, but only slots after k, so that each
  /// pair occurs once.
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

  /// Capacity of the arrays [bytes].
  std::size_t Bytes() const;

 private:
  struct SizeClass {
    double largest = 0.0;  // radius [m]
    CellGrid cells;        // of the spheres of this class
  };

  /// As VisitRunsNear, for class c and all larger classes.
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

  std::vector<SizeClass> classes_;  // smallest first
  std::vector<std::size_t> first_;  // one per class plus the end: slot of the first sphere
  std::vector<Index> order_;
  // Scratch for several classes.
  std::vector<Index> by_size_;
  std::vector<Vec3> centres_;
};

}  // namespace scree

#include "engine/size_classes.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/check.hpp"

namespace scree {

void SizeClasses::Sort(std::span<const Vec3> centres, std::span<const double> radii, double skin) {
  SCREE_DEMAND(centres.size() == radii.size());
  OrderBySize(radii);
  centres_.resize(centres.size());
  for (std::size_t k = 0; k < centres.size(); ++k) {
    centres_[k] = centres[static_cast<std::size_t>(by_size_[k])];
  }
  order_.resize(centres.size());
  for (std::size_t c = 0; c < Count(); ++c) {
    SizeClass& one = classes_[c];
    const std::size_t count = classes_[c + 1].first - one.first;
    one.cells.Sort(std::span(centres_).subspan(one.first, count), 2.0 * one.largest + skin);
    for (std::size_t k = 0; k < count; ++k) {
      const auto place = static_cast<std::size_t>(one.cells.Order()[k]);
      order_[one.first + k] = by_size_[one.first + place];
    }
  }
}

/// Finds the classes' bounds and fills by_size_, in the order of the indices inside a class.
void SizeClasses::OrderBySize(std::span<const double> radii) {
  const double largest = radii.empty() ? 0.0 : *std::ranges::max_element(radii);
  // 0 for the class of the largest, whose radii are more than half of it, 1 for the next ...
  const auto below = [largest](double radius) {
    return static_cast<std::size_t>(std::ilogb(largest / radius));
  };
  std::size_t levels = radii.empty() ? 0 : 1;
  if (!radii.empty()) levels += below(*std::ranges::min_element(radii));
  classes_.resize(levels + 1);
  for (SizeClass& one : classes_) one.first = 0, one.largest = 0.0;
  for (const double radius : radii) {
    const std::size_t c = levels - 1 - below(radius);
    ++classes_[c + 1].first;
    classes_[c].largest = std::max(classes_[c].largest, radius);
  }
  for (std::size_t c = 0; c < levels; ++c) classes_[c + 1].first += classes_[c].first;

  by_size_.resize(radii.size());
  std::vector<std::size_t> next;
  for (const SizeClass& one : classes_) next.push_back(one.first);
  for (std::size_t i = 0; i < radii.size(); ++i) {
    by_size_[next[levels - 1 - below(radii[i])]++] = static_cast<Index>(i);
  }
}

}  // namespace scree

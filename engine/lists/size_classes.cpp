#include "engine/lists/size_classes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/base/check.hpp"

namespace scree {

void SizeClasses::Sort(std::span<const Vec3> centres, std::span<const double> radii, double skin) {
  SCREE_DEMAND(centres.size() == radii.size());
  if (SortAsOneClass(centres, radii, skin)) return;
  OrderBySize(radii);
  centres_.resize(centres.size());
  for (std::size_t k = 0; k < centres.size(); ++k) {
    centres_[k] = centres[static_cast<std::size_t>(by_size_[k])];
  }
  order_.resize(centres.size());
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    SizeClass& size_class = classes_[c];
    const std::size_t first = first_[c], count = first_[c + 1] - first;
    size_class.cells.Sort(std::span(centres_).subspan(first, count),
                          2.0 * size_class.largest + skin);
    for (std::size_t k = 0; k < count; ++k) {
      order_[first + k] = by_size_[first + static_cast<std::size_t>(size_class.cells.Order()[k])];
    }
  }
}

/// Sorts spheres of a single class, which need not be ordered by size.
/// @returns false if there are several classes, or no spheres
bool SizeClasses::SortAsOneClass(std::span<const Vec3> centres, std::span<const double> radii,
                                 double skin) {
  if (radii.empty()) return false;
  const auto [smallest, largest] = std::ranges::minmax(radii);
  if (std::ilogb(largest / smallest) > 0) return false;
  classes_.resize(1);
  classes_[0].largest = largest;
  classes_[0].cells.Sort(centres, 2.0 * largest + skin);
  first_ = {0, centres.size()};
  order_ = classes_[0].cells.Order();
  return true;
}

/// Finds the bounds of the classes and fills by_size_, in the order of the indices inside a class.
void SizeClasses::OrderBySize(std::span<const double> radii) {
  std::size_t classes = 0;
  const double largest = radii.empty() ? 0.0 : *std::ranges::max_element(radii);
  // The last class has radii above half the largest, the one before it above a quarter.
  const auto class_of = [&classes, largest](double radius) {
    return classes - 1 - static_cast<std::size_t>(std::ilogb(largest / radius));
  };
  if (!radii.empty()) {
    const double smallest = *std::ranges::min_element(radii);
    classes = 1 + static_cast<std::size_t>(std::ilogb(largest / smallest));
  }
  classes_.resize(classes);
  for (SizeClass& size_class : classes_) size_class.largest = 0.0;
  first_.assign(classes + 1, 0);
  for (const double radius : radii) {
    const std::size_t c = class_of(radius);
    ++first_[c + 1];
    classes_[c].largest = std::max(classes_[c].largest, radius);
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());

  by_size_.resize(radii.size());
  std::vector<std::size_t> next = first_;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    by_size_[next[class_of(radii[i])]++] = static_cast<Index>(i);
  }
}

std::size_t SizeClasses::Bytes() const {
  std::size_t bytes = (order_.capacity() + by_size_.capacity()) * sizeof(Index) +
                      centres_.capacity() * sizeof(Vec3);
  for (const SizeClass& size_class : classes_) bytes += size_class.cells.Bytes();
  return bytes;
}

}  // namespace scree

#include "engine/geometry/triangle_tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace scree {

TriangleTree::TriangleTree(std::span<const Triangle> triangles) {
  if (triangles.empty()) return;
  std::vector<Box> boxes;
  boxes.reserve(triangles.size());
  for (const auto& [a, b, c] : triangles) {
    boxes.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)});
  }
  order_.resize(triangles.size());
  std::iota(order_.begin(), order_.end(), Index{0});
  nodes_.reserve(triangles.size());
  nodes_.push_back({Vec3::Zero(), Vec3::Zero(), 0, static_cast<Index>(triangles.size())});
  for (std::size_t node = 0; node < nodes_.size(); ++node) Split(node, boxes);
}

/// Sets the box of a node and cuts it in two halves of equal numbers across its longest side.
void TriangleTree::Split(std::size_t node, std::span<const Box> boxes) {
  const auto begin = order_.begin() + nodes_[node].first;
  const auto end = begin + nodes_[node].count;
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
  Vec3 least = lower, greatest = upper;  // of the middles
  for (auto at = begin; at != end; ++at) {
    const Box& box = boxes[static_cast<std::size_t>(*at)];
    lower = lower.cwiseMin(box.lower);
    upper = upper.cwiseMax(box.upper);
    least = least.cwiseMin(box.lower + box.upper);
    greatest = greatest.cwiseMax(box.lower + box.upper);
  }
  nodes_[node].lower = lower;
  nodes_[node].upper = upper;
  const Index count = nodes_[node].count;
  if (count <= kLeaf) return;

  Eigen::Index axis = 0;
  (greatest - least).maxCoeff(&axis);
  const auto middle = begin + count / 2;
  // Ties are broken by number: the same tree on every rank.
  std::nth_element(begin, middle, end, [&](Index a, Index b) {
    const Box &one = boxes[static_cast<std::size_t>(a)], &two = boxes[static_cast<std::size_t>(b)];
    const double first = one.lower[axis] + one.upper[axis];
    const double second = two.lower[axis] + two.upper[axis];
    return first < second || (first == second && a < b);
  });
  const Index first = nodes_[node].first;
  nodes_[node].first = static_cast<Index>(nodes_.size());
  nodes_[node].count = 0;
  nodes_.push_back({Vec3::Zero(), Vec3::Zero(), first, count / 2});
  nodes_.push_back({Vec3::Zero(), Vec3::Zero(), first + count / 2, count - count / 2});
}

Box TriangleTree::Bounds() const {
  if (nodes_.empty()) return {};
  return {nodes_[0].lower, nodes_[0].upper};
}

}  // namespace scree

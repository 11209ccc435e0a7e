#include "engine/geometry/triangle_tree.hpp"

#include <algorithm>

namespace scree {
namespace {

Box BoxOf(const Triangle& triangle) {
  const auto& [a, b, c] = triangle;
  return {a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
}

}  // namespace

TriangleTree::TriangleTree(std::span<const Triangle> triangles) {
  if (triangles.empty()) return;
  std::vector<Middle> middles;
  middles.reserve(triangles.size());
  for (const Triangle& triangle : triangles) {
    const Box box = BoxOf(triangle);
    middles.push_back({box.lower + box.upper, static_cast<Index>(middles.size())});
  }
  nodes_.reserve(triangles.size());
  nodes_.push_back({Vec3::Zero(), Vec3::Zero(), 0, static_cast<Index>(triangles.size())});
  for (std::size_t node = 0; node < nodes_.size(); ++node) Split(node, middles);
  order_.reserve(triangles.size());
  for (const Middle& middle : middles) order_.push_back(middle.triangle);
  SetBoxes(triangles);
}

/// Divides a node across its longest side into two halves with equal numbers of triangles.
void TriangleTree::Split(std::size_t node, std::span<Middle> middles) {
  const Index first = nodes_[node].first, count = nodes_[node].count;
  if (count <= kLeafSize) return;
  const auto node_middles =
      middles.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  Vec3 lower = node_middles.front().point, upper = lower;
  for (const Middle& middle : node_middles) {
    lower = lower.cwiseMin(middle.point);
    upper = upper.cwiseMax(middle.point);
  }
  Eigen::Index axis = 0;
  (upper - lower).maxCoeff(&axis);
  // The number of the triangle breaks ties, so that every rank builds the same tree.
  std::nth_element(node_middles.begin(), node_middles.begin() + count / 2, node_middles.end(),
                   [axis](const Middle& a, const Middle& b) {
                     const double x_a = a.point[axis], x_b = b.point[axis];
                     return x_a < x_b || (x_a == x_b && a.triangle < b.triangle);
                   });
  nodes_[node].first = static_cast<Index>(nodes_.size());
  nodes_[node].count = 0;
  nodes_.push_back({Vec3::Zero(), Vec3::Zero(), first, count / 2});
  nodes_.push_back({Vec3::Zero(), Vec3::Zero(), first + count / 2, count - count / 2});
}

/// Sets the boxes from the last node to the first, because children come after their parents.
void TriangleTree::SetBoxes(std::span<const Triangle> triangles) {
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    const auto first = static_cast<std::size_t>(node->first);
    if (node->count == 0) {
      node->lower = nodes_[first].lower.cwiseMin(nodes_[first + 1].lower);
      node->upper = nodes_[first].upper.cwiseMax(nodes_[first + 1].upper);
      continue;
    }
    Box box = BoxOf(triangles[static_cast<std::size_t>(order_[first])]);
    for (std::size_t k = 1; k < static_cast<std::size_t>(node->count); ++k) {
      const Box next = BoxOf(triangles[static_cast<std::size_t>(order_[first + k])]);
      box = {box.lower.cwiseMin(next.lower), box.upper.cwiseMax(next.upper)};
    }
    node->lower = box.lower;
    node->upper = box.upper;
  }
}

Box TriangleTree::Bounds() const {
  if (nodes_.empty()) return {};
  return {nodes_[0].lower, nodes_[0].upper};
}

}  // namespace scree

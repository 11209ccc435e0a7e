/// \file  A bounding volume hierarchy that finds the triangles near a point.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Corners [m], counterclockwise seen from the tip of the normal.
using Triangle = std::array<Vec3, 3>;

class TriangleTree {
 public:
  TriangleTree() = default;
  explicit TriangleTree(std::span<const Triangle> triangles);

  /// Calls visit(triangle) for all triangles whose box is within a given distance of x, and
  /// possibly for others. The nearer of two boxes comes first.
  /// @param squared_limit  square of this distance [m²]; visit may lower it
  template <class Visit>
  void VisitNear(const Vec3& x, const double& squared_limit, Visit&& visit) const {
    if (nodes_.empty()) return;
    struct PendingNode {  // a node that is still to be visited
      Index node;
      double squared;
    };
    std::array<PendingNode, kMaxPending> pending;  // large enough, because the tree is balanced
    std::size_t count = 0;
    pending[count++] = {0, SquaredDistance(nodes_[0], x)};
    while (count > 0) {
      const PendingNode next = pending[--count];
      if (next.squared > squared_limit) continue;
      const Node& node = nodes_[static_cast<std::size_t>(next.node)];
      if (node.count > 0) {
        for (Index k = 0; k < node.count; ++k) {
          visit(order_[static_cast<std::size_t>(node.first + k)]);
        }
        continue;
      }
      const Index left = node.first, right = left + 1;
      const PendingNode low{left, SquaredDistance(nodes_[static_cast<std::size_t>(left)], x)};
      const PendingNode high{right, SquaredDistance(nodes_[static_cast<std::size_t>(right)], x)};
      const bool is_low_nearer = low.squared <= high.squared;
      const PendingNode &nearer = is_low_nearer ? low : high, &farther = is_low_nearer ? high : low;
      if (farther.squared <= squared_limit) pending[count++] = farther;
      if (nearer.squared <= squared_limit) pending[count++] = nearer;
    }
  }

  Box Bounds() const;

 private:
  static constexpr std::size_t kMaxPending = 80;
  static constexpr Index kLeafSize = 4;  // maximum number of triangles of a leaf

  struct Node {
    Vec3 lower, upper;
    Index first = 0;  // leaf: index in order_; else the left child, which the right child follows
    Index count = 0;  // leaf: number of triangles; else 0
  };
  static double SquaredDistance(const Node& node, const Vec3& x) {
    return (node.lower - x).cwiseMax(x - node.upper).cwiseMax(0.0).squaredNorm();
  }
  struct Middle {
    Vec3 point;  // twice the centre of the triangle's box [m]
    Index triangle;
  };
  void Split(std::size_t node, std::span<Middle> middles);
  void SetBoxes(std::span<const Triangle> triangles);

  std::vector<Node> nodes_;
  std::vector<Index> order_;  // triangles, in the order of the leaves
};

}  // namespace scree

#include "engine/ranks/subdomains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::size_t At(int axis) { return static_cast<std::size_t>(axis); }

/// Distance between two boxes, zero if they touch [m].
double Gap(const Box& a, const Box& b) {
  return (a.lower - b.upper).cwiseMax(b.lower - a.upper).cwiseMax(0.0).norm();
}

/// Advice in errors about narrow boxes and short periods.
/// @param free_space  length that is left for the skin [m]
std::string AdviseSmallerSkin(double free_space) {
  // Less than 1, so that a longer skin for fast particles still fits.
  constexpr double kSafeFraction = 0.8;
  return free_space > 0.0 ? Text("; or give parallel.skin = ", kSafeFraction * free_space, " m")
                          : std::string();
}

/// Appends the cuts of a grid to the tree: first the cuts between layers along z, then y, then x,
/// so that the ranks are numbered along x first.
class GridTree {
 public:
  GridTree(const Box& box, const std::array<int, 3>& grid, std::vector<Cut>& tree)
      : box_(box), grid_(grid), tree_(tree) {}

  /// @param first, count  the part of the grid to cut, along each axis
  void Add(std::array<int, 3> first, std::array<int, 3> count) {
    const int axis = count[2] > 1 ? 2 : count[1] > 1 ? 1 : 0;
    const std::size_t a = At(axis);
    if (count[a] == 1) return;
    const int below = count[a] / 2;
    const double fraction = static_cast<double>(first[a] + below) / grid_[a];
    std::array<int, 3> part = count;
    part[a] = below;
    tree_.push_back(
        {box_.lower[axis] + fraction * box_.Extent()[axis], axis, part[0] * part[1] * part[2]});
    Add(first, part);
    first[a] += below;
    part[a] = count[a] - below;
    Add(first, part);
  }

 private:
  const Box& box_;
  const std::array<int, 3>& grid_;
  std::vector<Cut>& tree_;
};

/// Maximum depth of a tree. It is sufficient, because bisection halves the ranks.
constexpr int kMaxDepth = 64;

bool IsTree(const std::vector<Cut>& tree, const TreeNode& node, int depth = 0) {
  if (node.IsLeaf()) return true;
  const Cut& cut = tree[node.cut];
  return depth < kMaxDepth && std::isfinite(cut.position) && 0 <= cut.axis && cut.axis < 3 &&
         1 <= cut.ranks_below && cut.ranks_below < node.ranks &&
         IsTree(tree, node.Lower(cut), depth + 1) && IsTree(tree, node.Upper(cut), depth + 1);
}

}  // namespace

Box LowerPart(Box box, const Cut& cut) {
  box.upper[cut.axis] = cut.position;
  return box;
}
Box UpperPart(Box box, const Cut& cut) {
  box.lower[cut.axis] = cut.position;
  return box;
}

bool AreCuts(const Cuts& cuts) {
  if (cuts.IsGrid()) {
    return cuts.tree.empty() && *std::min_element(cuts.grid.begin(), cuts.grid.end()) >= 1 &&
           CountBoxes(cuts) <= std::numeric_limits<int>::max();
  }
  return cuts.grid == std::array<std::int32_t, 3>{} && !cuts.tree.empty() &&
         IsTree(cuts.tree, {0, 0, static_cast<int>(cuts.tree.size()) + 1});
}

std::int64_t CountBoxes(const Cuts& cuts) {
  if (!cuts.IsGrid()) return static_cast<std::int64_t>(cuts.tree.size()) + 1;
  std::int64_t boxes = 1;
  for (const std::int32_t along_axis : cuts.grid) boxes *= along_axis;
  return boxes;
}

std::string DescribeCuts(const Cuts& cuts) {
  if (!cuts.IsGrid()) return Text(CountBoxes(cuts), " boxes by bisection");
  return Text(cuts.grid[0], "x", cuts.grid[1], "x", cuts.grid[2]);
}

Subdomains::Subdomains(const Domain& domain, const std::array<int, 3>& grid)
    : domain_(domain), images_(domain), grid_(grid), smallest_(domain.box.Extent()) {
  SCREE_DEMAND(*std::min_element(grid.begin(), grid.end()) >= 1);
  GridTree(domain_.box, grid_, tree_).Add({0, 0, 0}, grid_);
  for (int axis = 0; axis < 3; ++axis) smallest_[axis] /= grid_[At(axis)];
}

Subdomains::Subdomains(const Domain& domain, std::vector<Cut> tree)
    : domain_(domain), images_(domain), tree_(std::move(tree)), smallest_(domain.box.Extent()) {
  MeasureBoxes(Root(), domain_.box);
}

Subdomains Subdomains::WithCuts(const Domain& domain, const Cuts& cuts) {
  SCREE_DEMAND(AreCuts(cuts));
  return cuts.IsGrid() ? Subdomains(domain, cuts.grid) : Subdomains(domain, cuts.tree);
}

Cuts Subdomains::Description() const {
  if (grid_[0] != 0) return {grid_, {}};
  return {{}, tree_};
}

void Subdomains::MeasureBoxes(const TreeNode& node, const Box& box) {
  smallest_ = smallest_.cwiseMin(box.Extent());
  if (node.IsLeaf()) return;
  const Cut& cut = tree_[node.cut];
  MeasureBoxes(node.Lower(cut), LowerPart(box, cut));
  MeasureBoxes(node.Upper(cut), UpperPart(box, cut));
}

int Subdomains::OwnerOf(const Vec3& x) const {
  TreeNode node = Root();
  while (!node.IsLeaf()) {
    const Cut& cut = tree_[node.cut];
    node = x[cut.axis] < cut.position ? node.Lower(cut) : node.Upper(cut);
  }
  return node.first_rank;
}

Box Subdomains::DomainBox() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Box box = domain_.box;
  for (int axis = 0; axis < 3; ++axis) {
    if (domain_.periodic[At(axis)]) continue;
    box.lower[axis] = -kInfinity;
    box.upper[axis] = kInfinity;
  }
  return box;
}

Box Subdomains::BoxOf(int rank) const {
  TreeNode node = Root();
  Box box = DomainBox();
  while (!node.IsLeaf()) {
    const Cut& cut = tree_[node.cut];
    const bool is_below = rank < node.first_rank + cut.ranks_below;
    box = is_below ? LowerPart(box, cut) : UpperPart(box, cut);
    node = is_below ? node.Lower(cut) : node.Upper(cut);
  }
  return box;
}

/// Appends to `near` the leaves of the node that are within reach of `from`. All entries get the
/// periodic image of `found`.
void Subdomains::FindNear(const TreeNode& node, const Box& box, const Box& from, double reach,
                          NeighbourSubdomain& found, std::vector<NeighbourSubdomain>& near) const {
  if (Gap(from, box) >= reach) return;
  if (!node.IsLeaf()) {
    const Cut& cut = tree_[node.cut];
    FindNear(node.Lower(cut), LowerPart(box, cut), from, reach, found, near);
    FindNear(node.Upper(cut), UpperPart(box, cut), from, reach, found, near);
    return;
  }
  found.rank = node.first_rank;
  found.box = box;
  near.push_back(found);
}

std::vector<NeighbourSubdomain> Subdomains::NeighboursWithin(int rank, double reach) const {
  const Box rank_box = BoxOf(rank);
  std::vector<NeighbourSubdomain> near;
  for (int number = 0; number < 27; ++number) {
    NeighbourSubdomain found;
    bool exists = true;
    for (int axis = 0; axis < 3; ++axis) {
      constexpr std::array<int, 3> kDivisor = {1, 3, 9};
      found.image[At(axis)] = static_cast<std::int8_t>(number / kDivisor[At(axis)] % 3 - 1);
      exists = exists && (found.image[At(axis)] == 0 || domain_.periodic[At(axis)]);
    }
    if (!exists) continue;
    const Vec3 shift = Shift(found.image);
    FindNear(Root(), DomainBox(), {rank_box.lower + shift, rank_box.upper + shift}, reach, found,
             near);
  }
  std::erase_if(near, [rank](const NeighbourSubdomain& neighbour) {
    return neighbour.rank == rank && neighbour.image == Image{};
  });
  std::sort(near.begin(), near.end(), [](const NeighbourSubdomain& a, const NeighbourSubdomain& b) {
    return std::tie(a.rank, a.image) < std::tie(b.rank, b.image);
  });
  return near;
}

double Subdomains::LargestReach() const {
  double reach = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    if (domain_.periodic[At(axis)]) reach = std::min(reach, 0.5 * domain_.box.Extent()[axis]);
    if (grid_[At(axis)] > 1) reach = std::min(reach, smallest_[axis]);
  }
  return reach;
}

void Subdomains::RequireWidth(double reach, double skin) const {
  if (reach <= LargestReach()) return;
  for (int axis = 0; axis < 3; ++axis) {
    const double length = domain_.box.Extent()[axis];
    const int boxes = grid_[At(axis)];
    const bool periodic = domain_.periodic[At(axis)];
    const char* const name = axis == 0 ? "x" : axis == 1 ? "y" : "z";
    if (periodic && length < 2.0 * reach) {
      throw InputError(Text("domain: the periodic length along ", name, " is ", length,
                            " m, so that two particles could meet through both ends; it must be "
                            "at least ",
                            2.0 * reach, " m (four times the largest radius and twice the skin)",
                            AdviseSmallerSkin(0.5 * length - (reach - skin))));
    }
    if (boxes > 1 && length / boxes < reach) {
      throw InputError(
          Text("parallel.subdomains: ", boxes, " boxes along ", name, " are ", length / boxes,
               " m wide each, but a box must be at least as wide as one particle diameter plus "
               "the skin, ",
               reach, " m: use at most ", std::max(1.0, std::floor(length / reach)), " along ",
               name, ", or fewer ranks", AdviseSmallerSkin(length / boxes - (reach - skin))));
    }
  }
}

std::array<int, 3> SmallestHaloGrid(const Domain& domain, int ranks) {
  const Vec3 length = domain.box.Extent();
  std::array<int, 3> best = {ranks, 1, 1};
  double best_area = std::numeric_limits<double>::infinity();
  for (int nx = ranks; nx >= 1; --nx) {
    if (ranks % nx != 0) continue;
    for (int ny = ranks / nx; ny >= 1; --ny) {
      if (ranks / nx % ny != 0) continue;
      const int nz = ranks / nx / ny;
      const double area = (nx - 1) * length[1] * length[2] + (ny - 1) * length[0] * length[2] +
                          (nz - 1) * length[0] * length[1];
      if (area >= best_area) continue;
      best_area = area;
      best = {nx, ny, nz};
    }
  }
  return best;
}

}  // namespace scree

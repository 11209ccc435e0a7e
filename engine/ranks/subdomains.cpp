#include "engine/ranks/subdomains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "solvers/check.hpp"

namespace scree {
namespace {

std::size_t At(int axis) { return static_cast<std::size_t>(axis); }

/// Distance between two boxes, zero if they touch [m].
double Gap(const Box& a, const Box& b) {
  return (a.lower - b.upper).cwiseMax(b.lower - a.upper).cwiseMax(0.0).norm();
}

}  // namespace

Subdomains::Subdomains(const Domain& domain, const std::array<int, 3>& grid)
    : domain_(domain), grid_(grid) {
  SCREE_DEMAND(*std::min_element(grid.begin(), grid.end()) >= 1);
}

Vec3 Subdomains::SmallestBox() const {
  Vec3 extent = domain_.box.Extent();
  for (int axis = 0; axis < 3; ++axis) extent[axis] /= grid_[At(axis)];
  return extent;
}

bool AreCuts(std::span<const std::int32_t> cuts) {
  return cuts.size() == 3 && *std::min_element(cuts.begin(), cuts.end()) >= 1;
}

std::int64_t CountBoxes(std::span<const std::int32_t> cuts) {
  std::int64_t boxes = 1;
  for (const std::int32_t along_axis : cuts) boxes *= along_axis;
  return boxes;
}

std::string DescribeCuts(std::span<const std::int32_t> cuts) {
  std::string text;
  for (const std::int32_t along_axis : cuts) {
    text += (text.empty() ? "" : "x") + std::to_string(along_axis);
  }
  return text;
}

std::array<int, 3> Subdomains::CellOf(int rank) const {
  return {rank % grid_[0], rank / grid_[0] % grid_[1], rank / (grid_[0] * grid_[1])};
}

int Subdomains::RankOf(const std::array<int, 3>& cell) const {
  return cell[0] + grid_[0] * (cell[1] + grid_[1] * cell[2]);
}

/// Place of the cut below box `number`; one formula for both neighbours and for OwnerOf.
double Subdomains::Cut(int axis, int number) const {
  const double share = static_cast<double>(number) / grid_[At(axis)];
  return domain_.box.lower[axis] + share * domain_.box.Extent()[axis];
}

int Subdomains::OwnerOf(const Vec3& x) const {
  std::array<int, 3> cell;
  for (int axis = 0; axis < 3; ++axis) {
    const int last = grid_[At(axis)] - 1;
    const double share = (x[axis] - domain_.box.lower[axis]) / domain_.box.Extent()[axis];
    const double guess = std::floor(share * grid_[At(axis)]);
    int number = static_cast<int>(std::clamp(guess, 0.0, static_cast<double>(last)));
    // The division rounds; the cuts decide.
    while (number > 0 && x[axis] < Cut(axis, number)) --number;
    while (number < last && x[axis] >= Cut(axis, number + 1)) ++number;
    cell[At(axis)] = number;
  }
  return RankOf(cell);
}

Box Subdomains::BoxOf(int rank) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::array<int, 3> cell = CellOf(rank);
  Box box;
  for (int axis = 0; axis < 3; ++axis) {
    const int number = cell[At(axis)];
    const bool periodic = domain_.periodic[At(axis)];
    box.lower[axis] = number == 0 && !periodic ? -kInfinity : Cut(axis, number);
    box.upper[axis] =
        number + 1 == grid_[At(axis)] && !periodic ? kInfinity : Cut(axis, number + 1);
  }
  return box;
}

std::vector<NearSubdomain> Subdomains::Near(int rank, double reach) const {
  const std::array<int, 3> cell = CellOf(rank);
  const Box own = BoxOf(rank);
  std::vector<NearSubdomain> near;
  for (int number = 0; number < 27; ++number) {
    const std::array<int, 3> offset = {number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1};
    std::array<int, 3> other;
    Image image = {};
    bool exists = offset != std::array<int, 3>{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      other[axis] = cell[axis] + offset[axis];
      if (other[axis] >= 0 && other[axis] < grid_[axis]) continue;
      exists = exists && domain_.periodic[axis];
      // Our particles, seen by a box beyond the upper end, stand one length lower.
      image[axis] = static_cast<std::int8_t>(other[axis] < 0 ? 1 : -1);
      other[axis] = (other[axis] + grid_[axis]) % grid_[axis];
    }
    if (!exists) continue;
    const int other_rank = RankOf(other);
    const Box box = BoxOf(other_rank);
    const Vec3 shift = Shift(image);
    if (Gap({own.lower + shift, own.upper + shift}, box) >= reach) continue;
    near.push_back({other_rank, image, box});
  }
  std::sort(near.begin(), near.end(), [](const NearSubdomain& a, const NearSubdomain& b) {
    return std::tie(a.rank, a.image) < std::tie(b.rank, b.image);
  });
  return near;
}

Vec3 Subdomains::Shift(const Image& image) const {
  const Vec3 length = domain_.box.Extent();
  return {image[0] * length[0], image[1] * length[1], image[2] * length[2]};
}

double Subdomains::LargestReach() const {
  double reach = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double length = domain_.box.Extent()[axis];
    const int boxes = grid_[At(axis)];
    if (domain_.periodic[At(axis)]) reach = std::min(reach, 0.5 * length);
    if (boxes > 1) reach = std::min(reach, length / boxes);
  }
  return reach;
}

void Subdomains::DemandWidth(double reach) const {
  if (reach <= LargestReach()) return;
  for (int axis = 0; axis < 3; ++axis) {
    const double length = domain_.box.Extent()[axis];
    const int boxes = grid_[At(axis)];
    const bool periodic = domain_.periodic[At(axis)];
    const char* const name = axis == 0 ? "x" : axis == 1 ? "y" : "z";
    if (periodic && length < 2.0 * reach) {
      throw InputError(Text("domain: the periodic length along ", name, " is ", length,
                            " m, but two particles could meet through both ends; it must be at "
                            "least ",
                            2.0 * reach, " m (four times the largest radius and the skin)"));
    }
    if (boxes > 1 && length / boxes < reach) {
      throw InputError(Text("parallel.subdomains: ", boxes, " boxes along ", name, " are ",
                            length / boxes,
                            " m wide each, but a box must be at least one particle diameter and "
                            "the skin wide, ",
                            reach, " m: use at most ", std::max(1.0, std::floor(length / reach)),
                            " along ", name, ", or fewer ranks"));
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

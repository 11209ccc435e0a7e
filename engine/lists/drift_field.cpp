#include "engine/lists/drift_field.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// The nodes on both sides of a point along an axis. The field is linear between them.
struct NodePair {
  int low = 0, high = 0;
  double fraction = 0.0;  // weight of the high node
};

/// @param point  in units of blocks, 0 at the centre of the first block
NodePair FindNodes(double point, int count, bool is_periodic) {
  if (!is_periodic) {
    point = std::clamp(point, 0.0, static_cast<double>(count - 1));
    const int low = static_cast<int>(point);
    return {low, std::min(low + 1, count - 1), point - low};
  }
  const double floor = std::floor(point);
  const int low = static_cast<int>(floor - count * std::floor(floor / count));
  return {low, low + 1 < count ? low + 1 : 0, point - floor};
}

/// Coordinate in units of blocks, 0 at the centre of the first block.
double BlockCoordinate(const Domain& domain, const DriftField& field, const Vec3& x, int axis) {
  const double coordinate = (x[axis] - domain.box.lower[axis]) / domain.box.Extent()[axis];
  return coordinate * field.blocks[static_cast<std::size_t>(axis)] - 0.5;
}

/// Strides between neighbours along each axis in an array, x fastest.
std::array<int, 3> Strides(const std::array<int, 3>& blocks) {
  return {1, blocks[0], blocks[0] * blocks[1]};
}

/// Calls visit(node, next) for all pairs of neighbours along an axis. On a periodic axis, the last
/// node is a neighbour of the first unless they are the same node.
template <class Visit>
void VisitNeighbors(const Domain& domain, const std::array<int, 3>& blocks, std::size_t axis,
                    Visit&& visit) {
  const int stride = Strides(blocks)[axis], count = blocks[axis];
  const int block_count = blocks[0] * blocks[1] * blocks[2];
  for (int node = 0; node < block_count; ++node) {
    const bool is_last = node / stride % count == count - 1;
    if (is_last && (!domain.periodic[axis] || count == 1)) continue;
    visit(static_cast<std::size_t>(node),
          static_cast<std::size_t>(is_last ? node - (count - 1) * stride : node + stride));
  }
}

/// Sum of velocities, and their number.
struct BlockSum {
  Vec3 velocity = Vec3::Zero();
  double count = 0.0;
};

/// Adds to each block half the sums of both neighbours, axis by axis. Blocks with few particles
/// then get almost the velocity of neighbours with many, so that a single particle does not
/// make a steep field.
void Smooth(const Domain& domain, const std::array<int, 3>& blocks, std::vector<BlockSum>& sums) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<BlockSum> before = sums;
    const auto add_half = [&](std::size_t from, std::size_t to) {
      sums[to].velocity += 0.5 * before[from].velocity;
      sums[to].count += 0.5 * before[from].count;
    };
    VisitNeighbors(domain, blocks, axis, [&](std::size_t a, std::size_t b) {
      add_half(a, b);
      add_half(b, a);
    });
  }
}

/// Gives empty blocks the mean of the filled blocks around them, layer by layer outwards.
void FillEmpty(const Domain& domain, const std::array<int, 3>& blocks,
               std::vector<BlockSum>& sums) {
  struct NeighbourSums {
    std::array<std::size_t, 6> blocks;
    std::size_t count = 0;
    void Add(std::size_t block) { blocks[count++] = block; }
  };
  std::vector<NeighbourSums> neighbours(sums.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    VisitNeighbors(domain, blocks, axis, [&](std::size_t a, std::size_t b) {
      neighbours[a].Add(b);
      neighbours[b].Add(a);
    });
  }
  std::vector<std::size_t> layer, next;
  std::vector<std::uint8_t> is_filled(sums.size());
  for (std::size_t block = 0; block < sums.size(); ++block) {
    is_filled[block] = sums[block].count > 0.0;
    if (is_filled[block] != 0) layer.push_back(block);
  }
  for (; !layer.empty(); layer.swap(next), next.clear()) {
    for (const std::size_t from : layer) {
      for (std::size_t k = 0; k < neighbours[from].count; ++k) {
        const std::size_t to = neighbours[from].blocks[k];
        if (is_filled[to] != 0) continue;
        if (sums[to].count == 0.0) next.push_back(to);
        sums[to].velocity += sums[from].velocity / sums[from].count;
        sums[to].count += 1.0;
      }
    }
    for (const std::size_t block : next) is_filled[block] = 1;
  }
}

/// Upper bound of the closing rate. G_ij is the maximum of |∂u_i/∂x_j| over neighbouring nodes; on
/// its diagonal, only slopes that bring points closer count. Two points in the direction n
/// (unit vector) from each other separate at the relative rate n⋅∇u n ≥ −|n|⋅G|n| (|n|: absolute
/// values of the components), which is at least minus the largest eigenvalue of the symmetric part
/// of G.
double ClosingRate(const Domain& domain, const DriftField& field) {
  Eigen::Matrix3d max_slopes = Eigen::Matrix3d::Zero();  // ∂u_row / ∂x_column
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    const double per_length = field.blocks[k] / domain.box.Extent()[axis];
    VisitNeighbors(domain, field.blocks, k, [&](std::size_t a, std::size_t b) {
      Vec3 slope = per_length * (field.nodes[b] - field.nodes[a]);
      slope[axis] = std::min(slope[axis], 0.0);  // stretching does not bring points closer
      max_slopes.col(axis) = max_slopes.col(axis).cwiseMax(slope.cwiseAbs());
    });
  }
  const Eigen::Matrix3d symmetric = 0.5 * (max_slopes + max_slopes.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(symmetric, Eigen::EigenvaluesOnly);
  constexpr double kRounding = 1.0 + 1e-9;
  return kRounding * std::max(solver.eigenvalues().maxCoeff(), 0.0);
}

}  // namespace

void IntegerVelocities::Add(const Vec3& velocity, std::int64_t* sums) {
  for (int axis = 0; axis < 3; ++axis) {
    // Rounds to the nearest integer without a call of std::llround.
    sums[axis] += static_cast<std::int64_t>(
        std::floor(kUnits * std::clamp(velocity[axis], -kMaxSpeed, kMaxSpeed) + 0.5));
  }
}

Vec3 IntegerVelocities::Mean(const std::int64_t* sums, std::int64_t count) {
  return Eigen::Matrix<std::int64_t, 3, 1>(sums).cast<double>() /
         (kUnits * static_cast<double>(count));
}

Vec3 DriftField::At(const Domain& domain, const Vec3& x) const {
  if (nodes.empty()) return mean;
  const std::array<int, 3> strides = Strides(blocks);
  std::array<NodePair, 3> node_pairs;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    node_pairs[k] =
        FindNodes(BlockCoordinate(domain, *this, x, axis), blocks[k], domain.periodic[k]);
  }
  Vec3 velocity = Vec3::Zero();
  for (int corner = 0; corner < 8; ++corner) {
    double fraction = 1.0;
    int node = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const bool is_high = (corner >> k & 1) != 0;
      fraction *= is_high ? node_pairs[k].fraction : 1.0 - node_pairs[k].fraction;
      node += strides[k] * (is_high ? node_pairs[k].high : node_pairs[k].low);
    }
    velocity += fraction * nodes[static_cast<std::size_t>(node)];
  }
  return velocity;
}

DriftField LocalDrift(const Communicator& communicator, const Domain& domain,
                      const Particles& particles, const Vec3& mean, double width,
                      double max_blocks) {
  SCREE_DEMAND(width > 0.0 && max_blocks >= 1.0);  // so that the loop below ends
  DriftField field(mean);
  const Vec3 extent = domain.box.Extent();
  const auto set_blocks = [&] {
    for (int axis = 0; axis < 3; ++axis) {
      const double fit = std::clamp(extent[axis] / width, 1.0, kMaxBlocks);
      field.blocks[static_cast<std::size_t>(axis)] = static_cast<int>(fit);
    }
  };
  for (set_blocks(); static_cast<double>(field.Blocks()) > max_blocks; set_blocks()) width *= 1.1;
  const std::size_t block_count = field.Blocks();
  const std::array<int, 3> strides = Strides(field.blocks);
  std::vector<std::int64_t> counted(4 * block_count, 0);  // three sums and a count for each block
  for (std::size_t i = 0; i < particles.owned; ++i) {
    int block = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto k = static_cast<std::size_t>(axis);
      const double point = BlockCoordinate(domain, field, particles.position[i], axis) + 0.5;
      block += strides[k] *
               static_cast<int>(std::clamp(point, 0.0, static_cast<double>(field.blocks[k] - 1)));
    }
    std::int64_t* const sums = &counted[4 * static_cast<std::size_t>(block)];
    IntegerVelocities::Add(particles.velocity[i], sums);
    ++sums[3];
  }
  communicator.Sum(counted);
  std::vector<BlockSum> sums(block_count);
  for (std::size_t block = 0; block < block_count; ++block) {
    const std::int64_t* const block_sums = &counted[4 * block];
    sums[block].count = static_cast<double>(block_sums[3]);
    if (block_sums[3] == 0) continue;
    sums[block].velocity = sums[block].count * IntegerVelocities::Mean(block_sums, block_sums[3]);
  }
  Smooth(domain, field.blocks, sums);
  FillEmpty(domain, field.blocks, sums);
  for (const BlockSum& sum : sums) {
    field.nodes.push_back(sum.count > 0.0 ? Vec3(sum.velocity / sum.count) : mean);
  }
  field.closing_rate = ClosingRate(domain, field);
  return field;
}

}  // namespace scree

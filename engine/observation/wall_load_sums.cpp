#include "engine/observation/wall_load_sums.hpp"

#include <cmath>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::size_t kComponents = 6;    // of a load
constexpr std::size_t kMaxPending = 256;  // steps

/// Takes what is pending into the moments, step by step (B. P. Welford, Technometrics 4, 419
/// (1962): the deviation of a load that hardly changes is not lost in that of its square).
void Fold(const Communicator& communicator, WallLoadSums& book) {
  communicator.Sum(book.pending);
  const std::size_t size = book.mean.size();
  for (std::size_t row = 0; row < book.strides.size(); ++row) {
    const auto weight = static_cast<double>(book.strides[row]);
    book.steps += book.strides[row];
    for (std::size_t k = 0; k < size; ++k) {
      const double load = book.pending[row * size + k];
      const double before = load - book.mean[k];
      book.mean[k] += weight * before / static_cast<double>(book.steps);
      book.squares[k] += weight * before * (load - book.mean[k]);
    }
  }
  book.pending.clear();
  book.strides.clear();
}

WallLoad LoadOf(const double* numbers) {
  return {Vec3(numbers[0], numbers[1], numbers[2]), Vec3(numbers[3], numbers[4], numbers[5])};
}

}  // namespace

WallLoadSums StartWallLoadBook(std::size_t walls) {
  WallLoadSums book;
  book.mean.assign(kComponents * walls, 0.0);
  book.squares.assign(kComponents * walls, 0.0);
  return book;
}

void AddStep(const Communicator& communicator, std::span<const WallLoad> loads, std::int64_t stride,
             WallLoadSums& book) {
  SCREE_DEMAND(kComponents * loads.size() == book.mean.size());
  for (const WallLoad& load : loads) {
    book.pending.insert(book.pending.end(), load.force.begin(), load.force.end());
    book.pending.insert(book.pending.end(), load.torque.begin(), load.torque.end());
  }
  book.strides.push_back(stride);
  if (book.strides.size() == kMaxPending) Fold(communicator, book);
}

std::vector<WallLoadMoments> MomentsOf(const Communicator& communicator, WallLoadSums book) {
  Fold(communicator, book);
  std::vector<double> deviations(book.squares.size(), 0.0);
  for (std::size_t k = 0; k < deviations.size() && book.steps > 0; ++k) {
    deviations[k] = std::sqrt(book.squares[k] / static_cast<double>(book.steps));
  }
  std::vector<WallLoadMoments> moments;
  for (std::size_t first = 0; first < deviations.size(); first += kComponents) {
    moments.push_back({LoadOf(&book.mean[first]), LoadOf(&deviations[first])});
  }
  return moments;
}

}  // namespace scree

#include "engine/step/solve_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "engine/observation/wall_loads.hpp"
#include "engine/step/step_diagnostics.hpp"

namespace scree {
namespace {

/// part/whole; 0 if the whole is 0.
double Ratio(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

std::vector<WallLoad> LoadsOf(const StepSetup& setup, const Particles& particles,
                              const StepContacts& contacts, const ContactBatches& batches) {
  std::vector<WallLoad> loads(setup.scene.walls.size());
  FindWallLoads(particles, contacts.owned.All(), contacts.wall_bodies, contacts.walls, batches,
                setup.parameters.dt, loads);
  return loads;
}

/// Number of sums over contacts: the members of SolveError in order, up to squared_error_of_twice.
constexpr std::size_t kContactSums = 7;
/// Number of sums that follow: the kinetic energy of λ minus the kinetic energy of λ*, and the
/// dissipation of λ*.
constexpr std::size_t kEnergySums = 2;
/// Number of sums of each wall: F − F*, then F*.
constexpr std::size_t kWallSums = 6;

void AddContacts(const StepContacts& contacts, const ContactBatches& batches,
                 const ContactBatches& continued, std::span<const Vec3> doubled,
                 std::span<double, kContactSums> sums) {
  auto bonded = contacts.bonded.begin();
  for (std::size_t j = 0; j < contacts.owned.size(); ++j) {
    Vec3 impulse = batches.Impulse(j), solution = continued.Impulse(j);
    sums[6] += (doubled[j] - solution).squaredNorm();
    // Errors are relative to the impulses on bodies, without the strengths of bonds.
    if (bonded != contacts.bonded.end() && bonded->contact == j) {
      const Vec3 shift = batches.ArraysOf<CohesionLaw>().Impulse(batches.SlotOf(j));
      impulse += shift;
      solution += shift;
      ++bonded;
    }
    const Vec3& normal = contacts.owned[j].normal;
    const double normal_impulse = impulse.dot(normal), normal_solution = solution.dot(normal);
    sums[0] += (impulse - solution).squaredNorm();
    sums[1] += solution.squaredNorm();
    sums[2] += normal_impulse * normal_impulse;
    sums[3] += normal_solution * normal_solution;
    sums[4] += normal_impulse;
    sums[5] += normal_solution;
  }
}

}  // namespace

double SolveError::ImpulseError() const {
  return std::sqrt(Ratio(squared_error, squared_impulses));
}
double SolveError::NormalRmsError() const {
  return normal_squares[1] > 0.0 ? std::sqrt(normal_squares[0] / normal_squares[1]) - 1.0 : 0.0;
}
double SolveError::NormalMeanError() const {
  return Ratio(normal_impulses[0] - normal_impulses[1], normal_impulses[1]);
}
double SolveError::RemainingErrorRatio() const {
  return squared_error > 0.0 ? std::sqrt(squared_error_of_twice / squared_error) : 1.0;
}
double SolveError::RelativeEnergyError() const {
  if (!(dissipated > 0.0)) return std::numeric_limits<double>::infinity();
  const double scatter = energy_error_squared - energy_error * energy_error / std::max(steps, 1);
  return (std::abs(energy_error) + std::sqrt(std::max(scatter, 0.0))) / dissipated;
}
double SolveError::StressError() const {
  return std::sqrt(Ratio(squared_stress_errors, squared_stresses));
}
double SolveError::LoadError(std::size_t wall) const {
  return std::sqrt(Ratio(squared_load_errors[wall], squared_loads[wall]));
}

MeasuredSolveError SolveError::MeasuredAt(std::int64_t step) const {
  MeasuredSolveError errors{step, ImpulseError(), NormalRmsError(), NormalMeanError(), {}};
  for (std::size_t w = 0; w < squared_loads.size(); ++w) errors.loads.push_back(LoadError(w));
  return errors;
}

SolveError& SolveError::operator+=(const SolveError& other) {
  steps += other.steps;
  squared_error += other.squared_error;
  squared_impulses += other.squared_impulses;
  for (int k = 0; k < 2; ++k) {
    normal_squares[k] += other.normal_squares[k];
    normal_impulses[k] += other.normal_impulses[k];
  }
  squared_error_of_twice += other.squared_error_of_twice;
  energy_error += other.energy_error;
  energy_error_squared += other.energy_error_squared;
  dissipated += other.dissipated;
  squared_stress_errors += other.squared_stress_errors;
  squared_stresses += other.squared_stresses;
  squared_load_errors.resize(other.squared_load_errors.size(), 0.0);
  squared_loads.resize(other.squared_loads.size(), 0.0);
  for (std::size_t w = 0; w < squared_loads.size(); ++w) {
    squared_load_errors[w] += other.squared_load_errors[w];
    squared_loads[w] += other.squared_loads[w];
  }
  return *this;
}

SolveError MeasureSolveError(const StepSetup& setup, const Particles& particles,
                             const StepContacts& contacts, Halo& halo, const StepSolve& solve) {
  StepSolve continued = solve;
  const EnergyBalance energy = BalanceOfSolve(setup, particles, contacts, halo, continued);
  const auto images = halo.velocity;  // a copy, because a cell under stress changes the velocities
  // The first additional sweeps show how much twice the sweeps would improve the result.
  const int sweeps = solve.report.sweeps;
  ContinueSweeps(setup, particles, halo, sweeps, continued);
  const std::vector<Vec3> doubled = ImpulsesOf(contacts, continued);
  ContinueSweeps(setup, particles, halo, (kSweepsOfMeasurement - 1) * sweeps, continued);
  const EnergyBalance solution_energy = BalanceOfSolve(setup, particles, contacts, halo, continued);
  halo.velocity = images;
  std::vector<double> sums(kContactSums, 0.0);
  AddContacts(contacts, solve.batches, continued.batches, doubled,
              std::span(sums).first<kContactSums>());
  sums.insert(sums.end(), {energy.kinetic - solution_energy.kinetic, solution_energy.dissipated});
  const std::vector<WallLoad> loads = LoadsOf(setup, particles, contacts, solve.batches);
  const std::vector<WallLoad> solution_loads =
      LoadsOf(setup, particles, contacts, continued.batches);
  for (std::size_t w = 0; w < loads.size(); ++w) {
    const Vec3 error = loads[w].force - solution_loads[w].force;
    sums.insert(sums.end(), error.begin(), error.end());
    sums.insert(sums.end(), solution_loads[w].force.begin(), solution_loads[w].force.end());
  }
  setup.communicator.Sum(sums);
  SolveError error = {.steps = 1,
                      .squared_error = sums[0],
                      .squared_impulses = sums[1],
                      .normal_squares = {sums[2], sums[3]},
                      .normal_impulses = {sums[4], sums[5]},
                      .squared_error_of_twice = sums[6],
                      .energy_error = sums[7],
                      .energy_error_squared = sums[7] * sums[7],
                      .dissipated = sums[8]};
  if (setup.scene.cell.IsActive()) {
    continued.cell.Finish(continued.batches);
    const CellComponents stress = solve.cell.Stress(), solution_stress = continued.cell.Stress();
    for (std::size_t k = 0; k < kCellComponents; ++k) {
      error.squared_stress_errors += std::pow(stress[k] - solution_stress[k], 2);
      error.squared_stresses += std::pow(solution_stress[k], 2);
    }
  }
  for (std::size_t k = kContactSums + kEnergySums; k < sums.size(); k += kWallSums) {
    error.squared_load_errors.push_back(Vec3(sums[k], sums[k + 1], sums[k + 2]).squaredNorm());
    error.squared_loads.push_back(Vec3(sums[k + 3], sums[k + 4], sums[k + 5]).squaredNorm());
  }
  return error;
}

}  // namespace scree

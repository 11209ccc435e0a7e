#include "apps/common/packing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/filling/fills.hpp"
#include "engine/ranks/subdomains.hpp"
#include "engine/step/time_step.hpp"

namespace scree {
namespace {

constexpr double kDt = 1e-5;  // [s]
constexpr double kLooseSpacing =
    1.1;  // in diameters: solid fraction 0.39, loose enough for the lattice to break up
constexpr double kJitter = 0.1;  // of the initial velocities [m/s]

/// Solid fraction up to which to compress. Walls order the spheres next to them, so small boxes jam
/// at a lower fraction. With this formula, boxes of 300 to 100 000 spheres have 3.1 to 3.2 contacts
/// per sphere (gap below 1 % of a diameter) and overlaps below 1e-4 diameters:
///
///     0.635 (1 - 0.8 d / L),   sphere diameter d, box length L.
double DenseFraction(int count) {
  constexpr double kBulk = 0.635, kWallLoss = 0.8;
  const double length = std::cbrt(count * std::numbers::pi / 6.0 / kBulk);  // [d]
  return kBulk * std::max(0.5, 1.0 - kWallLoss / length);
}

/// Keeps `count` of the lattice's sites, evenly distributed, and numbers them from 0. Each rank
/// owns a part of them.
void KeepEvenly(std::int64_t sites, std::int64_t count, Particles& particles) {
  std::vector<Index> kept_rows;
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const std::int64_t number = particles.id[i] * count / sites;
    if ((particles.id[i] + 1) * count / sites == number) continue;
    particles.id[i] = number;
    kept_rows.push_back(static_cast<Index>(i));
  }
  Select(particles, kept_rows);
}

/// Advances the scene and its walls by `steps` steps. The step count starts at zero.
void Run(const Communicator& communicator, const Scene& scene, int steps, State& state) {
  StepParameters parameters;
  parameters.dt = kDt;
  const Subdomains subdomains(scene.domain, SmallestHaloGrid(scene.domain, communicator.Size()));
  state.step = 0;
  Resize(state.particles, state.particles.owned);  // without the ghosts of an earlier run
  TimeStep step(communicator, scene, parameters, subdomains, state);
  for (int k = 0; k < steps; ++k) step.Advance(state);
  Resize(state.particles, state.particles.owned);
}

}  // namespace

Scene ClosedBox(const Vec3& box, const Material& material, double friction) {
  Scene scene;
  scene.gravity.setZero();
  scene.domain.box.upper = box;
  scene.materials.Add(material, friction);
  const char* const names[3][2] = {{"left", "right"}, {"front", "rear"}, {"floor", "ceiling"}};
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 inward = Vec3::Unit(axis);
    scene.walls.push_back({names[axis][0], {{Plane{Vec3::Zero(), inward}}}, Vec3::Zero(), 0});
    scene.walls.push_back(
        {names[axis][1], {{Plane{box[axis] * inward, -inward}}}, Vec3::Zero(), 0});
  }
  return scene;
}

Packing GeneratePacking(const Communicator& communicator, int count) {
  const auto per_axis = static_cast<std::int64_t>(std::ceil(std::cbrt(count) - 1e-9));
  const double spacing = kLooseSpacing * 2.0 * kPackingRadius;
  const double loose_length = static_cast<double>(per_axis) * spacing;
  const double dense_length =
      std::cbrt(count * SphereVolume(kPackingRadius) / DenseFraction(count));

  Scene scene = ClosedBox(Vec3::Constant(loose_length), {"grain"}, 0.0);
  scene.fills.push_back({Lattice{scene.domain.box, spacing},
                         {kPackingRadius, 0, Vec3::Zero(), Vec3::Constant(kJitter)}});
  State state;
  const Subdomains subdomains(scene.domain, SmallestHaloGrid(scene.domain, communicator.Size()));
  const ParticleId sites = MakeFills(communicator, subdomains, scene, state.particles);
  KeepEvenly(sites, count, state.particles);
  state.particles.owned = state.particles.Size();

  // The walls must be slow, so that spheres can give way. They travel less than 2 % of a diameter
  // per step.
  constexpr int kMinSteps = 1000;
  constexpr double kMaxTravel = 0.02;  // [d]
  const int steps = std::max(kMinSteps, static_cast<int>((loose_length - dense_length) /
                                                         (kMaxTravel * 2.0 * kPackingRadius)));
  const double speed = (loose_length - dense_length) / (kDt * steps);
  for (int axis = 0; axis < 3; ++axis) {
    const std::size_t upper = 2 * static_cast<std::size_t>(axis) + 1;
    scene.walls[upper].velocity = -speed * Vec3::Unit(axis);
  }
  Run(communicator, scene, steps, state);

  constexpr int kRelaxationSteps = 500;
  Run(communicator, ClosedBox(Vec3::Constant(dense_length), {"grain"}, 0.0), kRelaxationSteps,
      state);
  for (Vec3& v : state.particles.velocity) v.setZero();
  for (Vec3& omega : state.particles.angular_velocity) omega.setZero();
  return {std::move(state.particles), Vec3::Constant(dense_length)};
}

void Tile(const std::array<int, 3>& tile, const Communicator& communicator, Packing& packing) {
  const std::size_t owned = packing.particles.owned;
  const std::int64_t count = communicator.Sum(static_cast<std::int64_t>(owned));
  const std::size_t copies = static_cast<std::size_t>(tile[0]) * static_cast<std::size_t>(tile[1]) *
                             static_cast<std::size_t>(tile[2]);
  Particles& particles = packing.particles;
  ForEachField(particles, [&](const Field&, auto& array) {
    array.reserve(copies * owned);
    for (std::size_t i = owned; i < copies * owned; ++i) array.push_back(array[i - owned]);
  });
  particles.owned = particles.Size();
  for (std::size_t i = owned; i < particles.owned; ++i) {
    const int copy = static_cast<int>(i / owned);
    const Vec3 cell(copy % tile[0], copy / tile[0] % tile[1], copy / tile[0] / tile[1]);
    particles.position[i] += cell.cwiseProduct(packing.box);
    particles.id[i] += copy * count;
  }
  packing.box = packing.box.cwiseProduct(Vec3(tile[0], tile[1], tile[2]));
}

}  // namespace scree

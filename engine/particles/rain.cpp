#include "engine/particles/rain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "engine/particles/inflow.hpp"
#include "engine/particles/sphere_grid.hpp"
#include "engine/particles/trial_position.hpp"
#include "engine/scene/step_parameters.hpp"
#include "engine/scene/wall_images.hpp"
#include "engine/scene/wall_motion.hpp"

namespace scree {
namespace {

constexpr std::size_t kParticlesPerExchange = 64;
constexpr std::uint64_t kTrialsPerExchange = 16;  // of each of these particles
constexpr std::uint64_t kMaxTrials = 256;         // of a particle in a rain event
constexpr double kMinCell = 1e-2;  // least cell width of event_spheres_ over the region's length

/// A particle that is due.
struct Drop {
  ParticleId id = 0;
  BalancedMixture::Grain grain;
};

/// Particles and walls of this rank that may obstruct new particles.
class Obstacles {
 public:
  Obstacles(const RainEvent& event, const Box& bounds, const Particles& present,
            const Particles& entering)
      : scene_(event.scene),
        walls_(scene_, WallPoses(scene_, event.dt, event.step, event.free_walls),
               MaterialsOf(scene_.rains[event.rain].grain),
               scene_.rains[event.rain].grain.sizes.largest),
        spheres_(bounds, SpheresIn(bounds, present, entering)) {}

  bool IsBlocked(const Vec3& position, double radius) const {
    return spheres_.Overlaps(position, radius) || walls_.HasWallWithin(position, radius);
  }

 private:
  std::vector<PlacedSphere> SpheresIn(const Box& bounds, const Particles& present,
                                      const Particles& entering) const {
    std::vector<PlacedSphere> spheres;
    const PeriodicImages periodic_images(scene_.domain);  // at rest: sheared domains have no rain
    const auto add = [&](const Particles& particles, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        if (particles.id[i] == kRemovedId) continue;
        const PlacedSphere sphere{particles.position[i], particles.radius[i]};
        const auto images = ImagesIn(bounds, periodic_images, sphere);
        spheres.insert(spheres.end(), images.begin(), images.end());
      }
    };
    add(present, present.owned);
    add(entering, entering.Size());
    return spheres;
  }

  const Scene& scene_;
  PlacedWalls walls_;
  SphereGrid spheres_;
};

class RainInserter {
 public:
  RainInserter(const RainEvent& event, const Particles& present, RainState& state,
               Particles& entering)
      : event_(event),
        rain_(event.scene.rains[event.rain]),
        bounds_(BoundsOf(rain_.region)),
        mixture_(event.scene, rain_.grain),
        state_(state),
        present_(present),
        entering_(entering),
        event_spheres_(bounds_, std::max(2.0 * rain_.grain.sizes.largest,
                                         kMinCell * bounds_.Extent().maxCoeff())) {
    mixture_.SetMasses(state_.masses);
  }

  void InsertParticles() {
    state_.is_waiting = false;
    while (!state_.is_waiting) {
      const std::vector<Drop> drops = FindDue();
      if (drops.empty()) return;
      if (!obstacles_) obstacles_.emplace(event_, bounds_, present_, entering_);
      state_.is_waiting = Place(drops) < drops.size();
    }
  }

 private:
  /// The next particles, as long as each brings the inserted amount nearer to the amount due.
  std::vector<Drop> FindDue() const {
    const double due = AmountDue(rain_, event_.dt, event_.step);
    double amount = AmountSoFar(rain_, state_);
    BalancedMixture planned_mixture = mixture_;
    std::vector<Drop> drops;
    while (drops.size() < kParticlesPerExchange) {
      const std::int64_t n = state_.inserted + static_cast<std::int64_t>(drops.size());
      const ParticleId id =
          StreamId(event_.scene, event_.first_id, event_.scene.pistons.size() + event_.rain, n);
      const BalancedMixture::Grain grain = planned_mixture.Next(id);
      const double increment = rain_.counts ? 1.0 : grain.mass;
      if (amount + 0.5 * increment > due) break;
      amount += increment;
      planned_mixture.AddMass(grain);
      drops.push_back({id, grain});
    }
    return drops;
  }

  /// @returns the number of particles placed
  std::size_t Place(std::span<const Drop> drops) {
    std::size_t placed = 0;
    for (std::uint64_t first_trial = 0; placed < drops.size() && first_trial < kMaxTrials;) {
      // A particle whose first trials have all failed continues alone.
      const std::size_t count = first_trial > 0 ? 1 : drops.size() - placed;
      const std::vector<std::int64_t> blocked =
          FindBlocked(drops.subspan(placed, count), first_trial);
      bool found = true;
      for (std::size_t k = 0; found && k < count; ++k) {
        found = PlaceAtFirstFree(
            drops[placed], first_trial,
            std::span(blocked).subspan(k * kTrialsPerExchange, kTrialsPerExchange));
        if (!found) break;
        ++placed;
        first_trial = 0;
      }
      if (!found) first_trial += kTrialsPerExchange;
    }
    return placed;
  }

  /// Returns, for each trial position, 1 if it is outside the region or blocked on any rank, else
  /// 0.
  std::vector<std::int64_t> FindBlocked(std::span<const Drop> drops,
                                        std::uint64_t first_trial) const {
    std::vector<std::int64_t> blocked;
    for (const Drop& drop : drops) {
      for (std::uint64_t trial = first_trial; trial < first_trial + kTrialsPerExchange; ++trial) {
        const Vec3 position = TrialAt(drop, trial);
        blocked.push_back(!Contains(rain_.region, position, drop.grain.radius) ||
                          obstacles_->IsBlocked(position, drop.grain.radius));
      }
    }
    event_.max_over_ranks(blocked);
    return blocked;
  }

  /// Places a particle at its first free trial position. @returns false if none is free
  bool PlaceAtFirstFree(const Drop& drop, std::uint64_t first_trial,
                        std::span<const std::int64_t> blocked) {
    for (std::uint64_t k = 0; k < kTrialsPerExchange; ++k) {
      if (blocked[k] != 0) continue;
      const Vec3 position = TrialAt(drop, first_trial + k);
      if (event_spheres_.Overlaps(position, drop.grain.radius)) continue;
      event_spheres_.Add({position, drop.grain.radius});
      mixture_.AddMass(drop.grain);
      state_.masses = mixture_.Masses();
      ++state_.inserted;
      if (event_.owns(position)) {
        MakeParticle(mixture_.Part(drop.grain.part), position, drop.id, event_.scene.seed,
                     entering_);
      }
      return true;
    }
    return false;
  }

  /// A trial position of a particle, which differs between rain events.
  Vec3 TrialAt(const Drop& drop, std::uint64_t trial) const {
    const auto event = static_cast<std::uint64_t>(event_.step);
    return TrialPosition(CentresIn(bounds_, drop.grain.radius), event_.scene.seed, drop.id,
                         event * kMaxTrials + trial);
  }

  const RainEvent& event_;
  const Rain& rain_;
  Box bounds_;
  BalancedMixture mixture_;
  RainState& state_;
  const Particles& present_;
  Particles& entering_;
  std::optional<Obstacles> obstacles_;  // of this rank, before this rain event
  SphereGrid event_spheres_;            // particles of this event on all ranks
};

std::int64_t StepOf(double time, double dt) { return std::llround(std::min(time / dt, 1e18)); }

}  // namespace

double RainState::Mass() const { return std::accumulate(masses.begin(), masses.end(), 0.0); }

double AmountSoFar(const Rain& rain, const RainState& state) {
  return rain.counts ? static_cast<double>(state.inserted) : state.Mass();
}

double AmountDue(const Rain& rain, double dt, std::int64_t steps_done) {
  const std::int64_t last = std::min(steps_done, StepOf(rain.end, dt));
  const std::int64_t steps = last - StepOf(rain.start, dt);
  return steps <= 0 ? 0.0 : std::min(rain.rate * dt * static_cast<double>(steps), rain.total);
}

std::int64_t StepsPerRainEvent(const Scene& scene, const Rain& rain, double dt) {
  if (rain.interval > 0.0) return std::max<std::int64_t>(1, StepOf(rain.interval, dt));
  const double g = scene.gravity.norm(), v = rain.grain.velocity.norm();
  double time;
  if (g > 0.0 || v > 0.0) {
    // Solves v t + g t²/2 = distance in a form that also holds for g = 0.
    const double distance = 0.25 * rain.grain.sizes.largest;
    time = 2.0 * distance / (v + std::sqrt(v * v + 2.0 * g * distance));
  } else {  // for one particle
    time = (rain.counts ? 1.0 : MeanMass(scene, rain.grain)) / rain.rate;
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(time / dt, rain.max_steps)));
}

bool IsRainDue(const Scene& scene, const Rain& rain, double dt, std::int64_t steps_done,
               std::int64_t stride) {
  const std::int64_t since = steps_done - StepOf(rain.start, dt);
  if (since <= 0) return false;
  return since % StepsPerRainEvent(scene, rain, dt) < stride || steps_done == StepOf(rain.end, dt);
}

std::int64_t NextRainEvent(const Scene& scene, double dt, std::int64_t step) {
  std::int64_t next = kNoEvent;
  for (const Rain& rain : scene.rains) {
    const std::int64_t start = StepOf(rain.start, dt), end = StepOf(rain.end, dt);
    if (step < start) {
      next = std::min(next, start);
    } else if (step < end) {
      next = std::min(next, end);
      const std::int64_t interval = StepsPerRainEvent(scene, rain, dt);
      if (rain.interval > 0.0)
        next = std::min(next, start + ((step - start) / interval + 1) * interval);
    }
  }
  return next;
}

void InsertRain(const RainEvent& event, const Particles& present, RainState& state,
                Particles& entering) {
  RainInserter(event, present, state, entering).InsertParticles();
}

}  // namespace scree

// What a chain of impacts sounds like: the force of the contacts on a body that rings.
#include <algorithm>
#include <cmath>

#include "apps/integrators_commands.hpp"
#include "io/files/wav_file.hpp"
#include "solvers/check.hpp"
#include "solvers/impact/resonator.hpp"

namespace scree::impact {
namespace {

constexpr double kPeak = 0.9;  // of the file's range

/// Strikes of one contact: the force of each step as an impulse at its middle.
void StrikeContact(Resonator& resonator, std::vector<double>& sound, const HuntCrossley& model,
                   const SteppedImpact& run, double start) {
  for (std::size_t i = 0; i + 1 < run.samples.size(); ++i) {
    const SteppedSample &a = run.samples[i], &b = run.samples[i + 1];
    const double force = 0.5 * (ContactForce(model, a.x, a.v) + ContactForce(model, b.x, b.v));
    const double t = start + (static_cast<double>(i) + 0.5) * run.step;
    while (resonator.NextTime() < t) sound.push_back(resonator.NextSample());
    resonator.Strike(t, force * run.step);
  }
}

}  // namespace

void WriteSound(const SoundSettings& settings, const SteppedImpactSetup& setup,
                const std::vector<Rebound>& rebounds, double gravity) {
  constexpr double kLongest = 600.0;  // [s]
  Resonator resonator(FindResonator(settings.material), settings.rate);
  const ImpactRunner runner(setup);
  std::vector<double> sound;
  double t = 0.0;
  for (const Rebound& rebound : rebounds) {
    const SteppedImpact run = runner.RunToRelease(rebound.v_in);
    StrikeContact(resonator, sound, setup.model, run, t);
    t += run.Steps() * run.step + 2.0 * std::abs(run.OutboundVelocity()) / gravity;
    if (t > kLongest) {
      throw InputError(Text("the sound would last more than ", kLongest,
                            " s: take a smaller --count or a greater --gravity"));
    }
  }
  const double end = t + resonator.LongestDecay();
  while (resonator.NextTime() < end) sound.push_back(resonator.NextSample());
  double loudest = 0.0;
  for (const double sample : sound) loudest = std::max(loudest, std::abs(sample));
  for (double& sample : sound) sample *= kPeak / loudest;
  WriteWavFile(settings.file, sound, settings.rate);
}

}  // namespace scree::impact

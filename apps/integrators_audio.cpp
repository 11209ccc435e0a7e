// What a chain of impacts sounds like: the force of the contacts on a body that rings.
#include <cmath>

#include "apps/integrators_commands.hpp"
#include "apps/sound_recording.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

/// Strikes of one contact: the force of each step as an impulse at its middle.
void StrikeContact(SoundRecording& recording, const HuntCrossley& model, const SteppedImpact& run,
                   double start) {
  for (std::size_t i = 0; i + 1 < run.samples.size(); ++i) {
    const SteppedSample &a = run.samples[i], &b = run.samples[i + 1];
    const double force = 0.5 * (ContactForce(model, a.x, a.v) + ContactForce(model, b.x, b.v));
    recording.Strike(start + (static_cast<double>(i) + 0.5) * run.step, force * run.step);
  }
}

}  // namespace

void WriteSound(const SoundSettings& settings, const SteppedImpactSetup& setup,
                const std::vector<Rebound>& rebounds, double gravity) {
  SoundRecording recording(settings.material, settings.rate);
  const ImpactRunner runner(setup);
  double t = 0.0;
  for (const Rebound& rebound : rebounds) {
    const SteppedImpact run = runner.RunToRelease(rebound.v_in);
    StrikeContact(recording, setup.model, run, t);
    t += run.Steps() * run.step + 2.0 * std::abs(run.OutboundVelocity()) / gravity;
    if (t > SoundSettings::kLongest) {
      throw InputError(Text("the sound would last more than ", SoundSettings::kLongest,
                            " s: take a smaller --count or a greater --gravity"));
    }
  }
  recording.Write(settings.file, t);
}

}  // namespace scree::impact

// scree-integrators roll: a mass that rolls over a rough floor, and what that sounds like.
#include <algorithm>
#include <cmath>

#include "apps/integrators_commands.hpp"
#include "apps/sound_recording.hpp"
#include "solvers/base/check.hpp"
#include "solvers/impact/resonator.hpp"
#include "solvers/impact/rolling.hpp"

namespace scree::impact {
namespace {

struct Settings {
  IntegratorOptions impact;
  RollingSetup rolling;
  double roughness = 2e-7, shortest = 1e-4, longest = 1e-2, row = 1e-2;
  int seed = 1, oversampling = 16;
  SoundSettings sound;
};

void AddOptions(AppOptions& options, Settings& x) {
  HuntCrossley& model = x.impact.setup.model;
  options.Add("mass", model.mass, "mass m");
  options.Add("stiffness", model.stiffness, "stiffness k");
  options.Add("relative-damping", model.mu, "damping over stiffness, mu = lambda/k");
  options.Add("exponent", model.alpha, "exponent of the compression, at least 1");
  x.impact.bodies.AddTo(options, "mass");
  options.Add("speed", x.rolling.speed, "speed at the start");
  options.Add("deceleration", x.rolling.deceleration, "by rolling friction");
  options.Add("gravity", x.rolling.gravity, "presses the mass on the floor");
  options.Add("roughness", x.roughness, "root mean square of the floor's height");
  options.Add("wavelength-from", x.shortest, "shortest wavelength of the floor");
  options.Add("wavelength-to", x.longest, "longest wavelength of the floor");
  options.Add("seed", x.seed, "of the floor's random phases");
  options.Add("audio", x.sound.file, "WAV file: how the floor rings");
  options.Add("resonator", x.sound.material,
              "what the floor of --audio is made of: glass, wood\n"
              "      or metal");
  options.Add("audio-rate", x.sound.rate, "samples per second of --audio [Hz]");
  options.Add("oversampling", x.oversampling, "steps per sample of the sound");
  options.Add("interval", x.row, "time of one row of the table");
}

void Check(const AppOptions& options, const Settings& x) {
  if (x.sound.file.empty()) DemandUsed(options, "resonator", "--audio");
  FindResonator(x.sound.material);
  DemandRange("--audio-rate", x.sound.rate, 8000, 192000);
  DemandRange("--oversampling", x.oversampling, 1, 1000);
  DemandRange("--seed", x.seed, 0, 2147483647);
  DemandAbove0("--interval", x.row);
  const double end = x.rolling.speed / x.rolling.deceleration;
  if (end > SoundSettings::kLongest) {
    throw InputError(Text("--speed over --deceleration = ", end,
                          " s, the time of rolling, is above ", SoundSettings::kLongest, " s"));
  }
}

/// A row of the table from all steps within its time.
struct Row {
  double time = 0.0, impulse = 0.0, greatest = 0.0, off = 0.0, speed = 0.0;

  void Add(const RollingSample& sample, double step) {
    time += step;
    impulse += sample.force * step;
    greatest = std::max(greatest, sample.force);
    off += sample.x > 0.0 ? 0.0 : step;
    speed = sample.speed;
  }
};

}  // namespace

void IntegratorsRoll(AppRun& app) {
  AppOptions options(
      "scree-integrators roll",
      "A mass rolls over a rough floor until it stops: the Hunt-Crossley contact under its "
      "weight,\n"
      "shaken by the floor that passes beneath it, by Runge-Kutta. A row has mean and greatest\n"
      "force on the floor and the part of the time in which the mass was above it. --audio makes\n"
      "it heard.");
  Settings x;
  AddOptions(options, x);
  if (!app.Parse(options)) return;
  x.impact.ApplyBodies(options);
  Check(options, x);
  x.rolling.model = x.impact.setup.model;
  x.rolling.step = 1.0 / (static_cast<double>(x.sound.rate) * x.oversampling);
  const RoughFloor floor(x.roughness, x.shortest, x.longest, static_cast<std::uint64_t>(x.seed));
  SoundRecording recording(x.sound.material, x.sound.rate);
  CsvOutput csv = app.Table();
  NoteModel(csv, x.rolling.model);
  csv.Columns(ColumnNames(
      "time [s], speed [m/s], mean_force [N], greatest_force [N], part_above_the_floor"));
  Row row;
  double t = 0.0;
  Roll(x.rolling, floor, [&](const RollingSample& sample) {
    const double step = x.rolling.step;
    if (!x.sound.file.empty()) recording.Strike(sample.t - 0.5 * step, sample.force * step);
    t = sample.t;
    row.Add(sample, step);
    if (row.time < x.row) return;
    AddRow(csv, t, row.speed, row.impulse / row.time, row.greatest, row.off / row.time);
    row = {};
  });
  if (!x.sound.file.empty()) recording.Write(x.sound.file, t);
  app.Write(csv);
}

}  // namespace scree::impact

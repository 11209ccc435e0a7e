#include "apps/sound_recording.hpp"

#include <algorithm>
#include <cmath>

#include "io/files/wav_file.hpp"

namespace scree::impact {
namespace {

constexpr double kPeak = 0.9;  // of the file's range

}  // namespace

SoundRecording::SoundRecording(const std::string& material, int rate)
    : resonator_(FindResonator(material), rate), rate_(rate) {}

void SoundRecording::Strike(double t, double impulse) {
  while (resonator_.NextTime() < t) sound_.push_back(resonator_.NextSample());
  resonator_.Strike(t, impulse);
}

void SoundRecording::Write(const std::string& file, double end) {
  const double decayed = end + resonator_.LongestDecay();
  while (resonator_.NextTime() < decayed) sound_.push_back(resonator_.NextSample());
  double loudest = 0.0;
  for (const double sample : sound_) loudest = std::max(loudest, std::abs(sample));
  if (loudest > 0.0) {
    for (double& sample : sound_) sample *= kPeak / loudest;
  }
  WriteWavFile(file, sound_, rate_);
}

}  // namespace scree::impact

/// \file  What a struck body sounds like, collected strike by strike and written as a sound file.
#pragma once

#include <string>
#include <vector>

#include "solvers/impact/resonator.hpp"

namespace scree::impact {

class SoundRecording {
 public:
  /// @param material  a name of Resonators()
  /// @param rate      samples per second
  /// @throws InputError
  SoundRecording(const std::string& material, int rate);

  /// An impulse at the time t, not before the one before [s, N s].
  void Strike(double t, double impulse);

  /// What there is until then and while it decays, as loud as the file can hold.
  /// @throws OutputError
  void Write(const std::string& file, double end);

 private:
  Resonator resonator_;
  int rate_;
  std::vector<double> sound_;
};

}  // namespace scree::impact

/// \file  A configuration as a scene text.
#pragma once

#include <string>

#include "io/configuration/run_config.hpp"

namespace scree {

/// A complete scene text in SI that ReadRunConfig turns into the same configuration, bit by bit.
std::string EffectiveIni(RunConfig config);

}  // namespace scree

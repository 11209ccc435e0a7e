/// \file  The commands of scree-damping.
#pragma once

#include "apps/small_app.hpp"

namespace scree::impact {

void DampingSweep(AppRun& app);

}  // namespace scree::impact

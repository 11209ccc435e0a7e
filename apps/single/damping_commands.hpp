/// \file  The commands of scree-damping.
#pragma once

#include "apps/common/small_app.hpp"

namespace scree::impact {

void DampingSweep(AppRun& app);

}  // namespace scree::impact

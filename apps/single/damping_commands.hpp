/// \file  The commands of scree-damping that have files of their own.
#pragma once

#include "apps/common/small_app.hpp"

namespace scree::impact {

void DampingSweep(AppRun& app);

}  // namespace scree::impact

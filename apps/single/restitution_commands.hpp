/// \file  The commands of scree-restitution that have files of their own.
#pragma once

#include "apps/common/small_app.hpp"

namespace scree::impact {

void RestitutionSweep(AppRun& app);
void RestitutionInvert(AppRun& app);
void RestitutionCurve(AppRun& app);

}  // namespace scree::impact

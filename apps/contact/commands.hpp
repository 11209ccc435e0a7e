/// \file  The commands of scree-contact.
#pragma once

#include "apps/common/small_app.hpp"

namespace scree {

void ContactAcademic(AppRun& app);
void ContactMultiplicity(AppRun& app);
void ContactPainleve(AppRun& app);
void ContactStep(AppRun& app);
void ContactSolve(AppRun& app);
void ContactFclib(AppRun& app);

}  // namespace scree

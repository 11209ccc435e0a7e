/// \file  What the steppers and the corrections cost, counted while they run: table IV of Papetti,
///        Avanzini & Rocchesso (see hunt_crossley.hpp).
#pragma once

#include "solvers/impact/impact_stepper.hpp"
#include "solvers/impact/operation_count.hpp"

namespace scree::impact {

/// Operations of one step in contact.
struct StepCost {
  OperationCount step;       // without those of the iteration
  OperationCount iteration;  // one of Newton's; zero for explicit methods
};
StepCost CountStep(ImpactMethod method);

/// Of the formulas in printed_forms.hpp.
OperationCount CountHybridCorrection();
OperationCount CountOutboundConstraint();
OperationCount CountOutboundRootStep();

}  // namespace scree::impact

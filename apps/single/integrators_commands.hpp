/// \file  The commands of scree-integrators that have files of their own, and the common options.
#pragma once

#include <string>

#include "apps/common/small_app.hpp"
#include "apps/single/impact_bodies.hpp"
#include "apps/single/models/rebounds.hpp"
#include "apps/single/models/stepped_impact.hpp"

namespace scree::impact {

void IntegratorsRebounds(AppRun& app);
void IntegratorsResonate(AppRun& app);
void IntegratorsSweep(AppRun& app);

/// The options of an impact. The default is the hard impact, case 2 of Papetti et al.
struct IntegratorOptions {
  SteppedImpactSetup setup{.model = {0.01, 1e9, 0.5, 1.5}, .v_in = 1.0};
  std::string method = Name(ImpactMethod::kVerlet);

  BodyOptions bodies;

  void AddModel(AppOptions& options);        // mass, spring, damping, speed; BodyOptions
  void AddSampling(AppOptions& options);     // --rate, --oversampling
  void AddMethod(AppOptions& options);       // --method
  void AddCorrections(AppOptions& options);  // --hybrid, --constrain, --threshold

  /// Sets mass and stiffness if bodies were described. Call it after Parse. @throws InputError
  void SetMassAndStiffness(const AppOptions& options);

  /// @throws InputError for a --threshold without --constrain
  void CheckCorrections(const AppOptions& options) const;

  /// The values of the parsed options.
  /// @throws InputError if the method is unknown
  SteppedImpactSetup MakeSetup() const;
};

/// The parameters of the model as notes above a table.
void NoteModel(CsvOutput& csv, const HuntCrossley& model);

/// Rates and corrections as notes above a table.
void NoteSteps(CsvOutput& csv, const SteppedImpactSetup& setup);

}  // namespace scree::impact

/// \file  The commands of scree-integrators, and the options that they share.
#pragma once

#include <string>
#include <vector>

#include "apps/impact_bodies.hpp"
#include "io/command_line/app_options.hpp"
#include "io/command_line/csv_output.hpp"
#include "solvers/impact/rebounds.hpp"
#include "solvers/impact/stepped_impact.hpp"

namespace scree::impact {

void IntegratorsClosedForm(const std::vector<std::string>& arguments,
                           const std::string& command_line);
void IntegratorsSimulate(const std::vector<std::string>& arguments,
                         const std::string& command_line);
void IntegratorsTables(const std::vector<std::string>& arguments, const std::string& command_line);
void IntegratorsRebounds(const std::vector<std::string>& arguments,
                         const std::string& command_line);
void IntegratorsResonate(const std::vector<std::string>& arguments,
                         const std::string& command_line);
void IntegratorsRoll(const std::vector<std::string>& arguments, const std::string& command_line);
void IntegratorsSweep(const std::vector<std::string>& arguments, const std::string& command_line);
void IntegratorsOrder(const std::vector<std::string>& arguments, const std::string& command_line);
void IntegratorsCost(const std::vector<std::string>& arguments, const std::string& command_line);

/// The options of an impact. The default impact is case 2 of the paper, a hard one.
struct IntegratorOptions {
  SteppedImpactSetup setup{.model = {0.01, 1e9, 0.5, 1.5}, .v_in = 1.0};
  std::string method = Name(ImpactMethod::kVerlet);

  BodyOptions bodies;

  void AddModel(AppOptions& options);        // --mass to --v-in, and the bodies
  void AddSampling(AppOptions& options);     // --rate, --oversampling
  void AddMethod(AppOptions& options);       // --method
  void AddCorrections(AppOptions& options);  // --hybrid, --constrain, --threshold

  /// Mass and stiffness of the bodies, if they were described. After Parse. @throws InputError
  void ApplyBodies(const AppOptions& options);

  /// @throws InputError for a --threshold without --constrain
  void DemandCorrectionsUsed(const AppOptions& options) const;

  /// What the options say, after they were parsed.
  /// @throws InputError if the method is unknown
  SteppedImpactSetup Chosen() const;
};

/// A sound file of a chain of impacts, or of rolling.
struct SoundSettings {
  static constexpr double kLongest = 600.0;  // without the decay at its end [s]
  std::string file;
  std::string material = "glass";
  int rate = 44100;  // [Hz]
};

/// The impacts of the chain and the flights between them, as a body rings that they strike.
/// @throws InputError, OutputError
void WriteSound(const SoundSettings& settings, const SteppedImpactSetup& setup,
                const std::vector<Rebound>& rebounds, double gravity);

/// The parameters of the model as notes above a table.
void NoteModel(CsvOutput& csv, const HuntCrossley& model);

/// Rates and corrections as notes above a table.
void NoteSteps(CsvOutput& csv, const SteppedImpactSetup& setup);

}  // namespace scree::impact

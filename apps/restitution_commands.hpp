/// \file  The commands of scree-restitution.
#pragma once

#include <string>
#include <vector>

namespace scree::impact {

void RestitutionCor(const std::vector<std::string>& arguments, const std::string& command_line);
void RestitutionTrajectory(const std::vector<std::string>& arguments,
                           const std::string& command_line);
void RestitutionSweep(const std::vector<std::string>& arguments, const std::string& command_line);
void RestitutionTables(const std::vector<std::string>& arguments, const std::string& command_line);
void RestitutionInvert(const std::vector<std::string>& arguments, const std::string& command_line);
void RestitutionCurve(const std::vector<std::string>& arguments, const std::string& command_line);
void RestitutionCritical(const std::vector<std::string>& arguments,
                         const std::string& command_line);

}  // namespace scree::impact

/// \file  The commands of scree-contact.
#pragma once

#include <string>
#include <vector>

namespace scree {

void ContactAcademic(const std::vector<std::string>& arguments, const std::string& command_line);
void ContactMultiplicity(const std::vector<std::string>& arguments,
                         const std::string& command_line);
void ContactPainleve(const std::vector<std::string>& arguments, const std::string& command_line);
void ContactStep(const std::vector<std::string>& arguments, const std::string& command_line);
void ContactSolve(const std::vector<std::string>& arguments, const std::string& command_line);
void ContactFclib(const std::vector<std::string>& arguments, const std::string& command_line);

}  // namespace scree

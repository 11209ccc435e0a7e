/// \file  The commands of scree-damping.
#pragma once

#include <string>
#include <vector>

namespace scree::impact {

void DampingForce(const std::vector<std::string>& arguments, const std::string& command_line);
void DampingTable(const std::vector<std::string>& arguments, const std::string& command_line);
void DampingOptimal(const std::vector<std::string>& arguments, const std::string& command_line);
void DampingSweep(const std::vector<std::string>& arguments, const std::string& command_line);
void DampingVerify(const std::vector<std::string>& arguments, const std::string& command_line);

}  // namespace scree::impact

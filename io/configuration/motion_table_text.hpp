/// \file  A table of a wall's motion as the value of a key: time_s 0 0.1, z_mm 0 -1.
#pragma once

#include <string>

#include "engine/scene/motion_table.hpp"

namespace scree {

/// @throws InputError if it is no table, or the name of a file
MotionTable MotionTableOf(const std::string& text);

/// The text that MotionTableOf takes, in SI; empty for an empty table.
std::string TextOf(const MotionTable& table);

}  // namespace scree

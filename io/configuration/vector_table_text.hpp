/// \file  A table of vectors as the value of a key: time_s 0 0.1, x_m/s^2 0 9.81.
#pragma once

#include <string>

#include "engine/scene/vector_table.hpp"
#include "io/configuration/units.hpp"

namespace scree {

/// A table over one column, with any of the columns x, y, z.
struct TableText {
  std::string over;  // name of the first column
  Dimension of_over = kTime;
  Dimension of_values;
};

/// @throws InputError if the text is no such table
VectorTable VectorTableOf(const std::string& text, const TableText& about);

/// The text that VectorTableOf takes, in SI; empty for an empty table.
std::string TextOf(const VectorTable& table, const TableText& about);

/// Whether the first column of the text has this name.
bool IsOver(const std::string& text, const std::string& name);

}  // namespace scree

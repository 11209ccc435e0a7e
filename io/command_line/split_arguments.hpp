/// \file  Splits a command line into options and values, in the same form for every program.
///
/// Boost.Program_options is used only for this. It would report a bad value only as "is invalid";
/// our errors give name, value, unit and valid values. Its reader of configuration files gives no
/// line numbers and cuts values at '#', and its help has no units. It needs a list of all keys, but
/// keys contain names that only the scene defines. Therefore our own parser of values
/// (io/scene/settings.hpp) serves both files and command lines.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace scree {

/// An option of a program; the name has no dashes.
struct KnownOption {
  std::string name;
  bool takes_value = true;
};

/// An option from the command line, or an argument without a name.
struct GivenOption {
  std::string name;   // without the dashes; empty: an argument without a name
  std::string value;  // empty for an option without a value
};

/// Splits the arguments. Options have long names: "--name value" or "--name=value". A value may
/// begin with one minus sign.
/// @param known  options of the program, each name once
/// @param hint   advice at the end of an error: "scree-info --help lists the options"
/// @throws InputError naming the wrong option
std::vector<GivenOption> SplitArguments(const std::vector<std::string>& arguments,
                                        std::span<const KnownOption> known,
                                        const std::string& hint);

}  // namespace scree

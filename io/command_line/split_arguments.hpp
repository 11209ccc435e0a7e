/// \file  How a command line is split into options and values: alike for every program.
///
/// That is all Boost.Program_options does here. Its typed values would say no more of a wrong one
/// than "is invalid", where we tell name, value, unit and what would be right; its configuration
/// files have no line numbers and cut values at '#'; its help knows no units; and keys of a scene
/// hold names that only the scene gives. So one parser of values serves files and command lines
/// (io/scene/settings.hpp).
#pragma once

#include <span>
#include <string>
#include <vector>

namespace scree {

/// An option that a program knows; its name comes without the dashes.
struct KnownOption {
  std::string name;
  bool takes_value = true;
};

/// What stood on the command line: an option, or an argument without a name.
struct GivenOption {
  std::string name;   // without the dashes; empty: an argument without a name
  std::string value;  // empty for an option without a value
};

/// Options are long ones, "--name value" or "--name=value". A value may begin with one minus sign.
/// @param known  each name once
/// @param hint   what helps, at the end of an error: "scree-info --help lists the options"
/// @throws InputError naming the option that is wrong
std::vector<GivenOption> SplitArguments(const std::vector<std::string>& arguments,
                                        std::span<const KnownOption> known,
                                        const std::string& hint);

}  // namespace scree

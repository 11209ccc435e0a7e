/// \file  How a command line is split into options and values: alike for every program.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace scree {

/// Options are long ones, "--name value" or "--name=value". A value may begin with one minus sign.
/// @param hint        what helps, at the end of an error: "scree-info --help lists the options"
/// @param positional  names of arguments without a name; nullptr: they come without
/// @throws InputError naming the option that is wrong
std::vector<boost::program_options::option> SplitArguments(
    const std::vector<std::string>& arguments,
    const boost::program_options::options_description& known, const std::string& hint,
    const boost::program_options::positional_options_description* positional = nullptr);

}  // namespace scree

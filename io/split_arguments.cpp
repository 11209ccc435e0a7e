#include "io/split_arguments.hpp"

#include "io/ini_file.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

namespace po = boost::program_options;

/// No option of ours has these in its name, and to Boost they mean something: a place to put a
/// name, a short name, any end of a name. With some it does not come to an end.
void DemandPlainNames(const std::vector<std::string>& arguments, const std::string& hint) {
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    const std::size_t at = name.find_first_of("%,*");
    if (name.starts_with("--") && at != name.npos) {
      throw InputError(Text(name, ": unknown option; none has a ", name[at], "; ", hint));
    }
  }
}

std::string WhatIsWrong(const po::invalid_syntax& error) {
  switch (error.kind()) {
    case po::invalid_syntax::missing_parameter:
    case po::invalid_syntax::empty_adjacent_parameter:
      return "needs a value";
    case po::invalid_syntax::extra_parameter:
      return "takes no value";
    default:
      return "is not written as an option";
  }
}

std::vector<std::string> NamesOf(const po::options_description& known,
                                 const po::positional_options_description* positional) {
  std::vector<std::string> names;
  for (const auto& option : known.options()) {
    const std::string& name = option->long_name();
    const bool is_positional = positional != nullptr && positional->max_total_count() > 0 &&
                               positional->name_for_position(0) == name;
    if (!is_positional) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

std::vector<po::option> SplitArguments(const std::vector<std::string>& arguments,
                                       const po::options_description& known,
                                       const std::string& hint,
                                       const po::positional_options_description* positional) {
  DemandPlainNames(arguments, hint);
  namespace style = po::command_line_style;
  // The errors' own what() takes %original_token% and the like in a user's value for a place to put
  // that value, again and again without an end.
  try {
    po::command_line_parser parser(arguments);
    parser.options(known);
    if (positional != nullptr) parser.positional(*positional);
    // Without short options a value may begin with a minus sign.
    parser.style(style::allow_long | style::long_allow_next | style::long_allow_adjacent);
    return parser.run().options;
  } catch (const po::unknown_option& error) {
    const std::string given = error.get_option_name();  // with "=value"
    const std::string name = given.substr(0, given.find('='));
    throw InputError(
        Text(name, ": unknown option", DidYouMean(name, NamesOf(known, positional)), "; ", hint));
  } catch (const po::invalid_syntax& error) {
    throw InputError(Text(error.get_option_name(), ": ", WhatIsWrong(error), "; ", hint));
  } catch (const po::too_many_positional_options_error&) {
    throw InputError(Text("command line: too many arguments without a name; ", hint));
  } catch (const po::error&) {
    throw InputError(Text("command line: cannot be read; ", hint));
  }
}

}  // namespace scree

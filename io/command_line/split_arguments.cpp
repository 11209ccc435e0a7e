#include "io/command_line/split_arguments.hpp"

#include <boost/program_options.hpp>

#include "io/scene/ini_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

namespace po = boost::program_options;

/// Rejects names with characters that no option has. Boost treats some of them specially, for
/// example as a wildcard, and some would make Boost loop for ever.
void RequirePlainNames(const std::vector<std::string>& arguments, const std::string& hint) {
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    const std::size_t separator = name.find_first_of("%,*");
    if (name.starts_with("--") && separator != name.npos) {
      throw InputError(Text(name, ": unknown option; no option has a ", name[separator],
                            " in its name; ", hint));
    }
    if (name == "--" && name != argument) {
      throw InputError(Text(argument, ": an option without a name; ", hint));
    }
  }
}

po::options_description MakeDescription(std::span<const KnownOption> known) {
  po::options_description description;
  for (const KnownOption& option : known) {
    if (option.takes_value) {
      description.add_options()(option.name.c_str(), po::value<std::string>());
    } else {
      description.add_options()(option.name.c_str(), "");
    }
  }
  return description;
}

std::vector<po::option> Parse(const std::vector<std::string>& arguments,
                              std::span<const KnownOption> known) {
  namespace style = po::command_line_style;
  const po::options_description description = MakeDescription(known);
  po::command_line_parser parser(arguments);
  parser.options(description);
  // Short options are not allowed, so that a value may begin with a minus sign.
  parser.style(style::allow_long | style::long_allow_next | style::long_allow_adjacent);
  return parser.run().options;
}

std::string DescribeUnknownOption(const std::string& name, std::span<const KnownOption> known) {
  std::vector<std::string> names;
  for (const KnownOption& option : known) names.push_back("--" + option.name);
  const bool is_letter = name.size() <= 3;  // "--x" would be similar to any short name
  return Text(name, ": unknown option", is_letter ? "" : DidYouMean(name, names));
}

std::string DescribeSyntaxError(const po::invalid_syntax& error) {
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

}  // namespace

std::vector<GivenOption> SplitArguments(const std::vector<std::string>& arguments,
                                        std::span<const KnownOption> known,
                                        const std::string& hint) {
  RequirePlainNames(arguments, hint);
  std::vector<GivenOption> options;
  // Do not call what() of these errors: it would expand %original_token% and similar text in a
  // user's value in an endless loop.
  try {
    for (const po::option& option : Parse(arguments, known)) {
      options.push_back({option.string_key, option.value.empty() ? "" : option.value.front()});
    }
  } catch (const po::unknown_option& error) {
    const std::string token = error.get_option_name();  // with "=value"
    throw InputError(
        Text(DescribeUnknownOption(token.substr(0, token.find('=')), known), "; ", hint));
  } catch (const po::invalid_syntax& error) {
    throw InputError(Text(error.get_option_name(), ": ", DescribeSyntaxError(error), "; ", hint));
  } catch (const po::error&) {
    throw InputError(Text("command line: cannot be read; ", hint));
  }
  return options;
}

}  // namespace scree

/// \file  Command lines of the small apps: named numbers with units, texts and switches.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scree {

/// The options of one command. Each Add binds a variable, which contains the default before Parse
/// and the value after it. The variables must outlive Parse.
class AppOptions {
 public:
  /// @param command      as typed: "scree-contact painleve"
  /// @param description  whole sentences that say what the command computes
  AppOptions(std::string command, std::string description);

  /// Adds a quantity. Its name determines its unit (io/command_line/app_words).
  void Add(const std::string& name, double& number, const std::string& help);
  void Add(const std::string& name, int& count, const std::string& help);
  void Add(const std::string& name, std::string& text, const std::string& help);
  /// Adds a switch, which has no value. The variable becomes true if the option is given.
  void Add(const std::string& name, bool& is_given, const std::string& help);
  /// Accepts arguments without an option name, and appends them to `values`.
  /// @param name  name for the help
  void AddPositional(const std::string& name, std::vector<std::string>& values,
                     const std::string& help);

  /// Reads the arguments after the command. --help always exists.
  /// @returns false if --help was given
  /// @throws InputError naming the option, its value and the valid values. For the name of an
  /// option in an earlier version, the message gives the current name
  bool Parse(const std::vector<std::string>& arguments);

  /// Whether the option was on the command line. Valid after Parse.
  bool IsGiven(const std::string& name) const;

  std::string Help() const;

 private:
  struct Option {
    std::string name;
    std::string value_name;  // empty for a switch
    std::string default_text;
    std::string help;
    std::function<void(const std::string&)> set;
  };

  const Option* Find(std::string_view name) const;
  void RefuseOldNames(const std::vector<std::string>& arguments) const;

  std::string command_, description_;
  std::vector<Option> options_;
  std::string positional_name_, positional_help_;
  std::vector<std::string>* positional_ = nullptr;
  std::vector<std::string> given_names_;
};

/// Reads a text that is exactly one finite decimal number.
/// @param name  name for errors, such as "--skin"
/// @throws InputError
double ReadNumber(const std::string& name, std::string_view text);

/// Reads `count` finite numbers separated by spaces or commas.
/// @throws InputError
std::vector<double> ReadNumbers(const std::string& name, std::string_view text, std::size_t count);

/// @throws InputError unless low <= value <= high
void RequireRange(const std::string& name, double value, double low, double high);

/// @throws InputError unless the text is one of the choices
void RequireChoice(const std::string& name, const std::string& text,
                   std::span<const std::string_view> choices);

}  // namespace scree

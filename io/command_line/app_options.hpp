/// \file  Command lines of the small apps: named numbers with units, texts and switches.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scree {

/// The options of one command. Each Add names a variable that holds the default and gets the value;
/// the variables must outlive Parse.
class AppOptions {
 public:
  /// @param command      as typed: "scree-contact painleve"
  /// @param description  what the command computes, whole sentences
  AppOptions(std::string command, std::string description);

  /// A quantity of io/command_line/app_words, which knows its unit.
  void Add(const std::string& name, double& number, const std::string& help);
  void Add(const std::string& name, int& count, const std::string& help);
  void Add(const std::string& name, std::string& text, const std::string& help);
  /// A switch without a value, false unless given.
  void Add(const std::string& name, bool& given, const std::string& help);
  /// The arguments without a name.
  void AddPositional(const std::string& name, std::vector<std::string>& values,
                     const std::string& help);

  /// Reads the arguments that follow the command. --help is always known.
  /// @returns false if help was asked for
  /// @throws InputError naming the option, its value and what would be right; of an option of an
  ///         earlier version, what it is called now
  bool Parse(const std::vector<std::string>& arguments);

  /// Whether the option stood on the command line. After Parse.
  bool Given(const std::string& name) const;

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
  std::vector<std::string> given_;
};

/// Exactly one finite decimal number, nothing else.
/// @param what  names it in the error: "--skin"
/// @throws InputError
double ReadNumber(const std::string& what, std::string_view text);

/// `count` finite numbers separated by spaces or commas.
/// @throws InputError
std::vector<double> ReadNumbers(const std::string& what, std::string_view text, std::size_t count);

/// @throws InputError unless low <= value <= high; says so in these words
void RequireRange(const std::string& what, double value, double low, double high);

/// @throws InputError unless the text is one of the choices
void RequireChoice(const std::string& what, const std::string& text,
                   std::span<const std::string_view> choices);

}  // namespace scree

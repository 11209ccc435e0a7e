#include "io/command_line/app_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "io/command_line/app_words.hpp"
#include "io/command_line/split_arguments.hpp"
#include "io/files/text_lines.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::string_view kSeparators = " \t\n,;";

std::vector<std::string_view> SplitFields(std::string_view text) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t first = text.find_first_not_of(kSeparators);
    if (first == std::string_view::npos) return fields;
    text.remove_prefix(first);
    const std::size_t length = std::min(text.find_first_of(kSeparators), text.size());
    fields.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

}  // namespace

AppOptions::AppOptions(std::string command, std::string description)
    : command_(std::move(command)), description_(std::move(description)) {}

void AppOptions::Add(const std::string& name, double& number, const std::string& help) {
  const AppWord& word = WordOf(name);
  const std::string unit = word.unit.empty() ? "" : Text(" [", word.unit, "]");
  options_.push_back({name, "X", ShortestText(number), help + unit,
                      [&number, &word, name](const std::string& text) {
                        number = ReadQuantity("--" + name, word, text);
                      }});
}

void AppOptions::Add(const std::string& name, int& count, const std::string& help) {
  options_.push_back(
      {name, "N", std::to_string(count), help, [&count, name](const std::string& text) {
         const char* end = text.data() + text.size();
         const auto result = std::from_chars(text.data(), end, count);
         if (result.ec != std::errc() || result.ptr != end) {
           throw InputError(Text("--", name, " must be a whole number, not '", text, "'"));
         }
       }});
}

void AppOptions::Add(const std::string& name, std::string& text, const std::string& help) {
  options_.push_back(
      {name, "TEXT", text, help, [&text](const std::string& value) { text = value; }});
}

void AppOptions::Add(const std::string& name, bool& is_given, const std::string& help) {
  options_.push_back({name, "", "", help, [&is_given](const std::string&) { is_given = true; }});
}

void AppOptions::AddPositional(const std::string& name, std::vector<std::string>& values,
                               const std::string& help) {
  positional_name_ = name;
  positional_help_ = help;
  positional_ = &values;
}

const AppOptions::Option* AppOptions::Find(std::string_view name) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const Option& option) { return option.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

void AppOptions::RefuseOldNames(const std::vector<std::string>& arguments) const {
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--")) continue;
    const std::string name = argument.substr(2, argument.find('=') - 2);
    if (Find(name) != nullptr) continue;
    const std::string current =
        NewName(name, [&](std::string_view known) { return Find(known) != nullptr; });
    if (current.empty()) continue;
    throw InputError(
        Text("--", name, ": is now called --", current, "; its value may have a unit, see --help"));
  }
}

bool AppOptions::Parse(const std::vector<std::string>& arguments) {
  RefuseOldNames(arguments);
  std::vector<KnownOption> known = {{"help", false}};
  for (const Option& option : options_) known.push_back({option.name, !option.value_name.empty()});
  const std::string hint = command_ + " --help lists the options";
  for (const auto& [name, value] : SplitArguments(arguments, known, hint)) {
    if (name == "help") return false;
    if (name.empty()) {
      if (positional_ == nullptr) {
        throw InputError(Text("'", value, "' is one argument too many for ", command_,
                              "; every option needs its name, see --help"));
      }
      positional_->push_back(value);
      continue;
    }
    if (IsGiven(name)) throw InputError(Text("--", name, " is given twice"));
    given_names_.push_back(name);
    Find(name)->set(value);
  }
  return true;
}

bool AppOptions::IsGiven(const std::string& name) const {
  return std::find(given_names_.begin(), given_names_.end(), name) != given_names_.end();
}

std::string AppOptions::Help() const {
  std::string help = "usage: " + command_ + " [options]";
  if (positional_ != nullptr) help += " " + positional_name_ + "...";
  help += "\n\n" + description_ + "\n\n";
  if (positional_ != nullptr)
    help += "  " + positional_name_ + "\n      " + positional_help_ + "\n";
  for (const Option& option : options_) {
    help += "  --" + option.name + (option.value_name.empty() ? "" : " " + option.value_name);
    help += "\n      " + option.help;
    if (!option.default_text.empty()) help += " (default " + option.default_text + ")";
    help += "\n";
  }
  return help + "  --help\n      print this text\n";
}

double ReadNumber(const std::string& name, std::string_view text) {
  return ReadNumbers(name, text, 1).front();
}

std::vector<double> ReadNumbers(const std::string& name, std::string_view text, std::size_t count) {
  const std::string expected = count == 1 ? "one number" : Text(count, " numbers");
  const std::vector<std::string_view> fields = SplitFields(text);
  if (fields.size() != count) {
    throw InputError(Text(name, " must be ", expected, ", not ", fields.size(), ": '", text, "'"));
  }
  std::vector<double> numbers;
  for (const std::string_view field : fields) {
    const std::optional<double> number = FiniteNumber(field);
    if (!number) throw InputError(Text(name, ": '", field, "' is not a finite number"));
    numbers.push_back(*number);
  }
  return numbers;
}

void RequireRange(const std::string& name, double value, double low, double high) {
  if (value >= low && value <= high) return;
  const bool is_bounded = std::isfinite(high);
  throw InputError(Text(name, " = ", value, " is out of range: it must be at least ", low,
                        is_bounded ? Text(" and at most ", high) : ""));
}

void RequireChoice(const std::string& name, const std::string& text,
                   std::span<const std::string_view> choices) {
  std::string list;
  for (const std::string_view choice : choices) {
    if (text == choice) return;
    list += (list.empty() ? "" : ", ") + std::string(choice);
  }
  throw InputError(Text(name, " '", text, "' is unknown; choose one of ", list));
}

}  // namespace scree

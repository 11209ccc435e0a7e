/// \file  What is known of one key of a scene file: name, meaning, how its value is written, what
///        is allowed. What it is bound to: section.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/scene/run_config.hpp"
#include "io/scene/units.hpp"

namespace scree {

/// How a value is written.
enum class Kind {
  kText,         // anything but nothing
  kName,         // of a wall or material: letters, digits and _
  kChoice,       // one of the words of the range, separated by " | "
  kYesNo,        // yes | no
  kWhole,        // whole number
  kNumber,       // number and unit
  kAutoNumber,   // the same or "auto", which is kAuto
  kVector,       // three numbers and one unit
  kDirection,    // three numbers, not all zero; made a unit vector
  kList,         // numbers and one unit
  kSpheres,      // x y z r of each sphere, separated by commas; a unit at the last counts for all
  kInterval,     // time | N steps | never
  kBalance,      // auto | never | every N steps: StepParameters::balance
  kPace,         // the same or "30 min wall": wall-clock time
  kRestitution,  // number, or law: text
  kAxes,         // none | any of x y z
  kFields,       // all | names of fields of the particles
  kFaces,        // none | any of x- x+ y- y+ z- z+
  kTable,        // columns, or the name of a file that has them
  kGrid,         // auto | 16x10x4
  kCells,        // 16x10x4
};

/// The value of kAutoNumber for "auto".
inline constexpr double kAuto = -1.0;

/// What it means if a key without a default is not given.
enum class IfKeyMissing {
  kIsAnError,
  kTakesAnother,  // the value comes from elsewhere, and the effective configuration has it
  kMeansNone,     // there is no such value, and no line for it in the effective configuration; of a
                  // key with a default: the default needs no line there
};
inline constexpr IfKeyMissing kOptional = IfKeyMissing::kMeansNone;
inline constexpr IfKeyMissing kElsewhere = IfKeyMissing::kTakesAnother;

/// When a value may change after the start of a run (config_changes.hpp).
struct ChangeRule {
  enum class When {
    kAtAnyRestart,  // it is no physics
    kDuringRun,     // by [at "TIME"], or at a restart with --allow-changes from then on
    kUntilReached,  // it is a time, which such a restart may move while it lies ahead
    kConstant,
  };
  When when = When::kConstant;
  std::string why = {};  // where it cannot change on the way, the reason, after a colon
};
inline ChangeRule AtAnyRestart() {
  return {ChangeRule::When::kAtAnyRestart, "it holds for the whole run; a restart may change it"};
}
inline ChangeRule OnTheWay() { return {ChangeRule::When::kDuringRun}; }
inline ChangeRule WhileAhead() {
  return {ChangeRule::When::kUntilReached, "it is a time itself, to be given in its own section"};
}
inline ChangeRule Never(std::string why) { return {ChangeRule::When::kConstant, std::move(why)}; }

/// What is allowed: in words, and for numbers by their bounds. Each makes its own words; `more`
/// stands behind them.
struct Range {
  std::string words = {};
  double lower = -std::numeric_limits<double>::infinity();
  bool open = false;  // lower itself is not allowed
  double upper = std::numeric_limits<double>::infinity();

  bool Holds(double value) const {
    return (open ? value > lower : value >= lower) && value <= upper;
  }
};
inline Range InWords(const std::string& words) { return {words}; }
inline Range Positive(const std::string& more = "") { return {"> 0" + more, 0.0, true}; }
inline Range NotNegative(const std::string& more = "") { return {">= 0" + more, 0.0}; }
Range Between(double lower, double upper, const std::string& more = "");
/// With "auto" beside it, for kAutoNumber.
inline Range OrAuto(Range range) {
  range.words = "auto | " + range.words;
  return range;
}

/// The default as it would be written.
struct Default {
  std::string text;
};
/// The key that may be given in place of this one, not beside it.
struct AlternativeKey {
  std::string key;
};

/// What is told of a key beside its name and meaning, in any order: a Dimension (else a plain
/// number), a Range, a Default, what it means if it is IfKeyMissing (else an error), a ChangeRule
/// (else that of the section), a Kind (else that of the variable it is bound to), another key
/// AlternativeKey.
struct KeySpec {
  std::string key, doc;
  std::optional<Kind> kind = {};
  Dimension dimension = kPlain;
  Range range = {};
  std::string initial = {};  // the default; "": none
  IfKeyMissing lacking = IfKeyMissing::kIsAnError;
  std::string instead = {};
  std::optional<ChangeRule> change = {};

  template <class... Facts>
  KeySpec(std::string name, std::string meaning, Facts&&... facts)
      : key(std::move(name)), doc(std::move(meaning)) {
    (Take(std::forward<Facts>(facts)), ...);
  }

  bool IsRequired() const { return initial.empty() && lacking == IfKeyMissing::kIsAnError; }

 private:
  void Take(Kind of) { kind = of; }
  void Take(Dimension of) { dimension = of; }
  void Take(Range allowed) { range = std::move(allowed); }
  void Take(Default text) { initial = std::move(text.text); }
  void Take(IfKeyMissing means) { lacking = means; }
  void Take(AlternativeKey other) { instead = std::move(other.key); }
  void Take(ChangeRule rule) { change = std::move(rule); }
};
using KeySpecs = std::vector<KeySpec>;

/// @throws InputError saying what is expected, if the text is no such value.
KeyValue ReadValue(const KeySpec& spec, const std::string& text);

/// The value in SI, as ReadValue takes it.
std::string WriteValue(const KeySpec& spec, const KeyValue& value);

/// Whether a variable has no value of the key: it is empty, or a number that the key cannot have.
bool IsNone(const KeySpec& spec, const KeyValue& value);

}  // namespace scree

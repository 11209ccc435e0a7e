/// \file  Description of one key of a scene file: name, meaning, format of the value, allowed
///        values. section.hpp binds it to a variable.
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

/// The format of a value.
enum class Kind {
  kText,        // any text that is not empty
  kName,        // of a wall or material: letters, digits and _
  kChoice,      // one of the words of the range, separated by " | "
  kYesNo,       // yes | no
  kWhole,       // whole number
  kNumber,      // number and unit
  kAutoNumber,  // number and unit, or "auto", which is kAuto
  kAutoWhole,   // whole number, or "auto", which is −1
  kVector,      // three numbers and one unit
  kDirection,   // three numbers, not all zero; made a unit vector
  kList,        // numbers and one unit
  kSpheres,     // x y z r of each sphere, separated by commas; a unit after the last one applies to
                // all
  kInterval,    // time | N steps | never
  kBalance,     // auto | never | every N steps: StepParameters::balance
  kIntervalOrWallTime,  // as kInterval, or "30 min wall": wall-clock time
  kRestitution,         // number, or text: name of a law
  kAxes,                // none | any of x y z
  kFields,              // all | names of fields of the particles
  kFaces,               // none | any of x- x+ y- y+ z- z+
  kTable,               // columns, or the name of a file that has them
  kGrid,                // auto | 16x10x4
  kCells,               // 16x10x4
};

/// The value of kAutoNumber for "auto".
inline constexpr double kAuto = -1.0;

/// The meaning of a missing key that has no default.
enum class IfKeyMissing {
  kIsAnError,
  kIsDerived,  // the value follows from other keys; the effective configuration contains it
  kMeansNone,  // there is no value. The effective configuration has no line for the key if it has
               // no value or its default
};
inline constexpr IfKeyMissing kOptional = IfKeyMissing::kMeansNone;
inline constexpr IfKeyMissing kDerived = IfKeyMissing::kIsDerived;

/// When a value may change after the start of a run (config_changes.hpp).
struct ChangeRule {
  enum class When {
    kAtAnyRestart,  // it is not physics
    kDuringRun,     // by [at "TIME"], or at a restart with --allow-changes
    kUntilReached,  // a time that a restart with --allow-changes may change before it is reached
    kConstant,
  };
  When when = When::kConstant;
  std::string reason = {};  // reason why it cannot change during the run, printed after a colon
};
inline ChangeRule AtAnyRestart() {
  return {ChangeRule::When::kAtAnyRestart, "it holds for the whole run; a restart may change it"};
}
inline ChangeRule DuringRun() { return {ChangeRule::When::kDuringRun}; }
inline ChangeRule UntilReached() {
  return {ChangeRule::When::kUntilReached,
          "its value is a time; give it in the section of the key"};
}
inline ChangeRule Never(std::string reason) {
  return {ChangeRule::When::kConstant, std::move(reason)};
}

/// Allowed values: in words, and by bounds for numbers. The functions below make the words and
/// append `more` to them.
struct Range {
  std::string words = {};
  double lower = -std::numeric_limits<double>::infinity();
  bool open = false;  // `lower` itself is not allowed
  double upper = std::numeric_limits<double>::infinity();

  bool Contains(double value) const {
    return (open ? value > lower : value >= lower) && value <= upper;
  }
};
inline Range InWords(const std::string& words) { return {words}; }
inline Range Positive(const std::string& more = "") { return {"> 0" + more, 0.0, true}; }
inline Range NotNegative(const std::string& more = "") { return {">= 0" + more, 0.0}; }
Range Between(double lower, double upper, const std::string& more = "");
/// Also allows "auto", for kAutoNumber and kAutoWhole.
inline Range OrAuto(Range range) {
  range.words = "auto | " + range.words;
  return range;
}

/// The default as text.
struct Default {
  std::string text;
};
/// A key that may be given instead of this one but not together with it.
struct AlternativeKey {
  std::string key;
};

/// A key: its name, its meaning, and further properties in any order. These are a Dimension
/// (default: a plain number), a Range, a Default, an IfKeyMissing (default: a missing key is an
/// error), a ChangeRule (default: that of the section), a Kind (default: that of the bound
/// variable) and an AlternativeKey.
struct KeySpec {
  std::string key, doc;
  std::optional<Kind> kind = {};
  Dimension dimension = kPlain;
  Range range = {};
  std::string default_text = {};  // the default; "": none
  IfKeyMissing if_missing = IfKeyMissing::kIsAnError;
  std::string alternative = {};  // AlternativeKey
  std::optional<ChangeRule> change = {};

  template <class... Properties>
  KeySpec(std::string name, std::string meaning, Properties&&... properties)
      : key(std::move(name)), doc(std::move(meaning)) {
    (Take(std::forward<Properties>(properties)), ...);
  }

  bool IsRequired() const { return default_text.empty() && if_missing == IfKeyMissing::kIsAnError; }

 private:
  void Take(Kind value) { kind = value; }
  void Take(Dimension value) { dimension = value; }
  void Take(Range allowed) { range = std::move(allowed); }
  void Take(Default text) { default_text = std::move(text.text); }
  void Take(IfKeyMissing rule) { if_missing = rule; }
  void Take(AlternativeKey other) { alternative = std::move(other.key); }
  void Take(ChangeRule rule) { change = std::move(rule); }
};
using KeySpecs = std::vector<KeySpec>;

/// Reads a value of this key.
/// @throws InputError with the expected format
KeyValue ReadValue(const KeySpec& spec, const std::string& text);

/// The value in SI as text that ReadValue reads.
std::string WriteValue(const KeySpec& spec, const KeyValue& value);

/// Whether a variable contains no value of the key: it is empty, or a number outside the key's
/// range.
bool IsNone(const KeySpec& spec, const KeyValue& value);

}  // namespace scree

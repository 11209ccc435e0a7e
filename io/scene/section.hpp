/// \file  Keys bound to the variables that hold their values, and a section of them in one of three
///        passes: its keys are listed, read or written.
///
///        The row with name, meaning and range of a key also says where its value lives, and the
///        function that goes through the rows of a section serves all three passes, so that
///        reading, defaults, echo, the comparison at a restart and --help cannot disagree:
///
///     {{"sweeps", "relaxations of each contact per step", Default{"10"}, Between(1, 1e6)},
///      solver.sweeps}
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/geometry/box.hpp"
#include "io/scene/enum_names.hpp"
#include "io/scene/key_spec.hpp"
#include "io/scene/settings.hpp"

namespace scree {

namespace key_binding {

template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept Enumeration = std::is_enum_v<T>;

// How values of a type are written, unless a row says otherwise. A type that is not here cannot be
// bound.
constexpr Kind KindOf(const bool&) { return Kind::kYesNo; }
constexpr Kind KindOf(const double&) { return Kind::kNumber; }
constexpr Kind KindOf(const Whole auto&) { return Kind::kWhole; }
constexpr Kind KindOf(const Enumeration auto&) { return Kind::kChoice; }
inline Kind KindOf(const Vec3&) { return Kind::kVector; }
inline Kind KindOf(const std::vector<double>&) { return Kind::kList; }
inline Kind KindOf(const std::string&) { return Kind::kText; }
inline Kind KindOf(const Interval&) { return Kind::kInterval; }
inline Kind KindOf(const std::array<bool, 3>&) { return Kind::kAxes; }
inline Kind KindOf(const OutflowFaces&) { return Kind::kFaces; }
inline Kind KindOf(const std::array<int, 3>&) { return Kind::kCells; }
inline Kind KindOf(const Table&) { return Kind::kTable; }
template <class T>
Kind KindOf(const std::optional<T>&) {
  return KindOf(T());
}

template <class T>
void Set(T& variable, const KeyValue& value) {
  variable = std::get<T>(value);
}
void Set(Whole auto& variable, const KeyValue& value) {
  variable =
      static_cast<std::remove_reference_t<decltype(variable)>>(std::get<std::int64_t>(value));
}
template <Enumeration T>
void Set(T& variable, const KeyValue& value) {
  variable = EnumNamed<T>(std::get<std::string>(value));
}
template <class T>
void Set(std::optional<T>& variable, const KeyValue& value) {
  Set(variable.emplace(), value);
}

template <class T>
std::optional<KeyValue> Get(const T& variable) {
  return KeyValue(variable);
}
std::optional<KeyValue> Get(const Whole auto& variable) {
  return KeyValue(static_cast<std::int64_t>(variable));
}
std::optional<KeyValue> Get(const Enumeration auto& variable) { return KeyValue(NameOf(variable)); }
template <class T>
std::optional<KeyValue> Get(const std::optional<T>& variable) {
  return variable ? Get(*variable) : std::nullopt;
}

template <class T>
void Clear(T& variable) {
  variable = T();
}
inline void Clear(Vec3& variable) { variable.setZero(); }

}  // namespace key_binding

/// A key and the variable that holds its value.
struct KeyRow {
  KeySpec spec;
  std::function<void(const KeyValue&)> set;
  std::function<void()> clear;  // zero or empty, after a value that was bad or is lacking
  std::function<std::optional<KeyValue>()> get;  // nothing: not to be written

  template <class Variable>
  KeyRow(KeySpec about, Variable& variable) : spec(std::move(about)) {
    if (!spec.kind) spec.kind = key_binding::KindOf(variable);
    if constexpr (std::is_enum_v<Variable>) spec.range.words = ChoicesOf<Variable>();
    set = [&variable](const KeyValue& value) { key_binding::Set(variable, value); };
    clear = [&variable] { key_binding::Clear(variable); };
    get = [&variable] { return key_binding::Get(variable); };
  }

  /// One whose value is not a variable as it stands.
  /// @pre the spec has a kind
  KeyRow(
      KeySpec about, std::function<void(const KeyValue&)> set_value,
      std::function<std::optional<KeyValue>()> get_value, std::function<void()> clear_value = [] {})
      : spec(std::move(about)),
        set(std::move(set_value)),
        clear(std::move(clear_value)),
        get(std::move(get_value)) {}

  /// Written only where it has an effect; elsewhere it would be refused.
  KeyRow OnlyIf(bool has_effect) && {
    if (!has_effect) get = [] { return std::nullopt; };
    return std::move(*this);
  }

  /// What the effective configuration has; nothing: no line.
  std::optional<KeyValue> Get() const;
};
using KeyRows = std::vector<KeyRow>;

KeyRows operator+(KeyRows rows, KeyRows more);

/// Two keys for one radius, of which one is to be given.
/// @param diameter  what --help says of the second
KeyRows RadiusOrDiameter(KeySpec radius, const std::string& diameter, double& variable);

/// What the keys are called and mean, without what they are bound to.
KeySpecs SpecsOf(const KeyRows& rows);
template <class Target>
KeySpecs SpecsOf(KeyRows (*rows)(Target&)) {
  Target none{};
  return SpecsOf(rows(none));
}

/// The keys of all these, each once: where it stands first.
KeySpecs Joined(const std::vector<KeySpecs>& parts);

/// A key whose value is a word that decides which other keys a section has.
struct KindKeys {
  KeySpec spec;
  std::vector<std::string> words;
  std::vector<KeySpecs> keys;  // that go with each

  /// @param about  gets the words as its range
  KindKeys(KeySpec about, std::vector<std::pair<std::string, KeySpecs>> kinds);

  /// The key itself and those of all words.
  const KeySpecs& All() const { return all_; }

 private:
  KeySpecs all_;
};

/// The alternative of that number.
template <class Variant, std::size_t number = 0>
Variant AlternativeOf(std::size_t wanted) {
  if constexpr (number + 1 < std::variant_size_v<Variant>) {
    if (wanted > number) return AlternativeOf<Variant, number + 1>(wanted);
  }
  return Variant(std::in_place_index<number>);
}

/// The keys of the kinds of a variant, whose words are in the order of its alternatives.
/// @param rows  from an alternative to its rows
template <class Variant, class RowsOfKind>
KindKeys KindsOf(const KeySpec& about,
                 const std::array<const char*, std::variant_size_v<Variant>>& words,
                 const RowsOfKind& rows) {
  std::vector<std::pair<std::string, KeySpecs>> kinds;
  for (std::size_t k = 0; k < words.size(); ++k) {
    Variant one = AlternativeOf<Variant>(k);
    kinds.emplace_back(words[k], SpecsOf(std::visit(rows, one)));
  }
  return {about, std::move(kinds)};
}

class Section {
 public:
  /// Lists: each key once, where it stands first.
  explicit Section(KeySpecs& listed) : listed_(&listed) {}
  /// Reads. What is missing or does not go together becomes an error, and some value takes its
  /// place.
  Section(std::string name, const Settings& settings, ErrorList& errors)
      : name_(std::move(name)), settings_(&settings), errors_(&errors) {}
  /// Appends a row for each key that has a value.
  Section(std::string name, IniEntries& rows) : name_(std::move(name)), rows_(&rows) {}

  bool IsListed() const { return listed_ != nullptr; }
  bool IsRead() const { return settings_ != nullptr; }
  bool IsWritten() const { return rows_ != nullptr; }
  const std::string& Name() const { return name_; }

  /// Reading sets the variables of all keys that are given or have a default, and clears that of a
  /// key whose value is bad, or lacking where that is an error. Writing makes a row for each key
  /// that has a value.
  void Keys(const KeyRows& rows);

  /// For keys that are not listed as they are read.
  void List(const KeySpecs& specs);

  /// A key that decides which others there are. Listing has those of all words; reading refuses
  /// those of the other words.
  /// @param now      the number of the word that is written
  /// @param article  before the word in complaints, "a"; empty: "key = word"
  /// @returns the word's number; nothing where it is listed, or bad and was complained about
  std::optional<std::size_t> Kind(const KindKeys& kinds, std::size_t now,
                                  const std::string& article = "");

  /// The same of a variant.
  /// @param keys  what else is read or written of each alternative
  template <class Variant, class Keys>
  void KindOf(Variant& variant, const KindKeys& kinds, const Keys& keys,
              const std::string& article = "") {
    const auto number = Kind(kinds, variant.index(), article);
    if (!number) return;
    if (IsRead()) variant = AlternativeOf<Variant>(*number);
    std::visit(keys, variant);
  }

  // ---- what only a section that is read has

  bool Given(const std::string& key) const { return settings_->Given(name_, key); }
  bool GivesAny(const KeySpecs& keys) const;
  /// Settings::Intended: given, or misspelt.
  bool Intended(const std::string& key) const { return settings_->Intended(name_, key); }
  /// Whether the key has a value, given or by default.
  bool HasValue(const std::string& key) const { return settings_->Find(name_, key).has_value(); }

  void Complain(const std::string& key, const std::string& message) {
    errors_->Add(settings_->Where(name_, key), message);
  }

  /// The lower corner is below the upper one, if both were read.
  void CheckBox(const Box& box);

  /// `last` is after `first`, if it was read.
  /// @param last, first  keys of times, with their values
  void CheckSpan(const std::string& last, double until, const std::string& first, double from);

  /// The place of `name` among the known names of sections [head.NAME]. That there is none is an
  /// error of `key`, unless its section is misspelt, which was complained about.
  std::optional<std::size_t> FindNamed(const std::string& key, const std::string& head,
                                       const std::string& name,
                                       const std::vector<std::string>& known);

  /// Complains of all given keys of `keys` but those of `allowed`.
  /// @param what  that they do not belong to
  void Refuse(const KeySpecs& keys, const KeySpecs& allowed, const std::string& what);

 private:
  void Read(const KeyRow& row);
  void RequireGiven(const KeySpec& spec);
  void Write(const KeyRow& row);

  std::string name_;
  KeySpecs* listed_ = nullptr;
  const Settings* settings_ = nullptr;
  ErrorList* errors_ = nullptr;
  IniEntries* rows_ = nullptr;
};

}  // namespace scree

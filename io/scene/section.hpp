/// \file  Keys bound to variables, and sections that list, read or write these keys.
///
///        One row gives the name, meaning and range of a key and the variable of its value. One
///        function visits the rows of a section in all three passes, so that reading, defaults,
///        the effective configuration, the comparison at a restart and --help cannot disagree:
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

// The format of values of a type, unless a row gives another format. Types without a function here
// cannot be bound.
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
  std::function<void()> clear;                   // sets zero or empty, for a bad or missing value
  std::function<std::optional<KeyValue>()> get;  // nothing: the key is not written

  template <class Variable>
  KeyRow(KeySpec key_spec, Variable& variable) : spec(std::move(key_spec)) {
    if (!spec.kind) spec.kind = key_binding::KindOf(variable);
    if constexpr (std::is_enum_v<Variable>) spec.range.words = ChoicesOf<Variable>();
    set = [&variable](const KeyValue& value) { key_binding::Set(variable, value); };
    clear = [&variable] { key_binding::Clear(variable); };
    get = [&variable] { return key_binding::Get(variable); };
  }

  /// A row whose value needs a conversion to or from variables.
  /// @pre the spec has a kind
  KeyRow(
      KeySpec key_spec, std::function<void(const KeyValue&)> set_value,
      std::function<std::optional<KeyValue>()> get_value, std::function<void()> clear_value = [] {})
      : spec(std::move(key_spec)),
        set(std::move(set_value)),
        clear(std::move(clear_value)),
        get(std::move(get_value)) {}

  /// Writes the key only if it has an effect, because reading rejects a key without effect.
  KeyRow OnlyIf(bool has_effect) && {
    if (!has_effect) get = [] { return std::nullopt; };
    return std::move(*this);
  }

  /// The value in the effective configuration; nothing: no line.
  std::optional<KeyValue> WrittenValue() const;
};
using KeyRows = std::vector<KeyRow>;

KeyRows operator+(KeyRows rows, KeyRows more);

/// Rows of two keys for one radius. The user gives one of them.
/// @param diameter  help text of the second key
KeyRows RadiusOrDiameter(KeySpec radius, const std::string& diameter, double& variable);

/// The descriptions of the keys, without the bound variables.
KeySpecs SpecsOf(const KeyRows& rows);
template <class Target>
KeySpecs SpecsOf(KeyRows (*rows)(Target&)) {
  Target empty{};
  return SpecsOf(rows(empty));
}

/// All keys of these lists, each once, at its first position.
KeySpecs Joined(const std::vector<KeySpecs>& parts);

/// A key whose value is a word that selects the other keys of a section.
struct KindKeys {
  KeySpec spec;
  std::vector<std::string> words;
  std::vector<KeySpecs> keys;  // for each word

  /// @param key_spec  the words become its range
  KindKeys(KeySpec key_spec, std::vector<std::pair<std::string, KeySpecs>> kinds);

  /// The key itself and the keys of all words.
  const KeySpecs& All() const { return all_; }

 private:
  KeySpecs all_;
};

/// A variant with the default value of an alternative.
/// @param wanted  index of the alternative
template <class Variant, std::size_t number = 0>
Variant AlternativeOf(std::size_t wanted) {
  if constexpr (number + 1 < std::variant_size_v<Variant>) {
    if (wanted > number) return AlternativeOf<Variant, number + 1>(wanted);
  }
  return Variant(std::in_place_index<number>);
}

/// The keys of a variant whose alternatives are selected by words.
/// @param words  one per alternative, in the same order
/// @param rows   returns the rows of an alternative
template <class Variant, class RowsOfKind>
KindKeys KindsOf(const KeySpec& key_spec,
                 const std::array<const char*, std::variant_size_v<Variant>>& words,
                 const RowsOfKind& rows) {
  std::vector<std::pair<std::string, KeySpecs>> kinds;
  for (std::size_t k = 0; k < words.size(); ++k) {
    Variant variant = AlternativeOf<Variant>(k);
    kinds.emplace_back(words[k], SpecsOf(std::visit(rows, variant)));
  }
  return {key_spec, std::move(kinds)};
}

/// One section, for one pass: listing, reading or writing its keys.
class Section {
 public:
  /// Lists each key once, at its first position.
  explicit Section(KeySpecs& listed) : listed_(&listed) {}
  /// Reads keys. Missing and contradictory keys become errors; their variables then have no
  /// meaning.
  Section(std::string name, const Settings& settings, ErrorList& errors)
      : name_(std::move(name)), settings_(&settings), errors_(&errors) {}
  /// Appends a row for each key that has a value.
  Section(std::string name, IniEntries& rows) : name_(std::move(name)), rows_(&rows) {}

  bool IsListed() const { return listed_ != nullptr; }
  bool IsRead() const { return settings_ != nullptr; }
  bool IsWritten() const { return rows_ != nullptr; }
  const std::string& Name() const { return name_; }

  /// Reading sets the variables of all keys that are given or have a default. It clears the
  /// variables of bad values and of missing required keys. Writing appends a row for each key that
  /// has a value.
  void VisitKeys(const KeyRows& rows);

  /// Lists these keys now. Use it where the order of listing differs from the order of reading.
  void List(const KeySpecs& specs);

  /// Visits a key whose word selects the other keys. Listing includes the keys of all words.
  /// Reading rejects keys that the given word does not have.
  /// @param current  index of the word to write
  /// @param prefix  in front of the word in errors, such as "a"; empty: "key = word"
  /// @returns index of the word; nothing when listing, or if the word is bad (an error is added)
  std::optional<std::size_t> VisitKind(const KindKeys& kinds, std::size_t current,
                                       const std::string& prefix = "");

  /// The same for a variant.
  /// @param keys  lists, reads or writes the other keys of an alternative
  template <class Variant, class Keys>
  void VisitVariant(Variant& variant, const KindKeys& kinds, const Keys& keys,
                    const std::string& prefix = "") {
    const auto number = VisitKind(kinds, variant.index(), prefix);
    if (!number) return;
    if (IsRead()) variant = AlternativeOf<Variant>(*number);
    std::visit(keys, variant);
  }

  // ---- only for a section that is read

  bool IsGiven(const std::string& key) const { return settings_->IsGiven(name_, key); }
  bool IsAnyGiven(const KeySpecs& keys) const;
  /// Whether the key is given or misspelt (Settings::IsIntended).
  bool IsIntended(const std::string& key) const { return settings_->IsIntended(name_, key); }
  /// Whether the key has a value, given or by default.
  bool HasValue(const std::string& key) const { return settings_->Find(name_, key).has_value(); }

  void AddError(const std::string& key, const std::string& message) {
    errors_->Add(settings_->Where(name_, key), message);
  }

  /// Adds an error if both corners were read and the lower one is not below the upper one.
  void CheckBox(const Box& box);

  /// Adds an error if `last` was read and is not after `first`.
  /// @param last, first  keys of times, with their values [s]
  void CheckSpan(const std::string& last, double last_time, const std::string& first,
                 double first_time);

  /// Index of `name` in the known names of sections [head.NAME]. An unknown name is an error of
  /// `key`, unless a misspelt section [head.NAME] has caused an error already.
  std::optional<std::size_t> FindNamed(const std::string& key, const std::string& head,
                                       const std::string& name,
                                       const std::vector<std::string>& known);

  /// Adds an error for each given key of `keys` that is not in `allowed`.
  /// @param owner  for the message: the object that does not have these keys
  void Refuse(const KeySpecs& keys, const KeySpecs& allowed, const std::string& owner);

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

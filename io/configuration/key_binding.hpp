/// \file  A key of a scene file bound to the variable that holds its value.
///
///        The row that tells name, meaning and range of a key also says where its value lives, so
///        that reading, defaults, echo, the comparison at a restart and --help cannot disagree:
///
///     {{"sweeps", "relaxations of each contact per step", Default{"10"}, Between(1, 1e6)},
///      solver.sweeps}
///
///        A group of keys is a function from what it fills to such rows; of a dummy it tells the
///        keys alone.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/configuration/enum_names.hpp"
#include "io/configuration/key_spec.hpp"

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

KeyRows operator+(KeyRows rows, const KeyRows& more);

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
  KeySpecs All() const;
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

}  // namespace scree

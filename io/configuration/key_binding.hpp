/// \file  A key of a scene file bound to a variable.
///
///        The row that tells name, meaning and range of a key also says where its value lives, so
///        that reading, defaults, echo, the comparison at a restart and --help cannot disagree:
///
///     {{.key = "sweeps", .doc = "...", .initial = "10", .lower = 1.0}, &SolverParameters::sweeps}
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/configuration/enum_names.hpp"
#include "io/configuration/key_spec.hpp"

namespace scree {

namespace key_binding {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
inline constexpr bool kIsWhole = std::integral<T> && !std::same_as<T, bool>;

/// How values of this type are written, unless a row says otherwise. A type without a kind does not
/// compile.
template <class T>
constexpr Kind KindOf() {
  if constexpr (std::is_enum_v<T>) {
    return Kind::kChoice;
  } else if constexpr (kIsOptional<T>) {
    return KindOf<typename T::value_type>();
  } else if constexpr (std::same_as<T, bool>) {
    return Kind::kYesNo;
  } else if constexpr (kIsWhole<T>) {
    return Kind::kWhole;
  } else if constexpr (std::same_as<T, double>) {
    return Kind::kNumber;
  } else if constexpr (std::same_as<T, Vec3>) {
    return Kind::kVector;
  } else if constexpr (std::same_as<T, std::vector<double>>) {
    return Kind::kList;
  } else if constexpr (std::same_as<T, std::string>) {
    return Kind::kText;
  } else if constexpr (std::same_as<T, Interval>) {
    return Kind::kInterval;
  } else if constexpr (std::same_as<T, std::array<bool, 3>>) {
    return Kind::kAxes;
  } else if constexpr (std::same_as<T, OutflowFaces>) {
    return Kind::kFaces;
  } else {
    static_assert(std::same_as<T, std::array<int, 3>>, "a key cannot be bound to this type");
    return Kind::kCells;
  }
}

template <class T>
T FromValue(const Value& value) {
  if constexpr (std::is_enum_v<T>) {
    return EnumNamed<T>(std::get<std::string>(value));
  } else if constexpr (kIsOptional<T>) {
    return FromValue<typename T::value_type>(value);
  } else if constexpr (kIsWhole<T>) {
    return static_cast<T>(std::get<std::int64_t>(value));
  } else {
    return std::get<T>(value);
  }
}

/// Nothing for an empty optional.
template <class T>
std::optional<Value> ToValue(const T& variable) {
  if constexpr (std::is_enum_v<T>) {
    return Value(NameOf(variable));
  } else if constexpr (kIsOptional<T>) {
    return variable ? ToValue(*variable) : std::nullopt;
  } else if constexpr (kIsWhole<T>) {
    return Value(static_cast<std::int64_t>(variable));
  } else {
    return Value(variable);
  }
}

template <class T>
T Empty() {
  if constexpr (std::same_as<T, Vec3>) {
    return Vec3::Zero();
  } else {
    return T();
  }
}

}  // namespace key_binding

/// A key and the variable of a Target that holds its value.
template <class Target>
struct Key {
  KeySpec spec;
  std::function<void(Target&, const Value&)> set;
  std::function<void(Target&)> clear;  // zero or empty, after a value that was bad or is lacking
  std::function<std::optional<Value>(const Target&)> get;  // nothing: not to be written

  /// @param access  a member, or a function from a Target, const or not, to a reference
  template <class Access>
  requires std::invocable<const Access&, Target&> && std::invocable<const Access&, const Target&>
  Key(KeySpec about, Access access) : spec(std::move(about)) {
    using Variable = std::remove_cvref_t<std::invoke_result_t<const Access&, Target&>>;
    if (!spec.kind) spec.kind = key_binding::KindOf<Variable>();
    if constexpr (std::is_enum_v<Variable>) spec.range = ChoicesOf<Variable>();
    set = [access](Target& target, const Value& value) {
      std::invoke(access, target) = key_binding::FromValue<Variable>(value);
    };
    clear = [access](Target& target) {
      std::invoke(access, target) = key_binding::Empty<Variable>();
    };
    const bool may_be_none = spec.initial.empty() && spec.lacking == Lacking::kMeansNone;
    get = [access, may_be_none](const Target& target) -> std::optional<Value> {
      const Variable& variable = std::invoke(access, target);
      if constexpr (std::default_initializable<Target>) {
        if (may_be_none && variable == std::invoke(access, std::as_const(Untouched()))) return {};
      }
      return key_binding::ToValue(variable);
    };
  }

  /// One whose value is not a variable as it stands.
  /// @pre the spec has a kind
  Key(
      KeySpec about, std::function<void(Target&, const Value&)> set_value,
      std::function<std::optional<Value>(const Target&)> get_value,
      std::function<void(Target&)> clear_value = [](Target&) {})
      : spec(std::move(about)),
        set(std::move(set_value)),
        clear(std::move(clear_value)),
        get(std::move(get_value)) {}

  /// Written only where it has an effect; elsewhere it would be refused.
  Key OnlyIf(std::function<bool(const Target&)> has_effect) && {
    get = [get_value = get, has_effect](const Target& target) {
      return has_effect(target) ? get_value(target) : std::nullopt;
    };
    return std::move(*this);
  }

 private:
  static const Target& Untouched() {
    static const Target untouched{};
    return untouched;
  }
};

template <class Target>
using Keys = std::vector<Key<Target>>;

/// The keys of a part as keys of the whole.
/// @param access  from an Outer, const or not, to a reference to the part
template <class Outer, class Access, class Inner>
Keys<Outer> Within(Access access, const Keys<Inner>& keys) {
  Keys<Outer> lifted;
  for (const Key<Inner>& key : keys) {
    lifted.push_back(Key<Outer>(
        key.spec,
        [=](Outer& outer, const Value& value) { key.set(std::invoke(access, outer), value); },
        [=](const Outer& outer) { return key.get(std::invoke(access, outer)); },
        [=](Outer& outer) { key.clear(std::invoke(access, outer)); }));
  }
  return lifted;
}

template <class Target>
Keys<Target> operator+(Keys<Target> keys, const Keys<Target>& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

/// Two keys for one radius, of which one is to be given.
template <class Target>
Keys<Target> RadiusOrDiameter(KeySpec radius, KeySpec diameter, double Target::*member) {
  radius.instead = diameter.key;
  diameter.kind = Kind::kNumber;
  diameter.lacking = Lacking::kMeansNone;
  const Key<Target> halved(
      diameter,
      [member](Target& target, const Value& value) {
        target.*member = 0.5 * std::get<double>(value);
      },
      [](const Target&) { return std::nullopt; });
  return {Key<Target>(radius, member), halved};
}

/// What the keys are called and mean, without what they are bound to.
using KeySpecs = std::vector<KeySpec>;

template <class Target>
KeySpecs SpecsOf(const Keys<Target>& keys) {
  KeySpecs specs;
  for (const Key<Target>& key : keys) specs.push_back(key.spec);
  return specs;
}

}  // namespace scree

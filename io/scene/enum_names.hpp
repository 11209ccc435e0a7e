/// \file  Enumerations by name. A function NamesOf next to the enumeration gives the names;
///        argument-dependent lookup finds it:
///
///     enum class Scheme { kGaussSeidel, kJacobi };
///     constexpr std::array<const char*, 2> NamesOf(Scheme) { return {"gauss_seidel", "jacobi"}; }
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "solvers/base/check.hpp"

namespace scree {

/// Whether an enumerator has this value. The compiler prints an enumerator's value by name,
/// "...::kJacobi", and any other value as "(...)2".
template <auto value>
constexpr bool IsEnumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t begin = text.find("value = ") + 8;
  return text[begin] != '(';
}

/// The names of an enumeration, in its order. An enumeration without names, or with too few or too
/// many, does not compile.
template <class Enum>
constexpr auto AllNamesOf() {
  constexpr auto kNames = NamesOf(Enum{});
  static_assert(!IsEnumerator<static_cast<Enum>(kNames.size())>(), "an enumerator has no name");
  static_assert(IsEnumerator<static_cast<Enum>(kNames.size() - 1)>(), "a name has no enumerator");
  return kNames;
}

template <class Enum>
std::string NameOf(Enum value) {
  return AllNamesOf<Enum>().at(static_cast<std::size_t>(value));
}

/// "gauss_seidel | jacobi"
template <class Enum>
std::string ChoicesOf() {
  std::string choices;
  for (const char* name : AllNamesOf<Enum>())
    choices += (choices.empty() ? "" : " | ") + std::string(name);
  return choices;
}

/// @throws InputError if no enumerator has that name
template <class Enum>
Enum EnumNamed(const std::string& name) {
  constexpr auto kNames = AllNamesOf<Enum>();
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) throw InputError("expected " + ChoicesOf<Enum>());
  return static_cast<Enum>(found - kNames.begin());
}

}  // namespace scree

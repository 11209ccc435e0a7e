/// \file  The additional contact laws, in the order in which a relaxation applies them. A new law
///        needs a header, an entry in this list, and its material-pair coefficients in
///        io/scene/material_keys.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "solvers/batches/additional_law.hpp"
#include "solvers/batches/cohesion.hpp"
#include "solvers/batches/damage.hpp"
#include "solvers/batches/rolling.hpp"

namespace scree {

template <GivenOrRelaxedLaw... Laws>
struct LawList {};

using AdditionalLaws = LawList<RollingLaw, CohesionLaw, DamageLaw>;

// ---- data per law, in the order of the list

namespace internal {
template <class List>
struct ListTraits;
template <class... Laws>
struct ListTraits<LawList<Laws...>> {
  static constexpr std::size_t kCount = sizeof...(Laws);
  static constexpr std::array<const char*, kCount> kNames = {Laws::kName...};
  template <template <class> class Data>
  using Tuple = std::tuple<Data<Laws>...>;
  template <class Law>
  static constexpr std::size_t Index() {
    std::size_t index = 0;
    (void)((std::is_same_v<Law, Laws> || (++index, false)) || ...);
    return index;
  }
  template <class Work>
  static constexpr void ForEach(Work&& work) {
    (work(std::type_identity<Laws>{}), ...);
  }
};
}  // namespace internal

inline constexpr std::size_t kLawCount = internal::ListTraits<AdditionalLaws>::kCount;
inline constexpr std::array<const char*, kLawCount> kLawNames =
    internal::ListTraits<AdditionalLaws>::kNames;
template <class Law>
inline constexpr std::size_t kLawIndex = internal::ListTraits<AdditionalLaws>::Index<Law>();

static_assert(
    [] {
      for (std::size_t l = 0; l < kLawCount; ++l) {
        for (std::size_t m = 0; m < l; ++m) {
          if (std::string_view(kLawNames[l]) == kLawNames[m]) return false;
        }
      }
      return true;
    }(),
    "two additional laws have the same name");

/// A tuple with a Data<Law> for each law.
template <template <class> class Data>
using PerLaw = internal::ListTraits<AdditionalLaws>::Tuple<Data>;

/// Calls work(law) for each law, where decltype(law)::type is the law.
template <class Work>
constexpr void ForEachLaw(Work&& work) {
  internal::ListTraits<AdditionalLaws>::ForEach(std::forward<Work>(work));
}

template <class Law>
using LawPair = typename Law::Pair;

/// Whether each law is active.
using LawFlags = std::array<bool, kLawCount>;

/// L of every law at one contact; zero if the law is inactive [N s].
struct LawImpulses {
  std::array<Vec3, kLawCount> of;

  LawImpulses() { of.fill(Vec3::Zero()); }
  LawImpulses operator-() const {
    LawImpulses opposite;
    for (std::size_t l = 0; l < kLawCount; ++l) opposite.of[l] = -of[l];
    return opposite;
  }
  friend bool operator==(const LawImpulses&, const LawImpulses&) = default;
};

namespace internal {
template <std::size_t kNext, class Work, class... Active>
decltype(auto) WithRelaxed(PerLaw<LawArrays>& arrays, Work&& work, Active*... active) {
  if constexpr (kNext == kLawCount) {
    return work(std::tuple<Active*...>(active...));
  } else if constexpr (std::tuple_element_t<kNext, PerLaw<LawArrays>>::kIsGiven) {
    return WithRelaxed<kNext + 1>(arrays, work, active...);
  } else {
    auto& law = std::get<kNext>(arrays);
    return law.IsActive() ? WithRelaxed<kNext + 1>(arrays, work, active..., law.All().data())
                          : WithRelaxed<kNext + 1>(arrays, work, active...);
  }
}
}  // namespace internal

/// Returns work(laws), where laws is a tuple of pointers to the first batches (LawBatch<Law>*) of
/// the active relaxed laws. Each combination is compiled separately, so that inactive laws cost
/// sweeps nothing.
template <class Work>
decltype(auto) WithRelaxedLaws(PerLaw<LawArrays>& arrays, Work&& work) {
  return internal::WithRelaxed<0>(arrays, work);
}

/// Calls work(batches) for each active law with a given L, where batches are all those of the law.
template <class Work>
void ForEachGivenLaw(PerLaw<LawArrays>& arrays, Work&& work) {
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    if constexpr (Law::kIsGiven) {
      auto& law_arrays = std::get<LawArrays<Law>>(arrays);
      if (law_arrays.IsActive()) work(law_arrays.All());
    }
  });
}
/// Whether any active law has a given L. Before the first sweep bodies then receive this L in
/// addition to the last step's λ.
inline bool HasGivenLaw(PerLaw<LawArrays>& arrays) {
  bool found = false;
  ForEachGivenLaw(arrays, [&](const auto&) { found = true; });
  return found;
}

}  // namespace scree

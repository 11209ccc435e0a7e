#include <algorithm>
#include <functional>
#include <vector>

#include "io/scene/key_parts.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

using Sizes = SizeDistribution;

constexpr const char* kDiameterDoc = "diameter of the spheres, instead of radius";
KeySpec RadiusKey() { return {"radius", "radius of the spheres", kLength, Positive()}; }
KeyRows BoundRows(Sizes& sizes) {
  return {{{"smallest_radius", "uniform, lognormal: smallest radius", kLength, Positive()},
           sizes.smallest},
          {{"largest_radius", "uniform, lognormal: largest radius", kLength,
            Range{"> smallest_radius", 0.0, true}},
           sizes.largest}};
}

/// The keys that belong to a kind of distribution.
KeyRows RowsOf(Sizes& sizes) {
  switch (sizes.kind) {
    case Sizes::Kind::kSingleSize:
      return RadiusOrDiameter(RadiusKey(), kDiameterDoc, sizes.largest);
    case Sizes::Kind::kUniform:
      return BoundRows(sizes);
    case Sizes::Kind::kLogNormal:
      return RadiusOrDiameter(RadiusKey(), kDiameterDoc, sizes.median) +
             KeyRows{
                 {{"spread", "lognormal: standard deviation of ln r", Positive()}, sizes.spread}} +
             BoundRows(sizes);
    case Sizes::Kind::kSieved:
      return {{{"sieves", "sieved: radii", kLength, Positive(", increasing")}, sizes.sieves},
              {{"passing", "sieved: mass fractions of the particles that pass each sieve",
                Range{"from 0 to 1", 0.0, false, 1.0}},
               sizes.passing}};
  }
  SCREE_DEMAND(false);
  return {};
}

const KindKeys& SizeKinds() {
  static const KindKeys kinds = [] {
    std::vector<std::pair<std::string, KeySpecs>> keys_of_words;
    for (const char* word : AllNamesOf<Sizes::Kind>()) {
      Sizes sizes;
      sizes.kind = EnumNamed<Sizes::Kind>(word);
      keys_of_words.emplace_back(word, SpecsOf(RowsOf(sizes)));
    }
    return KindKeys({"sizes",
                     "distribution of radii; one: all equal; uniform; lognormal: ln r is normal "
                     "around ln radius; sieved: mass fractions",
                     Default{"one"}},
                    keys_of_words);
  }();
  return kinds;
}

bool CheckBounds(const Sizes& sizes, Section& section) {
  if (!(sizes.smallest > 0.0 && sizes.largest > 0.0)) return false;  // error already added
  if (sizes.smallest < sizes.largest) return true;
  section.AddError(
      "largest_radius",
      Text("is ", sizes.largest, " m; expected more than smallest_radius, ", sizes.smallest, " m"));
  return false;
}

void CheckMedian(const Sizes& sizes, Section& section) {
  if (!(sizes.median > 0.0)) return;  // error already added
  if (sizes.smallest < sizes.median && sizes.median < sizes.largest) return;
  section.AddError("radius",
                   Text("is ", sizes.median, " m; expected a median between smallest_radius, ",
                        sizes.smallest, " m, and largest_radius, ", sizes.largest, " m"));
}

bool CheckSieves(const Sizes& sizes, Section& section) {
  const std::vector<double>&sieves = sizes.sieves, &passing = sizes.passing;
  if (sieves.empty() || passing.empty()) return false;  // error already added
  const auto add_error = [&](const char* key, const std::string& message) {
    section.AddError(key, message);
    return false;
  };
  if (sieves.size() < 2 || sieves.size() != passing.size()) {
    return add_error("passing", Text("has ", passing.size(), " fractions for ", sieves.size(),
                                     " sieves; expected two sieves or more, each with a fraction"));
  }
  if (std::ranges::adjacent_find(sieves, std::greater_equal<>()) != sieves.end()) {
    return add_error("sieves", "do not increase; expected radii from the smallest to the largest");
  }
  if (passing.front() != 0.0 || passing.back() != 1.0 || !std::ranges::is_sorted(passing)) {
    return add_error(
        "passing",
        "does not increase from 0 to 1; expected the mass fractions that pass the sieves");
  }
  return true;
}

/// The distribution built from the values. Adds errors for values that contradict each other.
Sizes CheckedSizes(const Sizes& values, Section& section) {
  switch (values.kind) {
    case Sizes::Kind::kSingleSize:
      return values.largest;
    case Sizes::Kind::kUniform:
      CheckBounds(values, section);
      return Sizes::Uniform(values.smallest, values.largest);
    case Sizes::Kind::kLogNormal:
      if (CheckBounds(values, section)) CheckMedian(values, section);
      return Sizes::LogNormal(values.median, values.spread, values.smallest, values.largest);
    case Sizes::Kind::kSieved:
      if (!CheckSieves(values, section)) return {};
      return Sizes::Sieved(values.sieves, values.passing);
  }
  SCREE_DEMAND(false);
  return {};
}

}  // namespace

const KeySpecs& SizeSpecs() {
  static const KeySpecs specs = SizeKinds().All();
  return specs;
}

void VisitSizeKeys(Section& section, SizeDistribution& sizes) {
  const auto kind = section.VisitKind(SizeKinds(), static_cast<std::size_t>(sizes.kind));
  if (!kind) return;
  if (section.IsRead()) sizes.kind = static_cast<Sizes::Kind>(*kind);
  section.VisitKeys(RowsOf(sizes));
  if (section.IsRead()) sizes = CheckedSizes(sizes, section);
}

}  // namespace scree

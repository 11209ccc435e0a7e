#include "io/configuration/size_keys.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "io/configuration/key_groups.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

using Sizes = SizeDistribution;

const KeySpec kSphereRadius = {.key = "radius",
                               .doc = "of the spheres",
                               .range = "> 0",
                               .dimension = kLength,
                               .lower = 0.0,
                               .open = true};
const KeySpec kSphereDiameter = {.key = "diameter",
                                 .doc = "of the spheres, or radius",
                                 .range = "> 0",
                                 .dimension = kLength,
                                 .lower = 0.0,
                                 .open = true};
const KeySpec kSmallest = {.key = "smallest_radius",
                           .doc = "of uniform and lognormal",
                           .range = "> 0",
                           .dimension = kLength,
                           .lower = 0.0,
                           .open = true};
const KeySpec kLargest = {.key = "largest_radius",
                          .doc = "of uniform and lognormal",
                          .range = "> smallest_radius",
                          .dimension = kLength,
                          .lower = 0.0,
                          .open = true};
const KeySpec kSpread = {.key = "spread",
                         .doc = "of lognormal: standard deviation of ln r",
                         .range = "> 0",
                         .lower = 0.0,
                         .open = true};
const KeySpec kSieves = {.key = "sieves",
                         .doc = "of sieved: radii",
                         .range = "> 0, growing",
                         .dimension = kLength,
                         .lower = 0.0,
                         .open = true};
const KeySpec kPassing = {.key = "passing",
                          .doc = "of sieved: shares of the mass with at most these radii",
                          .range = "from 0 to 1",
                          .lower = 0.0,
                          .upper = 1.0};

Keys<Sizes> KindRow() {
  return {{{.key = "sizes",
            .doc = "radii: all alike, uniform, ln r normal around the radius, or by mass",
            .initial = "one"},
           &Sizes::kind}};
}

/// The keys that belong to a kind of distribution.
Keys<Sizes> RowsOf(Sizes::Kind kind) {
  const Keys<Sizes> bounds = {{kSmallest, &Sizes::smallest}, {kLargest, &Sizes::largest}};
  switch (kind) {
    case Sizes::Kind::kOne:
      return RadiusOrDiameter(kSphereRadius, kSphereDiameter, &Sizes::largest);
    case Sizes::Kind::kUniform:
      return bounds;
    case Sizes::Kind::kLogNormal:
      return RadiusOrDiameter(kSphereRadius, kSphereDiameter, &Sizes::median) +
             Keys<Sizes>{{kSpread, &Sizes::spread}} + bounds;
    case Sizes::Kind::kSieved:
      return {{kSieves, &Sizes::sieves}, {kPassing, &Sizes::passing}};
  }
  SCREE_DEMAND(false);
  return {};
}

bool BoundsHold(const Sizes& sizes, SectionReader& reader, const std::string& section) {
  if (!(sizes.smallest > 0.0 && sizes.largest > 0.0)) return false;  // complained about
  if (sizes.smallest < sizes.largest) return true;
  reader.Complain(
      section, kLargest,
      Text("is ", sizes.largest, " m; expected more than smallest_radius, ", sizes.smallest, " m"));
  return false;
}

void CheckMedian(const Sizes& sizes, SectionReader& reader, const std::string& section) {
  if (!(sizes.median > 0.0)) return;  // complained about
  if (sizes.smallest < sizes.median && sizes.median < sizes.largest) return;
  reader.Complain(section, kSphereRadius,
                  Text("is ", sizes.median, " m; expected a median between smallest_radius, ",
                       sizes.smallest, " m, and largest_radius, ", sizes.largest, " m"));
}

bool SievesHold(const Sizes& sizes, SectionReader& reader, const std::string& section) {
  const std::vector<double>&sieves = sizes.sieves, &passing = sizes.passing;
  if (sieves.empty() || passing.empty()) return false;  // complained about
  const auto complain = [&](const KeySpec& spec, const std::string& message) {
    reader.Complain(section, spec, message);
    return false;
  };
  if (sieves.size() < 2 || sieves.size() != passing.size()) {
    return complain(kPassing, Text("has ", passing.size(), " shares for ", sieves.size(),
                                   " sieves; expected a share for each of two sieves or more"));
  }
  if (std::ranges::adjacent_find(sieves, std::greater_equal<>()) != sieves.end()) {
    return complain(kSieves, "do not grow; expected radii from the smallest to the largest");
  }
  if (passing.front() != 0.0 || passing.back() != 1.0 || !std::ranges::is_sorted(passing)) {
    return complain(kPassing,
                    "does not grow from 0 to 1; expected the shares of the mass that pass");
  }
  return true;
}

/// The distribution of what was read; empty if something does not go together.
Sizes Checked(const Sizes& read, SectionReader& reader, const std::string& section) {
  switch (read.kind) {
    case Sizes::Kind::kOne:
      return read.largest;
    case Sizes::Kind::kUniform:
      BoundsHold(read, reader, section);
      return Sizes::Uniform(read.smallest, read.largest);
    case Sizes::Kind::kLogNormal:
      if (BoundsHold(read, reader, section)) CheckMedian(read, reader, section);
      return Sizes::LogNormal(read.median, read.spread, read.smallest, read.largest);
    case Sizes::Kind::kSieved:
      if (!SievesHold(read, reader, section)) return {};
      return Sizes::Sieved(read.sieves, read.passing);
  }
  SCREE_DEMAND(false);
  return {};
}

}  // namespace

KeySpecs SizeSpecs() {
  KeySpecs specs = SpecsOf(KindRow());
  for (std::size_t kind = 0; kind < AllNamesOf<Sizes::Kind>().size(); ++kind) {
    specs = Joined({specs, SpecsOf(RowsOf(static_cast<Sizes::Kind>(kind)))});
  }
  return specs;
}

bool GivesSizes(const Settings& given, const std::string& section) {
  return std::ranges::any_of(SizeSpecs(),
                             [&](const KeySpec& spec) { return given.Given(section, spec.key); });
}

SizeDistribution ReadSizes(SectionReader& reader, const std::string& section) {
  Sizes read;
  reader.Read(section, KindRow(), read);
  const KeySpec kind = KindRow().front().spec;
  if (!reader.HasValue(section, kind)) return {};  // complained about
  const Keys<Sizes> rows = RowsOf(read.kind);
  reader.Refuse(section, SizeSpecs(), Joined({SpecsOf(KindRow()), SpecsOf(rows)}),
                kind.key + " = " + NameOf(read.kind));
  reader.Read(section, rows, read);
  return Checked(read, reader, section);
}

void WriteSizes(const SizeDistribution& sizes, Echo& echo) {
  echo.Write(KindRow(), sizes);
  echo.Write(RowsOf(sizes.kind), sizes);
}

}  // namespace scree

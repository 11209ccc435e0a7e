#include "io/configuration/size_keys.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "io/configuration/section_reader.hpp"

namespace scree {
namespace {

class SizeReader : SectionReader {
 public:
  SizeReader(const Settings& settings, const std::string& section, ErrorList& errors)
      : SectionReader(settings, errors), section_(section) {}

  SizeDistribution Read() {
    const auto sizes = Take<std::string>(section_, "sizes");
    if (sizes.empty()) return {};  // complained about
    if (sizes == "uniform") {
      Refuse(sizes, {"radius", "diameter", "spread", "sieves", "passing"});
      Bounds();
      return SizeDistribution::Uniform(smallest_, largest_);
    }
    if (sizes == "lognormal") {
      Refuse(sizes, {"sieves", "passing"});
      Bounds();
      const double median = Radius(section_);
      if (median > 0.0 && smallest_ < largest_ && !(smallest_ < median && median < largest_)) {
        Complain("radius", Text("is ", median, " m; expected a median between smallest_radius, ",
                                smallest_, " m, and largest_radius, ", largest_, " m"));
      }
      return SizeDistribution::LogNormal(median, Need<double>(section_, "spread"), smallest_,
                                         largest_);
    }
    if (sizes == "sieved") {
      Refuse(sizes, {"radius", "diameter", "spread", "smallest_radius", "largest_radius"});
      return Sieved();
    }
    Refuse("one", {"spread", "smallest_radius", "largest_radius", "sieves", "passing"});
    return Radius(section_);
  }

 private:
  void Refuse(const std::string& sizes, const std::vector<const char*>& keys) {
    for (const char* key : keys) {
      if (!settings_.Given(section_, key)) continue;
      Complain(key, "does not belong to sizes = " + sizes);
    }
  }

  void Complain(const char* key, const std::string& message) {
    errors_.Add(settings_.Where(section_, key), message);
  }

  void Bounds() {
    smallest_ = Need<double>(section_, "smallest_radius");
    largest_ = Need<double>(section_, "largest_radius");
    if (smallest_ > 0.0 && largest_ > 0.0 && !(smallest_ < largest_)) {
      Complain("largest_radius",
               Text("is ", largest_, " m; expected more than smallest_radius, ", smallest_, " m"));
    }
  }

  SizeDistribution Sieved() {
    const auto sieves = Need<std::vector<double>>(section_, "sieves");
    const auto passing = Need<std::vector<double>>(section_, "passing");
    if (sieves.empty() || passing.empty()) return {};  // complained about
    if (sieves.size() < 2 || sieves.size() != passing.size()) {
      Complain("passing", Text("has ", passing.size(), " shares for ", sieves.size(),
                               " sieves; expected a share for each of two sieves or more"));
      return {};
    }
    if (!Grows(sieves)) {
      Complain("sieves", "do not grow; expected radii from the smallest to the largest");
      return {};
    }
    if (passing.front() != 0.0 || passing.back() != 1.0 ||
        !std::is_sorted(passing.begin(), passing.end())) {
      Complain("passing", "does not grow from 0 to 1; expected the shares of the mass that pass");
      return {};
    }
    return SizeDistribution::Sieved(sieves, passing);
  }

  static bool Grows(const std::vector<double>& values) {
    return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
  }

  const std::string& section_;
  double smallest_ = 0.0, largest_ = 0.0;
};

}  // namespace

SizeDistribution ReadSizes(const Settings& settings, const std::string& section,
                           ErrorList& errors) {
  return SizeReader(settings, section, errors).Read();
}

}  // namespace scree

#include "io/configuration/section_reader.hpp"

#include <algorithm>

#include "io/configuration/ini_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string InBrackets(const std::string& unit) { return unit.empty() ? "" : " [" + unit + "]"; }

}  // namespace

void SectionReader::DemandGiven(const std::string& section, const KeySpec& spec) {
  const std::string& key = spec.key;
  const bool has_other = !spec.instead.empty();
  if (has_other && settings_.Given(section, key) && settings_.Given(section, spec.instead)) {
    Complain(section, spec,
             "both " + key + " and " + spec.instead + " are given; expected one of them");
  }
  if (!IsLacking(spec) || settings_.Intended(section, key)) return;
  const std::string unit = InBrackets(SiUnit(spec.dimension));
  if (has_other) {
    if (settings_.Intended(section, spec.instead)) return;
    Complain(section, spec, "lacks the key \"" + key + "\" or \"" + spec.instead + "\"" + unit);
  } else if (!settings_.Has(section)) {
    if (missing_sections_.insert(section).second) {
      errors_.Add(settings_.FileName(), "lacks the section [" + section + "]");
    }
  } else {
    const std::string& doc = FindKey(section, key)->doc;
    Complain(section, spec, "lacks the key \"" + key + "\" (" + doc + unit + ")");
  }
}

void SectionReader::CheckBox(const std::string& section, const Box& box, const KeySpec& lower,
                             const KeySpec& upper) {
  const bool both = HasValue(section, lower) && HasValue(section, upper);
  for (int axis = 0; both && axis < 3; ++axis) {
    if (box.upper[axis] > box.lower[axis]) continue;
    Complain(section, upper,
             Text("is ", box.upper[axis], " m along ", "xyz"[axis], "; expected more than ",
                  "the lower corner's ", box.lower[axis], " m"));
  }
}

void SectionReader::Refuse(const std::string& section, const KeySpecs& keys,
                           const KeySpecs& allowed, const std::string& what) {
  for (const KeySpec& spec : keys) {
    const bool good = std::ranges::count(allowed, spec.key, &KeySpec::key) > 0;
    if (!good && settings_.Given(section, spec.key)) {
      Complain(section, spec, "does not belong to " + what);
    }
  }
}

}  // namespace scree

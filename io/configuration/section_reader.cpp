#include "io/configuration/section_reader.hpp"

#include <algorithm>

#include "io/configuration/ini_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string InBrackets(const std::string& unit) { return unit.empty() ? "" : " [" + unit + "]"; }

}  // namespace

void SectionReader::Read(const std::string& section, const KeyRows& rows) {
  for (const KeyRow& row : rows) {
    const std::optional<Value> value = settings_.Find(section, row.spec.key);
    if (value) {
      row.set(*value);
    } else if (Given(section, row.spec.key) || row.spec.IsDemanded()) {
      row.clear();
    }
    DemandGiven(section, row.spec);
  }
}

std::optional<std::size_t> SectionReader::ReadKind(const std::string& section,
                                                   const KindKeys& kinds,
                                                   const std::string& article) {
  std::string word;
  Read(section, {kinds.Bound(word)});
  if (word.empty()) return {};
  const auto found = std::ranges::find(kinds.words, word);
  const auto number = static_cast<std::size_t>(found - kinds.words.begin());
  const std::string what = (article.empty() ? kinds.spec.key + " =" : article) + " " + word;
  Refuse(section, kinds.All(), Joined({{kinds.spec}, kinds.keys[number]}), what);
  return number;
}

void SectionReader::DemandGiven(const std::string& section, const KeySpec& spec) {
  const std::string& key = spec.key;
  const bool has_other = !spec.instead.empty();
  if (has_other && Given(section, key) && Given(section, spec.instead)) {
    Complain(section, key,
             "both " + key + " and " + spec.instead + " are given; expected one of them");
  }
  if (!spec.IsDemanded() || settings_.Intended(section, key)) return;
  const std::string unit = InBrackets(SiUnit(spec.dimension));
  if (has_other) {
    if (settings_.Intended(section, spec.instead)) return;
    Complain(section, key, "lacks the key \"" + key + "\" or \"" + spec.instead + "\"" + unit);
  } else if (!settings_.Has(section)) {
    if (missing_sections_.insert(section).second) {
      errors_.Add(settings_.FileName(), "lacks the section [" + section + "]");
    }
  } else {
    const std::string& doc = FindKey(section, key)->doc;
    Complain(section, key, "lacks the key \"" + key + "\" (" + doc + unit + ")");
  }
}

void SectionReader::CheckBox(const std::string& section, const Box& box) {
  const bool both = HasValue(section, "lower") && HasValue(section, "upper");
  for (int axis = 0; both && axis < 3; ++axis) {
    if (box.upper[axis] > box.lower[axis]) continue;
    Complain(section, "upper",
             Text("is ", box.upper[axis], " m along ", "xyz"[axis], "; expected more than ",
                  "the lower corner's ", box.lower[axis], " m"));
  }
}

void SectionReader::CheckSpan(const std::string& section, const std::string& last, double until,
                              const std::string& first, double from) {
  if (until > from || !HasValue(section, last)) return;
  Complain(section, last, Text("is ", until, " s; expected more than ", first, ", ", from, " s"));
}

std::optional<std::size_t> SectionReader::FindNamed(const std::string& where,
                                                    const std::string& head,
                                                    const std::string& name,
                                                    const std::vector<std::string>& known) {
  const auto found = std::ranges::find(known, name);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  const std::string section = head + "." + name;
  if (!IsMisspelt(section)) {
    errors_.Add(where, "there is no [" + section + "]" + DidYouMean(name, known));
  }
  return {};
}

void SectionReader::Refuse(const std::string& section, const KeySpecs& keys,
                           const KeySpecs& allowed, const std::string& what) {
  for (const KeySpec& spec : keys) {
    const bool good = std::ranges::count(allowed, spec.key, &KeySpec::key) > 0;
    if (good || !Given(section, spec.key)) continue;
    Complain(section, spec.key, "does not belong to " + what);
  }
}

bool SectionReader::GivesAny(const std::string& section, const KeySpecs& keys) const {
  return std::ranges::any_of(keys, [&](const KeySpec& spec) { return Given(section, spec.key); });
}

}  // namespace scree

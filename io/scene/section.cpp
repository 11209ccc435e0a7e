#include "io/scene/section.hpp"

#include <algorithm>
#include <iterator>

#include "io/scene/ini_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {

std::optional<KeyValue> KeyRow::WrittenValue() const {
  std::optional<KeyValue> value = get();
  if (!value || spec.if_missing != IfKeyMissing::kMeansNone) return value;
  const bool is_default = spec.default_text.empty() ? IsNone(spec, *value)
                                                    : WriteValue(spec, *value) == spec.default_text;
  return is_default ? std::nullopt : value;
}

KeyRows operator+(KeyRows rows, KeyRows more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
  return rows;
}

KeyRows RadiusOrDiameter(KeySpec radius, const std::string& diameter, double& variable) {
  radius.alternative = "diameter";
  KeySpec diameter_spec = radius;
  diameter_spec.key = "diameter";
  diameter_spec.doc = diameter;
  diameter_spec.alternative.clear();
  diameter_spec.if_missing = IfKeyMissing::kMeansNone;
  diameter_spec.kind = Kind::kNumber;
  return {{radius, variable},
          {diameter_spec,
           [&variable](const KeyValue& value) { variable = 0.5 * std::get<double>(value); },
           [] { return std::nullopt; }}};
}

KeySpecs SpecsOf(const KeyRows& rows) {
  KeySpecs specs;
  for (const KeyRow& row : rows) specs.push_back(row.spec);
  return specs;
}

KeySpecs Joined(const std::vector<KeySpecs>& parts) {
  KeySpecs joined;
  for (const KeySpecs& part : parts) {
    for (const KeySpec& spec : part) {
      if (std::ranges::count(joined, spec.key, &KeySpec::key) == 0) joined.push_back(spec);
    }
  }
  return joined;
}

KindKeys::KindKeys(KeySpec key_spec, std::vector<std::pair<std::string, KeySpecs>> kinds)
    : spec(std::move(key_spec)) {
  spec.kind = Kind::kChoice;
  spec.range.words.clear();
  for (auto& [word, keys_of_word] : kinds) {
    spec.range.words += (words.empty() ? "" : " | ") + word;
    words.push_back(word);
    keys.push_back(std::move(keys_of_word));
  }
  std::vector<KeySpecs> all = {{spec}};
  all.insert(all.end(), keys.begin(), keys.end());
  all_ = Joined(all);
}

void Section::VisitKeys(const KeyRows& rows) {
  if (IsListed()) return List(SpecsOf(rows));
  for (const KeyRow& row : rows) IsRead() ? Read(row) : Write(row);
}

void Section::List(const KeySpecs& specs) { *listed_ = Joined({*listed_, specs}); }

std::optional<std::size_t> Section::VisitKind(const KindKeys& kinds, std::size_t current,
                                              const std::string& prefix) {
  if (IsListed()) {
    List(kinds.All());
    return {};
  }
  std::string word = IsWritten() ? kinds.words.at(current) : "";
  VisitKeys({{kinds.spec, word}});
  if (IsWritten()) return current;
  if (word.empty()) return {};
  const auto number =
      static_cast<std::size_t>(std::ranges::find(kinds.words, word) - kinds.words.begin());
  for (const KeySpec& spec : kinds.All()) {
    const bool is_valid = spec.key == kinds.spec.key ||
                          std::ranges::count(kinds.keys[number], spec.key, &KeySpec::key) > 0;
    if (is_valid || !IsGiven(spec.key)) continue;
    const std::string owner = (prefix.empty() ? kinds.spec.key + " =" : prefix) + " " + word;
    AddError(spec.key, "does not belong to " + owner);
  }
  return number;
}

void Section::Write(const KeyRow& row) {
  std::optional<KeyValue> value = row.WrittenValue();
  if (value) rows_->push_back({name_, row.spec.key, "", "", std::move(value)});
}

void Section::Read(const KeyRow& row) {
  const std::optional<KeyValue> value = settings_->Find(name_, row.spec.key);
  if (value) {
    row.set(*value);
  } else if (IsGiven(row.spec.key) || row.spec.IsRequired()) {
    row.clear();
  }
  RequireGiven(row.spec);
}

void Section::RequireGiven(const KeySpec& spec) {
  const std::string& key = spec.key;
  const bool has_alternative = !spec.alternative.empty();
  if (has_alternative && IsGiven(key) && IsGiven(spec.alternative)) {
    AddError(key, "both " + key + " and " + spec.alternative + " are given; expected one of them");
  }
  if (!spec.IsRequired() || IsIntended(key)) return;
  const std::string si = SiUnit(spec.dimension), unit = si.empty() ? "" : " [" + si + "]";
  if (has_alternative) {
    if (IsIntended(spec.alternative)) return;
    AddError(key, "lacks the key \"" + key + "\" or \"" + spec.alternative + "\"" + unit);
  } else if (!settings_->Has(name_)) {
    errors_->Add(settings_->FileName(), "lacks the section [" + name_ + "]");  // reported once
  } else {
    AddError(key, "lacks the key \"" + key + "\" (" + FindKey(name_, key)->doc + unit + ")");
  }
}

void Section::CheckBox(const Box& box) {
  const bool has_both = HasValue("lower") && HasValue("upper");
  for (int axis = 0; has_both && axis < 3; ++axis) {
    if (box.upper[axis] > box.lower[axis]) continue;
    AddError("upper", Text("is ", box.upper[axis], " m along ", "xyz"[axis],
                           "; expected more than the lower corner's ", box.lower[axis], " m"));
  }
}

void Section::CheckSpan(const std::string& last, double last_time, const std::string& first,
                        double first_time) {
  if (last_time > first_time || !HasValue(last)) return;
  AddError(last, Text("is ", last_time, " s; expected more than ", first, ", ", first_time, " s"));
}

std::optional<std::size_t> Section::FindNamed(const std::string& key, const std::string& head,
                                              const std::string& name,
                                              const std::vector<std::string>& known) {
  const auto entry = std::ranges::find(known, name);
  if (entry != known.end()) return static_cast<std::size_t>(entry - known.begin());
  const std::string section = head + "." + name;
  const std::vector<std::string> keys = KeysOf(section);
  const bool is_misspelt = !keys.empty() && settings_->IsIntended(section, keys.front());
  if (!is_misspelt) AddError(key, "there is no [" + section + "]" + DidYouMean(name, known));
  return {};
}

void Section::Refuse(const KeySpecs& keys, const KeySpecs& allowed, const std::string& owner) {
  for (const KeySpec& spec : keys) {
    const bool is_allowed = std::ranges::count(allowed, spec.key, &KeySpec::key) > 0;
    if (!is_allowed && IsGiven(spec.key)) AddError(spec.key, "does not belong to " + owner);
  }
}

bool Section::IsAnyGiven(const KeySpecs& keys) const {
  return std::ranges::any_of(keys, [&](const KeySpec& spec) { return IsGiven(spec.key); });
}

}  // namespace scree

#include "io/configuration/key_binding.hpp"

#include <algorithm>

namespace scree {

std::optional<KeyValue> KeyRow::Get() const {
  std::optional<KeyValue> value = get();
  if (!value || spec.lacking != Lacking::kMeansNone) return value;
  const bool is_unsaid =
      spec.initial.empty() ? IsNone(spec, *value) : WriteValue(spec, *value) == spec.initial;
  return is_unsaid ? std::nullopt : value;
}

KeyRows operator+(KeyRows rows, const KeyRows& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

KeyRows RadiusOrDiameter(KeySpec radius, const std::string& diameter, double& variable) {
  radius.instead = "diameter";
  KeySpec twice = radius;
  twice.key = "diameter";
  twice.doc = diameter;
  twice.instead.clear();
  twice.lacking = Lacking::kMeansNone;
  twice.kind = Kind::kNumber;
  return {{radius, variable},
          {twice, [&variable](const KeyValue& value) { variable = 0.5 * std::get<double>(value); },
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

KindKeys::KindKeys(KeySpec about, std::vector<std::pair<std::string, KeySpecs>> kinds)
    : spec(std::move(about)) {
  spec.kind = Kind::kChoice;
  spec.range.words.clear();
  for (auto& [word, of_word] : kinds) {
    spec.range.words += (words.empty() ? "" : " | ") + word;
    words.push_back(word);
    keys.push_back(std::move(of_word));
  }
}

KeySpecs KindKeys::All() const {
  std::vector<KeySpecs> all = {{spec}};
  all.insert(all.end(), keys.begin(), keys.end());
  return Joined(all);
}

}  // namespace scree

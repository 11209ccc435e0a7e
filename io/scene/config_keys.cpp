#include "io/scene/config_keys.hpp"

#include <algorithm>

#include "io/files/text_lines.hpp"
#include "io/scene/key_groups.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

const SectionSpec* FindSection(const std::string& section) {
  const std::vector<std::string> parts = SectionParts(section);
  for (const SectionSpec& spec : AllSections()) {
    const bool fits = parts.size() - 1 >= spec.min_names && parts.size() - 1 <= spec.max_names;
    if (parts[0] == spec.name && fits) return &spec;
  }
  return nullptr;
}

std::string HelpOf(const SectionSpec& section, const KeySpec& key) {
  std::string help = "  " + key.key;
  help.resize(std::max<std::size_t>(help.size() + 1, 24), ' ');
  help += key.doc;
  if (const std::string unit = SiUnit(key.dimension); !unit.empty()) help += " [" + unit + "]";
  if (!key.range.words.empty()) help += "; " + key.range.words;
  if (!key.default_text.empty()) help += "; default " + key.default_text;
  const ChangeRule& change = key.change ? *key.change : section.change;
  if (change.when == ChangeRule::When::kDuringRun) help += "; [at]";
  return help + "\n";
}

}  // namespace

std::span<const SectionSpec> AllSections() {
  static const std::vector<SectionSpec> sections = [] {
    std::vector<SectionSpec> all;
    for (const KeyGroup& group : KeyGroups()) {
      all.insert(all.end(), group.sections.begin(), group.sections.end());
    }
    return all;
  }();
  return sections;
}

std::vector<std::string> SectionParts(const std::string& section) {
  const std::vector<std::string_view> parts = Split(section, '.');
  return {parts.begin(), parts.end()};
}

std::string NameInSection(const std::string& section) {
  const std::size_t dot = section.find('.');
  return dot == section.npos ? "" : section.substr(dot + 1);
}

std::string SectionOf(const std::string& head, const std::string& name) {
  return name.empty() ? head : head + "." + name;
}

const KeySpec* FindKey(const std::string& section, const std::string& key) {
  const SectionSpec* spec = FindSection(section);
  if (spec == nullptr) return nullptr;
  const auto spec_of_key = std::ranges::find(spec->keys, key, &KeySpec::key);
  return spec_of_key == spec->keys.end() ? nullptr : &*spec_of_key;
}

std::vector<std::string> KeysOf(const std::string& section) {
  std::vector<std::string> keys;
  const SectionSpec* spec = FindSection(section);
  if (spec == nullptr) return keys;
  for (const KeySpec& key : spec->keys) keys.push_back(key.key);
  return keys;
}

ChangeRule ChangeOf(const std::string& section, const std::string& key) {
  const KeySpec* spec = FindKey(section, key);
  SCREE_DEMAND(spec != nullptr);
  return spec->change.value_or(FindSection(section)->change);
}

std::string StartKeyOf(const std::string& section) {
  const SectionSpec* spec = FindSection(section);
  return spec == nullptr ? "" : spec->start_key;
}

std::string ValueText(const std::string& section, const std::string& key, const KeyValue& value) {
  const KeySpec* spec = FindKey(section, key);
  SCREE_DEMAND(spec != nullptr);
  return WriteValue(*spec, value);
}

std::string KeyHelp() {
  std::string help;
  for (const SectionSpec& section : AllSections()) {
    help += Text("\n[", section.form, "]  ", section.doc, "\n");
    for (const KeySpec& key : section.keys) help += HelpOf(section, key);
  }
  help +=
      "\n[at \"TIME\"]  Changes during the run, made before the first step at or after TIME. Has "
      "lines section.key = value, such as contact.friction = 0.3, for keys marked [at]\n";
  return help;
}

std::string KeyList() {
  std::string list;
  for (const SectionSpec& section : AllSections()) {
    const std::string name = section.form.substr(0, section.form.find(' '));
    for (const KeySpec& key : section.keys) list += Text(name, ".", key.key, "\n");
  }
  return list;
}

const std::vector<KeyGroup>& KeyGroups() {
  static const std::vector<KeyGroup> groups = [] {
    std::vector<KeyGroup> all;
    const auto add = [&all](const std::vector<KeyGroup>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    add(SceneKeys());
    add({MaterialKeys(), BondKeys(), ClumpKeys(), WallKeys(), MotionKeys(), FillKeys(),
         InflowKeys()});
    add(RunKeys());
    add(ForceKeys());
    add({LinkKeys(), JointKeys(), LoopKeys()});
    add({CellKeys()});
    add({AverageKeys()});
    return all;
  }();
  return groups;
}

KeySpec BeginKey(const std::string& key, const std::string& doc) {
  return {key, doc, kTime, NotNegative(", whole steps"), Default{"0 s"}, UntilReached()};
}

KeySpec EndKey(const std::string& key, const std::string& doc, const std::string& range) {
  return {key, doc, kTime, Range{range, 0.0, true}, kOptional, UntilReached()};
}

}  // namespace scree

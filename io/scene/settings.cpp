#include "io/scene/settings.hpp"

#include <algorithm>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

bool IsUnset(const IniEntry& entry) {
  return entry.typed_value ? *entry.typed_value == KeyValue(kUnset) : entry.value == kUnset;
}

std::vector<std::string> Heads() {
  std::vector<std::string> heads;
  for (const SectionSpec& spec : AllSections()) heads.emplace_back(spec.name);
  return heads;
}

/// The error for an unknown section, with the most similar known head.
std::string DescribeUnknownSection(const std::string& section) {
  const std::string head = SectionParts(section)[0];
  for (const SectionSpec& spec : AllSections()) {
    if (head == spec.name) {
      return Text("section [", section, "] is not of the form [", spec.form, "]");
    }
  }
  return Text("unknown section [", section, "]", DidYouMean(head, Heads()));
}

bool IsKnown(const std::string& section) {
  const std::vector<std::string> parts = SectionParts(section);
  const bool all_named = std::none_of(parts.begin(), parts.end(),
                                      [](const std::string& part) { return part.empty(); });
  return all_named && !KeysOf(section).empty();
}

/// Names must be short, because names of averages become file names, which have at most 255 bytes,
/// and names of walls become columns.
constexpr std::size_t kMaxNameLength = 100;

void CheckNames(const IniSection& section, ErrorList& errors) {
  for (const std::string& name : SectionParts(section.name)) {
    if (name.size() <= kMaxNameLength) continue;
    errors.Add(section.location, Text("[", section.name, "] has a name of ", name.size(),
                                      " bytes; expected at most ", kMaxNameLength));
  }
}

/// Walls, materials, averages, links, joints and loops must be in the file, because otherwise a
/// typing error in --wall.NAME.velocity would make a new wall. Exception, but not for materials:
/// the options include a key that only a new section needs, such as the shape of a wall.
bool CanOptionsMakeSection(const std::string& section, const IniEntries& options) {
  const auto is_set = [&](const char* key) {
    return std::ranges::any_of(options, [&](const IniEntry& option) {
      return option.section == section && option.key == key && !IsUnset(option);
    });
  };
  const std::string head = SectionParts(section)[0];
  if (head == "wall") return is_set("shape");
  if (head == "joint" || head == "loop") return is_set("child");
  if (head == "link") return is_set("density") || is_set("inertia");
  if (head == "average")
    return (is_set("cells") && is_set("every")) || (is_set("plane") && is_set("normal"));
  return head != "material";
}

}  // namespace

Settings::Settings(const IniFile& file, const IniEntries& overrides, ErrorList& errors,
                   const SceneFiles& files)
    : file_name_(file.name), files_(files) {
  AddSections(file, errors);
  for (const IniEntry& entry : file.entries) Read(entry, {}, errors);
  Change(overrides, errors);
}

Settings::Settings(const std::string& name, const IniEntries& rows, const SceneFiles& files)
    : file_name_(name), files_(files) {
  for (const IniEntry& row : rows) {
    const bool is_new = locations_.emplace(row.section, name).second;
    if (is_new) sections_.push_back({row.section, name});
    settings_[{row.section, row.key}] = {row.typed_value, ""};
  }
}

void Settings::Change(const IniEntries& changes, ErrorList& errors) {
  for (IniEntry entry : changes) {
    // A pair has no order: [pair.B.A] of the scene is meant if it has no [pair.A.B].
    const std::vector<std::string> parts = SectionParts(entry.section);
    if (parts.size() == 3 && parts[0] == "pair" && !locations_.contains(entry.section)) {
      const std::string other_order = Text("pair.", parts[2], ".", parts[1]);
      if (locations_.contains(other_order)) entry.section = other_order;
    }
    Read(std::move(entry), changes, errors);
  }
}

void Settings::AddSections(const IniFile& file, ErrorList& errors) {
  for (const IniSection& section : file.sections) {
    if (IsKnown(section.name)) {
      AddSection(section, errors);
    } else {
      errors.Add(section.location, DescribeUnknownSection(section.name));
      misspelt_heads_.insert(NearestName(SectionParts(section.name)[0], Heads()));
    }
  }
}

void Settings::AddSection(const IniSection& section, ErrorList& errors) {
  CheckNames(section, errors);
  sections_.push_back(section);
  locations_.emplace(section.name, section.location);
}

void Settings::Read(IniEntry entry, const IniEntries& options, ErrorList& errors) {
  const bool from_command_line = !options.empty();
  for (const std::string& part : {entry.section, entry.key, entry.value}) {
    const std::string error = from_command_line ? DescribeUnwritable(part) : "";
    if (!error.empty()) {
      return errors.Add(
          DescribeUnwritable(entry.location).empty() ? entry.location : "a changed value",
          error + "; expected text that a line of a scene can hold");
    }
  }
  if (!IsKnown(entry.section)) {
    // An unknown section in the file already has an error at its own line.
    if (from_command_line) errors.Add(entry.location, DescribeUnknownSection(entry.section));
    return;
  }
  const std::string location = from_command_line
                                   ? entry.location
                                   : Text(entry.location, ": [", entry.section, "] ", entry.key);
  if (NamesTableFile(entry) && !IsUnset(entry)) LoadTableFile(files_, location, entry);
  const KeySpec* spec = FindKey(entry.section, entry.key);
  if (spec == nullptr) {
    errors.Add(entry.location, Text("unknown key \"", entry.key, "\" in [", entry.section, "]",
                                    DidYouMean(entry.key, KeysOf(entry.section))));
    misspelt_keys_.insert({entry.section, NearestName(entry.key, KeysOf(entry.section))});
    return;
  }
  if (from_command_line && IsUnset(entry)) {
    if (settings_.erase({entry.section, entry.key}) > 0) {
      DropEmptyPair(entry.section);
      return;
    }
    errors.Add(location, "is not given in the scene, so it cannot be unset");
    return;
  }
  if (!Has(entry.section)) {
    if (!CanOptionsMakeSection(entry.section, options)) {
      const std::string head = SectionParts(entry.section)[0];
      errors.Add(entry.location, Text("the scene has no section [", entry.section, "]",
                                      DidYouMean(entry.section, Sections(head))));
      return;
    }
    AddSection({entry.section, entry.location}, errors);
  }
  const auto known = settings_.find({entry.section, entry.key});
  if (!from_command_line && known != settings_.end()) {
    return errors.Add(location, Text("gives the key \"", entry.key, "\", as ",
                                     known->second.location, " does; expected one of them"));
  }
  Store(entry, *spec, location, errors);
}

void Settings::Store(const IniEntry& entry, const KeySpec& spec, const std::string& location,
                     ErrorList& errors) {
  Setting setting{entry.typed_value, location};
  try {
    if (!entry.typed_value) setting.value = ReadValue(spec, entry.value);
  } catch (const InputError& error) {
    const bool is_table = spec.kind == Kind::kTable;  // too long to be quoted
    errors.Add(location, is_table ? error.what() : Text("\"", entry.value, "\": ", error.what()));
  }
  settings_[{entry.section, entry.key}] = std::move(setting);
}

/// Removes a section of a pair that has no keys left, so that [contact] applies.
void Settings::DropEmptyPair(const std::string& section) {
  const bool has_any = std::ranges::any_of(
      settings_, [&](const auto& setting) { return setting.first.first == section; });
  if (has_any || SectionParts(section)[0] != "pair") return;
  std::erase_if(sections_, [&](const IniSection& known) { return known.name == section; });
  locations_.erase(section);
}

std::vector<std::string> Settings::Sections(const std::string& head) const {
  std::vector<std::string> names;
  for (const IniSection& section : sections_) {
    if (SectionParts(section.name)[0] == head) names.push_back(section.name);
  }
  return names;
}

bool Settings::Has(const std::string& section) const { return locations_.contains(section); }

bool Settings::IsGiven(const std::string& section, const std::string& key) const {
  return settings_.count({section, key}) > 0;
}

bool Settings::IsIntended(const std::string& section, const std::string& key) const {
  return IsGiven(section, key) || misspelt_keys_.count({section, key}) > 0 ||
         misspelt_heads_.count(SectionParts(section)[0]) > 0;
}

std::optional<KeyValue> Settings::Find(const std::string& section, const std::string& key) const {
  const auto entry = settings_.find({section, key});
  if (entry != settings_.end()) return entry->second.value;
  const KeySpec* spec = FindKey(section, key);
  SCREE_DEMAND(spec != nullptr);
  if (spec->default_text.empty()) return std::nullopt;
  return ReadValue(*spec, spec->default_text);
}

std::string Settings::Where(const std::string& section, const std::string& key) const {
  const auto entry = settings_.find({section, key});
  if (entry != settings_.end() && !entry->second.location.empty()) return entry->second.location;
  if (entry != settings_.end()) return Text(file_name_, ": [", section, "] ", key);
  const auto known = locations_.find(section);
  return Text(known == locations_.end() ? file_name_ : known->second, ": [", section, "]");
}

}  // namespace scree

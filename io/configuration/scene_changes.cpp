#include "io/configuration/scene_changes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "io/configuration/config_changes.hpp"
#include "io/configuration/config_keys.hpp"
#include "io/configuration/config_reader.hpp"
#include "io/configuration/settings.hpp"
#include "io/configuration/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::string_view kBeginOfName = "at \"", kEndOfName = "\"";

/// Not a number if it is none; told then.
double TimeOf(const IniSection& section, ErrorList& errors) {
  const std::string& name = section.name;
  const std::string text =
      name.substr(kBeginOfName.size(), name.size() - kBeginOfName.size() - kEndOfName.size());
  const std::string where = section.where + ": [" + name + "]";
  try {
    const double time = ReadQuantities(text, 1, kTime).front();
    if (time > 0.0) return time;
    errors.Add(where, Text("is at ", time, " s; expected a time > 0, as what holds from the start ",
                           "stands in the sections of the scene"));
  } catch (const InputError& error) {
    errors.Add(where, Text("\"", text, "\": ", error.what()));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// The entry with its key "section.key" split.
IniEntry SplitKey(const IniEntry& entry, ErrorList& errors) {
  const std::string where = Text(entry.where, ": [", entry.section, "] ", entry.key);
  const std::size_t dot = entry.key.rfind('.');
  if (dot == entry.key.npos) {
    errors.Add(where,
               "lacks the section of the key; expected section.key = value, such as "
               "contact.friction = 0.3");
    return {};
  }
  return {entry.key.substr(0, dot), entry.key.substr(dot + 1), entry.value, where};
}

void DemandDifferentTimes(const std::vector<ChangeSection>& sections, ErrorList& errors) {
  for (std::size_t k = 1; k < sections.size(); ++k) {
    if (sections[k].time != sections[k - 1].time) continue;
    errors.Add(sections[k].where, Text("is at the time of ", sections[k - 1].where,
                                       "; put their keys together in one"));
  }
}

/// Meshes are loaded once, and no wall's shape ever changes.
void TakeMeshes(const Scene& loaded, Scene& scene) {
  for (std::size_t w = 0; w < scene.walls.size(); ++w) {
    scene.walls[w].shape = loaded.walls[w].shape;
  }
}

}  // namespace

std::vector<ChangeSection> TakeChangeSections(IniFile& file, ErrorList& errors) {
  std::vector<ChangeSection> changes;
  std::multimap<std::string, IniEntry> entries;
  for (const IniEntry& entry : file.entries) {
    if (IsChangeSection(entry.section)) entries.emplace(entry.section, entry);
  }
  for (const IniSection& section : file.sections) {
    if (!IsChangeSection(section.name)) continue;
    ChangeSection change{TimeOf(section, errors), section.where + ": [" + section.name + "]", {}};
    const auto [first, last] = entries.equal_range(section.name);
    for (auto entry = first; entry != last; ++entry) {
      change.entries.push_back(SplitKey(entry->second, errors));
      if (change.entries.back().key.empty()) change.entries.pop_back();
    }
    if (first == last)
      errors.Add(change.where, "changes nothing; expected keys such as contact.friction = 0.3");
    changes.push_back(change);
  }
  std::erase_if(file.sections, [](const auto& section) { return IsChangeSection(section.name); });
  std::erase_if(file.entries, [](const auto& entry) { return IsChangeSection(entry.section); });
  // Those without a good time come last.
  std::ranges::stable_sort(changes, [](const auto& a, const auto& b) {
    return a.time < b.time || (!std::isnan(a.time) && std::isnan(b.time));
  });
  DemandDifferentTimes(changes, errors);
  return changes;
}

std::string ChangeSectionName(double time) {
  return Text(kBeginOfName, ShortestText(time), " ", SiUnit(kTime), kEndOfName);
}

bool IsChangeSection(const std::string& name) { return name.starts_with(kBeginOfName); }

bool MayChangeOnTheWay(const IniEntry& entry, ErrorList& errors) {
  if (FindKey(entry.section, entry.key) == nullptr) return true;
  const ChangeRule rule = ChangeOf(entry.section, entry.key);
  if (rule.when == ChangeRule::When::kOnTheWay) return true;
  errors.Add(entry.where, "cannot change on the way: " + rule.why);
  return false;
}

std::int64_t StepOf(const SceneChange& change, double dt) {
  constexpr double kRounding = 1e-6;  // of a step
  return std::llround(std::ceil(change.time / dt - kRounding));
}

std::size_t ChangesBy(const RunConfig& config, std::int64_t steps) {
  const auto later = std::ranges::partition_point(config.changes, [&](const SceneChange& change) {
    return StepOf(change, config.step.dt) <= steps;
  });
  return static_cast<std::size_t>(later - config.changes.begin());
}

IniEntries EntriesOf(const SceneChange& change) {
  const std::string where = Text("[", ChangeSectionName(change.time), "] ");
  IniEntries entries;
  for (const NewValue& value : change.values) {
    entries.push_back(
        {value.section, value.key, "", where + value.section + "." + value.key, value.value});
  }
  return entries;
}

std::vector<SceneChange> ReadChanges(Settings settings, const std::vector<ChangeSection>& sections,
                                     const RunConfig& first, ParticlesFrom from,
                                     ErrorList& errors) {
  std::vector<SceneChange> changes;
  if (sections.empty()) return changes;
  // What is wrong has no rows: its walls may lack what the writer takes for given.
  IniEntries before = errors.Empty() ? RowsOf(first) : IniEntries();
  if (errors.Empty() && first.step.accuracy > 0.0) {  // time goes on being counted as it is
    settings.Change({{"time", "base_step", "", "[time] base_step", first.step.dt}}, errors);
  }
  for (const ChangeSection& section : sections) {
    IniEntries entries;
    std::ranges::copy_if(section.entries, std::back_inserter(entries),
                         [&](const IniEntry& entry) { return MayChangeOnTheWay(entry, errors); });
    settings.Change(entries, errors);
    const RunConfig then = BuildCheckedConfig(settings, from, errors);
    if (!errors.Empty()) continue;
    IniEntries after = RowsOf(then);
    SceneChange change{section.time, {}};
    for (ConfigChange& one : ChangesBetween(before, after)) {
      MayChangeOnTheWay({one.section, one.key, "", section.where + " " + one.Path()}, errors);
      change.values.push_back(
          {one.section, one.key, one.after ? std::move(*one.after) : KeyValue(kUnset)});
    }
    if (!change.values.empty()) changes.push_back(std::move(change));
    before = std::move(after);
  }
  return changes;
}

RunConfig AfterChanges(const RunConfig& before, std::span<const SceneChange> made) {
  RunConfig first = before;
  first.changes.clear();
  if (made.empty()) return first;
  ErrorList errors;
  Settings settings("the scene", RowsOf(first));
  for (const SceneChange& change : made) settings.Change(EntriesOf(change), errors);
  RunConfig after = BuildRunConfig(settings, errors);
  errors.ThrowIfAny();
  TakeMeshes(before.scene, after.scene);
  after.inputs = before.inputs;
  after.scene.cell.since = before.scene.cell.since;
  for (const SceneChange& change : made) {
    for (const NewValue& value : change.values) {
      if (value.section == "cell" && value.key == "path") after.scene.cell.since = change.time;
    }
  }
  return after;
}

}  // namespace scree

#include "io/configuration/scene_changes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "io/configuration/config_keys.hpp"
#include "io/configuration/config_reader.hpp"
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
  for (const IniSection& section : file.sections) {
    if (!IsChangeSection(section.name)) continue;
    ChangeSection change{TimeOf(section, errors), section.where + ": [" + section.name + "]", {}};
    for (const IniEntry& entry : file.entries) {
      if (entry.section != section.name) continue;
      change.entries.push_back(SplitKey(entry, errors));
      if (change.entries.back().key.empty()) change.entries.pop_back();
    }
    const bool has_any = std::ranges::count(file.entries, section.name, &IniEntry::section) > 0;
    if (!has_any)
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
  return static_cast<std::size_t>(std::ranges::count_if(
      config.changes,
      [&](const SceneChange& change) { return StepOf(change, config.step.dt) <= steps; }));
}

RunConfig AfterChanges(const RunConfig& config, std::size_t count) {
  std::vector<IniEntry> entries;
  for (std::size_t k = 0; k < count; ++k) {
    const SceneChange& change = config.changes[k];
    for (const NewValue& value : change.values) {
      entries.push_back(
          {value.section, value.key, value.value,
           Text("[", ChangeSectionName(change.time), "] ", value.section, ".", value.key)});
    }
  }
  RunConfig first = config;
  first.changes.clear();
  RunConfig after = ReadRunConfig(EffectiveIni(first), "the scene", entries);
  TakeMeshes(config.scene, after.scene);
  for (const SceneChange& change : std::span(config.changes).first(count)) {
    for (const NewValue& value : change.values) {
      if (value.section == "cell" && value.key == "path") after.scene.cell.since = change.time;
    }
  }
  return after;
}

}  // namespace scree

#include "io/scene/config_changes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "io/scene/config_keys.hpp"
#include "io/scene/config_reader.hpp"
#include "io/scene/settings.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {

namespace {

constexpr std::string_view kBeginOfName = "at \"", kEndOfName = "\"";

/// The time in the name of a section. If there is none, adds an error and returns NaN.
double TimeOf(const IniSection& section, ErrorList& errors) {
  const std::string& name = section.name;
  const std::string text =
      name.substr(kBeginOfName.size(), name.size() - kBeginOfName.size() - kEndOfName.size());
  const std::string location = section.location + ": [" + name + "]";
  try {
    const double time = ReadQuantities(text, 1, kTime).front();
    if (time > 0.0) return time;
    errors.Add(location,
               Text("is at ", time, " s; expected a time > 0, because values at the start ",
                    "belong to the sections of the scene"));
  } catch (const InputError& error) {
    errors.Add(location, Text("\"", text, "\": ", error.what()));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// Splits the key "section.key" of an entry.
IniEntry SplitKey(const IniEntry& entry, ErrorList& errors) {
  const std::string location = Text(entry.location, ": [", entry.section, "] ", entry.key);
  const std::size_t dot = entry.key.rfind('.');
  if (dot == entry.key.npos) {
    errors.Add(location,
               "lacks the section of the key; expected section.key = value, such as "
               "contact.friction = 0.3");
    return {};
  }
  return {entry.key.substr(0, dot), entry.key.substr(dot + 1), entry.value, location};
}

void RequireDifferentTimes(const std::vector<ChangeSection>& sections, ErrorList& errors) {
  for (std::size_t k = 1; k < sections.size(); ++k) {
    if (sections[k].time != sections[k - 1].time) continue;
    errors.Add(sections[k].location, Text("is at the time of ", sections[k - 1].location,
                                          "; put the keys of both in one section"));
  }
}

/// Automatic steps end at the time of each change, so this time must be a whole number of base
/// steps. Fixed steps need no check: the change waits for the end of a step (StepOf).
void RequireWholeSteps(const ChangeSection& section, const StepParameters& step,
                       ErrorList& errors) {
  if (!(step.accuracy > 0.0) || !(section.time > 0.0)) return;
  try {
    Interval{0, section.time}.InSteps(step, "time");
  } catch (const InputError& error) {
    errors.Add(section.location, error.what());
  }
}

/// Copies the shapes of walls, which never change, so that meshes are loaded only once.
void CopyShapes(const Scene& loaded, Scene& scene) {
  for (std::size_t w = 0; w < scene.walls.size(); ++w) {
    scene.walls[w].shape = loaded.walls[w].shape;
  }
}

/// Adds the error of a scene after a change. If the key in error is not one of the change, its line
/// in the scene is correct, so the error names the change too.
void AddErrorAfter(const ChangeSection& section, const std::string& line, ErrorList& errors) {
  const bool is_of_change = std::ranges::any_of(
      section.entries, [&](const IniEntry& entry) { return line.starts_with(entry.location); });
  if (is_of_change) return errors.Add(line);
  const bool can_unset = line.find("has no effect") != line.npos;
  errors.Add(
      section.location + ": after this change",
      line + (can_unset ? "; or remove the key in this section, with section.key = unset" : ""));
}

}  // namespace

std::vector<ChangeSection> ExtractChangeSections(IniFile& file, ErrorList& errors) {
  std::vector<ChangeSection> changes;
  std::multimap<std::string, IniEntry> entries;
  for (const IniEntry& entry : file.entries) {
    if (IsChangeSection(entry.section)) entries.emplace(entry.section, entry);
  }
  for (const IniSection& section : file.sections) {
    if (!IsChangeSection(section.name)) continue;
    ChangeSection change{
        TimeOf(section, errors), section.location + ": [" + section.name + "]", {}};
    const auto [first, last] = entries.equal_range(section.name);
    for (auto entry = first; entry != last; ++entry) {
      change.entries.push_back(SplitKey(entry->second, errors));
      if (change.entries.back().key.empty()) change.entries.pop_back();
    }
    if (first == last)
      errors.Add(change.location, "changes nothing; expected keys such as contact.friction = 0.3");
    changes.push_back(change);
  }
  std::erase_if(file.sections, [](const auto& section) { return IsChangeSection(section.name); });
  std::erase_if(file.entries, [](const auto& entry) { return IsChangeSection(entry.section); });
  // Sections without a valid time come last.
  std::ranges::stable_sort(changes, [](const auto& a, const auto& b) {
    return a.time < b.time || (!std::isnan(a.time) && std::isnan(b.time));
  });
  RequireDifferentTimes(changes, errors);
  return changes;
}

std::string ChangeSectionName(double time) {
  return Text(kBeginOfName, ShortestText(time), " ", SiUnit(kTime), kEndOfName);
}

bool IsChangeSection(const std::string& name) { return name.starts_with(kBeginOfName); }

bool CanChangeDuringRun(const IniEntry& entry, ErrorList& errors) {
  if (FindKey(entry.section, entry.key) == nullptr) return true;
  const ChangeRule rule = ChangeOf(entry.section, entry.key);
  if (rule.when == ChangeRule::When::kDuringRun) return true;
  errors.Add(entry.location, "cannot change during the run: " + rule.reason);
  return false;
}

std::int64_t StepOf(const SceneChange& change, double dt) {
  constexpr double kRounding = 1e-6;  // of a step
  return std::llround(std::ceil(change.time / dt - kRounding));
}

std::size_t ChangeCount(const RunConfig& config, std::int64_t steps) {
  const auto later = std::ranges::partition_point(config.changes, [&](const SceneChange& change) {
    return StepOf(change, config.step.dt) <= steps;
  });
  return static_cast<std::size_t>(later - config.changes.begin());
}

IniEntries EntriesOf(const SceneChange& change) {
  const std::string location = Text("[", ChangeSectionName(change.time), "] ");
  IniEntries entries;
  for (const NewValue& value : change.values) {
    entries.push_back(
        {value.section, value.key, "", location + value.section + "." + value.key, value.value});
  }
  return entries;
}

std::vector<SceneChange> ReadChanges(Settings settings, const std::vector<ChangeSection>& sections,
                                     const RunConfig& first, ParticlesFrom source,
                                     ErrorList& errors) {
  std::vector<SceneChange> changes;
  if (sections.empty()) return changes;
  // With errors there are no rows, because walls may lack data that the rows require.
  IniEntries before = errors.Empty() ? RowsOf(first) : IniEntries();
  if (errors.Empty() && first.step.accuracy > 0.0) {  // changes keep the base step
    settings.Change({{"time", "base_step", "", "[time] base_step", first.step.dt}}, errors);
  }
  ErrorList found;  // errors as the checks of the scene word them, each once
  for (const ChangeSection& section : sections) {
    if (errors.Empty()) RequireWholeSteps(section, first.step, errors);
    IniEntries entries;
    std::ranges::copy_if(section.entries, std::back_inserter(entries),
                         [&](const IniEntry& entry) { return CanChangeDuringRun(entry, errors); });
    settings.Change(entries, errors);
    for (const std::string& line : errors.Lines()) found.Add(line);
    const std::size_t known = found.Lines().size();
    const RunConfig changed = errors.Empty() ? BuildCheckedConfig(settings, source, found)
                                             : BuildRunConfig(settings, found);
    for (std::size_t k = known; k < found.Lines().size(); ++k) {
      AddErrorAfter(section, found.Lines()[k], errors);
    }
    if (!errors.Empty()) continue;
    IniEntries after = RowsOf(changed);
    SceneChange change{section.time, {}};
    for (ConfigChange& difference : ChangesBetween(before, after)) {
      CanChangeDuringRun(
          {difference.section, difference.key, "", section.location + " " + difference.Path()},
          errors);
      change.values.push_back({difference.section, difference.key,
                               difference.after ? std::move(*difference.after) : KeyValue(kUnset)});
    }
    // A path begins again even if it is the same.
    const auto is_path = [](const auto& row) { return row.section == "cell" && row.key == "path"; };
    const auto path = std::ranges::find_if(after, is_path);
    if (std::ranges::any_of(entries, is_path) && path != after.end() && path->typed_value &&
        std::ranges::none_of(change.values, is_path)) {
      change.values.push_back({"cell", "path", *path->typed_value});
    }
    if (!change.values.empty()) changes.push_back(std::move(change));
    before = std::move(after);
  }
  return changes;
}

RunConfig AfterChanges(const RunConfig& before, std::span<const SceneChange> applied) {
  RunConfig first = before;
  first.changes.clear();
  return applied.empty() ? first : AfterChanges(first, applied, RowsOf(first));
}

RunConfig AfterChanges(const RunConfig& before, std::span<const SceneChange> applied,
                       const IniEntries& rows) {
  ErrorList errors;
  Settings settings("the scene", rows);
  for (const SceneChange& change : applied) settings.Change(EntriesOf(change), errors);
  RunConfig after = BuildRunConfig(settings, errors);
  errors.ThrowIfAny();
  CopyShapes(before.scene, after.scene);
  after.inputs = before.inputs;
  after.scene.cell.since = before.scene.cell.since;
  for (const SceneChange& change : applied) {
    for (const NewValue& value : change.values) {
      if (value.section == "cell" && value.key == "path") after.scene.cell.since = change.time;
    }
  }
  return after;
}

namespace {

/// Classifies the differences between two configurations for a run at time `now` [s].
class ChangeClassifier {
 public:
  enum class Verdict {
    kNotPhysics,
    kFromNow,  // changes the physics from now on
    kAhead,    // changes the physics at a later time
    kRefused,  // never allowed
  };

  ChangeClassifier(const IniEntries& before, const IniEntries& after, double now)
      : before_("before", before), after_("after", after), now_(now) {}

  Verdict Classify(const ConfigChange& change) const {
    if (IsChangeSection(change.section)) return Verdict::kFromNow;
    switch (ChangeOf(change.section, change.key).when) {
      case ChangeRule::When::kAtAnyRestart:
        return Verdict::kNotPhysics;
      case ChangeRule::When::kDuringRun:
        return IsAddedOrRemoved(change.section) ? ClassifySection(change.section)
                                                : Verdict::kFromNow;
      case ChangeRule::When::kUntilReached:
        if (IsAddedOrRemoved(change.section)) return ClassifySection(change.section);
        return IsAhead(change.before) && IsAhead(change.after) ? Verdict::kAhead
                                                               : Verdict::kRefused;
      case ChangeRule::When::kConstant:
        return ClassifySection(change.section);
    }
    return Verdict::kRefused;
  }

  /// The reason why a difference is never allowed.
  std::string Reason(const ConfigChange& change) const {
    const ChangeRule rule = ChangeOf(change.section, change.key);
    const std::string start_key = StartKeyOf(change.section);
    if (rule.when == ChangeRule::When::kConstant &&
        !(IsAddedOrRemoved(change.section) && !start_key.empty())) {
      return rule.reason;
    }
    return Text(rule.when == ChangeRule::When::kUntilReached ? change.key : start_key,
                " is before the time of the checkpoint, ", now_, " s");
  }

 private:
  /// Whether a section with a start time is in only one of the two configurations.
  bool IsAddedOrRemoved(const std::string& section) const {
    return !StartKeyOf(section).empty() && before_.Has(section) != after_.Has(section);
  }
  /// Parts of a wall appear together with the wall.
  Verdict ClassifySection(const std::string& section) const {
    if (!IsAddedOrRemoved(section)) return Verdict::kRefused;
    const std::vector<std::string> parts = SectionParts(section);
    const std::string whole = parts.size() > 2 ? parts[0] + "." + parts[1] : section;
    const Settings& settings = after_.Has(section) ? after_ : before_;
    const bool is_given = settings.IsGiven(whole, StartKeyOf(section));
    return is_given && IsAhead(settings.Find(whole, StartKeyOf(section))) ? Verdict::kAhead
                                                                          : Verdict::kRefused;
  }
  /// @param time  [s]; none: the event never happens
  bool IsAhead(const std::optional<KeyValue>& time) const {
    constexpr double kRounding = 1e-9;
    return !time || std::get<double>(*time) >= now_ * (1.0 - kRounding);
  }

  Settings before_, after_;
  double now_;
};

using Verdict = ChangeClassifier::Verdict;

std::vector<ConfigChange> SelectChanges(const std::vector<ConfigChange>& changes,
                                        const ChangeClassifier& classifier,
                                        std::initializer_list<Verdict> verdicts) {
  std::vector<ConfigChange> selected;
  std::copy_if(changes.begin(), changes.end(), std::back_inserter(selected),
               [&](const ConfigChange& change) {
                 return std::ranges::count(verdicts, classifier.Classify(change)) > 0;
               });
  return selected;
}

/// The changes, each with the reason why it is not allowed.
std::string DescribeRefused(const std::vector<ConfigChange>& changes,
                            const ChangeClassifier& classifier) {
  std::string text;
  for (const ConfigChange& change : changes) {
    text += (text.empty() ? "" : "\n") + Describe({change}) + ": " + classifier.Reason(change);
  }
  return text;
}

/// Gives new sections without a start time the start time `now`.
/// @param rows  rows of the configuration before the change
void SetSectionStart(const IniEntries& rows, double now, IniEntries& overrides) {
  const auto has_section = [&](const std::string& section) {
    return std::ranges::any_of(rows, [&](const IniEntry& row) {
      return row.section == section || row.section.starts_with(section + ".");
    });
  };
  for (std::size_t k = 0; k < overrides.size(); ++k) {
    const std::string section = overrides[k].section, start_key = StartKeyOf(section);
    const bool is_given = std::ranges::any_of(overrides, [&](const IniEntry& entry) {
      return entry.section == section && entry.key == start_key;
    });
    if (start_key.empty() || is_given || has_section(section) || SectionParts(section).size() > 2)
      continue;
    overrides.push_back({section, start_key, "", "--restart", now});
  }
}

/// Requires that no override of [contact] leaves it open which pairs it means: rows of a run have
/// all keys of each pair that differs from the first, not those that the scene gave.
void RequireClearPairs(const IniEntries& rows, const IniEntries& overrides) {
  const auto pair = std::ranges::find_if(
      rows, [](const IniEntry& row) { return row.section.starts_with("pair."); });
  if (pair == rows.end()) return;
  for (const IniEntry& entry : overrides) {
    if (entry.section != "contact" || entry.key == "restitution_threshold") continue;
    throw InputError(Text(entry.location, ": the pairs of materials have different values, see [",
                          pair->section, "] in config.ini; expected pair.A.B.", entry.key,
                          " for each pair that changes"));
  }
}

/// Adds a value to a change, or replaces an earlier value of the same key.
void AddTo(SceneChange& change, const NewValue& value) {
  const auto existing = std::ranges::find_if(change.values, [&](const NewValue& known) {
    return known.section == value.section && known.key == value.key;
  });
  if (existing == change.values.end()) {
    change.values.push_back(value);
  } else {
    existing->value = value.value;
  }
}

/// The configuration with other values from the start and other changes during the run. Each change
/// gets the values that differ at its time.
RunConfig WithChanges(const RunConfig& before, const IniEntries& initial_values,
                      const std::vector<SceneChange>& changes, const std::string& path) {
  ErrorList errors;
  Settings settings(path, RowsOf(before));
  settings.Change(initial_values, errors);
  std::vector<ChangeSection> sections;
  for (const SceneChange& change : changes) {
    sections.push_back(
        {change.time, Text(path, ": [", ChangeSectionName(change.time), "]"), EntriesOf(change)});
  }
  RunConfig after = BuildCheckedConfig(settings, ParticlesFrom::kScene, errors);
  after.changes = ReadChanges(settings, sections, after, ParticlesFrom::kScene, errors);
  errors.ThrowIfAny();
  return after;
}

/// The rows of a configuration and of its changes during the run, named as in a scene file.
IniEntries RowsWithChanges(const RunConfig& config) {
  IniEntries rows = RowsOf(config);
  for (const SceneChange& change : config.changes) {
    for (const NewValue& value : change.values) {
      rows.push_back(
          {ChangeSectionName(change.time), value.section + "." + value.key, "", "", value.value});
    }
  }
  return rows;
}

void CheckEnds(const RunConfig& before, const RunConfig& after, std::int64_t step) {
  const std::int64_t end = Interval{0, after.time.end}.InSteps(after.step, "time.end");
  if (end < step) {
    throw InputError(Text("time.end = ", after.time.end,
                          " s is before the time of the checkpoint, ", after.step.Moment(step)));
  }
  for (std::size_t k = 0; k < after.averages.size(); ++k) {
    const std::int64_t old_last = Schedule(before.averages[k], before).last;
    const std::int64_t new_last = Schedule(after.averages[k], after).last;
    if (new_last == old_last || std::min(new_last, old_last) >= step) continue;
    throw InputError(Text("average.", after.averages[k].name, ".to: the average ended at ",
                          after.step.Moment(old_last), ", before the checkpoint, ",
                          after.step.Moment(step), "; it cannot end at ",
                          after.step.Moment(new_last)));
  }
}

}  // namespace

std::vector<ConfigChange> ChangesBetween(const IniEntries& before, const IniEntries& after) {
  using Path = std::pair<std::string_view, std::string_view>;
  std::map<Path, const IniEntry*> old_rows;
  for (const IniEntry& row : before) old_rows.emplace(Path(row.section, row.key), &row);
  std::vector<ConfigChange> changes;
  for (const IniEntry& row : after) {
    const auto known = old_rows.find({row.section, row.key});
    if (known == old_rows.end()) {
      changes.push_back({row.section, row.key, {}, row.typed_value});
      continue;
    }
    if (known->second->typed_value != row.typed_value) {
      changes.push_back({row.section, row.key, known->second->typed_value, row.typed_value});
    }
    old_rows.erase(known);
  }
  for (const IniEntry& row : before) {
    if (old_rows.contains({row.section, row.key})) {
      changes.push_back({row.section, row.key, row.typed_value, {}});
    }
  }
  return changes;
}

std::vector<ConfigChange> ChangeRows(std::span<const SceneChange> applied, IniEntries& rows) {
  std::vector<ConfigChange> changes;
  for (const SceneChange& change : applied) {
    for (const NewValue& value : change.values) {
      const auto is_same = [&](const auto& row) {
        return row.section == value.section && row.key == value.key;
      };
      const auto* const unset = std::get_if<std::string>(&value.value);
      const bool is_unset = unset != nullptr && *unset == kUnset;
      const std::optional<KeyValue> after =
          is_unset ? std::nullopt : std::optional<KeyValue>(value.value);
      auto row = std::ranges::find_if(rows, is_same);
      auto known = std::ranges::find_if(changes, is_same);
      if (known == changes.end()) {
        const std::optional<KeyValue> earlier =
            row == rows.end() ? std::optional<KeyValue>() : row->typed_value;
        known = changes.insert(changes.end(), {value.section, value.key, earlier, {}});
      }
      known->after = after;
      if (is_unset) {
        if (row != rows.end()) rows.erase(row);
        continue;
      }
      if (row == rows.end()) {  // insert it next to the other keys of the section
        const auto last =
            std::ranges::find(rows.rbegin(), rows.rend(), value.section, &IniEntry::section);
        row = rows.insert(last.base(), {value.section, value.key, "", "", value.value});
      }
      row->typed_value = value.value;
    }
  }
  return changes;
}

std::string ConfigChange::Path() const { return section + "." + key; }

std::string Describe(const std::vector<ConfigChange>& changes) {
  std::string text;
  for (const ConfigChange& change : changes) {
    // The key of a later change has the form "section.key".
    const std::size_t dot = change.key.rfind('.');
    const bool is_later = IsChangeSection(change.section);
    const auto value_text = [&](const std::optional<KeyValue>& value) {
      if (!value) return std::string("(none)");
      return is_later ? ValueText(change.key.substr(0, dot), change.key.substr(dot + 1), *value)
                      : ValueText(change.section, change.key, *value);
    };
    text += Text(text.empty() ? "" : "\n", "  ", change.Path(), ": ", value_text(change.before),
                 " -> ", value_text(change.after));
  }
  return text;
}

RunConfig ApplyRestartChanges(const RunConfig& before, IniEntries overrides,
                              const std::string& path, std::int64_t step, bool physics_may_change,
                              const SceneFiles& files) {
  const double time = before.step.dt * static_cast<double>(step);
  const std::size_t changes_made = ChangeCount(before, step);
  const RunConfig current = AfterChanges(before, changes_made);
  const IniEntries old_rows = RowsOf(current);
  RequireClearPairs(old_rows, overrides);
  SetSectionStart(old_rows, time, overrides);
  const RunConfig requested = ChangedConfig(current, overrides, path, files);
  CheckChanges(current, requested, step, physics_may_change);

  const IniEntries new_rows = RowsOf(requested);
  const ChangeClassifier classifier(old_rows, new_rows, time);
  SceneChange change{time, {}};
  IniEntries initial_values;
  for (const ConfigChange& difference : ChangesBetween(old_rows, new_rows)) {
    const KeyValue value = difference.after.value_or(kUnset);
    if (classifier.Classify(difference) == Verdict::kFromNow && step > 0) {
      change.values.push_back({difference.section, difference.key, value});
    } else {
      initial_values.push_back(
          {difference.section, difference.key, "", "--" + difference.Path(), value});
    }
  }
  std::vector<SceneChange> changes = before.changes;
  if (!change.values.empty()) {
    const bool is_same_step =
        changes_made > 0 && StepOf(changes[changes_made - 1], before.step.dt) == step;
    if (is_same_step) {
      for (const NewValue& value : change.values) AddTo(changes[changes_made - 1], value);
    } else {
      changes.insert(changes.begin() + static_cast<std::ptrdiff_t>(changes_made), change);
    }
  }
  return WithChanges(before, initial_values, changes, path);
}

void CheckChanges(const RunConfig& before, const RunConfig& after, std::int64_t step,
                  bool physics_may_change) {
  const IniEntries old_rows = RowsOf(before), new_rows = RowsOf(after);
  const std::vector<ConfigChange> changes = ChangesBetween(old_rows, new_rows);
  const ChangeClassifier classifier(old_rows, new_rows, before.step.dt * static_cast<double>(step));
  if (const auto refused = SelectChanges(changes, classifier, {Verdict::kRefused});
      !refused.empty()) {
    throw InputError("a restart cannot change values on which its state depends:\n" +
                     DescribeRefused(refused, classifier) +
                     "\nStart a new run from a snapshot instead, with initial.file");
  }
  const auto physics = SelectChanges(changes, classifier, {Verdict::kFromNow, Verdict::kAhead});
  if (!physics.empty() && !physics_may_change) {
    throw InputError("the restart would change the physics:\n" + Describe(physics) +
                     "\nGive --allow-changes if this is intended");
  }
  CheckEnds(before, after, step);
}

std::vector<ConfigChange> CheckBelongs(RunConfig checkpoint, const std::string& path,
                                       RunConfig last_run, const std::string& config_path,
                                       std::int64_t step, bool physics_may_change) {
  last_run.output.directory =
      checkpoint.output.directory;  // a checkpoint does not store its directory
  last_run.output.overwrite = checkpoint.output.overwrite;
  const IniEntries directory_rows = RowsWithChanges(last_run),
                   file_rows = RowsWithChanges(checkpoint);
  const auto changes = ChangesBetween(directory_rows, file_rows);
  const ChangeClassifier classifier(directory_rows, file_rows,
                                    checkpoint.step.dt * static_cast<double>(step));
  if (const auto refused = SelectChanges(changes, classifier, {Verdict::kRefused});
      !refused.empty()) {
    throw FileError(Text("'", path, "' belongs to another scene than '", config_path, "':\n",
                         Describe(refused)));
  }
  const auto physics = SelectChanges(changes, classifier, {Verdict::kFromNow, Verdict::kAhead});
  if (!physics.empty() && !physics_may_change) {
    throw FileError(Text("'", path, "' has other physics than '", config_path, "':\n",
                         Describe(physics), "\nGive --allow-changes to continue from it anyway"));
  }
  return changes;
}

}  // namespace scree

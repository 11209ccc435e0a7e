#include "io/configuration/config_changes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "io/configuration/config_keys.hpp"
#include "io/configuration/config_reader.hpp"
#include "io/configuration/scene_changes.hpp"
#include "io/configuration/settings.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// What a difference between two configurations is to a run that has come to `now` [s].
class Judge {
 public:
  enum class Verdict { kFree, kFromNow, kAhead, kNever };

  Judge(const IniEntries& before, const IniEntries& after, double now)
      : before_("before", before), after_("after", after), now_(now) {}

  Verdict Of(const ConfigChange& change) const {
    if (IsChangeSection(change.section)) return Verdict::kFromNow;
    switch (ChangeOf(change.section, change.key).when) {
      case ChangeRule::When::kAtAnyRestart:
        return Verdict::kFree;
      case ChangeRule::When::kOnTheWay:
        return IsNew(change.section) ? OfSection(change.section) : Verdict::kFromNow;
      case ChangeRule::When::kWhileAhead:
        if (IsNew(change.section)) return OfSection(change.section);
        return IsAhead(change.before) && IsAhead(change.after) ? Verdict::kAhead : Verdict::kNever;
      case ChangeRule::When::kNever:
        return OfSection(change.section);
    }
    return Verdict::kNever;
  }

  /// Why a difference may never be.
  std::string Why(const ConfigChange& change) const {
    const ChangeRule rule = ChangeOf(change.section, change.key);
    const std::string begins = BeginsOf(change.section);
    if (rule.when == ChangeRule::When::kNever && !(IsNew(change.section) && !begins.empty())) {
      return rule.why;
    }
    return Text(rule.when == ChangeRule::When::kWhileAhead ? change.key : begins,
                " lies before the checkpoint, which is at ", now_, " s");
  }

 private:
  /// In one of the configurations alone. Pairs of materials need no section to be.
  bool IsNew(const std::string& section) const {
    return !BeginsOf(section).empty() && before_.Has(section) != after_.Has(section);
  }
  /// Parts of a wall are there when the wall is.
  Verdict OfSection(const std::string& section) const {
    if (!IsNew(section)) return Verdict::kNever;
    const std::vector<std::string> parts = SectionParts(section);
    const std::string whole = parts.size() > 2 ? parts[0] + "." + parts[1] : section;
    const Settings& settings = after_.Has(section) ? after_ : before_;
    const bool is_given = settings.Given(whole, BeginsOf(section));
    return is_given && IsAhead(settings.Find(whole, BeginsOf(section))) ? Verdict::kAhead
                                                                        : Verdict::kNever;
  }
  /// @param time  none: never
  bool IsAhead(const std::optional<KeyValue>& time) const {
    constexpr double kRounding = 1e-9;
    return !time || std::get<double>(*time) >= now_ * (1.0 - kRounding);
  }

  Settings before_, after_;
  double now_;
};

using Verdict = Judge::Verdict;

std::vector<ConfigChange> Those(const std::vector<ConfigChange>& changes, const Judge& judge,
                                std::initializer_list<Verdict> verdicts) {
  std::vector<ConfigChange> those;
  std::copy_if(changes.begin(), changes.end(), std::back_inserter(those),
               [&](const ConfigChange& change) {
                 return std::ranges::count(verdicts, judge.Of(change)) > 0;
               });
  return those;
}

/// With the reason for each.
std::string DescribeRefused(const std::vector<ConfigChange>& changes, const Judge& judge) {
  std::string text;
  for (const ConfigChange& change : changes) {
    text += (text.empty() ? "" : "\n") + Describe({change}) + ": " + judge.Why(change);
  }
  return text;
}

/// A new section begins to act now unless its time is given.
/// @param rows  of the configuration before
void LetNewSectionsBegin(const IniEntries& rows, double now, IniEntries& overrides) {
  const auto is_there = [&](const std::string& section) {
    return std::ranges::any_of(rows, [&](const IniEntry& row) {
      return row.section == section || row.section.starts_with(section + ".");
    });
  };
  for (std::size_t k = 0; k < overrides.size(); ++k) {
    const std::string section = overrides[k].section, begins = BeginsOf(section);
    const bool is_given = std::ranges::any_of(overrides, [&](const IniEntry& entry) {
      return entry.section == section && entry.key == begins;
    });
    if (begins.empty() || is_given || is_there(section) || SectionParts(section).size() > 2)
      continue;
    overrides.push_back({section, begins, "", "--restart", now});
  }
}

/// Adds to what changes at a time: a later value of a key replaces the one before.
void AddTo(SceneChange& change, const NewValue& value) {
  const auto same = std::ranges::find_if(change.values, [&](const NewValue& known) {
    return known.section == value.section && known.key == value.key;
  });
  if (same == change.values.end()) {
    change.values.push_back(value);
  } else {
    same->value = value.value;
  }
}

/// The configuration with other values from the start and other changes on the way, whose values
/// are what differs then.
RunConfig WithChanges(const RunConfig& before, const IniEntries& always,
                      const std::vector<SceneChange>& changes, const std::string& path) {
  ErrorList errors;
  Settings settings(path, RowsOf(before));
  settings.Change(always, errors);
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

/// With those of its changes on the way, as their text has them.
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
    throw InputError(Text("time.end = ", after.time.end, " s is before that of the checkpoint, ",
                          after.step.Moment(step)));
  }
  for (std::size_t k = 0; k < after.averages.size(); ++k) {
    const std::int64_t was = Schedule(before.averages[k], before).last;
    const std::int64_t is = Schedule(after.averages[k], after).last;
    if (is == was || std::min(is, was) >= step) continue;
    throw InputError(Text("average.", after.averages[k].name, ".to: the average ended at ",
                          after.step.Moment(was), ", before the checkpoint, ",
                          after.step.Moment(step), "; it cannot end at ", after.step.Moment(is)));
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
      changes.push_back({row.section, row.key, {}, row.typed});
      continue;
    }
    if (known->second->typed != row.typed) {
      changes.push_back({row.section, row.key, known->second->typed, row.typed});
    }
    old_rows.erase(known);
  }
  for (const IniEntry& row : before) {
    if (old_rows.contains({row.section, row.key})) {
      changes.push_back({row.section, row.key, row.typed, {}});
    }
  }
  return changes;
}

std::string ConfigChange::Path() const { return section + "." + key; }

std::string Describe(const std::vector<ConfigChange>& changes) {
  std::string text;
  for (const ConfigChange& change : changes) {
    // The key of a change on the way is that of the scene.
    const std::size_t dot = change.key.rfind('.');
    const bool is_later = IsChangeSection(change.section);
    const auto shown = [&](const std::optional<KeyValue>& value) {
      if (!value) return std::string("(none)");
      return is_later ? ValueText(change.key.substr(0, dot), change.key.substr(dot + 1), *value)
                      : ValueText(change.section, change.key, *value);
    };
    text += Text(text.empty() ? "" : "\n", "  ", change.Path(), ": ", shown(change.before), " -> ",
                 shown(change.after));
  }
  return text;
}

RunConfig GoOnWith(const RunConfig& before, IniEntries overrides, const std::string& path,
                   std::int64_t step, bool physics_may_change, const SceneFiles& files) {
  const double time = before.step.dt * static_cast<double>(step);
  const std::size_t made = ChangesBy(before, step);
  const RunConfig now = AfterChanges(before, made);
  const IniEntries old_rows = RowsOf(now);
  LetNewSectionsBegin(old_rows, time, overrides);
  const RunConfig wanted = ChangedConfig(now, overrides, path, files);
  CheckChanges(now, wanted, step, physics_may_change);

  const IniEntries new_rows = RowsOf(wanted);
  const Judge judge(old_rows, new_rows, time);
  SceneChange change{time, {}};
  IniEntries always;
  for (const ConfigChange& one : ChangesBetween(old_rows, new_rows)) {
    const KeyValue value = one.after.value_or(kUnset);
    if (judge.Of(one) == Verdict::kFromNow && step > 0) {
      change.values.push_back({one.section, one.key, value});
    } else {
      always.push_back({one.section, one.key, "", "--" + one.Path(), value});
    }
  }
  std::vector<SceneChange> changes = before.changes;
  if (!change.values.empty()) {
    const bool again = made > 0 && StepOf(changes[made - 1], before.step.dt) == step;
    if (again) {
      for (const NewValue& value : change.values) AddTo(changes[made - 1], value);
    } else {
      changes.insert(changes.begin() + static_cast<std::ptrdiff_t>(made), change);
    }
  }
  return WithChanges(before, always, changes, path);
}

void CheckChanges(const RunConfig& before, const RunConfig& after, std::int64_t step,
                  bool physics_may_change) {
  const IniEntries old_rows = RowsOf(before), new_rows = RowsOf(after);
  const std::vector<ConfigChange> changes = ChangesBetween(old_rows, new_rows);
  const Judge judge(old_rows, new_rows, before.step.dt * static_cast<double>(step));
  if (const auto never = Those(changes, judge, {Verdict::kNever}); !never.empty()) {
    throw InputError("a restart cannot change what its state depends on:\n" +
                     DescribeRefused(never, judge) +
                     "\nStart a new run from a snapshot instead, with initial.file");
  }
  const auto physics = Those(changes, judge, {Verdict::kFromNow, Verdict::kAhead});
  if (!physics.empty() && !physics_may_change) {
    throw InputError("the restart would change the physics:\n" + Describe(physics) +
                     "\nGive --allow-changes if that is meant");
  }
  CheckEnds(before, after, step);
}

std::vector<ConfigChange> CheckBelongs(RunConfig checkpoint, const std::string& path,
                                       RunConfig here, const std::string& config_path,
                                       std::int64_t step, bool physics_may_change) {
  here.output.directory = checkpoint.output.directory;  // a checkpoint does not know its place
  here.output.overwrite = checkpoint.output.overwrite;
  const IniEntries in_directory = RowsWithChanges(here), in_file = RowsWithChanges(checkpoint);
  const auto changes = ChangesBetween(in_directory, in_file);
  const Judge judge(in_directory, in_file, checkpoint.step.dt * static_cast<double>(step));
  if (const auto never = Those(changes, judge, {Verdict::kNever}); !never.empty()) {
    throw FileError(
        Text("'", path, "' is of another scene than '", config_path, "':\n", Describe(never)));
  }
  const auto physics = Those(changes, judge, {Verdict::kFromNow, Verdict::kAhead});
  if (!physics.empty() && !physics_may_change) {
    throw FileError(Text("'", path, "' has other physics than '", config_path, "':\n",
                         Describe(physics),
                         "\nGive --allow-changes to go on from it nevertheless"));
  }
  return changes;
}

}  // namespace scree

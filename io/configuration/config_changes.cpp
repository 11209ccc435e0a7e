#include "io/configuration/config_changes.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

#include "io/configuration/config_keys.hpp"
#include "io/configuration/config_reader.hpp"
#include "io/configuration/scene_changes.hpp"
#include "io/configuration/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

struct Entry {
  std::string key, text;
};

/// The keys of an effective configuration with their values, in its order.
std::vector<Entry> Values(const std::string& configuration) {
  ErrorList errors;
  std::vector<Entry> values;
  for (const IniEntry& entry : ScanIni(configuration, "configuration", errors).entries) {
    values.push_back({entry.section + "." + entry.key, entry.value});
  }
  return values;
}

const std::string* Find(const std::vector<Entry>& values, const std::string& key) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const Entry& value) { return value.key == key; });
  return found == values.end() ? nullptr : &found->text;
}

/// "section.key" in two.
std::pair<std::string, std::string> SplitPath(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return {path.substr(0, dot), path.substr(dot + 1)};
}

/// What a difference between two configurations is to a run that has come to `now` [s].
class Judge {
 public:
  enum class Verdict { kFree, kFromNow, kAhead, kNever };

  Judge(const std::string& before, const std::string& after, double now)
      : before_(Values(before)), after_(Values(after)), now_(now) {}

  Verdict Of(const ConfigChange& change) const {
    if (IsChangeSection(change.key)) return Verdict::kFromNow;
    const auto [section, key] = SplitPath(change.key);
    switch (ChangeOf(section, key).when) {
      case ChangeRule::When::kAtAnyRestart:
        return Verdict::kFree;
      case ChangeRule::When::kOnTheWay:
        return IsNew(section) ? OfSection(section) : Verdict::kFromNow;
      case ChangeRule::When::kWhileAhead:
        if (IsNew(section)) return OfSection(section);
        return IsAhead(section, key, change.before) && IsAhead(section, key, change.after)
                   ? Verdict::kAhead
                   : Verdict::kNever;
      case ChangeRule::When::kNever:
        return OfSection(section);
    }
    return Verdict::kNever;
  }

  /// Why a difference may never be.
  std::string Why(const ConfigChange& change) const {
    const auto [section, key] = SplitPath(change.key);
    const ChangeRule rule = ChangeOf(section, key);
    const std::string begins = BeginsOf(section);
    if (rule.when == ChangeRule::When::kNever && !(IsNew(section) && !begins.empty())) {
      return rule.why;
    }
    return Text(rule.when == ChangeRule::When::kWhileAhead ? key : begins,
                " lies before the checkpoint, which is at ", now_, " s");
  }

 private:
  /// In one of the configurations alone. Pairs of materials need no section to be.
  bool IsNew(const std::string& section) const {
    if (BeginsOf(section).empty()) return false;
    return Has(before_, section) != Has(after_, section);
  }
  static bool Has(const std::vector<Entry>& values, const std::string& section) {
    return std::ranges::any_of(
        values, [&](const Entry& value) { return SplitPath(value.key).first == section; });
  }
  /// Parts of a wall are there when the wall is.
  Verdict OfSection(const std::string& section) const {
    if (!IsNew(section)) return Verdict::kNever;
    const std::vector<std::string> parts = SectionParts(section);
    const std::string whole = parts.size() > 2 ? parts[0] + "." + parts[1] : section;
    const std::string* time =
        Find(Has(after_, section) ? after_ : before_, whole + "." + BeginsOf(section));
    return time != nullptr && IsAhead(whole, BeginsOf(section), *time) ? Verdict::kAhead
                                                                       : Verdict::kNever;
  }
  /// @param text  a time; none: never
  bool IsAhead(const std::string& section, const std::string& key, const std::string& text) const {
    const KeySpec* spec = FindKey(section, key);
    SCREE_DEMAND(spec != nullptr);
    constexpr double kRounding = 1e-9;
    return text.empty() || std::get<double>(ReadValue(*spec, text)) >= now_ * (1.0 - kRounding);
  }

  std::vector<Entry> before_, after_;
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

/// A new section begins to act now unless it tells when.
void LetNewSectionsBegin(const RunConfig& before, double now, std::vector<IniEntry>& overrides) {
  const std::vector<Entry> values = Values(EffectiveIni(before));
  const auto is_there = [&](const std::string& section) {
    return std::ranges::any_of(values, [&](const Entry& value) {
      return SplitPath(value.key).first == section ||
             SplitPath(value.key).first.starts_with(section + ".");
    });
  };
  for (std::size_t k = 0; k < overrides.size(); ++k) {
    const std::string section = overrides[k].section, begins = BeginsOf(section);
    const bool is_told = std::ranges::any_of(overrides, [&](const IniEntry& entry) {
      return entry.section == section && entry.key == begins;
    });
    if (begins.empty() || is_told || is_there(section) || SectionParts(section).size() > 2)
      continue;
    overrides.push_back({section, begins, ShortestText(now), "--restart"});
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

std::vector<ConfigChange> ChangesBetween(const std::string& before, const std::string& after) {
  const std::vector<Entry> old_values = Values(before), new_values = Values(after);
  std::map<std::string_view, std::string_view> old_texts, new_texts;
  for (const Entry& value : old_values) old_texts.emplace(value.key, value.text);
  for (const Entry& value : new_values) new_texts.emplace(value.key, value.text);
  std::vector<ConfigChange> changes;
  for (const Entry& value : new_values) {
    const auto known = old_texts.find(value.key);
    if (known == old_texts.end()) {
      changes.push_back({value.key, "", value.text});
    } else if (known->second != value.text) {
      changes.push_back({value.key, std::string(known->second), value.text});
    }
  }
  for (const Entry& value : old_values) {
    if (!new_texts.contains(value.key)) changes.push_back({value.key, value.text, ""});
  }
  return changes;
}

std::string Describe(const std::vector<ConfigChange>& changes) {
  std::string text;
  for (const ConfigChange& change : changes) {
    const auto shown = [](const std::string& value) { return value.empty() ? "(none)" : value; };
    text += Text(text.empty() ? "" : "\n", "  ", change.key, ": ", shown(change.before), " -> ",
                 shown(change.after));
  }
  return text;
}

RunConfig GoOnWith(const RunConfig& before, std::vector<IniEntry> overrides,
                   const std::string& path, std::int64_t step, bool physics_may_change) {
  const double time = before.step.dt * static_cast<double>(step);
  const std::size_t made = ChangesBy(before, step);
  const RunConfig now = AfterChanges(before, made);
  LetNewSectionsBegin(now, time, overrides);
  const RunConfig wanted = ReadRunConfig(EffectiveIni(now), path, overrides);
  CheckChanges(now, wanted, step, physics_may_change);

  const std::string was = EffectiveIni(now), is = EffectiveIni(wanted);
  const Judge judge(was, is, time);
  SceneChange change{time, {}};
  std::vector<IniEntry> always;
  for (const ConfigChange& difference : ChangesBetween(was, is)) {
    const auto [section, key] = SplitPath(difference.key);
    const std::string value = difference.after.empty() ? kUnset : difference.after;
    if (judge.Of(difference) == Verdict::kFromNow && step > 0) {
      change.values.push_back({section, key, value});
    } else {
      always.push_back({section, key, value, "--" + difference.key});
    }
  }
  RunConfig first = before;
  first.changes.clear();
  RunConfig after = ReadRunConfig(EffectiveIni(first), path, always);
  after.changes = before.changes;
  if (!change.values.empty()) {
    const bool again = made > 0 && StepOf(before.changes[made - 1], before.step.dt) == step;
    const auto at = after.changes.begin() + static_cast<std::ptrdiff_t>(made);
    if (!again) {
      after.changes.insert(at, change);
    } else {
      for (const NewValue& value : change.values) AddTo(*std::prev(at), value);
    }
  }
  // Later changes must go with it, and are told by what differs then.
  return ReadRunConfig(EffectiveIni(after), path, {});
}

void CheckChanges(const RunConfig& before, const RunConfig& after, std::int64_t step,
                  bool physics_may_change) {
  const std::string was = EffectiveIni(before), is = EffectiveIni(after);
  const std::vector<ConfigChange> changes = ChangesBetween(was, is);
  const Judge judge(was, is, before.step.dt * static_cast<double>(step));
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
  const std::string in_directory = EffectiveIni(here), in_file = EffectiveIni(checkpoint);
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

#include "io/configuration/config_changes.hpp"

#include <algorithm>
#include <sstream>

#include "io/configuration/config_reader.hpp"
#include "solvers/check.hpp"

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

/// @param key  "section.key"
RestartRule RestartOfPath(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return RestartOf(key.substr(0, dot), key.substr(dot + 1));
}

std::vector<ConfigChange> Those(const std::vector<ConfigChange>& changes, RestartRule may) {
  std::vector<ConfigChange> those;
  std::copy_if(changes.begin(), changes.end(), std::back_inserter(those),
               [&](const ConfigChange& change) { return RestartOfPath(change.key) == may; });
  return those;
}

/// Earlier versions wrote fills down as region1, region2, ... whatever their names: those are not
/// told apart from the names that the scene has.
void TakeNamesOfFills(const std::vector<Fill>& named, std::vector<Fill>& fills) {
  for (std::size_t k = 0; k < std::min(named.size(), fills.size()); ++k) {
    if (fills[k].name == Text("region", k + 1)) fills[k].name = named[k].name;
  }
}

void CheckEnds(const RunConfig& before, const RunConfig& after, std::int64_t step) {
  const double dt = after.step.dt;
  const std::int64_t end = Interval{0, after.time.end}.InSteps(dt, "time.end");
  if (end < step) {
    throw InputError(Text("time.end = ", after.time.end, " s is step ", end,
                          ", before that of the checkpoint, ", step));
  }
  for (std::size_t k = 0; k < after.averages.size(); ++k) {
    const std::int64_t was = Schedule(before.averages[k], before).last;
    const std::int64_t is = Schedule(after.averages[k], after).last;
    if (is == was || std::min(is, was) >= step) continue;
    throw InputError(Text("average.", after.averages[k].name, ".to: the average ended at step ",
                          was, ", before that of the checkpoint, ", step,
                          "; it cannot end at step ", is));
  }
}

}  // namespace

std::vector<ConfigChange> ChangesBetween(const std::string& before, const std::string& after) {
  const std::vector<Entry> old_values = Values(before), new_values = Values(after);
  std::vector<ConfigChange> changes;
  for (const Entry& value : new_values) {
    const std::string* was = Find(old_values, value.key);
    if (was == nullptr || *was != value.text) {
      changes.push_back({value.key, was == nullptr ? "" : *was, value.text});
    }
  }
  for (const Entry& value : old_values) {
    if (Find(new_values, value.key) == nullptr) changes.push_back({value.key, value.text, ""});
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

void CheckChanges(const RunConfig& before, const RunConfig& after, std::int64_t step,
                  bool physics_may_change) {
  const std::vector<ConfigChange> changes =
      ChangesBetween(EffectiveIni(before), EffectiveIni(after));
  if (const auto never = Those(changes, RestartRule::kNever); !never.empty()) {
    throw InputError("a restart cannot change what its state depends on:\n" + Describe(never) +
                     "\nStart a new run from a snapshot instead, with initial.file");
  }
  const auto physics = Those(changes, RestartRule::kIfAllowed);
  if (!physics.empty() && !physics_may_change) {
    throw InputError("the restart would change the physics:\n" + Describe(physics) +
                     "\nGive --allow-changes if that is meant");
  }
  CheckEnds(before, after, step);
}

std::vector<ConfigChange> CheckBelongs(RunConfig checkpoint, const std::string& path,
                                       RunConfig here, const std::string& config_path,
                                       bool physics_may_change) {
  here.output.directory = checkpoint.output.directory;  // a checkpoint does not know its place
  here.output.overwrite = checkpoint.output.overwrite;
  TakeNamesOfFills(here.scene.fills, checkpoint.scene.fills);
  const auto changes = ChangesBetween(EffectiveIni(here), EffectiveIni(checkpoint));
  if (const auto never = Those(changes, RestartRule::kNever); !never.empty()) {
    throw FileError(
        Text("'", path, "' is of another scene than '", config_path, "':\n", Describe(never)));
  }
  const auto physics = Those(changes, RestartRule::kIfAllowed);
  if (!physics.empty() && !physics_may_change) {
    throw FileError(Text("'", path, "' has other physics than '", config_path, "':\n",
                         Describe(physics),
                         "\nGive --allow-changes to go on from it nevertheless"));
  }
  return changes;
}

}  // namespace scree

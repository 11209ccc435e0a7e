#include "io/configuration/effective_ini.hpp"

#include "io/configuration/key_groups.hpp"
#include "io/configuration/scene_changes.hpp"

namespace scree {

void Echo::Write(const KeyRows& rows) {
  for (const KeyRow& row : rows) {
    const std::optional<Value> value = row.Get();
    if (!value) continue;
    if (!header_.empty()) text_ += (text_.empty() ? "[" : "\n[") + header_ + "]\n";
    header_.clear();
    text_ += row.spec.key + " = " + WriteValue(row.spec, *value) + "\n";
  }
}

std::string EffectiveIni(RunConfig config) {
  Echo echo;
  for (const KeyGroup& group : KeyGroups()) group.write(config, echo);
  std::string text = echo.Take();
  for (const SceneChange& change : config.changes) {
    text += "\n[" + ChangeSectionName(change.time) + "]\n";
    for (const NewValue& value : change.values) {
      text += value.section + "." + value.key + " = " + value.value + "\n";
    }
  }
  return text;
}

}  // namespace scree

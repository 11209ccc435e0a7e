#include "io/configuration/effective_ini.hpp"

#include "io/configuration/key_groups.hpp"
#include "io/configuration/scene_changes.hpp"

namespace scree {

void Echo::Line(const KeySpec& spec, const Value& value) {
  if (!header_.empty()) text_ += (text_.empty() ? "[" : "\n[") + header_ + "]\n";
  header_.clear();
  text_ += spec.key + " = " + WriteValue(spec, value) + "\n";
}

std::string EffectiveIni(const RunConfig& config) {
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

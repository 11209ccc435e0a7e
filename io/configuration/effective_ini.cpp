#include "io/configuration/effective_ini.hpp"

#include "io/configuration/key_groups.hpp"
#include "io/configuration/scene_changes.hpp"

namespace scree {

std::string EffectiveIni(RunConfig config) {
  std::string text;
  for (const KeyGroup& group : KeyGroups()) group.write(config, text);
  for (const SceneChange& change : config.changes) {
    text += "\n[" + ChangeSectionName(change.time) + "]\n";
    for (const NewValue& value : change.values) {
      text += value.section + "." + value.key + " = " + value.value + "\n";
    }
  }
  return text;
}

}  // namespace scree

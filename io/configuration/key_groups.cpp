#include "io/configuration/key_groups.hpp"

#include <algorithm>

namespace scree {

const std::vector<KeyGroup>& KeyGroups() {
  static const std::vector<KeyGroup> groups = [] {
    std::vector<KeyGroup> all;
    const auto add = [&all](const std::vector<KeyGroup>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    add(SceneKeys());
    add({MaterialKeys(), ClumpKeys(), WallKeys(), MotionKeys(), FillKeys(), InflowKeys()});
    add(RunKeys());
    add(OutputKeys());
    add({AverageKeys()});
    return all;
  }();
  return groups;
}

KeyGroup Once(SectionSpec section, const Keys<RunConfig>& keys,
              const std::function<void(SectionReader&, RunConfig&)>& check) {
  section.keys = SpecsOf(keys);
  const std::string name = section.name;
  return {{section},
          [=](SectionReader& reader, RunConfig& run) {
            reader.Read(name, keys, run);
            if (check) check(reader, run);
          },
          [=](const RunConfig& run, Echo& echo) {
            echo.Section(name);
            echo.Write(keys, run);
          }};
}

KeySpecs Joined(const std::vector<KeySpecs>& parts) {
  KeySpecs joined;
  for (const KeySpecs& part : parts) {
    for (const KeySpec& spec : part) {
      if (std::ranges::count(joined, spec.key, &KeySpec::key) == 0) joined.push_back(spec);
    }
  }
  return joined;
}

}  // namespace scree

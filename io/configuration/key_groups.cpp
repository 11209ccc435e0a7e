#include "io/configuration/key_groups.hpp"

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
    add(ForceKeys());
    add({CellGroup()});
    add({AverageKeys()});
    return all;
  }();
  return groups;
}

KeySpec BeginKey(const std::string& key, const std::string& doc) {
  return {key, doc, kTime, NotNegative(", whole steps"), Default{"0 s"}, WhileAhead()};
}

KeySpec EndKey(const std::string& key, const std::string& doc, const std::string& range) {
  return {key, doc, kTime, Range{range, 0.0, true}, kOptional, WhileAhead()};
}

}  // namespace scree

// [loop.NAME], and the checks that need all links, joints and loops of the scene.
#include <algorithm>

#include "engine/scene/free_tree.hpp"
#include "engine/scene/loops.hpp"
#include "io/scene/key_groups.hpp"
#include "io/scene/link_names.hpp"

namespace scree {
namespace {

struct LoopValues {
  std::string parent, child;  // names of the links
};

KeyRows RowsOfKind(LoopJoint& loop) {
  const KeyRow point(
      {"point", "point on the axis of a hinge, or centre of a ball joint, at time zero", kLength,
       LinkPlacementRule()},
      loop.point);
  const KeyRow axis(
      {"axis", "axis about which a hinge turns, or along which a slider moves, at time zero",
       Kind::kDirection, InWords("not zero"), LinkPlacementRule()},
      loop.axis);
  switch (loop.kind) {
    case LoopKind::kBall:
      return {point};
    case LoopKind::kSlider:
      return {axis};
    case LoopKind::kHinge:
      break;
  }
  return {point, axis};
}

const KindKeys& LoopKinds() {
  static const KindKeys kinds = [] {
    std::vector<std::pair<std::string, KeySpecs>> all;
    for (std::size_t k = 0; k < NamesOf(LoopKind{}).size(); ++k) {
      LoopJoint loop;
      loop.kind = static_cast<LoopKind>(k);
      all.emplace_back(NameOf(loop.kind), SpecsOf(RowsOfKind(loop)));
    }
    return KindKeys({"kind", "how the child moves relative to the parent", Default{"hinge"},
                     LinkPlacementRule()},
                    std::move(all));
  }();
  return kinds;
}

void VisitLoopKeys(Section& section, LoopJoint& loop, LoopValues& values) {
  section.VisitKeys(
      {{{"parent", "one of the two links, or ground", Default{kGroundName}, LinkPlacementRule()},
        values.parent},
       {{"child", "the other link", InWords("a name"), LinkPlacementRule()}, values.child}});
  const auto kind =
      section.VisitKind(LoopKinds(), static_cast<std::size_t>(loop.kind), "a loop of kind");
  if (!kind) return;
  loop.kind = static_cast<LoopKind>(*kind);
  section.VisitKeys(RowsOfKind(loop));
}

void ReadLoops(const Settings& settings, ErrorList& errors, Scene& scene) {
  for (const std::string& section_name : settings.Sections("loop")) {
    Section section(section_name, settings, errors);
    LoopJoint loop;
    LoopValues values;
    loop.name = NameInSection(section_name);
    VisitLoopKeys(section, loop, values);
    if (!FindLinks(section, values.parent, values.child, scene, loop.parent, loop.child)) continue;
    if (loop.parent == loop.child) {
      section.AddError("child", "is the parent; expected two links");
    } else {
      scene.loop_joints.push_back(loop);
    }
  }
}

/// Requires that the loops leave each tree at least one degree of freedom.
void CheckLoops(const Settings& settings, ErrorList& errors, const Scene& scene) {
  const std::vector<std::size_t> tree_of = TreesOfJoints(scene.joints, scene.loop_joints);
  const std::vector<std::size_t> freedoms = DegreesOfFreedomOfTrees(scene);
  for (const LoopJoint& loop : scene.loop_joints) {
    const auto joint = std::ranges::find(scene.joints, loop.child, &Joint::child);
    if (freedoms[tree_of[static_cast<std::size_t>(joint - scene.joints.begin())]] > 0) continue;
    Section("loop." + loop.name, settings, errors)
        .AddError("child",
                  "is locked: this loop and the other joints leave the links no motion; expected "
                  "fewer joints, or parallel axes in a plane mechanism");
    return;
  }
}

/// Requires that each link has a joint, and that each tree has at most kMaxAxes axes and at least
/// one wall.
void CheckTrees(const Settings& settings, ErrorList& errors, const Scene& scene) {
  const std::vector<std::size_t> trees = TreesOfJoints(scene.joints, scene.loop_joints);
  std::vector<std::size_t> tree_of(scene.links.size(), 0), axis_count(scene.joints.size()),
      wall_count(scene.joints.size());  // of each tree
  std::vector<bool> has_joint(scene.links.size());
  for (std::size_t j = 0; j < trees.size(); ++j) {
    const Joint& joint = scene.joints[j];
    const auto child = static_cast<std::size_t>(joint.child);
    has_joint[child] = true;
    tree_of[child] = trees[j];
    axis_count[trees[j]] += joint.Axes();
  }
  for (const Wall& wall : scene.walls) {
    const auto link = static_cast<std::size_t>(wall.link);
    if (wall.IsPartOfLink() && has_joint[link]) ++wall_count[tree_of[link]];
  }
  for (std::size_t l = 0; l < scene.links.size(); ++l) {
    Section section("link." + scene.links[l].name, settings, errors);
    if (!has_joint[l]) {
      section.AddError("walls",
                       Text("are not connected: no [joint] has child = ", scene.links[l].name));
    } else if (axis_count[tree_of[l]] > kMaxAxes) {
      section.AddError("walls", Text("are moved by a tree of joints with ", axis_count[tree_of[l]],
                                     " axes (a free joint has 6); expected at most ", kMaxAxes));
    }
  }
  for (const Joint& joint : scene.joints) {
    const std::size_t tree = tree_of[static_cast<std::size_t>(joint.child)];
    if (joint.parent != Joint::kGround || wall_count[tree] > 0) continue;
    Section("joint." + joint.name, settings, errors)
        .AddError(
            "child",
            "has no wall, and the links that it carries have none; expected at least one wall");
  }
}

void WriteLoops(Scene& scene, IniEntries& entries) {
  for (LoopJoint& loop : scene.loop_joints) {
    LoopValues values{LinkName(scene, loop.parent), LinkName(scene, loop.child)};
    Section section("loop." + loop.name, entries);
    VisitLoopKeys(section, loop, values);
  }
}

}  // namespace

KeyGroup LoopKeys() {
  const KeySpecs specs = ListedKeys([](Section& section) {
    LoopJoint loop;
    LoopValues values;
    VisitLoopKeys(section, loop, values);
  });
  return {{{"loop", "loop.NAME", 1, 1, "An additional joint between two links, which closes a loop",
            LinkPlacementRule(), specs}},
          [](const Settings& settings, ErrorList& errors, RunConfig& run) {
            ReadLoops(settings, errors, run.scene);
            if (errors.Empty()) CheckTrees(settings, errors, run.scene);
            if (errors.Empty()) CheckLoops(settings, errors, run.scene);
          },
          [](RunConfig& run, IniEntries& entries) { WriteLoops(run.scene, entries); }};
}

}  // namespace scree

// [link.NAME], [joint.NAME] and [loop.NAME].
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "engine/geometry/shape_moments.hpp"
#include "engine/scene/links.hpp"
#include "io/scene/key_groups.hpp"
#include "io/scene/key_parts.hpp"
#include "io/scene/table_columns.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr const char* kGroundName = "ground";

ChangeRule Stays() { return Never("where links are follows from their joints since the start"); }

// ---- links

struct LinkValues {
  std::string walls;
  Vec3 moments = Vec3::Zero(), products = Vec3::Zero();  // of inertia [kg m²]
};

/// As soon as the mass is known, it is written instead of the density. So a restart needs no
/// solids.
KeyRows LinkRows(Link& link, LinkValues& values) {
  const AlternativeKey kWithout{"density"};
  const bool is_known = !(link.density > 0.0) || link.mass > 0.0;
  return {
      {{"walls", "of which it is made, such as bucket teeth", kOptional,
        InWords("names; each of one link at most; none: the particles do not touch it")},
       values.walls},
      KeyRow({"density",
              "instead of mass, centre and inertia: of its walls, which are boxes, cylinders, "
              "spheres or meshes with a solid inside and do not overlap",
              kDensity, Positive(), kOptional},
             link.density)
          .OnlyIf(!is_known),
      KeyRow({"mass", "of the link", kMass, Positive(), kWithout}, link.mass).OnlyIf(is_known),
      KeyRow({"centre", "of mass, at time zero", kLength, kWithout}, link.centre).OnlyIf(is_known),
      KeyRow(
          {"inertia", "Ixx Iyy Izz about that, at time zero", kInertia, InWords("> 0"), kWithout},
          values.moments)
          .OnlyIf(is_known),
      KeyRow({"inertia_products", "Ixy Iyz Izx of the same tensor, such as -sum m x y", kInertia,
              Default{"0 0 0 kg m^2"}},
             values.products)
          .OnlyIf(is_known)};
}

Mat3 TensorOf(const LinkValues& values) {
  const Vec3 &m = values.moments, &p = values.products;
  Mat3 tensor;
  tensor << m.x(), p.x(), p.z(), p.x(), m.y(), p.y(), p.z(), p.y(), m.z();
  return tensor;
}

/// Reports principal moments that no body can have: each is at most the sum of the other two.
void CheckInertia(Section& section, const Mat3& inertia) {
  if (!section.HasValue("inertia")) return;
  constexpr double kRounding = 1.0 + 1e-9;
  const Vec3 moments =
      Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (moments[0] > 0.0 && moments[2] <= kRounding * (moments[0] + moments[1])) return;
  section.AddError("inertia", Text("has the principal moments ", moments.transpose(),
                                   " kg m^2, which no body has; expected > 0, and none more than "
                                   "the other two together"));
}

/// Gives the link its walls.
void TakeWalls(Section& section, const std::string& names, std::size_t number, Scene& scene) {
  for (const std::string& name : Words(names)) {
    const auto found = section.FindNamed("walls", "wall", name, ListNames(scene.walls));
    if (!found) continue;
    Wall& wall = scene.walls[*found];
    if (wall.IsPartOfLink()) {
      section.AddError("walls",
                       Text("has ", name, ", which is part of [link.",
                            scene.links[static_cast<std::size_t>(wall.link)].name, "] already"));
    } else if (wall.IsMoving()) {
      section.AddError("walls", Text("has ", name, ", which moves by itself; expected a wall ",
                                     "without velocity, angular_velocity, amplitude, motion and ",
                                     "free, that joints move"));
    } else {
      wall.link = static_cast<Index>(number);
    }
  }
}

/// Requires walls that have a volume, and sets the mass unless a mesh is not loaded.
void UseDensity(Section& section, std::size_t number, Scene& scene) {
  if (section.Given("inertia_products")) {
    section.AddError("inertia_products", "does not go with density; expected one of them");
  }
  bool are_solid = true, has_walls = false;
  for (const Wall& wall : scene.walls) {
    if (wall.link != static_cast<Index>(number)) continue;
    has_walls = true;
    if (std::ranges::all_of(wall.shape.parts, IsBoundedSolid)) continue;
    are_solid = false;
    section.AddError("density",
                     Text("does not go with [wall.", wall.name, "], which is ",
                          std::holds_alternative<Mesh>(wall.shape.parts[0])
                              ? "a mesh without a solid inside; expected solid = inside and a "
                                "closed surface"
                              : "not a bounded solid; expected a box, cylinder, sphere or mesh",
                          ", or mass, centre and inertia"));
  }
  if (!has_walls && !section.Intended("walls")) {
    section.AddError("density", "lacks the key \"walls\" (the solids that have this density)");
  }
  if (!are_solid || !has_walls) return;
  try {
    SetMassByDensity(scene, number);
  } catch (const InputError& error) {
    section.AddError("density", error.what());
  }
}

void ReadLinks(const Settings& settings, ErrorList& errors, Scene& scene) {
  for (const std::string& of : settings.Sections("link")) {
    Section section(of, settings, errors);
    LinkValues values;
    Link& link = scene.links.emplace_back();
    link.name = NameInSection(of);
    section.Keys(LinkRows(link, values));
    link.inertia = TensorOf(values);
    CheckInertia(section, link.inertia);
    TakeWalls(section, values.walls, scene.links.size() - 1, scene);
    if (link.density > 0.0) UseDensity(section, scene.links.size() - 1, scene);
    if (scene.frame.Turns()) section.AddError("walls", "does not go with a [frame] that turns");
  }
}

void WriteLinks(Scene& scene, IniEntries& written) {
  for (std::size_t l = 0; l < scene.links.size(); ++l) {
    Link& link = scene.links[l];
    LinkValues values;
    for (const Wall& wall : scene.walls) {
      if (wall.link != static_cast<Index>(l)) continue;
      values.walls += (values.walls.empty() ? "" : " ") + wall.name;
    }
    values.moments = link.inertia.diagonal();
    values.products = Vec3(link.inertia(0, 1), link.inertia(1, 2), link.inertia(2, 0));
    Section("link." + link.name, written).Keys(LinkRows(link, values));
  }
}

// ---- joints

/// Values in the section of a joint that refer to links, drives and other joints.
struct JointValues {
  std::string parent, child;
  std::optional<double> speed, position;  // of its motor
  Table table;
  std::string mimic;                  // the joint to which gears connect it
  std::optional<double> ratio, lead;  // of these
};

/// Names and dimensions of the keys of a kind of joint.
struct JointWords {
  const char *lower, *upper, *force, *spring, *rest, *damping, *friction, *largest, *speed,
      *position, *largest_speed, *columns, *of_force_column;
  JointDrive by_force;
  Dimension of_position, of_speed, of_force, of_spring, of_damping;
  const char *zero_force, *zero_spring, *zero_damping, *zero_position;
};
constexpr JointWords kHingeWords = {"lower_angle",
                                    "upper_angle",
                                    "torque",
                                    "torsion_spring",
                                    "torsion_rest",
                                    "torsion_damping",
                                    "friction_torque",
                                    "largest_torque",
                                    "rate",
                                    "angle",
                                    "largest_rate",
                                    "angle or rate",
                                    "torque",
                                    JointDrive::kByTorque,
                                    kPlain,
                                    kFrequency,
                                    kTorque,
                                    kTorque,
                                    kTorsionDamping,
                                    "0 N m",
                                    "0 N m",
                                    "0 N m s",
                                    "0 deg"};
constexpr JointWords kSliderWords = {"lower_travel",
                                     "upper_travel",
                                     "force",
                                     "spring",
                                     "spring_rest",
                                     "damping",
                                     "friction_force",
                                     "largest_force",
                                     "speed",
                                     "travel",
                                     "largest_speed",
                                     "x or vx, along the axis",
                                     "force",
                                     JointDrive::kByForce,
                                     kLength,
                                     kSpeed,
                                     kForce,
                                     kStiffness,
                                     kDamping,
                                     "0 N",
                                     "0 N/m",
                                     "0 N s/m",
                                     "0 m"};

KeyRows MovingRows(Joint& joint, JointValues& values, const JointWords& words) {
  const Range until_zero{"<= 0; none if not given", -std::numeric_limits<double>::infinity(), false,
                         0.0};
  return {
      {{"axis", "along or about which it moves, at time zero", Kind::kDirection,
        InWords("not zero"), Stays()},
       joint.axis},
      {{words.lower, "the least position that it can reach", words.of_position, until_zero,
        kOptional, Stays()},
       joint.lower},
      {{words.upper, "the largest position that it can reach", words.of_position,
        NotNegative("; none if not given"), kOptional, Stays()},
       joint.upper},
      {{words.force, "given, on the child; the parent gets the opposite", words.of_force,
        Default{words.zero_force}},
       joint.force},
      {{words.spring, "stiffness of a spring", words.of_spring, NotNegative(),
        Default{words.zero_spring}},
       joint.spring},
      {{words.rest, "position at which the spring is slack", words.of_position,
        Default{words.zero_position}},
       joint.rest},
      {{words.damping, "per speed, that brakes it", words.of_damping, NotNegative(),
        Default{words.zero_damping}},
       joint.damping},
      {{words.friction, "of the joint, the largest", words.of_force, NotNegative(),
        Default{words.zero_force}},
       joint.friction},
      {{"drive", "what its motor strives for", Default{"none"}}, joint.drive},
      {{words.largest, "that the motor gives", words.of_force, Positive(), kOptional},
       joint.largest},
      {{words.speed, "drive = speed: that of the motor", words.of_speed, kOptional}, values.speed},
      {{words.position, "drive = position: where the motor goes", words.of_position, kOptional},
       values.position},
      {{words.largest_speed, "drive = position: of the motor", words.of_speed, Positive(),
        kOptional},
       joint.largest_speed},
      {{"table",
        Text("of the motor over time: FILE.csv, or its columns: time_s 0 0.1, ... of ",
             words.columns, ", or with drive = ", words.of_force_column, " of ",
             words.of_force_column),
        kOptional, InWords("times that grow; lines between the rows")},
       values.table}};
}

KeyRows GearRows(JointValues& values, bool turns) {
  const KeyRows rows = {
      {{"mimic", "the joint to which gears connect it", kOptional, InWords("a name"), Stays()},
       values.mimic},
      {{"ratio", "its position over that of the joint mimic, of the same kind", kPlain, kOptional,
        InWords("not zero; < 0: in the opposite sense"), Stays()},
       values.ratio}};
  if (turns) return rows;
  return rows + KeyRows{{{"lead",
                          "instead of ratio, if the joint mimic is a hinge: travel per revolution "
                          "of the hinge, as of a screw or a rack",
                          kLength, kOptional, InWords("not zero"), Stays()},
                         values.lead}};
}

KeySpec Point() { return {"point", "of the axis of a hinge, at time zero", kLength, Stays()}; }

KeyRows RowsOfKind(Joint& joint, JointValues& values) {
  if (joint.IsFixed() || joint.IsFree()) return {};
  const KeyRows gears = GearRows(values, joint.Turns());
  if (!joint.Turns()) return MovingRows(joint, values, kSliderWords) + gears;
  return KeyRows{{Point(), joint.point}} + MovingRows(joint, values, kHingeWords) + gears;
}

KeySpecs SpecsOfKind(JointKind kind) {
  Joint joint;
  JointValues values;
  joint.kind = kind;
  return SpecsOf(RowsOfKind(joint, values));
}

const KindKeys& JointKinds() {
  static const KindKeys kinds({"kind", "how the child moves against its parent", Stays()},
                              {{NameOf(JointKind::kHinge), SpecsOfKind(JointKind::kHinge)},
                               {NameOf(JointKind::kSlider), SpecsOfKind(JointKind::kSlider)},
                               {NameOf(JointKind::kFixed), SpecsOfKind(JointKind::kFixed)},
                               {NameOf(JointKind::kFree), SpecsOfKind(JointKind::kFree)}});
  return kinds;
}

void JointKeys(Section& section, Joint& joint, JointValues& values) {
  section.Keys({{{"parent", "the link that carries it, or ground", Default{kGroundName}, Stays()},
                 values.parent},
                {{"child", "the link that it moves", InWords("a name"), Stays()}, values.child}});
  const auto now = static_cast<std::size_t>(joint.kind);
  const auto kind = section.Kind(JointKinds(), now, "a joint of kind");
  if (!kind) return;
  joint.kind = static_cast<JointKind>(*kind);
  section.Keys(RowsOfKind(joint, values));
}

VectorColumns ForceColumns(const JointWords& words) {
  return {"time", kTime, words.of_force, {words.of_force_column}};
}

void TakeTable(Section& section, const Table& columns, Joint& joint) {
  if (columns.IsEmpty()) return;
  const JointWords& words = joint.Turns() ? kHingeWords : kSliderWords;
  try {
    if (joint.drive == words.by_force) {
      joint.forces = VectorsOf(columns, ForceColumns(words));
      return;
    }
    joint.table = MotionOf(columns);
  } catch (const InputError& error) {
    section.AddError("table", error.what());
    return;
  }
  const auto way = joint.table.MaxRates();
  const bool others = joint.table.HasOrientation() ||
                      (joint.Turns() ? joint.table.IsMoving() : joint.table.Turns());
  const bool across = !joint.Turns() && (way[1] != 0.0 || way[2] != 0.0);
  if (!others && !across) return;
  section.AddError("table", Text("has other columns than time and ", words.columns));
}

/// A motor by force needs a constant value or a table, and has no maximum.
void CheckForceMotor(Section& section, const JointWords& words, bool has_table,
                     const Joint& joint) {
  if (joint.drive != words.by_force) {
    section.AddError("drive", Text("is ", NameOf(joint.drive), ", which is not for a ",
                                   NameOf(joint.kind), "; expected ", NameOf(words.by_force)));
    return;
  }
  if (joint.force != 0.0 && has_table) {
    section.AddError("table", Text("does not go with ", words.force, "; expected one of them"));
  } else if (!has_table && !section.Intended(words.force)) {
    section.AddError("drive", Text("lacks the key \"", words.force, "\" or \"table\""));
  }
  if (section.Given(words.largest)) {
    section.AddError(words.largest, Text("has no effect with drive = ", NameOf(joint.drive)));
  }
}

void CheckMotor(Section& section, const JointWords& words, const JointValues& values,
                const Joint& joint) {
  const auto needs = [&](bool is_set, const char* key, JointDrive drive) {
    if (!is_set || joint.drive == drive) return;
    section.AddError(key, Text("has no effect without drive = ", NameOf(drive)));
  };
  needs(values.speed.has_value(), words.speed, JointDrive::kToSpeed);
  needs(values.position.has_value(), words.position, JointDrive::kToPosition);
  needs(std::isfinite(joint.largest_speed), words.largest_speed, JointDrive::kToPosition);
  const bool has_table = !values.table.IsEmpty();
  if (joint.drive == JointDrive::kNone) {
    for (const char* key : {words.largest, "table"}) {
      if (section.Given(key)) section.AddError(key, "has no effect without drive");
    }
    return;
  }
  if (!joint.HasLimitedMotor()) {
    CheckForceMotor(section, words, has_table, joint);
    return;
  }
  const bool is_speed = joint.drive == JointDrive::kToSpeed;
  const char* const key = is_speed ? words.speed : words.position;
  const bool has_value = is_speed ? values.speed.has_value() : values.position.has_value();
  if (has_value == has_table && !section.Intended(key)) {
    section.AddError("drive", Text("lacks the key \"", key, "\" or \"table\""));
  } else if (has_value && has_table) {
    section.AddError("table", Text("does not go with ", key, "; expected one of them"));
  }
  if (!(joint.largest > 0.0) && !section.Intended(words.largest)) {
    section.AddError("drive", Text("lacks the key \"", words.largest,
                                   "\": where the grains hold it more strongly, it stalls"));
  }
}

void CheckJoint(Section& section, const JointValues& values, Joint& joint) {
  if (joint.IsFree() && values.parent != kGroundName) {
    section.AddError("parent", Text("is ", values.parent, "; expected ground, as a joint of kind ",
                                    "free leaves its child no connection"));
  }
  if (joint.IsFixed() || joint.IsFree()) return;
  const JointWords& words = joint.Turns() ? kHingeWords : kSliderWords;
  TakeTable(section, values.table, joint);
  joint.target =
      (joint.drive == JointDrive::kToSpeed ? values.speed : values.position).value_or(0.0);
  if (joint.lower == 0.0 && joint.upper == 0.0) {
    section.AddError(words.lower, Text("and ", words.upper,
                                       " leave it no way; expected kind = fixed, or a way"));
  }
  if (joint.rest != 0.0 && !(joint.spring > 0.0) && !section.Intended(words.spring)) {
    section.AddError(words.rest, Text("has no effect without ", words.spring, "; expected both"));
  }
  CheckMotor(section, words, values, joint);
}

/// Finds the links of a joint or a loop.
/// @returns whether both are there
bool FindLinks(Section& section, const std::string& parent_name, const std::string& child_name,
               const Scene& scene, Index& parent, Index& child) {
  const std::vector<std::string> links = ListNames(scene.links);
  const auto found = section.FindNamed("child", "link", child_name, links);
  if (!found) return false;
  child = static_cast<Index>(*found);
  if (parent_name == kGroundName) return true;
  const auto of = section.FindNamed("parent", "link", parent_name, links);
  if (!of) return false;
  parent = static_cast<Index>(*of);
  return true;
}

/// Adds the joint, unless its child has one.
void AddJoint(Section& section, Joint joint, std::vector<Joint>& joints) {
  const auto other = std::ranges::find(joints, joint.child, &Joint::child);
  if (other == joints.end()) {
    joints.push_back(std::move(joint));
    return;
  }
  section.AddError("child", Text("has the joint [joint.", other->name,
                                 "] already; expected one joint for each link, as links form "
                                 "trees"));
}

/// Moves the joints of parents to the front. The joints that remain in `joints` form a loop.
std::vector<Joint> TakeParentsFirst(std::vector<Joint>& joints, std::size_t links) {
  std::vector<Joint> ordered;
  std::vector<bool> is_placed(links);
  for (bool grows = true; grows;) {
    grows = false;
    for (auto joint = joints.begin(); joint != joints.end();) {
      const bool can_be =
          joint->parent == Joint::kGround || is_placed[static_cast<std::size_t>(joint->parent)];
      if (!can_be) {
        ++joint;
        continue;
      }
      is_placed[static_cast<std::size_t>(joint->child)] = true;
      ordered.push_back(std::move(*joint));
      joint = joints.erase(joint);
      grows = true;
    }
  }
  return ordered;
}

// ---- gears

/// A joint with the key mimic, whose leader may be in a later section.
struct Gear {
  std::string joint;
  JointValues values;
};

/// The ratio of a gear to a leader of the same kind, or of a slider to a hinge.
/// @returns 0 after an error
double RatioOf(Section& section, const JointValues& values, const Joint& joint,
               const Joint& leader) {
  const bool has_lead = !joint.Turns() && leader.Turns();
  if (joint.Turns() && !leader.Turns()) {
    section.AddError("mimic", Text("is ", leader.name,
                                   ", a slider; expected a hinge, or mimic and "
                                   "lead in the section of the slider"));
    return 0.0;
  }
  const auto& given = has_lead ? values.lead : values.ratio;
  const char *const key = has_lead ? "lead" : "ratio", *const other = has_lead ? "ratio" : "lead";
  if ((has_lead ? values.ratio : values.lead).has_value()) {
    section.AddError(other, Text("does not go with a ", NameOf(joint.kind), " and a ",
                                 NameOf(leader.kind), "; expected ", key));
  } else if (!given && !section.Intended(key)) {
    section.AddError("mimic", Text("lacks the key \"", key, "\""));
  } else if (given == 0.0) {
    section.AddError(key, "is 0, which leaves it no way; expected kind = fixed, or not zero");
  } else if (given) {
    return *given;
  }
  return 0.0;
}

/// Whether two joints belong to different trees, one of which begins with a free joint.
bool AreApart(std::span<const Joint> joints, std::span<const std::size_t> tree_of, std::size_t one,
              std::size_t other) {
  if (tree_of[one] == tree_of[other]) return false;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].IsFree() && (tree_of[j] == tree_of[one] || tree_of[j] == tree_of[other])) {
      return true;
    }
  }
  return false;
}

/// Connects a joint to its leader.
/// @param tree_of  tree of each joint without gears
void ConnectGear(Section& section, const Gear& gear, std::span<const std::size_t> tree_of,
                 std::vector<Joint>& joints) {
  const auto found = section.FindNamed("mimic", "joint", gear.values.mimic, ListNames(joints));
  if (!found) return;
  const Joint& leader = joints[*found];
  Joint& joint = *std::ranges::find(joints, gear.joint, &Joint::name);
  if (leader.IsFixed() || leader.IsFree()) {
    section.AddError("mimic", Text("is ", leader.name, ", a joint of kind ", NameOf(leader.kind),
                                   "; expected a hinge or a slider"));
    return;
  }
  if (AreApart(joints, tree_of, static_cast<std::size_t>(&joint - joints.data()), *found)) {
    section.AddError("mimic", Text("is ", leader.name,
                                   ", which a joint of kind free separates "
                                   "from this one; expected a joint of the same free body"));
    return;
  }
  const double ratio = RatioOf(section, gear.values, joint, leader);
  if (ratio == 0.0) return;
  joint.geared_to = static_cast<Index>(*found);
  joint.ratio = ratio;
  const Joint* next = &leader;
  for (; next->HasGear() && next != &joint;)
    next = &joints[static_cast<std::size_t>(next->geared_to)];
  if (next != &joint) return;
  joint.geared_to = -1;
  section.AddError("mimic", Text("is ", leader.name,
                                 ", which follows this joint itself; expected "
                                 "gears that do not go round in a circle"));
}

void ConnectGears(const Settings& settings, ErrorList& errors, std::span<const Gear> gears,
                  std::vector<Joint>& joints) {
  const std::vector<std::size_t> tree_of = TreesOfJoints(joints, {});
  for (const Gear& gear : gears) {
    Section section("joint." + gear.joint, settings, errors);
    ConnectGear(section, gear, tree_of, joints);
  }
}

// ---- loops

struct LoopValues {
  std::string parent, child;
};

KeyRows LoopRows(LoopHinge& hinge, LoopValues& values) {
  return {
      {{"parent", "one of the two links, or ground", Default{kGroundName}, Stays()}, values.parent},
      {{"child", "the other link", InWords("a name"), Stays()}, values.child},
      {{"point", "of the axis, at time zero", kLength, Stays()}, hinge.point},
      {{"axis", "about which they turn, at time zero", Kind::kDirection, InWords("not zero"),
        Stays()},
       hinge.axis}};
}

/// @pre all links have joints
void ReadLoops(const Settings& settings, ErrorList& errors, Scene& scene) {
  const std::vector<std::size_t> tree_of = TreesOfJoints(scene.joints, {});
  const auto joint_of = [&](Index link) {
    return static_cast<std::size_t>(std::ranges::find(scene.joints, link, &Joint::child) -
                                    scene.joints.begin());
  };
  for (const std::string& of : settings.Sections("loop")) {
    Section section(of, settings, errors);
    LoopHinge hinge;
    LoopValues values;
    hinge.name = NameInSection(of);
    section.Keys(LoopRows(hinge, values));
    if (!FindLinks(section, values.parent, values.child, scene, hinge.parent, hinge.child)) {
      continue;
    }
    if (hinge.parent == hinge.child) {
      section.AddError("child", "is the parent; expected two links");
    } else if (hinge.parent != Joint::kGround &&
               AreApart(scene.joints, tree_of, joint_of(hinge.child), joint_of(hinge.parent))) {
      section.AddError("child", Text("is ", values.child,
                                     ", which a joint of kind free separates "
                                     "from ",
                                     values.parent,
                                     "; expected links of the same free "
                                     "body"));
    } else {
      scene.loop_hinges.push_back(hinge);
    }
  }
}

/// Loops leave each tree a motion.
void CheckLoops(const Settings& settings, ErrorList& errors, const Scene& scene) {
  const std::vector<std::size_t> tree_of = TreesOfJoints(scene.joints, scene.loop_hinges);
  const std::vector<std::size_t> freedoms = FreedomsOfTrees(scene);
  for (const LoopHinge& hinge : scene.loop_hinges) {
    const auto joint = std::ranges::find(scene.joints, hinge.child, &Joint::child);
    if (freedoms[tree_of[static_cast<std::size_t>(joint - scene.joints.begin())]] > 0) continue;
    Section("loop." + hinge.name, settings, errors)
        .AddError("axis",
                  "and the other joints leave the links no motion; expected fewer joints, "
                  "or axes that are parallel in a plane mechanism");
    return;
  }
}

void WriteLoops(Scene& scene, IniEntries& written) {
  for (LoopHinge& hinge : scene.loop_hinges) {
    LoopValues values;
    values.child = scene.links[static_cast<std::size_t>(hinge.child)].name;
    values.parent = hinge.parent == Joint::kGround
                        ? kGroundName
                        : scene.links[static_cast<std::size_t>(hinge.parent)].name;
    Section("loop." + hinge.name, written).Keys(LoopRows(hinge, values));
  }
}

/// What must hold of all trees together.
void CheckTrees(const Settings& settings, ErrorList& errors, const Scene& scene) {
  const std::vector<std::size_t> trees = TreesOfJoints(scene.joints, scene.loop_hinges);
  std::vector<std::size_t> tree_of(scene.links.size(), 0), axes(scene.joints.size()),
      walls(scene.joints.size());
  std::vector<bool> has_joint(scene.links.size());
  for (std::size_t j = 0; j < trees.size(); ++j) {
    const Joint& joint = scene.joints[j];
    const auto child = static_cast<std::size_t>(joint.child);
    has_joint[child] = true;
    tree_of[child] = trees[j];
    axes[trees[j]] += joint.IsFixed() ? 0 : joint.IsFree() ? 6 : 1;
  }
  for (const Wall& wall : scene.walls) {
    const auto link = static_cast<std::size_t>(wall.link);
    if (wall.IsPartOfLink() && has_joint[link]) ++walls[tree_of[link]];
  }
  for (std::size_t l = 0; l < scene.links.size(); ++l) {
    Section section("link." + scene.links[l].name, settings, errors);
    if (!has_joint[l]) {
      section.AddError("walls",
                       Text("stay in mid-air: no [joint] has child = ", scene.links[l].name));
    } else if (axes[tree_of[l]] > kMaxAxes) {
      section.AddError("walls", Text("are moved by ", axes[tree_of[l]],
                                     " joints of one tree, of which a free one counts as 6; "
                                     "expected at most ",
                                     kMaxAxes));
    }
  }
  for (const Joint& joint : scene.joints) {
    const std::size_t tree = tree_of[static_cast<std::size_t>(joint.child)];
    if (joint.parent != Joint::kGround || walls[tree] > 0) continue;
    Section("joint." + joint.name, settings, errors)
        .AddError("child", "and all that it carries have no wall; expected one at least");
  }
}

void ReadJoints(const Settings& settings, ErrorList& errors, Scene& scene) {
  std::vector<Joint> joints;
  std::vector<Gear> gears;
  bool are_complete = true;
  for (const std::string& of : settings.Sections("joint")) {
    Section section(of, settings, errors);
    Joint joint;
    JointValues values;
    joint.name = NameInSection(of);
    JointKeys(section, joint, values);
    CheckJoint(section, values, joint);
    if (!values.mimic.empty()) {
      gears.push_back({joint.name, values});
    } else {
      for (const char* key : {"ratio", "lead"}) {
        if (section.Given(key)) section.AddError(key, "has no effect without mimic");
      }
    }
    const bool has_links =
        FindLinks(section, values.parent, values.child, scene, joint.parent, joint.child);
    are_complete = are_complete && has_links;
    if (has_links) AddJoint(section, std::move(joint), joints);
  }
  scene.joints = TakeParentsFirst(joints, scene.links.size());
  if (!are_complete) return;
  for (const Joint& joint : joints) {
    Section("joint." + joint.name, settings, errors)
        .AddError("parent", Text("is ", scene.links[static_cast<std::size_t>(joint.parent)].name,
                                 ", which no joint connects to the ground: the links go round in a "
                                 "loop; expected trees that begin at the ground"));
  }
  if (!joints.empty()) return;
  if (scene.joints.size() == scene.links.size()) {
    ConnectGears(settings, errors, gears, scene.joints);
    ReadLoops(settings, errors, scene);
  }
  CheckTrees(settings, errors, scene);
  if (errors.Empty()) CheckLoops(settings, errors, scene);
}

void WriteJoints(Scene& scene, IniEntries& written) {
  for (Joint& joint : scene.joints) {
    JointValues values;
    values.child = scene.links[static_cast<std::size_t>(joint.child)].name;
    values.parent = joint.parent == Joint::kGround
                        ? kGroundName
                        : scene.links[static_cast<std::size_t>(joint.parent)].name;
    if (joint.table.IsEmpty()) {
      if (joint.drive == JointDrive::kToSpeed) values.speed = joint.target;
      if (joint.drive == JointDrive::kToPosition) values.position = joint.target;
    }
    values.table =
        joint.forces.IsEmpty()
            ? TableOf(joint.table)
            : TableOf(joint.forces, ForceColumns(joint.Turns() ? kHingeWords : kSliderWords));
    if (joint.HasGear()) {
      const Joint& leader = scene.joints[static_cast<std::size_t>(joint.geared_to)];
      values.mimic = leader.name;
      (joint.kind == leader.kind ? values.ratio : values.lead) = joint.ratio;
    }
    Section section("joint." + joint.name, written);
    JointKeys(section, joint, values);
  }
}

KeySpecs LoopSpecs() {
  LoopHinge hinge;
  LoopValues values;
  return SpecsOf(LoopRows(hinge, values));
}

KeySpecs LinkSpecs() {
  Link link;
  LinkValues values;
  return SpecsOf(LinkRows(link, values));
}

}  // namespace

KeyGroup LinkKeys() {
  const KeySpecs joint_specs = ListedKeys([](Section& section) {
    Joint joint;
    JointValues values;
    JointKeys(section, joint, values);
  });
  return {{{"link", "link.NAME", 1, 1,
            "A rigid body made of walls, which a joint connects to another link or to the ground",
            Stays(), LinkSpecs()},
           {"joint", "joint.NAME", 1, 1,
            "How a link moves against another one or the ground: about an axis, along it, freely "
            "or not",
            DuringRun(), joint_specs},
           {"loop", "loop.NAME", 1, 1,
            "A hinge between two links, further to their joints, that closes a loop of links",
            Stays(), LoopSpecs()}},
          [](const Settings& settings, ErrorList& errors, RunConfig& run) {
            ReadLinks(settings, errors, run.scene);
            ReadJoints(settings, errors, run.scene);
          },
          [](RunConfig& run, IniEntries& written) {
            WriteLinks(run.scene, written);
            WriteJoints(run.scene, written);
            WriteLoops(run.scene, written);
          }};
}

}  // namespace scree

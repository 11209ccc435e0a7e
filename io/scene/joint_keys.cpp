// [joint.NAME]
#include <algorithm>
#include <cmath>

#include "io/scene/key_groups.hpp"
#include "io/scene/link_names.hpp"
#include "io/scene/table_columns.hpp"

namespace scree {
namespace {

/// Values of a joint's section that are not stored directly in a Joint.
struct JointValues {
  std::string parent, child;
  std::optional<double> speed, position;  // targets of the motor
  Table table;
  std::string mimic;                  // name of the leader, to which gears connect this joint
  std::optional<double> ratio, lead;  // of the gears
};

/// Names and dimensions of the keys of a kind of joint. `columns` and `force_column` are the
/// columns of the motor's table.
struct JointWords {
  const char *lower, *upper, *force, *spring, *rest, *damping, *friction, *largest, *speed,
      *position, *largest_speed, *columns, *force_column;
  JointDrive force_drive;
  Dimension position_dimension, speed_dimension, force_dimension, spring_dimension,
      damping_dimension;
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
                                    kAngle,
                                    kAngularRate,
                                    kTorque,
                                    kTorsionStiffness,
                                    kTorsionDamping,
                                    "0 N m",
                                    "0 N m/rad",
                                    "0 N m s/rad",
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

KeySpec AxisKey() {
  return {"axis",
          "axis along or about which the child moves, at time zero; planar: normal of the plane",
          Kind::kDirection, InWords("not zero"), LinkPlacementRule()};
}
KeySpec PointKey() {
  return {"point", "point on the axis of a hinge, or centre of a ball joint, at time zero", kLength,
          LinkPlacementRule()};
}

KeyRows MovingRows(Joint& joint, JointValues& values, const JointWords& words) {
  const Range until_zero{"<= 0; none if not given", -std::numeric_limits<double>::infinity(), false,
                         0.0};
  return {
      {AxisKey(), joint.axis},
      {{words.lower, "smallest position of the joint", words.position_dimension, until_zero,
        kOptional, LinkPlacementRule()},
       joint.lower},
      {{words.upper, "largest position of the joint", words.position_dimension,
        NotNegative("; none if not given"), kOptional, LinkPlacementRule()},
       joint.upper},
      {{words.force, "prescribed load on the child; the opposite load acts on the parent",
        words.force_dimension, Default{words.zero_force}},
       joint.force},
      {{words.spring, "stiffness of a spring", words.spring_dimension, NotNegative(),
        Default{words.zero_spring}},
       joint.spring},
      {{words.rest, "position at which the spring exerts no load", words.position_dimension,
        Default{words.zero_position}},
       joint.rest},
      {{words.damping, "damping coefficient of the joint", words.damping_dimension, NotNegative(),
        Default{words.zero_damping}},
       joint.damping},
      {{words.friction, "maximum friction of the joint", words.force_dimension, NotNegative(),
        Default{words.zero_force}},
       joint.friction},
      {{"drive", "what the motor controls", Default{"none"}}, joint.drive},
      {{words.largest, "maximum load that the motor exerts", words.force_dimension, Positive(),
        kOptional},
       joint.largest},
      {{words.speed, "drive = speed: target of the motor", words.speed_dimension, kOptional},
       values.speed},
      {{words.position, "drive = position: target of the motor", words.position_dimension,
        kOptional},
       values.position},
      {{words.largest_speed, "drive = position: maximum speed of the motor", words.speed_dimension,
        Positive(), kOptional},
       joint.largest_speed},
      {{"table",
        Text("target of the motor as a function of time: FILE.csv, or its columns: time_s 0 0.1, "
             "..., with ",
             words.columns, ", or for drive = ", words.force_column, " with ", words.force_column),
        kOptional, InWords("increasing times; linear between the rows")},
       values.table}};
}

KeyRows GearRows(JointValues& values, bool is_hinge) {
  const KeyRows rows = {
      {{"mimic", "the joint to which gears connect this joint", kOptional, InWords("a name"),
        LinkPlacementRule()},
       values.mimic},
      {{"ratio",
        "position of this joint divided by that of the joint mimic; both have the same kind",
        kPlain, kOptional, InWords("not zero; < 0: in the opposite sense"), LinkPlacementRule()},
       values.ratio}};
  if (is_hinge) return rows;
  return rows + KeyRows{{{"lead",
                          "instead of ratio if the joint mimic is a hinge: travel per revolution "
                          "of the hinge, such as that of a screw or a rack",
                          kLength, kOptional, InWords("not zero"), LinkPlacementRule()},
                         values.lead}};
}

/// Rows of a joint that is neither a hinge nor a slider.
KeyRows RowsOfOtherKinds(Joint& joint) {
  if (joint.kind == JointKind::kPlanar) return {{AxisKey(), joint.axis}};
  if (joint.kind != JointKind::kBall) return {};
  return {{PointKey(), joint.point},
          {{kHingeWords.damping, "damping coefficient of the joint", kHingeWords.damping_dimension,
            NotNegative(), Default{kHingeWords.zero_damping}},
           joint.damping}};
}

KeyRows RowsOfKind(Joint& joint, JointValues& values) {
  if (!joint.HasOneAxis()) return RowsOfOtherKinds(joint);
  const KeyRows gears = GearRows(values, joint.IsHinge());
  if (!joint.IsHinge()) return MovingRows(joint, values, kSliderWords) + gears;
  return KeyRows{{PointKey(), joint.point}} + MovingRows(joint, values, kHingeWords) + gears;
}

const KindKeys& JointKinds() {
  static const KindKeys kinds = [] {
    std::vector<std::pair<std::string, KeySpecs>> all;
    for (std::size_t k = 0; k < NamesOf(JointKind{}).size(); ++k) {
      Joint joint;
      JointValues values;
      joint.kind = static_cast<JointKind>(k);
      all.emplace_back(NameOf(joint.kind), SpecsOf(RowsOfKind(joint, values)));
    }
    return KindKeys({"kind", "how the child moves relative to the parent", LinkPlacementRule()},
                    std::move(all));
  }();
  return kinds;
}

void VisitJointKeys(Section& section, Joint& joint, JointValues& values) {
  section.VisitKeys(
      {{{"parent", "the link that carries the joint, or ground", Default{kGroundName},
         LinkPlacementRule()},
        values.parent},
       {{"child", "the link that the joint moves", InWords("a name"), LinkPlacementRule()},
        values.child}});
  const auto current_kind = static_cast<std::size_t>(joint.kind);
  const auto kind = section.VisitKind(JointKinds(), current_kind, "a joint of kind");
  if (!kind) return;
  joint.kind = static_cast<JointKind>(*kind);
  section.VisitKeys(RowsOfKind(joint, values));
}

VectorColumns ForceColumns(const JointWords& words) {
  return {"time", kTime, words.force_dimension, {words.force_column}};
}

void SetTable(Section& section, const Table& columns, Joint& joint) {
  if (columns.IsEmpty()) return;
  const JointWords& words = joint.IsHinge() ? kHingeWords : kSliderWords;
  try {
    if (joint.drive == words.force_drive) {
      joint.forces = VectorsOf(columns, ForceColumns(words));
      return;
    }
    joint.table = MotionOf(columns);
  } catch (const InputError& error) {
    section.AddError("table", error.what());
    return;
  }
  const auto max_rates = joint.table.MaxRates();
  const bool has_other_motion =
      joint.table.HasOrientation() ||
      (joint.IsHinge() ? joint.table.IsMoving() : joint.table.HasRotation());
  const bool moves_across = !joint.IsHinge() && (max_rates[1] != 0.0 || max_rates[2] != 0.0);
  if (!has_other_motion && !moves_across) return;
  section.AddError("table", Text("has other columns than time and ", words.columns));
}

/// Checks a motor with drive = force or torque: it needs a constant value or a table, and has no
/// maximum.
void CheckForceMotor(Section& section, const JointWords& words, bool has_table,
                     const Joint& joint) {
  if (joint.drive != words.force_drive) {
    section.AddError("drive", Text("is ", NameOf(joint.drive), ", which is not for a ",
                                   NameOf(joint.kind), "; expected ", NameOf(words.force_drive)));
    return;
  }
  if (joint.force != 0.0 && has_table) {
    section.AddError("table",
                     Text("cannot be combined with ", words.force, "; expected one of them"));
  } else if (!has_table && !section.IsIntended(words.force)) {
    section.AddError("drive", Text("lacks the key \"", words.force, "\" or \"table\""));
  }
  if (section.IsGiven(words.largest)) {
    section.AddError(words.largest, Text("has no effect with drive = ", NameOf(joint.drive)));
  }
}

void CheckMotor(Section& section, const JointWords& words, const JointValues& values,
                const Joint& joint) {
  const auto require_drive = [&](bool is_set, const char* key, JointDrive drive) {
    if (!is_set || joint.drive == drive) return;
    section.AddError(key, Text("has no effect without drive = ", NameOf(drive)));
  };
  require_drive(values.speed.has_value(), words.speed, JointDrive::kToSpeed);
  require_drive(values.position.has_value(), words.position, JointDrive::kToPosition);
  require_drive(std::isfinite(joint.largest_speed), words.largest_speed, JointDrive::kToPosition);
  const bool has_table = !values.table.IsEmpty();
  if (joint.drive == JointDrive::kNone) {
    for (const char* key : {words.largest, "table"}) {
      if (section.IsGiven(key)) section.AddError(key, "has no effect without drive");
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
  if (has_value == has_table && !section.IsIntended(key)) {
    section.AddError("drive", Text("lacks the key \"", key, "\" or \"table\""));
  } else if (has_value && has_table) {
    section.AddError("table", Text("cannot be combined with ", key, "; expected one of them"));
  }
  if (!(joint.largest > 0.0) && !section.IsIntended(words.largest)) {
    section.AddError("drive",
                     Text("lacks the key \"", words.largest, "\", at which the motor stalls"));
  }
}

void CheckJoint(Section& section, const JointValues& values, Joint& joint) {
  if (joint.IsFree() && values.parent != kGroundName) {
    section.AddError("parent", Text("is ", values.parent, "; expected ground, because a joint of ",
                                    "kind free does not connect its child"));
  }
  if (!joint.HasOneAxis()) return;
  const JointWords& words = joint.IsHinge() ? kHingeWords : kSliderWords;
  SetTable(section, values.table, joint);
  joint.target =
      (joint.drive == JointDrive::kToSpeed ? values.speed : values.position).value_or(0.0);
  if (joint.lower == 0.0 && joint.upper == 0.0) {
    section.AddError(words.lower,
                     Text("is 0 like ", words.upper,
                          ", which leaves the joint no motion; expected kind = fixed, or a range"));
  }
  if (joint.rest != 0.0 && !(joint.spring > 0.0) && !section.IsIntended(words.spring)) {
    section.AddError(words.rest, Text("has no effect without ", words.spring, "; expected both"));
  }
  CheckMotor(section, words, values, joint);
}

/// Adds the joint, unless another joint has the same child.
void AddJoint(Section& section, Joint joint, std::vector<Joint>& joints) {
  const auto existing = std::ranges::find(joints, joint.child, &Joint::child);
  if (existing == joints.end()) {
    joints.push_back(std::move(joint));
    return;
  }
  section.AddError("child", Text("has the joint [joint.", existing->name,
                                 "] already; expected one joint for each link, as links form "
                                 "trees"));
}

/// Removes joints from `joints` and returns them in an order in which the joint that moves a link
/// comes before the joints that this link carries. Joints that remain in `joints` form a loop.
std::vector<Joint> TakeParentsFirst(std::vector<Joint>& joints, std::size_t links) {
  std::vector<Joint> ordered;
  std::vector<bool> is_placed(links);
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (auto joint = joints.begin(); joint != joints.end();) {
      const bool has_parent =
          joint->parent == Joint::kGround || is_placed[static_cast<std::size_t>(joint->parent)];
      if (!has_parent) {
        ++joint;
        continue;
      }
      is_placed[static_cast<std::size_t>(joint->child)] = true;
      ordered.push_back(std::move(*joint));
      joint = joints.erase(joint);
      has_moved = true;
    }
  }
  return ordered;
}

// ---- gears

/// A joint with the key mimic, whose leader may be in a later section.
struct Gear {
  std::string joint;  // name
  JointValues values;
};

/// The ratio of a gear: between joints of the same kind, or from a hinge to a slider.
/// @returns 0 after an error
double RatioOf(Section& section, const JointValues& values, const Joint& joint,
               const Joint& leader) {
  const bool has_lead = !joint.IsHinge() && leader.IsHinge();
  if (joint.IsHinge() && !leader.IsHinge()) {
    section.AddError("mimic", Text("is ", leader.name,
                                   ", a slider; expected a hinge, or mimic and "
                                   "lead in the section of the slider"));
    return 0.0;
  }
  const auto& value = has_lead ? values.lead : values.ratio;
  const char *const key = has_lead ? "lead" : "ratio", *const other_key =
                                                           has_lead ? "ratio" : "lead";
  if ((has_lead ? values.ratio : values.lead).has_value()) {
    section.AddError(other_key, Text("cannot be combined with a ", NameOf(joint.kind), " and a ",
                                     NameOf(leader.kind), "; expected ", key));
  } else if (!value && !section.IsIntended(key)) {
    section.AddError("mimic", Text("lacks the key \"", key, "\""));
  } else if (value == 0.0) {
    section.AddError(key,
                     "is 0, which leaves the joint no motion; expected kind = fixed, or not zero");
  } else if (value) {
    return *value;
  }
  return 0.0;
}

/// Connects a joint to its leader.
void ConnectGear(Section& section, const Gear& gear, std::vector<Joint>& joints) {
  const auto leader_row = section.FindNamed("mimic", "joint", gear.values.mimic, ListNames(joints));
  if (!leader_row) return;
  const Joint& leader = joints[*leader_row];
  Joint& joint = *std::ranges::find(joints, gear.joint, &Joint::name);
  if (!leader.HasOneAxis()) {
    section.AddError("mimic", Text("is ", leader.name, ", a joint of kind ", NameOf(leader.kind),
                                   "; expected a hinge or a slider"));
    return;
  }
  const double ratio = RatioOf(section, gear.values, joint, leader);
  if (ratio == 0.0) return;
  joint.geared_to = static_cast<Index>(*leader_row);
  joint.ratio = ratio;
  const Joint* next = &leader;
  for (; next->HasGear() && next != &joint;)
    next = &joints[static_cast<std::size_t>(next->geared_to)];
  if (next != &joint) return;
  joint.geared_to = -1;
  section.AddError("mimic", Text("is ", leader.name,
                                 ", which follows this joint itself; expected "
                                 "gears without a cycle"));
}

void ConnectGears(const Settings& settings, ErrorList& errors, std::span<const Gear> gears,
                  std::vector<Joint>& joints) {
  for (const Gear& gear : gears) {
    Section section("joint." + gear.joint, settings, errors);
    ConnectGear(section, gear, joints);
  }
}

void ReadJoints(const Settings& settings, ErrorList& errors, Scene& scene) {
  std::vector<Joint> joints;
  std::vector<Gear> gears;
  bool are_complete = true;
  for (const std::string& section_name : settings.Sections("joint")) {
    Section section(section_name, settings, errors);
    Joint joint;
    JointValues values;
    joint.name = NameInSection(section_name);
    VisitJointKeys(section, joint, values);
    CheckJoint(section, values, joint);
    if (!values.mimic.empty()) {
      gears.push_back({joint.name, values});
    } else {
      for (const char* key : {"ratio", "lead"}) {
        if (section.IsGiven(key)) section.AddError(key, "has no effect without mimic");
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
  if (scene.joints.size() == scene.links.size()) {
    ConnectGears(settings, errors, gears, scene.joints);
  }
}

void WriteJoints(Scene& scene, IniEntries& entries) {
  for (Joint& joint : scene.joints) {
    JointValues values;
    values.child = LinkName(scene, joint.child);
    values.parent = LinkName(scene, joint.parent);
    if (joint.table.IsEmpty()) {
      if (joint.drive == JointDrive::kToSpeed) values.speed = joint.target;
      if (joint.drive == JointDrive::kToPosition) values.position = joint.target;
    }
    values.table =
        joint.forces.IsEmpty()
            ? TableOf(joint.table)
            : TableOf(joint.forces, ForceColumns(joint.IsHinge() ? kHingeWords : kSliderWords));
    if (joint.HasGear()) {
      const Joint& leader = scene.joints[static_cast<std::size_t>(joint.geared_to)];
      values.mimic = leader.name;
      (joint.kind == leader.kind ? values.ratio : values.lead) = joint.ratio;
    }
    Section section("joint." + joint.name, entries);
    VisitJointKeys(section, joint, values);
  }
}

}  // namespace

KeyGroup JointKeys() {
  const KeySpecs specs = ListedKeys([](Section& section) {
    Joint joint;
    JointValues values;
    VisitJointKeys(section, joint, values);
  });
  return {{{"joint", "joint.NAME", 1, 1,
            "How a link moves relative to another link or to the ground: about an axis, along an "
            "axis, freely, or not at all",
            DuringRun(), specs}},
          [](const Settings& settings, ErrorList& errors, RunConfig& run) {
            ReadJoints(settings, errors, run.scene);
          },
          [](RunConfig& run, IniEntries& entries) { WriteJoints(run.scene, entries); }};
}

}  // namespace scree

// Keys of the motion of a [wall.NAME], and of [motion.NAME].
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "io/scene/key_groups.hpp"
#include "io/scene/key_parts.hpp"
#include "io/scene/table_columns.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

// ---- prescribed motions

ChangeRule MotionRule() {
  return Never(
      "the wall's position depends on its motions since the start; give another [motion.NAME] from "
      "then on");
}

KeySpec VelocityKey() {
  return {"velocity", "prescribed velocity", kSpeed, Default{"0 0 0 m/s"}, MotionRule()};
}
KeySpec AngularVelocityKey() {
  return {"angular_velocity", "rotation about centre", kAngularRate, Default{"0 0 0 rad/s"},
          MotionRule()};
}
KeyRows OscillationRows(Oscillation& oscillation) {
  return {{{"amplitude",
            "A of an oscillation A (sin(2 pi f t + phase) - sin(phase)), added to the motion by "
            "velocity",
            kLength, Default{"0 0 0 m"}, MotionRule()},
           oscillation.amplitude},
          {{"frequency", "f of the oscillation", kFrequency, NotNegative(), Default{"0 Hz"},
            MotionRule()},
           oscillation.frequency},
          {{"phase", "phase of the oscillation", kAngle, Default{"0 rad"}, MotionRule()},
           oscillation.phase}};
}

KeyRows PrescribedRows(Wall& wall) {
  return KeyRows{{VelocityKey(), wall.velocity}} + OscillationRows(wall.oscillation) +
         KeyRows{
             {AngularVelocityKey(), wall.rotation.angular_velocity},
             {{"centre",
               "point on the rotation axis, and reference point of the torque; if a table of "
               "orientations moves a mesh, the default is the offset of the mesh",
               kLength, Default{"0 0 0 m"}, MotionRule()},
              wall.rotation.centre},
             {{"surface_velocity",
               "of a belt: velocity of the surface along itself, while the shape does not move; "
               "rotates with the wall",
               kSpeed, Default{"0 0 0 m/s"}},
              wall.surface_velocity},
             {BeginKey("moves_from",
                       "time at which the prescribed motions begin; times of the table count from "
                       "this time"),
              wall.moves_from},
             {EndKey("moves_until",
                     "time at which the prescribed motions end; the wall stops where it is",
                     "> moves_from, whole steps; no end if not given"),
              wall.moves_until},
             {{"axis",
               "rotation axis of the angles of a table, or axis along or about which a free wall "
               "moves",
               Kind::kDirection, kOptional, InWords("not zero"), MotionRule()},
              wall.axis},
             {BeginKey("appears_at", "time at which the wall appears"), wall.appears_at},
             {EndKey("removed_at", "time at which the wall vanishes",
                     "> 0 and appears_at, whole steps; never if not given"),
              wall.removed_at},
         };
}

KeyRows TableRows(Table& motion, bool& repeats) {
  return {{{"motion",
            "a table FILE.csv, or its columns: time_s 0 0.1 0.3, z_mm 0 -1 -1; columns x y z or vx "
            "vy vz of the centre, and angle or rate about the axis, or the orientation: qw qx qy "
            "qz (unit quaternion), or roll pitch yaw (about the fixed axes x, then y, then z); "
            "each with its unit",
            kOptional,
            InWords("increasing times; between the rows linear, rotations at a constant rate and "
                    "by less than half a turn"),
            MotionRule()},
           motion},
          KeyRow({"motion_repeats",
                  "repeat the table after its last row, from the wall's position at that time",
                  Default{"no"}, MotionRule()},
                 repeats)
              .OnlyIf(!motion.IsEmpty())};
}

void VisitTableKey(Section& section, MotionTable& table) {
  Table motion = TableOf(table);
  bool repeats = table.IsRepeating();
  section.VisitKeys(TableRows(motion, repeats));
  if (!section.IsRead()) return;
  if (repeats && motion.IsEmpty()) {
    section.AddError("motion_repeats", "has no effect without motion");
  }
  if (motion.IsEmpty()) return;
  try {
    table = MotionOf(motion);
    if (repeats) table.Repeat();
  } catch (const InputError& error) {
    section.AddError("motion", error.what());
  }
}

/// Amplitude and frequency require each other. Either may be zero, because a study may include the
/// case without shaking.
void CheckOscillation(Section& section, const Oscillation& oscillation) {
  const auto require_other = [&](const char* key, bool is_zero, const std::string& other) {
    if (is_zero || section.IsGiven(other)) return;
    section.AddError(key, "is an oscillation without " + other + "; expected both or none");
  };
  require_other("frequency", oscillation.frequency == 0.0, "amplitude");
  require_other("amplitude", oscillation.amplitude.isZero(0.0), "frequency");
}

/// Whether a motion is given, even if it is zero, because a study may include the case without
/// motion.
bool HasMotion(const Section& section) {
  constexpr std::array kMotions = {"velocity",         "amplitude",        "frequency",
                                   "angular_velocity", "surface_velocity", "motion"};
  return std::ranges::any_of(kMotions, [&](const char* key) { return section.IsGiven(key); });
}

// ---- free walls

KeySpec WallMassKey() { return {"mass", "mass of a free wall", kMass, Positive()}; }
KeyRow FreeFromRow(FreeMotion& free) {
  return {BeginKey("free_from", "time at which the wall becomes free"), free.start};
}

KeyRows AlongRows(FreeMotion& free) {
  return {
      FreeFromRow(free),
      {WallMassKey(), free.mass},
      {{"force", "free along: external force along the axis", kForce, Default{"0 N"}}, free.force},
      {{"pressure",
        "free along: pressure that the drive maintains on the grains, directed along the axis; the "
        "weight of the wall and the forces of a rotating [frame] then do not act on it",
        kPressure, Default{"0 Pa"}},
       free.pressure},
      {{"area", "free along: area on which the pressure acts", kArea, Positive(), kOptional},
       free.area},
      {{"spring", "free along: stiffness of a spring", kStiffness, NotNegative(), Default{"0 N/m"}},
       free.spring},
      {{"spring_rest", "free along: displacement at which the spring exerts no force", kLength,
        Default{"0 m"}},
       free.spring_rest},
      {{"damping", "free along: damping force per speed", kDamping, NotNegative(),
        Default{"0 N s/m"}},
       free.damping}};
}

KeyRows AboutRows(FreeMotion& free) {
  KeySpec mass = WallMassKey();
  mass.if_missing = kOptional;
  return {FreeFromRow(free),
          {{"inertia", "free about: moment of inertia about the axis", kInertia, Positive()},
           free.inertia},
          {mass, free.mass},
          {{"centre_of_mass", "free about: centre of mass at time zero", kLength, kOptional,
            InWords("on the axis if not given")},
           free.centre_of_mass},
          {{"torque", "free about: external torque about the axis", kTorque, Default{"0 N m"}},
           free.torque},
          {{"torsion_spring", "free about: stiffness of a spring", kTorsionStiffness, NotNegative(),
            Default{"0 N m/rad"}},
           free.torsion_spring},
          {{"torsion_rest", "free about: angle at which the spring exerts no torque", kAngle,
            Default{"0 deg"}},
           free.torsion_rest},
          {{"torsion_damping", "free about: damping torque per angular velocity", kTorsionDamping,
            NotNegative(), Default{"0 N m s/rad"}},
           free.torsion_damping}};
}

KeyRows FreeRows(FreeMotion& free) {
  if (free.freedom == Freedom::kNone) return {};
  return free.IsRotation() ? AboutRows(free) : AlongRows(free);
}

const KindKeys& Freedoms() {
  static const KindKeys kinds({"free",
                               "along: forces move the wall along its axis; about: forces "
                               "rotate the wall about the axis through its centre",
                               Default{"no"}, MotionRule()},
                              {{NameOf(Freedom::kNone), {}},
                               {NameOf(Freedom::kAlong), SpecsOf(AlongRows)},
                               {NameOf(Freedom::kAbout), SpecsOf(AboutRows)}});
  return kinds;
}

/// Adds an error for a value that is set but has no effect without another key.
void RequireOtherKey(Section& section, bool is_set, const char* key, const char* other) {
  if (!is_set || section.IsIntended(other)) return;
  section.AddError(key, Text("has no effect without ", other, "; expected both"));
}

/// A motion must not prescribe the free displacement or rotation. A wall that is free along its
/// axis may have prescribed motions across the axis and a rotation about it.
void CheckFreedom(Section& section, const Wall& wall) {
  constexpr double kRounding = 1e-12;
  const bool is_rotation = wall.free.IsRotation();
  const auto is_free_motion = [&](const Vec3& x) {
    return !is_rotation && std::abs(x.dot(wall.axis)) > kRounding * x.norm();
  };
  const auto is_free_rotation = [&](const Vec3& rate) {
    return is_rotation ? !rate.isZero(0.0) : rate.cross(wall.axis).norm() > kRounding * rate.norm();
  };
  const std::string reason =
      is_rotation
          ? "cannot be prescribed with free = about; expected no prescribed rotation"
          : "has a component along the axis, along which forces move the wall (free = along); "
            "expected motions across the axis";
  if (is_free_motion(wall.velocity)) section.AddError("velocity", reason);
  if (is_free_motion(wall.oscillation.amplitude)) section.AddError("amplitude", reason);
  if (is_free_rotation(wall.rotation.angular_velocity)) {
    section.AddError(
        "angular_velocity",
        is_rotation ? reason : "is not along the axis of a wall that is free along it");
  }
  bool is_along = false;
  for (const double time : wall.table.Times())
    is_along = is_along || is_free_motion(wall.table.At(time).head<3>());
  if (is_along || (is_rotation && wall.table.HasRotation())) {
    section.AddError("motion", reason);
  } else if (wall.table.HasOrientation()) {
    section.AddError(
        "motion",
        "has orientations, which cannot be combined with free = along; expected angle or rate");
  }
}

void CheckForces(Section& section, const FreeMotion& free) {
  const auto require = [&](bool is_set, const char* key, const char* other) {
    RequireOtherKey(section, is_set, key, other);
  };
  require(free.pressure != 0.0, "pressure", "area");
  require(free.area > 0.0, "area", "pressure");
  require(free.spring_rest != 0.0, "spring_rest", "spring");
  require(free.torsion_rest != 0.0, "torsion_rest", "torsion_spring");
  if (!free.IsRotation()) return;
  require(free.mass > 0.0, "mass", "centre_of_mass");
  require(free.centre_of_mass.has_value(), "centre_of_mass", "mass");
}

void VisitFreedomKeys(Section& section, FreeMotion& free) {
  const auto current = static_cast<std::size_t>(free.freedom);
  const auto kind = section.VisitKind(Freedoms(), current, "a wall with free =");
  if (!kind) return;
  free.freedom = static_cast<Freedom>(*kind);
  section.VisitKeys(FreeRows(free));
  if (section.IsRead()) CheckForces(section, free);
}

void CheckAxis(Section& section, const Wall& wall) {
  const bool has_axis = section.IsGiven("axis");
  const bool needs_axis = wall.IsFree() || wall.table.HasAngle();
  if (needs_axis && !has_axis && !section.IsIntended("axis")) {
    section.AddError(wall.IsFree() ? "free" : "motion",
                     "lacks the key \"axis\" (direction along or about which the wall moves)");
  }
  if (has_axis && !needs_axis) {
    section.AddError("axis",
                     "has no effect; expected free = along or about, or a motion with angles");
  }
}

// ---- further motions

KeyRows MotionRows(TimedMotion& motion, std::string& walls) {
  return KeyRows{{{"wall", "walls that this motion moves, in addition to their own motions",
                   InWords("names, such as floor left right")},
                  walls},
                 {{"from", "time at which this motion begins", kTime, NotNegative(", whole steps"),
                   UntilReached()},
                  motion.from},
                 {EndKey("until", "time at which this motion ends; the walls stop where they are",
                         "> from, whole steps; no end if not given"),
                  motion.until},
                 {VelocityKey(), motion.velocity}} +
         OscillationRows(motion.oscillation) +
         KeyRows{{AngularVelocityKey(), motion.angular_velocity}};
}

/// Rotations about different axes cannot be added, so they must not overlap in time.
void CheckRotations(Section& section, const Wall& wall) {
  struct Rotation {
    double from, until;
    Vec3 axis;  // zero: the axis changes in time
  };
  std::vector<Rotation> rotations;
  if (!wall.rotation.angular_velocity.isZero(0.0)) {
    rotations.push_back({wall.moves_from, wall.moves_until, wall.rotation.angular_velocity});
  }
  if (wall.table.HasRotation()) {
    const Vec3 axis = wall.table.HasAngle() ? wall.axis : Vec3(Vec3::Zero());
    rotations.push_back({wall.moves_from, wall.moves_until, axis});
  }
  for (const TimedMotion& motion : wall.motions) {
    if (motion.angular_velocity.isZero(0.0)) continue;
    rotations.push_back({motion.from, motion.until, motion.angular_velocity});
  }
  for (std::size_t k = 1; k < rotations.size(); ++k) {
    for (std::size_t l = 0; l < k; ++l) {
      const bool is_simultaneous =
          rotations[k].from < rotations[l].until && rotations[l].from < rotations[k].until;
      const double across = rotations[k].axis.cross(rotations[l].axis).norm();
      const double max = rotations[k].axis.norm() * rotations[l].axis.norm();
      if (!is_simultaneous || (max > 0.0 && across <= 1e-12 * max)) continue;
      section.AddError("angular_velocity", Text("turns [wall.", wall.name,
                                                "] about another axis at the same time; "
                                                "expected one rotation after the other"));
      return;
    }
  }
}

void CheckMotion(Section& section, const TimedMotion& motion) {
  CheckOscillation(section, motion.oscillation);
  section.CheckSpan("until", motion.until, "from", motion.from);
  if (!HasMotion(section)) {
    section.AddError("wall",
                     "is not moved; expected a velocity, an amplitude or an angular_velocity");
  }
}

void AddMotion(Section& section, const TimedMotion& motion, Wall& wall) {
  wall.motions.insert(std::ranges::upper_bound(wall.motions, motion.from, {}, &TimedMotion::from),
                      motion);
  CheckRotations(section, wall);
  if (!wall.IsFree()) return;
  Wall moved = wall;
  moved.table = {};
  moved.velocity = motion.velocity;
  moved.oscillation = motion.oscillation;
  moved.rotation.angular_velocity = motion.angular_velocity;
  CheckFreedom(section, moved);
}

/// Adds each [motion.NAME] to the walls that it names.
void ReadMotions(const Settings& settings, ErrorList& errors, std::vector<Wall>& walls) {
  for (const std::string& section_name : settings.Sections("motion")) {
    Section section(section_name, settings, errors);
    TimedMotion motion;
    std::string names;
    section.VisitKeys(MotionRows(motion, names));
    motion.name = NameInSection(section_name);
    CheckMotion(section, motion);
    std::set<std::string> moved;
    for (const std::string& name : Words(names)) {
      const auto wall_row = section.FindNamed("wall", "wall", name, ListNames(walls));
      if (!wall_row) continue;
      if (!moved.insert(name).second) section.AddError("wall", Text("names ", name, " twice"));
      AddMotion(section, motion, walls[*wall_row]);
    }
  }
}

/// Writes the [motion.NAME] sections of all walls, each with the names of the walls that it moves.
void WriteMotions(std::vector<Wall>& walls, IniEntries& entries) {
  std::map<std::string, std::string> names;
  for (const Wall& wall : walls) {
    for (const TimedMotion& motion : wall.motions) {
      std::string& moved = names[motion.name];
      moved += (moved.empty() ? "" : " ") + wall.name;
    }
  }
  for (Wall& wall : walls) {
    for (TimedMotion& motion : wall.motions) {
      auto moved = names.extract(motion.name);
      if (moved)
        Section("motion." + motion.name, entries).VisitKeys(MotionRows(motion, moved.mapped()));
    }
  }
}

/// A table of poses moves the origin of a mesh, unless another centre is given.
void UseOriginOfMesh(const Section& section, Wall& wall) {
  if (!wall.table.HasOrientation() || section.IsGiven("centre")) return;
  if (wall.shape.parts.size() != 1) return;
  if (const auto* mesh = std::get_if<Mesh>(&wall.shape.parts[0])) {
    wall.rotation.centre = mesh->offset;
  }
}

void CheckWallMotion(Section& section, const Wall& wall) {
  CheckOscillation(section, wall.oscillation);
  section.CheckSpan("moves_until", wall.moves_until, "moves_from", wall.moves_from);
  section.CheckSpan("removed_at", wall.removed_at, "appears_at", wall.appears_at);
  const bool has_times = wall.moves_from > 0.0 || std::isfinite(wall.moves_until);
  if (has_times && !HasMotion(section)) {
    section.AddError(wall.moves_from > 0.0 ? "moves_from" : "moves_until",
                     "has no effect on a wall without velocity, amplitude, angular_velocity, "
                     "surface_velocity or motion");
  }
  CheckAxis(section, wall);
  if (wall.IsFree() && !wall.axis.isZero(0.0)) CheckFreedom(section, wall);
  CheckRotations(section, wall);
}

}  // namespace

void VisitWallMotionKeys(Section& section, Wall& wall) {
  section.VisitKeys(PrescribedRows(wall));
  VisitTableKey(section, wall.table);
  if (section.IsRead()) UseOriginOfMesh(section, wall);
  VisitFreedomKeys(section, wall.free);
  if (section.IsRead()) CheckWallMotion(section, wall);
}

KeyGroup MotionKeys() {
  TimedMotion empty_motion;
  std::string walls;
  return {
      {{"motion", "motion.NAME", 1, 1,
        "A further motion of walls for part of the time, after or in addition to their own motions",
        MotionRule(), SpecsOf(MotionRows(empty_motion, walls)), "from"}},
      [](const Settings& settings, ErrorList& errors, RunConfig& run) {
        ReadMotions(settings, errors, run.scene.walls);
      },
      [](RunConfig& run, IniEntries& entries) { WriteMotions(run.scene.walls, entries); }};
}

}  // namespace scree

// Keys of [wall.NAME] about its motion, and [motion.NAME].
#include "io/configuration/wall_motion_keys.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "io/configuration/key_groups.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

// ---- prescribed motions

ChangeRule Moves() {
  return Never(
      "where a wall is follows from its motions since the start; give another [motion.NAME] from "
      "then on");
}

const KeySpec kVelocity = {.key = "velocity",
                           .doc = "prescribed velocity",
                           .initial = "0 0 0 m/s",
                           .dimension = kSpeed,
                           .change = Moves()};
const KeySpec kSwing = {
    .key = "amplitude",
    .doc = "A of an oscillation A (sin(2 pi f t + phase) - sin(phase)), added to that",
    .initial = "0 0 0 m",
    .dimension = kLength,
    .change = Moves()};
const KeySpec kSwingFrequency = {.key = "frequency",
                                 .doc = "f of the oscillation",
                                 .initial = "0 Hz",
                                 .range = ">= 0",
                                 .dimension = kFrequency,
                                 .lower = 0.0,
                                 .change = Moves()};
const KeySpec kPhase = {
    .key = "phase", .doc = "of the oscillation", .initial = "0 rad", .change = Moves()};
const KeySpec kTurning = {.key = "angular_velocity",
                          .doc = "rotation about its centre",
                          .initial = "0 0 0 1/s",
                          .dimension = kFrequency,
                          .change = Moves()};
const KeySpec kSurfaceVelocity = {
    .key = "surface_velocity",
    .doc =
        "of a belt: velocity of the surface along itself, while its shape stays; turns with the "
        "wall",
    .initial = "0 0 0 m/s",
    .dimension = kSpeed};
const KeySpec kMovesFrom = {.key = "moves_from",
                            .doc =
                                "time at which these motions begin; that of the table counts "
                                "from there",
                            .initial = "0 s",
                            .range = ">= 0, whole steps",
                            .dimension = kTime,
                            .lower = 0.0,
                            .change = WhileAhead()};
const KeySpec kMovesUntil = {.key = "moves_until",
                             .doc = "time at which they end, where the wall then is",
                             .lacking = Lacking::kMeansNone,
                             .range = "> moves_from, whole steps; go on if not given",
                             .dimension = kTime,
                             .lower = 0.0,
                             .open = true,
                             .change = WhileAhead()};
const KeySpec kTable = {
    .key = "motion",
    .doc =
        "a table FILE.csv, or its columns: time_s 0 0.1 0.3, z_mm 0 -1 -1; of x y z or vx vy vz, "
        "angle or rate about the axis, each with its unit",
    .kind = Kind::kText,
    .lacking = Lacking::kMeansNone,
    .range = "times that grow; lines between the rows",
    .change = Moves()};
const KeySpec kAxis = {.key = "axis",
                       .doc = "of the angles of a table, or along or about which a free wall moves",
                       .kind = Kind::kDirection,
                       .lacking = Lacking::kMeansNone,
                       .range = "not zero",
                       .change = Moves()};
const KeySpec kAppears = {.key = "appears_at",
                          .doc = "time before which the wall is not there",
                          .initial = "0 s",
                          .range = ">= 0, whole steps",
                          .dimension = kTime,
                          .lower = 0.0,
                          .change = WhileAhead()};
const KeySpec kRemoved = {.key = "removed_at",
                          .doc = "time at which the wall vanishes",
                          .lacking = Lacking::kMeansNone,
                          .range = "> 0 and appears_at, whole steps; stays if not given",
                          .dimension = kTime,
                          .lower = 0.0,
                          .open = true,
                          .change = WhileAhead()};

Keys<Oscillation> SwingRows() {
  return {{kSwing, &Oscillation::amplitude},
          {kSwingFrequency, &Oscillation::frequency},
          {kPhase, &Oscillation::phase}};
}

Keys<Wall> PrescribedRows() {
  return Keys<Wall>{{kVelocity, &Wall::velocity}} + Within<Wall>(&Wall::oscillation, SwingRows()) +
         Keys<Wall>{
             {kTurning,
              [](auto& wall) -> decltype(auto) { return (wall.rotation.angular_velocity); }},
             {{.key = "centre",
               .doc = "point of the axis of rotation, and about which the torque is told",
               .initial = "0 0 0 m",
               .dimension = kLength,
               .change = Moves()},
              [](auto& wall) -> decltype(auto) { return (wall.rotation.centre); }},
             {kSurfaceVelocity, &Wall::surface_velocity},
             {kMovesFrom, &Wall::moves_from},
             {kMovesUntil, &Wall::moves_until},
             {kAxis, &Wall::axis},
             {kAppears, &Wall::appears_at},
             {kRemoved, &Wall::removed_at},
         };
}

void CheckOscillation(SectionReader& reader, const std::string& section,
                      const Oscillation& oscillation) {
  const bool swings = oscillation.frequency != 0.0;
  if (swings != oscillation.amplitude.isZero(0.0)) return;
  const KeySpec& given = swings ? kSwingFrequency : kSwing;
  const KeySpec& lacking = swings ? kSwing : kSwingFrequency;
  reader.Complain(section, given,
                  "is an oscillation without " + lacking.key + "; expected both or none");
}

void CheckSpan(SectionReader& reader, const std::string& section, const KeySpec& last, double from,
               double until, const std::string& first) {
  if (until > from || !reader.HasValue(section, last)) return;
  reader.Complain(section, last,
                  Text("is ", until, " s; expected more than ", first, ", ", from, " s"));
}

// ---- tables

/// "a, b, c"
std::string Listed(const auto& names) {
  std::string list;
  for (const char* name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

Dimension DimensionOf(int column) {
  if (column == MotionTable::kAngle) return kPlain;
  if (column == MotionTable::kRate) return kFrequency;
  return column < MotionTable::kAngle ? kLength : kSpeed;
}

/// "z_mm 0 -1 -1": the name before the unit, and the values in SI.
struct NamedColumn {
  std::string name, unit;
  std::vector<std::string> words;

  explicit NamedColumn(const std::string& text) {
    std::istringstream in(text);
    std::string head;
    in >> head;
    const std::size_t line = head.find('_');
    name = head.substr(0, line);
    if (line != head.npos) unit = head.substr(line + 1);
    for (std::string word; in >> word;) words.push_back(word);
  }
  std::vector<double> Values(const Dimension& dimension) const {
    std::string text;
    for (const std::string& word : words) text += word + " ";
    try {
      return ReadQuantities(text + unit, words.size(), dimension);
    } catch (const InputError& error) {
      throw InputError(Text("column \"", name, unit.empty() ? "" : "_", unit, "\" ", error.what()));
    }
  }
};

/// @throws InputError
MotionTable MotionTableOf(const std::string& value) {
  if (value.ends_with(".csv")) {
    throw InputError("\"" + value +
                     "\": a file is read from the scene file alone; there give it "
                     "in [wall.NAME], here its columns: time_s 0 1, z_mm 0 2");
  }
  std::vector<double> times;
  MotionTable::Columns columns;
  std::istringstream in(value);
  for (std::string text; std::getline(in, text, ',');) {
    const NamedColumn column(text);
    const auto known = std::ranges::find(MotionTable::kNames, column.name);
    const bool is_time = column.name == "time";
    if (!is_time && known == MotionTable::kNames.end()) {
      throw InputError(Text("has a column \"", column.name, "\"; expected time and of ",
                            Listed(MotionTable::kNames), ", each with _ and a unit"));
    }
    if (column.words.empty()) throw InputError("has no values in column \"" + column.name + "\"");
    const auto which = static_cast<int>(known - MotionTable::kNames.begin());
    std::vector<double>& values = is_time ? times : columns[static_cast<std::size_t>(which)];
    if (!values.empty()) throw InputError("has the column \"" + column.name + "\" twice");
    values = column.Values(is_time ? kTime : DimensionOf(which));
  }
  if (times.empty()) throw InputError("has no column of times; expected one such as time_s 0 0.1");
  return {std::move(times), std::move(columns)};
}

std::string TextOf(const MotionTable& table) {
  const auto column = [](const std::string& head, const std::vector<double>& values) {
    std::string text = head;
    for (const double value : values) text += " " + ShortestText(value);
    return text;
  };
  std::string text = column("time_s", table.Times());
  for (int c = 0; c < MotionTable::kColumns; ++c) {
    const auto& values = table.Of(static_cast<MotionTable::Column>(c));
    if (values.empty()) continue;
    const std::string unit = SiUnit(DimensionOf(c));
    text += column(Text(", ", MotionTable::kNames[static_cast<std::size_t>(c)], "_",
                        unit.empty() ? "rad" : unit),
                   values);
  }
  return text;
}

Keys<std::string> TableRow() {
  return {{kTable, [](auto& text) -> decltype(auto) { return (text); }}};
}

void ReadTable(SectionReader& reader, const std::string& section, Wall& wall) {
  std::string text;
  reader.Read(section, TableRow(), text);
  if (text.empty()) return;
  try {
    wall.table = MotionTableOf(text);
  } catch (const InputError& error) {
    reader.Complain(section, kTable, error.what());
  }
}

// ---- free walls

const KeySpec kFree = {.key = "free",
                       .doc =
                           "forces move it along its axis, or turn it about that through its "
                           "centre",
                       .initial = "no",
                       .change = Moves()};
const KeySpec kFreeFrom = {.key = "free_from",
                           .doc = "it is held before this time",
                           .initial = "0 s",
                           .range = ">= 0, whole steps",
                           .dimension = kTime,
                           .lower = 0.0,
                           .change = WhileAhead()};
const KeySpec kWallMass = {.key = "mass",
                           .doc = "of a free wall",
                           .range = "> 0",
                           .dimension = kMass,
                           .lower = 0.0,
                           .open = true};
const KeySpec kPressureKey = {.key = "pressure",
                              .doc =
                                  "free along: of its drive, which pushes it along the axis and "
                                  "carries its weight: that of the grains then",
                              .initial = "0 Pa",
                              .dimension = kPressure};
const KeySpec kAreaKey = {.key = "area",
                          .doc = "free along: on which the pressure acts",
                          .kind = Kind::kNumber,
                          .lacking = Lacking::kMeansNone,
                          .range = "> 0",
                          .dimension = kArea,
                          .lower = 0.0,
                          .open = true};
const KeySpec kSpring = {.key = "spring",
                         .doc = "free along: stiffness of a spring",
                         .initial = "0 N/m",
                         .range = ">= 0",
                         .dimension = kStiffness,
                         .lower = 0.0};
const KeySpec kSpringRest = {.key = "spring_rest",
                             .doc = "free along: travel at which the spring is slack",
                             .initial = "0 m",
                             .dimension = kLength};
const KeySpec kInertiaKey = {.key = "inertia",
                             .doc = "free about: moment of inertia about the axis",
                             .range = "> 0",
                             .dimension = kInertia,
                             .lower = 0.0,
                             .open = true};
const KeySpec kCentreOfMass = {.key = "centre_of_mass",
                               .doc = "free about: where the weight pulls, at time zero",
                               .lacking = Lacking::kMeansNone,
                               .range = "on the axis if not given",
                               .dimension = kLength};
const KeySpec kTorsion = {.key = "torsion_spring",
                          .doc = "free about: stiffness of a spring, per rad",
                          .initial = "0 N m",
                          .range = ">= 0",
                          .dimension = kTorque,
                          .lower = 0.0};
const KeySpec kTorsionRest = {.key = "torsion_rest",
                              .doc = "free about: angle at which the spring is slack",
                              .initial = "0 deg"};

Keys<FreeMotion> FreedomRow() { return {{kFree, &FreeMotion::freedom}}; }

Keys<FreeMotion> AlongRows() {
  return {{kFreeFrom, &FreeMotion::from},
          {kWallMass, &FreeMotion::mass},
          {{.key = "force",
            .doc = "free along: a force along the axis",
            .initial = "0 N",
            .dimension = kForce},
           &FreeMotion::force},
          {kPressureKey, &FreeMotion::pressure},
          {kAreaKey, &FreeMotion::area},
          {kSpring, &FreeMotion::spring},
          {kSpringRest, &FreeMotion::spring_rest},
          {{.key = "damping",
            .doc = "free along: force per speed that brakes it",
            .initial = "0 N s/m",
            .range = ">= 0",
            .dimension = kDamping,
            .lower = 0.0},
           &FreeMotion::damping}};
}

Keys<FreeMotion> AboutRows() {
  KeySpec mass = kWallMass;
  mass.lacking = Lacking::kMeansNone;
  return {{kFreeFrom, &FreeMotion::from},
          {kInertiaKey, &FreeMotion::inertia},
          {mass, &FreeMotion::mass},
          {kCentreOfMass, &FreeMotion::centre_of_mass},
          {{.key = "torque",
            .doc = "free about: a torque about the axis",
            .initial = "0 N m",
            .dimension = kTorque},
           &FreeMotion::torque},
          {kTorsion, &FreeMotion::torsion_spring},
          {kTorsionRest, &FreeMotion::torsion_rest},
          {{.key = "torsion_damping",
            .doc = "free about: torque per rate that brakes it",
            .initial = "0 N m s",
            .range = ">= 0",
            .dimension = kTorsionDamping,
            .lower = 0.0},
           &FreeMotion::torsion_damping}};
}

Keys<FreeMotion> RowsOf(Freedom freedom) {
  switch (freedom) {
    case Freedom::kAlong:
      return AlongRows();
    case Freedom::kAbout:
      return AboutRows();
    case Freedom::kNone:
      break;
  }
  return {};
}

KeySpecs FreeSpecs() { return Joined({SpecsOf(AlongRows()), SpecsOf(AboutRows())}); }

/// What is not zero and has no effect without another key.
void CheckNeeds(SectionReader& reader, const std::string& section, bool is_set, const KeySpec& spec,
                const KeySpec& other) {
  if (!is_set || reader.Given().Intended(section, other.key)) return;
  reader.Complain(section, spec, "has no effect without " + other.key + "; expected both");
}

/// Across the axis a free wall may move as prescribed, and turn about it; what is free may not be
/// prescribed too.
void CheckFreedom(SectionReader& reader, const std::string& section, const Wall& wall) {
  constexpr double kRounding = 1e-12;
  const bool turns = wall.free.Turns();
  const auto slides = [&](const Vec3& way) {
    return !turns && std::abs(way.dot(wall.axis)) > kRounding * way.norm();
  };
  const auto spins = [&](const Vec3& rate) {
    return turns ? !rate.isZero(0.0) : rate.cross(wall.axis).norm() > kRounding * rate.norm();
  };
  const std::string why =
      turns ? "cannot be prescribed with free = about; expected no rotation beside it"
            : "goes along the axis, where free = along lets forces decide; expected motions across";
  if (slides(wall.velocity)) reader.Complain(section, kVelocity, why);
  if (slides(wall.oscillation.amplitude)) reader.Complain(section, kSwing, why);
  if (spins(wall.rotation.angular_velocity)) {
    reader.Complain(section, kTurning,
                    turns ? why : "is not along the axis of a wall that is free along it");
  }
  bool along = false;
  for (const double time : wall.table.Times())
    along = along || slides(wall.table.At(time).head<3>());
  if (along || (turns && wall.table.Turns())) reader.Complain(section, kTable, why);
}

void ReadFreedom(SectionReader& reader, const std::string& section, Wall& wall) {
  FreeMotion& free = wall.free;
  reader.Read(section, FreedomRow(), free);
  if (!reader.HasValue(section, kFree)) return;  // bad, and complained about
  const Keys<FreeMotion> rows = RowsOf(free.freedom);
  reader.Refuse(section, FreeSpecs(), SpecsOf(rows), "a wall with free = " + NameOf(free.freedom));
  reader.Read(section, rows, free);
  const auto needs = [&](bool is_set, const KeySpec& spec, const KeySpec& other) {
    CheckNeeds(reader, section, is_set, spec, other);
  };
  needs(free.pressure != 0.0, kPressureKey, kAreaKey);
  needs(free.area > 0.0, kAreaKey, kPressureKey);
  needs(free.spring_rest != 0.0, kSpringRest, kSpring);
  needs(free.torsion_rest != 0.0, kTorsionRest, kTorsion);
  if (!free.Turns()) return;
  needs(free.mass > 0.0, kWallMass, kCentreOfMass);
  needs(free.centre_of_mass.has_value(), kCentreOfMass, kWallMass);
}

void CheckAxis(SectionReader& reader, const std::string& section, const Wall& wall) {
  const bool has_axis = reader.Given().Given(section, kAxis.key);
  const bool needs_axis = wall.IsFree() || wall.table.Turns();
  if (needs_axis && !has_axis && !reader.Given().Intended(section, kAxis.key)) {
    reader.Complain(section, wall.IsFree() ? kFree : kTable,
                    "lacks the key \"axis\" (direction along or about which it moves)");
  }
  if (has_axis && !needs_axis) {
    reader.Complain(section, kAxis,
                    "has no effect; expected free = along or about, or a motion with angles");
  }
}

// ---- further motions

struct NamedMotion {
  TimedMotion motion;
  std::string wall;
};

const KeySpec kWallName = {.key = "wall",
                           .doc = "the wall that it moves, beside its own motion",
                           .kind = Kind::kName,
                           .range = "a [wall.NAME]"};
const KeySpec kMotionFrom = {.key = "from",
                             .doc = "time at which it begins",
                             .range = ">= 0, whole steps",
                             .dimension = kTime,
                             .lower = 0.0,
                             .change = WhileAhead()};
const KeySpec kUntil = {.key = "until",
                        .doc = "time at which it ends, where the wall then is",
                        .lacking = Lacking::kMeansNone,
                        .range = "> from, whole steps; goes on if not given",
                        .dimension = kTime,
                        .lower = 0.0,
                        .open = true,
                        .change = WhileAhead()};

Keys<NamedMotion> MotionRows() {
  const auto rows = Keys<TimedMotion>{{kMotionFrom, &TimedMotion::from},
                                      {kUntil, &TimedMotion::until},
                                      {kVelocity, &TimedMotion::velocity}} +
                    Within<TimedMotion>(&TimedMotion::oscillation, SwingRows()) +
                    Keys<TimedMotion>{{kTurning, &TimedMotion::angular_velocity}};
  return Keys<NamedMotion>{{kWallName, &NamedMotion::wall}} +
         Within<NamedMotion>(&NamedMotion::motion, rows);
}

/// Turns about different axes do not add up: they have to come one after the other.
void CheckTurns(SectionReader& reader, const std::string& section, const Wall& wall) {
  struct Turn {
    double from, until;
    Vec3 about;
  };
  std::vector<Turn> turns;
  if (!wall.rotation.angular_velocity.isZero(0.0)) {
    turns.push_back({wall.moves_from, wall.moves_until, wall.rotation.angular_velocity});
  }
  if (wall.table.Turns()) turns.push_back({wall.moves_from, wall.moves_until, wall.axis});
  for (const TimedMotion& motion : wall.motions) {
    if (motion.angular_velocity.isZero(0.0)) continue;
    turns.push_back({motion.from, motion.until, motion.angular_velocity});
  }
  for (std::size_t k = 1; k < turns.size(); ++k) {
    for (std::size_t l = 0; l < k; ++l) {
      const bool meet = turns[k].from < turns[l].until && turns[l].from < turns[k].until;
      const double across = turns[k].about.cross(turns[l].about).norm();
      if (!meet || across <= 1e-12 * turns[k].about.norm() * turns[l].about.norm()) continue;
      reader.Complain(section, kTurning,
                      Text("turns [wall.", wall.name,
                           "] about another axis at the same time; "
                           "expected one rotation after the other"));
      return;
    }
  }
}

void CheckMotion(SectionReader& reader, const std::string& section, const TimedMotion& motion) {
  CheckOscillation(reader, section, motion.oscillation);
  CheckSpan(reader, section, kUntil, motion.from, motion.until, "from");
  if (motion.velocity.isZero(0.0) && motion.oscillation.amplitude.isZero(0.0) &&
      motion.angular_velocity.isZero(0.0)) {
    reader.Complain(section, kWallName,
                    "is not moved; expected a velocity, an amplitude or an angular_velocity");
  }
}

}  // namespace

KeySpecs WallMotionSpecs() {
  return Joined(
      {SpecsOf(PrescribedRows()), SpecsOf(TableRow()), SpecsOf(FreedomRow()), FreeSpecs()});
}

void ReadWallMotion(SectionReader& reader, const std::string& section, Wall& wall) {
  reader.Read(section, PrescribedRows(), wall);
  ReadTable(reader, section, wall);
  ReadFreedom(reader, section, wall);
  CheckOscillation(reader, section, wall.oscillation);
  CheckSpan(reader, section, kMovesUntil, wall.moves_from, wall.moves_until, "moves_from");
  CheckSpan(reader, section, kRemoved, wall.appears_at, wall.removed_at, "appears_at");
  const bool has_times = wall.moves_from > 0.0 || std::isfinite(wall.moves_until);
  if (has_times && !wall.IsDriven() && !wall.IsBelt()) {
    reader.Complain(section, wall.moves_from > 0.0 ? kMovesFrom : kMovesUntil,
                    "has no effect on a wall without velocity, amplitude, angular_velocity, "
                    "surface_velocity or motion");
  }
  CheckAxis(reader, section, wall);
  if (wall.IsFree() && !wall.axis.isZero(0.0)) CheckFreedom(reader, section, wall);
  CheckTurns(reader, section, wall);
}

void WriteWallMotion(const Wall& wall, Echo& echo) {
  echo.Write(PrescribedRows(), wall);
  if (!wall.table.IsEmpty()) echo.Write(TableRow(), TextOf(wall.table));
  echo.Write(FreedomRow(), wall.free);
  echo.Write(RowsOf(wall.free.freedom), wall.free);
}

void ReadMotions(SectionReader& reader, std::vector<Wall>& walls) {
  for (const std::string& section : reader.Given().Sections("motion")) {
    NamedMotion named;
    reader.Read(section, MotionRows(), named);
    named.motion.name = SectionParts(section)[1];
    CheckMotion(reader, section, named.motion);
    std::vector<std::string> known;
    for (const Wall& wall : walls) known.push_back(wall.name);
    const auto found = std::ranges::find(known, named.wall);
    if (found == known.end()) {
      if (named.wall.empty() || reader.IsMisspelt("wall." + named.wall)) continue;
      reader.Complain(section, kWallName,
                      Text("there is no [wall.", named.wall, "]", DidYouMean(named.wall, known)));
      continue;
    }
    Wall& wall = walls[static_cast<std::size_t>(found - known.begin())];
    wall.motions.push_back(named.motion);
    CheckTurns(reader, section, wall);
    if (!wall.IsFree()) continue;
    Wall moved = wall;
    moved.table = {};
    moved.velocity = named.motion.velocity;
    moved.oscillation = named.motion.oscillation;
    moved.rotation.angular_velocity = named.motion.angular_velocity;
    CheckFreedom(reader, section, moved);
  }
}

KeyGroup MotionKeys() {
  return {{{"motion", "motion.NAME", 1, 1,
            "A further motion of a wall, for part of the time: after its own, or added to it",
            Moves(), SpecsOf(MotionRows()), "from"}},
          [](SectionReader& reader, RunConfig& run) { ReadMotions(reader, run.scene.walls); },
          [](const RunConfig& run, Echo& echo) {
            for (const Wall& wall : run.scene.walls) {
              for (const TimedMotion& motion : wall.motions) {
                echo.Section("motion." + motion.name);
                echo.Write(MotionRows(), NamedMotion{motion, wall.name});
              }
            }
          }};
}

}  // namespace scree

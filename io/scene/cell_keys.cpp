// [cell]: a periodic domain that deforms at given rates or under given stresses.
#include <algorithm>
#include <array>
#include <functional>

#include "io/scene/key_groups.hpp"
#include "io/scene/table_columns.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::array<const char*, kCellComponents> kComponentNames = {"x", "y", "z", "shear"};

/// Row of a constant stress or rate of one component. The key has a value if this component has
/// this control mode and no path.
KeyRow ControlRow(const KeySpec& spec, CellControlMode mode, CellDrive& drive) {
  KeySpec number_spec = spec;
  number_spec.kind = Kind::kNumber;
  return {number_spec,
          [&drive, mode](const KeyValue& value) {
            drive.mode = mode;
            drive.value = std::get<double>(value);
          },
          [&drive, mode]() -> std::optional<KeyValue> {
            if (drive.mode != mode || !drive.values.empty()) return std::nullopt;
            return drive.value;
          }};
}

KeyRows ControlRows(CellControl& cell) {
  auto& [x, y, z, shear] = cell.drives;
  const auto stress = [](const char* key, const char* doc) {
    return KeySpec{key, doc, kPressure, kOptional};
  };
  const auto rate = [](const char* key, const char* doc) {
    return KeySpec{key, doc, kPerTime, kOptional};
  };
  return {ControlRow(stress("stress_x",
                            "target of the normal stress along x, pressure positive; the length of "
                            "the cell adapts"),
                     CellControlMode::kStress, x),
          ControlRow(stress("stress_y", "the same along y"), CellControlMode::kStress, y),
          ControlRow(stress("stress_z", "the same along z"), CellControlMode::kStress, z),
          ControlRow(
              rate("rate_x",
                   "strain rate along x, relative to the current length, negative if the cell gets "
                   "shorter; without rate and stress the length is fixed"),
              CellControlMode::kRate, x),
          ControlRow(rate("rate_y", "the same along y"), CellControlMode::kRate, y),
          ControlRow(rate("rate_z", "the same along z"), CellControlMode::kRate, z),
          ControlRow(stress("shear_stress", "stress that drives the shear"),
                     CellControlMode::kStress, shear),
          ControlRow(rate("shear_rate", "gradient of the mean velocity"), CellControlMode::kRate,
                     shear)};
}

KeyRows PathAndOtherRows(Scene& scene, Table& path) {
  CellControl& cell = scene.cell;
  Shear& axes = scene.domain.shear;
  // Both axes are listed without a shear, too: the images keep the offset of an earlier shear.
  const ChangeRule constant_axes = Never(
      "a [cell] and its axes are for the whole run, because the periodic images keep their offset "
      "along them");
  return {
      {{"path",
        "table of stresses and rates as functions of time or of a strain of the cell: time_s 0 1, "
        "x_kPa 1 10, z_1/s -0.1 -0.1, or strain_z 0 0.05, x_kPa 1 2; columns x y z shear, each "
        "with "
        "the unit of a stress or of a rate; strain_x, _y, _z are -ln(L/L0), positive if the edge "
        "gets shorter, strain_shear is the shear strain; strains are taken at the start of a step, "
        "and "
        "count from the start of the run or from the change [at] that gave the path",
        kOptional,
        InWords("increasing times or strains; linear between the rows, constant before and after")},
       path},
      {{"flow", "axis along which the cell is sheared", Default{"x"}, constant_axes}, axes.flow},
      {{"gradient", "axis along which the mean velocity of the shear increases", Default{"z"},
        constant_axes},
       axes.gradient},
      KeyRow({"inertia",
              "inertia of the rates that stresses drive, divided by the sum of mass x diameter^2",
              Positive(), Default{"1"}},
             cell.inertia)
          .OnlyIf(cell.HasStress()),
      KeyRow({"damping",
              "damping coefficient of the rates that stresses drive, relative to their inertia",
              kPerTime, NotNegative(), Default{"0 /s"}},
             cell.damping)
          .OnlyIf(cell.HasStress()),
      KeyRow({"max_rate",
              "maximum rate that a stress can drive; if not given, a tenth of sqrt(stress x "
              "volume/inertia), which keeps the inertial number at or below 0.1",
              kPerTime, Positive(), kOptional},
             cell.max_rate)
          .OnlyIf(cell.max_rate > 0.0)};
}

/// Sets the points of a path: times, or strains of a component.
/// @throws InputError if the column is neither
void SetPoints(const TableColumn& column, CellControl& cell) {
  const auto component = std::ranges::find(kComponentNames, column.unit);
  const bool is_strain = column.name == "strain" && component != kComponentNames.end();
  if (column.name != "time" && !is_strain) {
    throw InputError(Text("begins with the column \"", column.name,
                          "\"; expected time with _ and a unit, or strain_x, strain_y, strain_z, "
                          "strain_shear; then x, y, z, shear"));
  }
  if (is_strain)
    cell.strain_component = static_cast<std::size_t>(component - kComponentNames.begin());
  cell.points = is_strain ? column.values : column.ValuesIn(kTime);
  if (std::ranges::adjacent_find(cell.points, std::greater_equal<>()) == cell.points.end()) return;
  throw InputError(Text("has ", is_strain ? "strains" : "times",
                        " that do not increase; expected each to be larger than the one before"));
}

/// @throws InputError if the column does not belong to a path
void SetValues(const TableColumn& column, CellControl& cell) {
  const auto component = std::ranges::find(kComponentNames, column.name);
  if (component == kComponentNames.end()) {
    throw InputError(Text("has a column \"", column.name,
                          "\"; expected x, y, z, shear, each with _ and a unit"));
  }
  CellDrive& drive = cell.drives[static_cast<std::size_t>(component - kComponentNames.begin())];
  if (drive.mode != CellControlMode::kFixed) {
    throw InputError(Text("has the column ", column.name, " twice; expected it once"));
  }
  const bool is_rate = column.unit == "1/s" || column.unit == "/s";
  drive.mode = is_rate ? CellControlMode::kRate : CellControlMode::kStress;
  drive.values = column.ValuesIn(is_rate ? kPerTime : kPressure);
  if (drive.values.size() == cell.points.size()) return;
  throw InputError(Text("has ", drive.values.size(), " values of ", column.name, " for ",
                        cell.points.size(), cell.strain_component ? " strains" : " times",
                        "; expected one for each"));
}

/// @throws InputError if the table is not a path
void SetPath(const Table& path, CellControl& cell) {
  for (const TableColumn& column : path.Columns()) {
    cell.points.empty() ? SetPoints(column, cell) : SetValues(column, cell);
  }
}

Table PathOf(const CellControl& cell) {
  const std::string first_column =
      cell.strain_component ? std::string("strain_") + kComponentNames[*cell.strain_component]
                            : "time_s";
  std::vector<TableColumn> columns = {{first_column, cell.points}};
  for (std::size_t k = 0; k < kCellComponents; ++k) {
    const CellDrive& drive = cell.drives[k];
    if (drive.values.empty()) continue;
    const char* const unit = drive.mode == CellControlMode::kRate ? "_1/s" : "_Pa";
    columns.emplace_back(std::string(kComponentNames[k]) + unit, drive.values);
  }
  return columns.size() > 1 ? Table(std::move(columns)) : Table();
}

/// Checks the keys against each other, and against the periodic axes and gravity.
void CheckCell(Section& section, const RunConfig& run) {
  const Scene& scene = run.scene;
  const CellControl& cell = scene.cell;
  const auto add_error = [&section](const char* key, const std::string& message) {
    section.AddError(key, message);
  };
  if (!cell.IsActive()) {
    return add_error("", "controls nothing; expected a stress or a rate, such as stress_x = 1 kPa");
  }
  static constexpr std::array<const char*, 3> kStresses = {"stress_x", "stress_y", "stress_z"};
  static constexpr std::array<const char*, 3> kRates = {"rate_x", "rate_y", "rate_z"};
  for (std::size_t k = 0; k < kComponentNames.size(); ++k) {
    const char* stress = k == kCellShear ? "shear_stress" : kStresses[k];
    const char* rate = k == kCellShear ? "shear_rate" : kRates[k];
    if (section.IsGiven(stress) && section.IsGiven(rate)) {
      add_error(rate, Text("is given together with ", stress, "; expected one of them"));
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (scene.domain.periodic[k]) continue;
    add_error("", Text("needs a domain that repeats along all axes, but ", kComponentNames[k],
                       " is not periodic; expected periodic = x y z"));
  }
  if (cell.IsSheared() && scene.domain.shear.flow == scene.domain.shear.gradient) {
    add_error("gradient", "is the axis of flow; expected another axis");
  }
  if (section.IsGiven("max_rate") && !cell.HasStress()) {
    add_error("max_rate", "has no effect without a stress");
  }
  if (cell.HasStress() && cell.MaxStress() == 0.0 && cell.max_rate == 0.0) {
    add_error("",
              "needs max_rate, because its default follows from the largest stress, which is 0 Pa; "
              "expected max_rate, such as 20 /s");
  }
  if (scene.gravity != Vec3::Zero()) {
    add_error("", Text("cannot be combined with gravity (", scene.gravity.transpose(),
                       " m/s^2), which nothing balances; expected gravity = 0 0 0 m/s^2"));
  }
}

void VisitCellKeys(Section& section, RunConfig& run) {
  CellControl& cell = run.scene.cell;
  section.VisitKeys(ControlRows(cell));
  Table path = PathOf(cell);
  section.VisitKeys(PathAndOtherRows(run.scene, path));
  if (!section.IsRead()) return;
  try {
    SetPath(path, cell);
  } catch (const InputError& error) {
    return section.AddError("path", error.what());
  }
  CheckCell(section, run);
}

}  // namespace

KeyGroup CellKeys() {
  return {
      {{"cell", "cell", 0, 0, "A periodic cell that deforms under given stresses or at given rates",
        DuringRun(), ListedKeys([](Section& section) {
          RunConfig empty;
          VisitCellKeys(section, empty);
        })}},
      [](const Settings& settings, ErrorList& errors, RunConfig& run) {
        if (!settings.Has("cell")) return;
        Section section("cell", settings, errors);
        VisitCellKeys(section, run);
      },
      [](RunConfig& run, IniEntries& entries) {
        if (!run.scene.cell.IsActive()) return;
        Section section("cell", entries);
        VisitCellKeys(section, run);
      }};
}

}  // namespace scree

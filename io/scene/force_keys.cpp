// [field.NAME], [frame], [fluid]: forces in addition to weight and contacts.
#include <algorithm>
#include <array>
#include <set>

#include "io/scene/key_groups.hpp"
#include "io/scene/key_parts.hpp"
#include "io/scene/table_columns.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr Dimension kForcePerVolume{-2, 1, -2};
constexpr Dimension kViscosity{-1, 1, -1};

const VectorColumns& AccelerationColumns() {
  static const VectorColumns columns{"time", kTime, kAcceleration};
  return columns;
}
const VectorColumns& VelocityColumns(FluidTable argument) {
  static const VectorColumns time{"time", kTime, kSpeed}, height{"z", kLength, kSpeed};
  return argument == FluidTable::kOfTime ? time : height;
}

/// The key `table` of a section.
/// @param meaning  returns the description of the columns of a table
template <class Meaning>
void VisitTableKey(Section& section, const std::string& doc, const Meaning& meaning,
                   VectorTable& table) {
  Table columns = TableOf(table, meaning(Table()));
  section.VisitKeys(
      {{{"table", doc, kOptional, InWords("first column increasing; linear between the rows")},
        columns}});
  if (!section.IsRead() || columns.IsEmpty()) return;
  try {
    table = VectorsOf(columns, meaning(columns));
  } catch (const InputError& error) {
    section.AddError("table", error.what());
  }
}

/// Requires that the table covers all points at which it is evaluated.
void CheckCovers(Section& section, const VectorTable& table, const char* argument, double lower,
                 double upper) {
  if (table.IsEmpty() || table.Covers(lower, upper)) return;
  section.AddError("table",
                   Text("goes from ", argument, " = ", table.arguments.front(), " to ",
                        table.arguments.back(), "; expected to cover ", lower, " to ", upper));
}

/// The key `grid` of a section.
/// @param name, value_dimension  return, for a table, the name and the dimension of its values
template <class Name, class Dimensions>
void VisitGridKey(Section& section, const std::string& doc, const Name& name,
                  const Dimensions& value_dimension, VectorGrid& grid) {
  Table columns = TableOf(grid, name(Table()), value_dimension(Table()));
  section.VisitKeys(
      {{{"grid", doc, kOptional, InWords("a row for each point, in any order")}, columns}});
  if (!section.IsRead() || columns.IsEmpty()) return;
  try {
    grid = GridOf(columns, name(columns), value_dimension(columns));
  } catch (const InputError& error) {
    section.AddError("grid", error.what());
  }
}

/// @param region  region in which grains need values of the grid
void CheckGridCovers(Section& section, const VectorGrid& grid, const Box& region) {
  if (grid.IsEmpty()) return;
  const Box extent = grid.Extent();
  for (int axis = 0; axis < 3; ++axis) {
    if (extent.lower[axis] <= region.lower[axis] && extent.upper[axis] >= region.upper[axis]) {
      continue;
    }
    section.AddError("grid", Text("goes from ", "xyz"[axis], " = ", extent.lower[axis], " to ",
                                  extent.upper[axis], " m; expected to cover ", region.lower[axis],
                                  " to ", region.upper[axis], " m"));
  }
}

// ---- fields

KeyRows FieldRows(ForceField& field, std::string& materials) {
  const Range everywhere = InWords("everywhere if not given");
  return {{{"acceleration", "acceleration of each grain", kAcceleration, Default{"0 0 0 m/s^2"}},
           field.acceleration},
          {{"force_per_volume", "force on each grain, divided by its volume", kForcePerVolume,
            Default{"0 0 0 N/m^3"}},
           field.force_per_volume},
          {{"lower", "lower corner of a box: the field acts on grains whose centre is inside",
            kLength, kOptional, everywhere},
           field.lower},
          {{"upper", "upper corner of that box", kLength, kOptional, everywhere}, field.upper},
          {{"materials", "materials of the grains on which the field acts, such as large small",
            kOptional, InWords("names; all if not given")},
           materials}};
}

void CheckField(Section& section, const ForceField& field, const RunConfig& run) {
  CheckCovers(section, field.table, "time", 0.0, run.time.end);
  if (field.lower.has_value() != field.upper.has_value()) {
    section.AddError(field.lower ? "lower" : "upper", "is one corner; expected both or none");
  } else if (field.lower) {
    section.CheckBox({*field.lower, *field.upper});
  }
  const Box& domain = run.scene.domain.box;
  CheckGridCovers(section, field.grid,
                  {field.lower ? field.lower->cwiseMax(domain.lower) : domain.lower,
                   field.upper ? field.upper->cwiseMin(domain.upper) : domain.upper});
  const bool is_given =
      std::ranges::any_of(std::array{"acceleration", "force_per_volume", "table", "grid"},
                          [&](const char* key) { return section.IsIntended(key); });
  if (is_given) return;  // a zero value is allowed: a study may include the case without a field
  section.AddError("acceleration",
                   "is not given; expected acceleration, force_per_volume, a table or a grid");
}

void VisitFieldKeys(Section& section, ForceField& field, RunConfig& run) {
  std::string materials;
  const MaterialTable& table = run.scene.materials;
  for (const MaterialId id : field.materials) {
    materials += (materials.empty() ? "" : " ") + table[id].name;
  }
  section.VisitKeys(FieldRows(field, materials));
  VisitTableKey(
      section,
      "table of acceleration as a function of time, added to the constant one: FILE.csv, or its "
      "columns: time_s 0 0.1, x_m/s^2 0 5; any of x y z",
      [](const Table&) { return AccelerationColumns(); }, field.table);
  const auto is_force = [&](const Table& grid) {
    if (!grid.IsEmpty()) field.grid_is_per_volume = HasComponent(grid, "f");
    return field.grid_is_per_volume;
  };
  VisitGridKey(
      section,
      "grid of acceleration or force per volume at points, added to the constant and the table: "
      "FILE.csv, FILE.h5, or columns: x_mm 0 9 0 9 ..., y_mm ..., z_mm ..., ax_m/s^2 ...; any of "
      "ax "
      "ay az, or of fx fy fz",
      [&](const Table& grid) { return is_force(grid) ? "f" : "a"; },
      [&](const Table& grid) { return is_force(grid) ? kForcePerVolume : kAcceleration; },
      field.grid);
  if (!section.IsRead()) return;
  std::set<MaterialId> ids;
  for (const std::string& name : Words(materials)) {
    ids.insert(FindMaterial(section, "materials", name, table).value_or(0));
  }
  field.materials = {ids.begin(), ids.end()};
  CheckField(section, field, run);
}

// ---- frame

KeyRows FrameRows(RotatingFrame& frame) {
  return {
      {{"angular_velocity",
        "angular velocity of the reference frame of the scene: centrifugal and Coriolis forces "
        "act; gravity and fields are given in this frame",
        kAngularRate, Default{"0 0 0 rad/s"}},
       frame.angular_velocity},
      {{"centre", "a point on the axis of rotation", kLength, Default{"0 0 0 m"}}, frame.centre}};
}

/// A periodic axis must be parallel to the axis of rotation, so that all images feel the same
/// forces.
void CheckFrame(Section& section, const Scene& scene) {
  const RotatingFrame& frame = scene.frame;
  if (!section.IsIntended("angular_velocity")) {
    section.AddError("angular_velocity", "is not given; expected a rate, such as 0 0 60 rpm");
  }
  if (!frame.IsRotating()) return;
  for (int axis = 0; axis < 3; ++axis) {
    const bool is_along = frame.angular_velocity.cross(Vec3::Unit(axis)).isZero(0.0);
    if (!scene.domain.periodic[static_cast<std::size_t>(axis)] || is_along) continue;
    section.AddError(
        "angular_velocity",
        Text("is not parallel to ", "xyz"[axis],
             ", along which the domain is periodic; expected a rotation about ", "xyz"[axis]));
  }
}

// ---- fluid

KeyRows FluidRows(Fluid& fluid) {
  return {
      {{"density", "density of the fluid around the grains", kDensity, Positive()}, fluid.density},
      {{"viscosity", "dynamic viscosity", kViscosity, Positive()}, fluid.viscosity},
      {{"velocity", "velocity of the fluid between the grains (interstitial)", kSpeed,
        Default{"0 0 0 m/s"}},
       fluid.velocity},
      {{"drag",
        "drag law of a sphere; clumps and solids use the sphere of equal volume; di_felice and "
        "gidaspow increase with the solid fraction, computed in cells",
        Default{NamesOf(DragLaw())[static_cast<std::size_t>(DragLaw::kSchillerNaumann)]}},
       fluid.drag},
      {{"buoyancy", "the hydrostatic pressure of the fluid carries part of the weight",
        Default{"yes"}},
       fluid.buoyancy},
      KeyRow(
          {"cells", "cells of the domain along x, y and z, in which the solid fraction is computed",
           kOptional, InWords("such as 10x10x40; with di_felice or gidaspow")},
          fluid.cells)
          .OnlyIf(fluid.HasCells())};
}

void CheckFluid(Section& section, const RunConfig& run) {
  const Fluid& fluid = run.scene.fluid;
  const Box& box = run.scene.domain.box;
  if (fluid.table_argument == FluidTable::kOfTime) {
    CheckCovers(section, fluid.table, "time", 0.0, run.time.end);
  } else {
    CheckCovers(section, fluid.table, "z", box.lower.z(), box.upper.z());
  }
  CheckGridCovers(section, fluid.grid, box);
  const bool needs_cells = fluid.drag == DragLaw::kDiFelice || fluid.drag == DragLaw::kGidaspow;
  if (needs_cells != fluid.HasCells() && !(needs_cells && section.IsIntended("cells"))) {
    section.AddError(needs_cells ? "drag" : "cells",
                     needs_cells
                         ? "depends on the solid fraction; expected cells, such as 10x10x40"
                         : "have no effect; expected drag = di_felice or gidaspow with them");
  }
  constexpr double kMaxCells = 1e6;
  if (1.0 * fluid.cells[0] * fluid.cells[1] * fluid.cells[2] > kMaxCells) {
    section.AddError("cells",
                     "are more than 1e6; expected fewer, because every rank stores all of them");
  }
}

void VisitFluidKeys(Section& section, RunConfig& run) {
  Fluid& fluid = run.scene.fluid;
  section.VisitKeys(FluidRows(fluid));
  VisitTableKey(
      section,
      "table of velocity as a function of height or time, added to the constant one: FILE.csv, or "
      "its columns: "
      "z_mm 0 10, x_m/s 0 1; any of x y z",
      [&](const Table& table) {
        if (!table.IsEmpty()) {
          fluid.table_argument =
              HasFirstColumn(table, "time") ? FluidTable::kOfTime : FluidTable::kOfHeight;
        }
        return VelocityColumns(fluid.table_argument);
      },
      fluid.table);
  VisitGridKey(
      section,
      "grid of velocity at points, added to the constant and the table: FILE.csv, FILE.h5, or "
      "columns: x_mm 0 9 0 9 ..., y_mm ..., z_mm ..., vx_m/s ...; any of vx vy vz",
      [](const Table&) { return "v"; }, [](const Table&) { return kSpeed; }, fluid.grid);
  if (section.IsRead()) CheckFluid(section, run);
}

/// A section that a scene need not have.
KeyGroup OptionalSection(SectionSpec spec, void (*visit_keys)(Section&, RunConfig&),
                         bool (*exists)(const Scene&)) {
  spec.keys = ListedKeys([&](Section& section) {
    RunConfig empty;
    visit_keys(section, empty);
  });
  const std::string name = spec.name;
  return {{std::move(spec)},
          [=](const Settings& settings, ErrorList& errors, RunConfig& run) {
            if (!settings.Has(name)) return;
            Section section(name, settings, errors);
            visit_keys(section, run);
            if (!run.scene.domain.shear.IsActive()) return;
            errors.Add(settings.Where(name, ""),
                       "cannot be combined with a shear_rate of the domain; expected one of them");
          },
          [=](RunConfig& run, IniEntries& entries) {
            if (!exists(run.scene)) return;
            Section section(name, entries);
            visit_keys(section, run);
          }};
}

}  // namespace

std::vector<KeyGroup> ForceKeys() {
  return {RepeatedSection<ForceField>(
              {"field",
               "field.NAME",
               1,
               1,
               "A force on grains in addition to gravity",
               DuringRun(),
               {}},
              [](RunConfig & run) -> auto& { return run.scene.fields; }, VisitFieldKeys),
          OptionalSection(
              {"frame",
               "frame",
               0,
               0,
               "A rotating frame of reference for the whole scene",
               Never("positions and velocities are given in this frame"),
               {}},
              [](Section& section, RunConfig& run) {
                section.VisitKeys(FrameRows(run.scene.frame));
                if (section.IsRead()) CheckFrame(section, run.scene);
              },
              [](const Scene& scene) { return scene.frame.IsRotating(); }),
          OptionalSection({"fluid",
                           "fluid",
                           0,
                           0,
                           "A fluid with a given velocity around the grains",
                           DuringRun(),
                           {}},
                          VisitFluidKeys, [](const Scene& scene) { return scene.fluid.Exists(); })};
}

}  // namespace scree

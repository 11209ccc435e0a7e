#include "io/output/average_files.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "engine/observation/free_volume.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/build_info.hpp"
#include "io/files/csv_table.hpp"
#include "io/output/output_directory.hpp"
#include "io/scene/enum_names.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string VectorText(const Vec3& v) {
  return Text(ShortestText(v[0]), " ", ShortestText(v[1]), " ", ShortestText(v[2]));
}

std::string Row(std::initializer_list<CsvValue> values) {
  std::string row;
  for (const CsvValue& value : values) row += (row.empty() ? "" : ",") + ToText(value);
  return row + "\n";
}

std::string TimeOf(std::int64_t step, double dt) {
  return ShortestText(dt * static_cast<double>(step));
}
/// The time of a step [s] with few digits.
std::string RoundedTime(std::int64_t step, double dt) {
  return Text(dt * static_cast<double>(step));
}

constexpr const char* kFieldNotes =
    "# one row per cell i, j, k with its centre x, y, z [m]; SI units; a sphere counts only in "
    "the cell of its centre\n"
    "# samples: particles times frames\n"
    "# velocity [m/s], angular_velocity [rad/s]: means over the samples; speed, angular_speed: "
    "means of the norms; velocity_norm: norm of the mean velocity; all are empty without samples\n"
    "# number_density [1/m^3], mass_density [kg/m^3], momentum_density [kg/(m^2 s)]: means over "
    "the frames and the whole cell\n"
    "# free_share: fraction of the cell's volume outside walls and obstacles; solid_fraction: the "
    "particles' volume over the free volume\n"
    "# kinetic_stress, contact_stress [Pa]: positive under pressure; the second index is that of "
    "the branch vector; granular_temperature [m^2/s^2]: trace of the kinetic stress, divided by "
    "three times the mass density\n"
    "# wall_force_density [N/m^3]: force of the walls on the particles\n"
    "# coordination: number of neighbours, including walls, that touch a particle; fabric: mean of "
    "n n, with the normal n, over the contacts of these neighbours\n";

constexpr const char* kCellNote =
    "# the grid follows the edges of the [cell]: x, y, z are points in the domain of the scene\n";
constexpr const char* kFreeWallNote =
    "# free walls: free_share and solid_fraction use their positions at the end of the run\n";

/// Empty if the value is infinite or NaN.
CsvValue ValueIfFinite(double value) { return std::isfinite(value) ? CsvValue(value) : CsvValue(); }

/// Calls visit(name, suffix, value) for the columns of a cell after its position. This single list
/// serves header and rows.
template <class Visit>
void ForEachColumn(const CellMeans& cell, double free_share, Visit&& visit) {
  constexpr std::array<const char*, 3> kAxes = {"_x", "_y", "_z"};
  constexpr std::array<const char*, 9> kComponents = {"_xx", "_xy", "_xz", "_yx", "_yy",
                                                      "_yz", "_zx", "_zy", "_zz"};
  const auto visit_mean = [&](const char* name, const char* suffix, double value) {
    visit(name, suffix, cell.samples > 0 ? ValueIfFinite(value) : CsvValue());
  };
  const auto visit_value = [&](const char* name, const char* suffix, double value) {
    visit(name, suffix, ValueIfFinite(value));
  };
  const auto visit_vector = [&](const auto& visit_entry, const char* name, const Vec3& v) {
    for (std::size_t i = 0; i < 3; ++i)
      visit_entry(name, kAxes[i], v[static_cast<Eigen::Index>(i)]);
  };
  const auto visit_tensor = [&](const char* name, const Mat3& t, const auto& components) {
    for (const int k : components)
      visit_value(name, kComponents[static_cast<std::size_t>(k)], t(k / 3, k % 3));
  };
  constexpr std::array kSymmetric = {0, 4, 8, 1, 2, 5};
  constexpr std::array kAll = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  visit("samples", "", cell.samples);
  visit_vector(visit_mean, "velocity", cell.velocity);
  visit_mean("velocity_norm", "", cell.velocity.norm());
  visit_mean("speed", "", cell.speed);
  visit_vector(visit_mean, "angular_velocity", cell.angular_velocity);
  visit_mean("angular_speed", "", cell.angular_speed);
  visit("number_density", "", cell.number_density);
  visit("mass_density", "", cell.mass_density);
  visit("solid_fraction", "", cell.solid_fraction);
  visit("free_share", "", free_share);
  visit_vector(visit_value, "momentum_density", cell.momentum_density);
  visit_mean("granular_temperature", "", cell.temperature);
  visit_tensor("kinetic_stress", cell.kinetic_stress, kSymmetric);
  visit_tensor("contact_stress", cell.contact_stress, kAll);
  visit_vector(visit_value, "wall_force_density", cell.wall_force);
  visit_mean("coordination", "", cell.coordination);
  visit_tensor("fabric", cell.fabric, kSymmetric);
}

std::string Columns(const FieldGrid& grid, bool is_series) {
  std::string names = is_series ? "time_from,time_to," : "";
  if (grid.by != FieldKinds::kAll) names += NameOf(grid.by) + ",";
  names += "i,j,k,x,y,z";
  ForEachColumn({}, 0.0, [&](const char* name, const char* suffix, const CsvValue&) {
    names.append(",").append(name).append(suffix);
  });
  return names + "\n";
}

std::string CellRow(const FieldGrid& grid, std::size_t cell, const CellMeans& means,
                    double free_share) {
  const std::array<int, 3> indices = grid.IndicesOf(cell);
  const Vec3 centre = grid.Centre(cell);
  std::string text = Text(indices[0], ",", indices[1], ",", indices[2]);
  for (const double coordinate : centre) text += "," + ToText(coordinate);
  ForEachColumn(means, free_share, [&](const char*, const char*, const CsvValue& value) {
    text += "," + ToText(value);
  });
  return text + "\n";
}

std::vector<std::string> KindNames(const FieldGrid& grid, const Scene& scene) {
  std::vector<std::string> names;
  if (grid.by == FieldKinds::kMaterial) {
    for (std::size_t k = 0; k < scene.materials.Size(); ++k) {
      names.push_back(scene.materials[static_cast<MaterialId>(k)].name);
    }
  } else if (grid.by == FieldKinds::kShape) {
    names.emplace_back("sphere");
    for (const ClumpShape& clump : scene.clumps) names.push_back(clump.description.name);
  }
  return names;
}

/// The frames of a row of sums.
struct RowFrames {
  std::int64_t first = 0, last = 0;  // steps
  FrameCount count;
};

RowFrames FramesOf(const AverageSpec& spec, const FieldSums& sums, std::size_t row) {
  const std::int64_t before = static_cast<std::int64_t>(row) * spec.frames_per_row;
  RowFrames frames;
  frames.count.particles = sums.frames - before;
  if (spec.frames_per_row > 0) {
    frames.count.particles = std::min(frames.count.particles, spec.frames_per_row);
  }
  frames.first = spec.first + before * spec.frame_interval;
  frames.last = frames.first + (frames.count.particles - 1) * spec.frame_interval;
  // The initial state is not the result of a step, so it has no contact forces.
  frames.count.contacts = frames.count.particles - (frames.first == 0 ? 1 : 0);
  return frames;
}

/// The rows of a field. Collective.
std::string FieldRows(const Communicator& communicator, const AverageSpec& spec,
                      const FieldSums& sums, const Scene& scene, double dt,
                      FreeWallStates free_walls) {
  const auto& grid = std::get<FieldGrid>(spec.geometry);
  const std::vector<std::string> kinds = KindNames(grid, scene);
  std::string text;
  for (std::size_t row = 0; row < sums.Rows(); ++row) {
    const RowFrames frames = FramesOf(spec, sums, row);
    const std::vector<double> free_fractions =
        FreeCellFractions(communicator, grid, scene, dt,
                          {frames.first, spec.frame_interval, frames.count.particles}, free_walls);
    for (std::size_t slot = 0; slot < sums.slots; ++slot) {
      const std::size_t cell = slot % grid.Size();
      if (spec.frames_per_row > 0) {
        text += TimeOf(frames.first, dt) + "," + TimeOf(frames.last, dt) + ",";
      }
      if (!kinds.empty()) text += kinds[slot / grid.Size()] + ",";
      text += CellRow(
          grid, cell,
          MeansOf(grid, sums.SlotSums(row * sums.slots + slot), frames.count, free_fractions[cell]),
          free_fractions[cell]);
    }
  }
  return text;
}

struct TableWriter {
  const Communicator& communicator;
  const AverageSpec& spec;
  const AverageSums& grid_or_flow_sums;
  const Scene& scene;
  double dt;
  FreeWallStates free_walls;

  std::string operator()(const FieldGrid& grid) const {
    const auto& sums = std::get<FieldSums>(grid_or_flow_sums);
    const std::int64_t last = spec.first + (sums.frames - 1) * spec.frame_interval;
    return Text("# region ", VectorText(grid.region.lower), " to ", VectorText(grid.region.upper),
                " m, ", grid.cells[0], "x", grid.cells[1], "x", grid.cells[2], " cells\n", "# ",
                sums.frames, " frames, every ", RoundedTime(spec.frame_interval, dt), " s from ",
                RoundedTime(spec.first, dt), " to ", RoundedTime(last, dt), " s\n", kFieldNotes,
                scene.HasFreeWalls() ? kFreeWallNote : "", scene.cell.IsActive() ? kCellNote : "") +
           Columns(grid, spec.frames_per_row > 0) +
           FieldRows(communicator, spec, sums, scene, dt, free_walls);
  }

  std::string operator()(const FlowPlane& plane) const {
    const auto& series = std::get<FlowSeries>(grid_or_flow_sums);
    const bool is_series = spec.frames_per_row > 0;
    std::int64_t steps = 0;
    std::string rows;
    for (const FlowSums& sums : series) {
      const double duration = dt * static_cast<double>(sums.steps);
      const std::int64_t net = sums.particles_forward - sums.particles_backward;
      const std::int64_t begin = spec.first + steps;
      steps += sums.steps;
      if (is_series) rows += TimeOf(begin, dt) + "," + TimeOf(spec.first + steps, dt) + ",";
      rows += Row({duration, sums.particles_forward, sums.particles_backward, sums.mass_forward,
                   sums.mass_backward, static_cast<double>(net) / duration,
                   (sums.mass_forward - sums.mass_backward) / duration});
    }
    return Text("# through the plane at ", VectorText(plane.point), " m with the normal ",
                VectorText(plane.normal), "\n", "# counted in each step from ",
                RoundedTime(spec.first, dt), " to ", RoundedTime(spec.first + steps, dt), " s\n",
                "# forward: along the normal; particle_flow [1/s] and mass_flow [kg/s]: forward "
                "minus backward, per time; SI units\n",
                is_series ? "time_from,time_to," : "",
                "duration,particles_forward,particles_backward,mass_forward,mass_backward,"
                "particle_flow,mass_flow\n") +
           rows;
  }
};

}  // namespace

bool HasSamples(const AverageSpec& spec) {
  return spec.IsFlow() ? spec.first < spec.last : spec.first <= spec.last;
}

std::string AverageText(const Communicator& communicator, const AverageSpec& spec,
                        const AverageSums& sums, const Scene& scene, double dt,
                        FreeWallStates free_walls) {
  return Text(kAverageMark, " ", spec.name, ", version ", ProgramVersion(), " (", GitHash(),
              ")\n") +
         std::visit(TableWriter{communicator, spec, sums, scene, dt, free_walls}, spec.geometry);
}

void WriteAverages(const Communicator& communicator, const std::string& directory,
                   const Averages& averages, double dt, FreeWallStates free_walls) {
  for (std::size_t k = 0; k < averages.Specs().size(); ++k) {
    const AverageSpec& spec = averages.Specs()[k];
    if (!HasSamples(spec)) continue;
    const AverageSums sums = SumOverRanks(communicator, averages.Sums()[k]);
    const std::string text =
        AverageText(communicator, spec, sums, averages.ObservedScene(), dt, free_walls);
    ReplaceFile(communicator, directory + "/" + AverageFile(spec.name), text);
  }
}

}  // namespace scree

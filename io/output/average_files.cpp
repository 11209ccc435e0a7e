#include "io/output/average_files.hpp"

#include <array>
#include <initializer_list>

#include "io/configuration/units.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/build_info.hpp"
#include "io/files/csv_table.hpp"
#include "io/output/output_directory.hpp"
#include "solvers/check.hpp"

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

constexpr const char* kFieldNotes =
    "# one row per cell i, j, k with its centre x, y, z [m]; SI units; a sphere counts whole in "
    "the "
    "cell of its centre\n"
    "# samples: particles times frames\n"
    "# velocity, speed [m/s], angular_velocity, angular_speed [rad/s]: means over the samples, of "
    "vectors and of their norms; empty where there are none; velocity_norm: of the mean vector\n"
    "# number_density [1/m^3], mass_density [kg/m^3], solid_fraction: means over the frames; the "
    "part of a cell inside a wall or an obstacle is not taken off its volume\n"
    "i,j,k,x,y,z,samples,velocity_x,velocity_y,velocity_z,velocity_norm,speed,angular_velocity_x,"
    "angular_velocity_y,angular_velocity_z,angular_speed,number_density,mass_density,"
    "solid_fraction\n";

std::string CellRow(const FieldGrid& grid, const FieldSums& sums, std::size_t cell) {
  const std::array<int, 3> place = grid.Place(cell);
  const Vec3 centre = grid.Centre(cell);
  const CellMeans means = MeansOf(grid, sums, cell);
  const auto mean = [&means](double value) {
    return means.samples > 0 ? CsvValue(value) : CsvValue();
  };
  const Vec3& v = means.velocity;
  const Vec3& omega = means.angular_velocity;
  return Row({std::int64_t{place[0]}, std::int64_t{place[1]}, std::int64_t{place[2]}, centre[0],
              centre[1], centre[2], means.samples, mean(v[0]), mean(v[1]), mean(v[2]),
              mean(v.norm()), mean(means.speed), mean(omega[0]), mean(omega[1]), mean(omega[2]),
              mean(means.angular_speed), means.number_density, means.mass_density,
              means.solid_fraction});
}

struct TableOf {
  const AverageSpec& spec;
  const AverageSums& sums_of_either;
  double dt;

  std::string operator()(const FieldGrid& grid) const {
    const auto& sums = std::get<FieldSums>(sums_of_either);
    const std::int64_t last = spec.first + (sums.frames - 1) * spec.every;
    std::string text =
        Text("# region ", VectorText(grid.region.lower), " to ", VectorText(grid.region.upper),
             " m, ", grid.cells[0], "x", grid.cells[1], "x", grid.cells[2], " cells\n", "# ",
             sums.frames, " frames, every ", spec.every, " steps from step ", spec.first, " to ",
             last, ", ", TimeOf(spec.first, dt), " to ", TimeOf(last, dt), " s\n", kFieldNotes);
    for (std::size_t cell = 0; cell < grid.Size(); ++cell) text += CellRow(grid, sums, cell);
    return text;
  }

  std::string operator()(const FlowPlane& plane) const {
    const auto& sums = std::get<FlowSums>(sums_of_either);
    const double duration = dt * static_cast<double>(sums.steps);
    const std::int64_t net = sums.particles_forward - sums.particles_backward;
    return Text("# through the plane at ", VectorText(plane.point), " m with the normal ",
                VectorText(plane.normal), "\n", "# counted in each of ", sums.steps,
                " steps from step ", spec.first, " to ", spec.first + sums.steps, ", ",
                TimeOf(spec.first, dt), " to ", TimeOf(spec.first + sums.steps, dt), " s\n",
                "# forward: along the normal; particle_flow [1/s] and mass_flow [kg/s]: forward "
                "less backward, per time; SI units\n",
                "duration,particles_forward,particles_backward,mass_forward,mass_backward,"
                "particle_flow,mass_flow\n") +
           Row({duration, sums.particles_forward, sums.particles_backward, sums.mass_forward,
                sums.mass_backward, static_cast<double>(net) / duration,
                (sums.mass_forward - sums.mass_backward) / duration});
  }
};

}  // namespace

bool HasWindow(const AverageSpec& spec) {
  return spec.IsFlow() ? spec.first < spec.last : spec.first <= spec.last;
}

std::string AverageText(const AverageSpec& spec, const AverageSums& sums, double dt) {
  return Text(kAverageMark, " ", spec.name, ", version ", ProgramVersion(), " (", GitHash(),
              ")\n") +
         std::visit(TableOf{spec, sums, dt}, spec.of);
}

void WriteAverages(const Communicator& communicator, const std::string& directory,
                   const Averages& averages, double dt) {
  for (std::size_t k = 0; k < averages.Specs().size(); ++k) {
    const AverageSpec& spec = averages.Specs()[k];
    if (!HasWindow(spec)) continue;
    const AverageSums sums = SumOverRanks(communicator, averages.Sums()[k]);
    const std::string text = communicator.IsRoot() ? AverageText(spec, sums, dt) : std::string();
    WriteWholeFile(communicator, directory + "/" + AverageFile(spec.name), text);
  }
}

}  // namespace scree

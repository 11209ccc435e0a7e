#include "apps/run/check_scene.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "apps/common/initial_state.hpp"
#include "apps/run/accuracy.hpp"
#include "engine/contacts/restitution.hpp"
#include "engine/scene/link_overlaps.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/collective_call.hpp"
#include "io/output/output_directory.hpp"
#include "io/output/progress.hpp"
#include "io/output/surface_files.hpp"
#include "io/scene/config_changes.hpp"
#include "io/scene/config_keys.hpp"
#include "io/scene/config_reader.hpp"

namespace scree {
namespace {

constexpr std::int64_t kMinParticles = 500;  // per rank
constexpr double kMaxImbalance = 1.5;        // work of the busiest rank over the mean

/// The number with three significant digits.
std::string ShortText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string BytesText(double bytes) {
  if (bytes < 1e9) return ShortText(bytes / 1e6) + " MB";
  return ShortText(bytes / 1e9) + " GB";
}

std::string Line(std::string name, const std::string& text) {
  name.resize(12, ' ');
  return "# " + name + text + "\n";
}

std::string DescribeShape(const ClumpShape& shape) {
  std::string text;
  for (const SolidMember& solid : shape.solids) {
    const Polyhedron& core = solid.core;
    text += Text(text.empty() ? "" : ", ", "polyhedron of ", core.vertices.size(), " vertices, ",
                 core.edges.size(), " edges, ", core.faces.size(), " faces");
  }
  const std::size_t spheres = shape.members.size() - shape.FirstSphere();
  if (shape.solids.empty()) return Text(spheres, spheres == 1 ? " member" : " members");
  if (spheres > 0) text += Text(", ", spheres, spheres == 1 ? " sphere" : " spheres");
  return text;
}

/// The line of a shape. Without a given mass, the density is that of the first material.
std::string ShapeLine(const ClumpShape& shape, const Material& material) {
  const double radius = shape.bounding_radius, mass = shape.Mass(material.density, radius);
  const Vec3 moments = shape.Inertia(mass, radius).moments;
  const std::string material_text = shape.description.mass > 0.0 ? "" : " of " + material.name;
  return Line(
      "shape",
      Text(shape.description.name, ": ", DescribeShape(shape), ", bounding radius ",
           ShortText(radius), " m, ", shape.solids.empty() ? "smallest member " : "rounding ",
           ShortText(shape.smallest_member * radius), " m, volume ",
           ShortText(shape.volume * radius * radius * radius), " m^3, mass ", ShortText(mass),
           " kg", material_text, ", principal moments ", ShortText(moments[0]), " ",
           ShortText(moments[1]), " ", ShortText(moments[2]), " kg m^2"));
}

/// All shapes side by side for ParaView: members as points with radii, and the faces of polyhedra
/// without their rounding.
std::string ShapesAsVtk(const Scene& scene) {
  std::string points, radii, numbers, faces;
  std::size_t count = 0, corners = 0, polygons = 0;
  double size_along_axis = 0.0;
  for (std::size_t k = 0; k < scene.clumps.size(); ++k) {
    const double r = scene.clumps[k].bounding_radius;
    size_along_axis += r;
    for (const SolidMember& solid : scene.clumps[k].solids) {
      for (const PolyhedronFace& face : solid.core.faces) {
        faces += Text(face.corners.size());
        for (const std::uint16_t corner : face.corners) {
          faces += Text(" ", count + solid.FeatureOf(corner));
        }
        faces += "\n";
        corners += face.corners.size();
        ++polygons;
      }
    }
    for (const Member& member : scene.clumps[k].members) {
      const Vec3 x = r * member.centre + size_along_axis * Vec3::UnitX();
      points += Text(x.transpose(), "\n");
      radii += Text(r * member.radius, "\n");
      numbers += Text(k + 1, "\n");
      ++count;
    }
    size_along_axis += r;
  }
  return Text(
      "# vtk DataFile Version 3.0\nshapes of particles [m]\nASCII\nDATASET POLYDATA\nPOINTS ",
      count, " double\n", points,
      polygons == 0 ? "" : Text("POLYGONS ", polygons, " ", polygons + corners, "\n", faces),
      "POINT_DATA ", count, "\nSCALARS radius double 1\n", "LOOKUP_TABLE default\n", radii,
      "SCALARS shape int 1\nLOOKUP_TABLE default\n", numbers);
}

std::string InflowLine(const InflowStatistics& inflow, const StepParameters& step) {
  const double seconds = step.dt * static_cast<double>(inflow.interval);
  const std::string every =
      step.accuracy > 0.0 ? ShortText(seconds) + " s" : Text(inflow.interval, " steps");
  const std::string name = inflow.name.empty() ? "" : inflow.name + ": ";
  std::string text =
      Text(name, "up to ", inflow.per_insertion, " every ", every, ", at most ",
           ShortText(static_cast<double>(inflow.per_insertion) / seconds), " per second");
  if (inflow.mass > 0.0) {
    text = Text(name, ShortText(inflow.mass), " kg, about ", inflow.particles, " particles, up to ",
                inflow.per_insertion, " every ", every);
  }
  constexpr double kOnePercent = 0.01;
  if (inflow.layer_interval > 0.0 && seconds > (1.0 + kOnePercent) * inflow.layer_interval) {
    const double steps = std::ceil(inflow.layer_interval / step.dt);
    text += Text("; that is ", ShortText(100.0 * (1.0 - inflow.layer_interval / seconds)),
                 " % less than fits: the piston makes space for a layer every ",
                 ShortText(inflow.layer_interval),
                 " s, which is not a whole number of steps; [time] step = ",
                 ShortText(inflow.layer_interval / steps), " s divides it");
  }
  return Line("inserted", text);
}

double FallInStep(const RunConfig& config, double dt) {
  return config.scene.gravity.norm() * dt * dt;
}

const AccuracyScale& TravelScale(const RunConfig& config) {
  return HasReboundingPair(config.scene.materials) ? kTravelOfImpacts : kTravel;
}

void AdviseOnStep(const RunConfig& config, const SceneStatistics& statistics,
                  std::vector<std::string>& advice) {
  if (config.step.accuracy > 0.0) return;  // automatic steps keep to their limits
  const double radius = statistics.smallest_radius, dt = statistics.step;
  const double path = statistics.speed * dt / radius,
               fall_path = statistics.fall_speed * dt / radius;
  const AccuracyScale& travel = TravelScale(config);
  if (fall_path > travel.good) {
    advice.push_back(Text(travel.name, " is ", ShortText(path), " and may become ",
                          ShortText(fall_path), "; below ", travel.good, " is good: use ",
                          travel.cure));
  }
  if (FallInStep(config, dt) / radius > kFall.good) {
    advice.push_back(Text("g dt^2 / r is ", ShortText(FallInStep(config, dt) / radius), "; below ",
                          kFall.good, " is good: use ", kFall.cure));
  }
}

/// A body that hits several others in one step needs several sweeps. The limits come from the tests
/// with few sweeps.
void AdviseOnImpacts(const RunConfig& config, std::vector<std::string>& advice) {
  const SolverParameters& solver = config.step.solver;
  const int min_sweeps = solver.scheme == Scheme::kJacobi ? 10 : 5;
  if (!HasReboundingPair(config.scene.materials) || solver.tolerance > 0.0) return;
  if (solver.sweeps >= min_sweeps) return;
  advice.push_back(
      Text("[solver] sweeps is ", solver.sweeps, ", but materials rebound: a body with several ",
           "impacts in one step then loses too much energy, or gains energy; use at least ",
           min_sweeps));
}

/// A driven wall accelerates until it meets grains. If it is then too fast, it passes through the
/// first grains before they can stop it.
void AdviseOnClosingWalls(const RunConfig& config, const SceneStatistics& statistics,
                          std::vector<std::string>& advice) {
  const double good = TravelScale(config).good;
  const double max = good * statistics.smallest_radius / statistics.step;
  for (const ClosingWall& wall : statistics.closing_walls) {
    if (wall.speed <= max) continue;
    advice.push_back(Text("[wall.", wall.name, "] closes in at up to ", ShortText(wall.speed),
                          " m/s until it meets grains, ", ShortText(wall.speed / max * good),
                          " radii in a step; below ", good, " is good: give it a damping ",
                          "of at least ", ShortText(wall.drive / max), " N s/m"));
  }
}

void AdviseOnShear(const RunConfig& config, const SceneStatistics& statistics,
                   std::vector<std::string>& advice) {
  const double strain = (std::abs(config.scene.domain.shear.rate) + config.scene.cell.MaxRate()) *
                        statistics.longest_step;
  if (strain <= kStrain.good) return;
  advice.push_back(Text("gamma dt, the strain in a step, is ", ShortText(strain), "; below ",
                        kStrain.good, " is good: use ", kStrain.cure));
}

void AdviseOnRanks(const SceneStatistics& statistics, std::vector<std::string>& advice) {
  const int ranks = statistics.ranks;
  if (ranks == 1) return;
  const double mean = static_cast<double>(statistics.particles) / ranks;
  if (mean < static_cast<double>(kMinParticles)) {
    advice.push_back(Text("a rank has ", ShortText(mean), " particles on average; below ",
                          kMinParticles, ", messages take longer than the work: use fewer ranks"));
  }
  if (statistics.imbalance > kMaxImbalance) {
    advice.push_back(Text("the busiest rank has ", ShortText(statistics.imbalance),
                          " times the mean work: [parallel] balance = auto, other "
                          "subdomains or fewer ranks may balance better"));
  }
}

/// The line of the granular Bond number (pull-off force of a contact over weight) of the smallest
/// spheres of the most cohesive material, or of the lightest body if there are clumps. Empty
/// without attraction or weight.
std::string BondNumberLine(const Scene& scene, const SceneStatistics& statistics) {
  const MaterialTable& materials = scene.materials;
  const double radius = statistics.smallest_radius;
  double number = 0.0, pull = 0.0;
  for (std::size_t k = 0; k < materials.Size(); ++k) {
    const auto id = static_cast<MaterialId>(k);
    const double force = CohesionLaw::Force(materials.PairOf<CohesionLaw>(id, id), radius, radius);
    const double mass =
        scene.HasClumps() ? statistics.smallest_mass : materials[id].density * SphereVolume(radius);
    const double weight = mass * scene.gravity.norm();
    if (!(force > number * weight)) continue;
    number = force / weight;
    pull = force;
  }
  if (!(number > 0.0) || !std::isfinite(number)) return "";
  const char* bodies = scene.HasClumps() ? "the lightest bodies" : "the smallest spheres";
  return Line("cohesion", Text("a contact of ", bodies, " resists pulls up to ", ShortText(pull),
                               " N, ", ShortText(number), " times their weight (the Bond number)"));
}

/// The lines of a [cell]: its rates and, if a stress drives them, its inertia and damping. Empty
/// without a cell.
std::string CellLines(const RunConfig& config, const SceneStatistics& statistics) {
  const CellControl& cell = config.scene.cell;
  if (!cell.IsActive()) return "";
  const double dt = statistics.longest_step;
  const double rate = CellRateScale(config.scene, statistics.smallest_radius);
  const double largest = cell.MaxRate();
  const std::string rate_text =
      Text("rate ", ShortText(rate), " /s, a strain of ", ShortText(rate * dt), " in a step");
  if (!cell.HasStress()) return Line("cell rates", "largest prescribed " + rate_text);
  const double volume = config.scene.domain.box.Extent().prod();
  const double load = volume * cell.MaxStress();
  // Time in which the stress moves a particle by its size.
  const double time = std::sqrt(statistics.cell_inertia / load);
  const std::string limit =
      cell.max_rate > 0.0 ? "max_rate"
                          : Text("at time zero ", kDefaultRate, " sqrt(volume x stress / inertia)");
  const double max = cell.max_rate > 0.0 ? cell.max_rate : kDefaultRate / time;
  return Line(
             "cell rates",
             Text("largest expected ", rate_text, "; limit of stress-driven rates ", ShortText(max),
                  " /s (", limit, "), an inertial number of ", ShortText(max * time),
                  largest > 0.0 ? Text("; largest prescribed rate ", ShortText(largest), " /s")
                                : "")) +
         Line("inertia", Text(ShortText(statistics.cell_inertia), " kg m^2, ", cell.inertia,
                              " x the sum of mass x diameter^2; the largest stress, ",
                              ShortText(cell.MaxStress()), " Pa, changes a rate by ",
                              ShortText(dt * load / statistics.cell_inertia),
                              " /s in a step while nothing resists")) +
         Line("damping",
              Text(cell.damping, " /s; at ", ShortText(max), " /s it balances ",
                   ShortText(100.0 * cell.damping * max * statistics.cell_inertia / load),
                   " % of the largest stress"));
}

/// Durations below a second are not printed exactly, because the estimate is not that accurate.
std::string PlannedDuration(double seconds) {
  return seconds < 1.0 ? "less than a second" : FormatDuration(seconds);
}

/// The line of the estimated run times, with all particles in contact and with the contacts at time
/// zero; empty if no step was timed. With automatic steps both times assume the shortest step,
/// which is the one at the largest expected speed.
std::string TimeLine(const RunConfig& config, const SceneStatistics& statistics) {
  if (statistics.timed_steps == 0) return "";
  const bool is_automatic = config.step.accuracy > 0.0;
  const double steps =
      is_automatic ? config.time.end / statistics.step : static_cast<double>(statistics.steps);
  const double seconds = steps * statistics.step_seconds;
  const double full = std::max(seconds, steps * statistics.full_seconds);
  return Line("run time",
              Text("plan for ", PlannedDuration(full), " if all particles are in contact, about ",
                   PlannedDuration(seconds), " if contacts stay as at time zero",
                   is_automatic ? Text(", both with steps of ", ShortText(statistics.step),
                                       " s, the shortest expected")
                                : "",
                   ". Measured in ", statistics.timed_steps,
                   " steps without output on this machine under its present load, ",
                   "with a core for each of ", statistics.ranks,
                   statistics.ranks == 1 ? " rank" : " ranks"));
}

/// The changes during the run, with their times.
std::string ChangeLines(const RunConfig& config) {
  std::string lines;
  const bool is_automatic = config.step.accuracy > 0.0;
  for (const SceneChange& change : config.changes) {
    std::string keys;
    for (const NewValue& value : change.values) {
      keys += Text(keys.empty() ? "" : ", ", value.section, ".", value.key, " = ",
                   ValueText(value.section, value.key, value.value));
    }
    lines +=
        Line("change",
             Text("at ", change.time, " s",
                  is_automatic ? "" : Text(", step ", StepOf(change, config.step.dt)), ": ", keys));
  }
  return lines;
}

/// Warns of changes at the end of the run or later.
void AdviseOnChanges(const RunConfig& config, std::vector<std::string>& advice) {
  for (const SceneChange& change : config.changes) {
    if (change.time < config.time.end) continue;
    advice.push_back(Text("[", ChangeSectionName(change.time), "] is not before the end of the ",
                          "run, ", config.time.end, " s, and has no effect"));
  }
}

}  // namespace

std::vector<std::string> AdviceOnLinks(const Scene& scene) {
  constexpr std::size_t kMaxPairs = 8;
  std::vector<std::string> advice;
  const std::vector<LinkOverlap> overlaps = FindLinkOverlaps(scene);
  const auto name_of = [&](std::size_t w) {
    const Wall& wall = scene.walls[w];
    std::string name = "[wall." + wall.name + "]";
    if (wall.IsPartOfLink()) {
      name += " of [link." + scene.links[static_cast<std::size_t>(wall.link)].name + "]";
    }
    return name;
  };
  for (const LinkOverlap& overlap : overlaps) {
    if (advice.size() == kMaxPairs) {
      advice.push_back(Text(overlaps.size() - kMaxPairs, " more pairs of walls of links overlap"));
      break;
    }
    const Vec3& point = overlap.point;
    advice.push_back(Text(name_of(overlap.wall), " starts about ", ShortText(overlap.depth),
                          " m inside ", name_of(overlap.other), ", at (", ShortText(point.x()),
                          ", ", ShortText(point.y()), ", ", ShortText(point.z()),
                          ") m: only particles touch links, so the two move through each other and "
                          "squeeze particles between them; start them apart, and let limits of "
                          "joints keep them apart"));
  }
  return advice;
}

std::vector<std::string> AdviceOn(const RunConfig& config, const SceneStatistics& statistics) {
  std::vector<std::string> advice;
  AdviseOnStep(config, statistics, advice);
  AdviseOnImpacts(config, advice);
  AdviseOnShear(config, statistics, advice);
  AdviseOnClosingWalls(config, statistics, advice);
  for (std::string& sentence : AdviceOnLinks(config.scene)) advice.push_back(std::move(sentence));
  if (statistics.overlap > kOverlap.good * statistics.smallest_radius) {
    advice.push_back(Text("particles or walls overlap by up to ", ShortText(statistics.overlap),
                          " m at time zero, ",
                          ShortText(statistics.overlap / statistics.smallest_radius),
                          " of the smallest radius: they will be pushed apart"));
  }
  AdviseOnRanks(statistics, advice);
  AdviseOnChanges(config, advice);
  const bool has_log_lines = !(config.output.log_every == Interval());
  const bool has_checkpoints = !(config.checkpoint.interval == Interval());
  if (statistics.snapshots == 0 && !has_log_lines && !has_checkpoints) {
    advice.push_back(
        "[output] every = never, log_every = never, and there is no [checkpoint]: the last line of "
        "the log will be the only result of the run");
  }
  return advice;
}

std::string StatisticsLines(const RunConfig& config, const SceneStatistics& statistics) {
  const double dt = statistics.step, radius = statistics.smallest_radius;
  std::string lines = Line(
      "particles", Text(statistics.particles, " at time zero, at most ", statistics.max_particles));
  for (const InflowStatistics& inflow : statistics.inflows)
    lines += InflowLine(inflow, config.step);
  lines +=
      Line("radius", Text(ShortText(radius), " to ", ShortText(statistics.largest_radius), " m"));
  for (const ClumpShape& shape : config.scene.clumps) {
    lines += ShapeLine(shape, config.scene.materials[0]);
  }
  lines +=
      Line("steps", config.step.accuracy > 0.0
                        ? Text("automatic, for an accuracy of ", config.step.accuracy, ": at most ",
                               ShortText(statistics.longest_step), " s, ", ShortText(dt), " s at ",
                               ShortText(statistics.fall_speed), " m/s, counted in base steps of ",
                               ShortText(config.step.dt), " s")
                        : Text(statistics.steps, " of ", dt, " s"));
  lines += Line("ranks", Text(statistics.ranks, " as ", statistics.cuts, ", boxes of ",
                              ShortText(statistics.box[0]), " x ", ShortText(statistics.box[1]),
                              " x ", ShortText(statistics.box[2]), " m, ", statistics.min_on_rank,
                              " to ", statistics.max_on_rank, " particles each"));
  if (statistics.ranks > 1) {
    lines += Line("balance", Text("work counted in the first step, max/mean over the ranks: ",
                                  ShortText(statistics.imbalance)));
  }
  lines += Line("v dt / r",
                Text(ShortText(statistics.speed * dt / radius), " at ", ShortText(statistics.speed),
                     " m/s now; ", ShortText(statistics.fall_speed * dt / radius),
                     " after the longest free fall"));
  lines += Line("g dt^2 / r", ShortText(FallInStep(config, dt) / radius));
  lines += Line("overlap",
                Text(ShortText(statistics.overlap), " m at time zero; in a step weight can add ",
                     ShortText(FallInStep(config, dt)), " m, and unconverged sweeps up to ",
                     ShortText(2.0 * statistics.fall_speed * dt), " m"));
  if (PositionSweeps(config.step) > 0) {
    const double slop = SlopOf(config.step, statistics.smallest_ball);
    lines +=
        Line("at rest", Text("overlaps of up to ", ShortText(2.0 * slop), " m, ",
                             ShortText(2.0 * slop / statistics.smallest_ball),
                             " r, may stay; g dt is ", ShortText(dt * config.scene.gravity.norm()),
                             " m/s, compare the log's residual with it"));
  }
  lines += CellLines(config, statistics);
  lines += BondNumberLine(config.scene, statistics);
  // In a dense packing a sphere has six neighbours, and two spheres share each contact.
  lines += Line("contacts", Text(statistics.contacts, " in a first step; up to about ",
                                 3 * statistics.max_particles, " when densely packed"));
  lines += TimeLine(config, statistics);
  lines += Line("memory",
                Text("about ", BytesText(statistics.memory_bytes), ", ",
                     BytesText(statistics.memory_bytes / statistics.ranks), " per rank, ",
                     BytesText(statistics.max_bytes_of_rank), " on the fullest with its ghosts"));
  lines +=
      Line("disk",
           Text(statistics.snapshots, " snapshots of at most ",
                BytesText(statistics.snapshot_bytes), ", together ",
                BytesText(static_cast<double>(statistics.snapshots) * statistics.snapshot_bytes)));
  lines += ChangeLines(config);
  const std::vector<std::string> advice = AdviceOn(config, statistics);
  for (const std::string& sentence : advice) lines += Line("ADVICE", sentence);
  return advice.empty() ? lines + Line("advice", "none, all values are good") : lines;
}

namespace {

/// Checks for each change that a step can be set up with the configuration after this change.
void RequireValidChanges(const Communicator& communicator, const RunConfig& config,
                         const Subdomains& subdomains, const Particles& particles) {
  const auto count = communicator.Sum(static_cast<std::int64_t>(particles.owned));
  RunConfig changed_config = AfterChanges(config, 0);
  IniEntries rows = RowsOf(changed_config);
  std::size_t changes_made = 0;
  for (std::size_t k = 0; k < config.changes.size(); ++k) {
    const bool changes_only_gravity = std::ranges::all_of(
        config.changes[k].values, [](const NewValue& value) { return value.section == "scene"; });
    if (changes_only_gravity)
      continue;  // a change of gravity is always valid, and there may be many
    const auto next_changes = std::span(config.changes).subspan(changes_made, k + 1 - changes_made);
    changed_config = AfterChanges(changed_config, next_changes, rows);
    ChangeRows(next_changes, rows);
    changes_made = k + 1;
    const RadiusRange radii = RadiiOf(communicator, changed_config.scene, particles);
    try {
      const StepSetup setup(communicator, changed_config.scene, changed_config.step, subdomains,
                            radii, count);
    } catch (const InputError& error) {
      throw InputError(Text("[", ChangeSectionName(config.changes[k].time), "]: ", error.what()));
    }
  }
}

}  // namespace

std::string CheckScene(const Communicator& communicator, const RunConfig& config, int ranks) {
  if (ranks == 0) ranks = communicator.Size();
  const Domain& domain = config.scene.domain;
  const Subdomains subdomains_of_run = MakeSubdomains(config, ranks);
  const Subdomains subdomains_of_check(domain, SmallestHaloGrid(domain, communicator.Size()));
  State state = MakeInitialState(communicator, config, subdomains_of_check);
  RequireValidChanges(communicator, config, subdomains_of_check, state.particles);
  const SceneStatistics statistics = MeasureScene(
      communicator, config, ranks == communicator.Size() ? subdomains_of_run : subdomains_of_check,
      std::move(state), subdomains_of_run);
  RequirePositionPrecision(config.output.format, domain.box, statistics.smallest_radius);
  const std::string walls = config.output.directory + "/" + kCheckWallsFile;
  const std::string shapes = config.output.directory + "/" + kCheckShapesFile;
  CallOnRoot<OutputError>(communicator, [&] {
    std::filesystem::create_directories(config.output.directory);
    ReplaceFile(walls, WallsAsVtk(config.scene));
    if (!config.scene.clumps.empty()) ReplaceFile(shapes, ShapesAsVtk(config.scene));
  });
  return StatisticsLines(config, statistics) + Line("walls", walls) +
         (config.scene.clumps.empty() ? "" : Line("shapes", shapes));
}

}  // namespace scree

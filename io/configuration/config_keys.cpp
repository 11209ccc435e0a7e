#include "io/configuration/config_keys.hpp"

#include <algorithm>
#include <cstring>

#include "solvers/check.hpp"

namespace scree {
namespace {

constexpr SectionSpec kSections[] = {
    {"scene", "scene", 0, 0, "What holds for the whole scene"},
    {"domain", "domain", 0, 0, "The simulated box"},
    {"time", "time", 0, 0, "Time stepping"},
    {"contact", "contact", 0, 0, "Contact law of all pairs of materials"},
    {"material", "material.NAME", 1, 1, "A material; without any there is one named \"grain\""},
    {"pair", "pair.A.B", 2, 2, "What differs for the pair of materials A and B"},
    {"wall", "wall.NAME", 1, 2,
     "A rigid surface. [wall.NAME.PART] gives further parts of the same solid (geometry only)"},
    {"fill", "fill or fill.NAME", 0, 1, "Particles at time zero"},
    {"inflow", "inflow", 0, 0, "Layers of particles that a piston drives in"},
    {"outflow", "outflow", 0, 0, "Where particles leave"},
    {"initial", "initial", 0, 0, "Particles read from a file"},
    {"solver", "solver", 0, 0, "Contact solver"},
    {"parallel", "parallel", 0, 0, "Distribution over ranks"},
    {"output", "output", 0, 0, "What is written"},
    {"checkpoint", "checkpoint", 0, 0, "What --restart goes on from"},
    {"average", "average.NAME", 1, 1,
     "Averages taken during the run, over the cells of a grid or of the flow through a plane"},
};

constexpr double kMost = std::numeric_limits<double>::infinity();

// What [contact] and [pair] have in common.
constexpr const char* kRebounds = "0 to 1 | kuwabara-kono | hunt-crossley | hertz-linear | linear";
constexpr const char* kStiffnessDoc =
    "law: k in SI, N/m if linear, else N/m^1.5 or from Young's moduli";
constexpr const char* kDissipationDoc =
    "law: gamma_0 in SI, s (kuwabara-kono, linear), s/m (hunt-crossley), s m^0.5 (hertz-linear)";
constexpr const char* kRollingDoc =
    "mu_r: moment of rolling, at most mu_r R times the normal force, 1/R = 1/r_a + 1/r_b";
constexpr const char* kSpinningDoc = "mu_s: the same for spinning about the normal";
constexpr const char* kLoadDoc = "law: the weight of a sphere on a wall counts";

constexpr KeySpec kKeys[] = {
    {"scene", "seed", Kind::kWhole, "1", ">= 0", "seed of all random numbers", kPlain, 0.0},
    {"scene", "gravity", Kind::kVector, "0 0 -9.81 m/s^2", "", "gravity", kAcceleration},
    {"domain", "lower", Kind::kVector, "", "", "lower corner", kLength},
    {"domain", "upper", Kind::kVector, "", "above lower", "upper corner", kLength},
    {"domain", "periodic", Kind::kAxes, "none", "", "axes along which the box repeats"},
    {"time", "step", Kind::kNumber, "10 us", "> 0", "time step", kTime, 0.0, true},
    {"time", "end", Kind::kNumber, "", "whole steps", "simulated time", kTime, 0.0},
    {"contact", "friction", Kind::kNumber, "0.4", ">= 0", "friction coefficient", kPlain, 0.0},
    {"contact", "rolling_friction", Kind::kNumber, "0", ">= 0", kRollingDoc, kPlain, 0.0},
    {"contact", "spinning_friction", Kind::kNumber, "0", ">= 0", kSpinningDoc, kPlain, 0.0},
    {"contact", "restitution", Kind::kRestitution, "0", kRebounds,
     "coefficient of restitution, or its law of the approach speed", kPlain, 0.0, false, 1.0},
    {"contact", "stiffness", Kind::kNumber, "", "> 0", kStiffnessDoc, kPlain, 0.0, true},
    {"contact", "dissipation", Kind::kNumber, "", ">= 0", kDissipationDoc, kPlain, 0.0},
    {"contact", "load", Kind::kYesNo, "no", "", kLoadDoc},
    {"contact", "restitution_threshold", Kind::kNumber, "0 m/s", ">= 0",
     "slower impacts do not rebound, nor do those below 5 g dt", kSpeed, 0.0},
    {"material", "density", Kind::kNumber, "2.65 g/cm^3", "> 0", "density", kDensity, 0.0, true},
    {"material", "young", Kind::kNumber, "", "> 0", "Young's modulus, for laws of restitution",
     kPressure, 0.0, true},
    {"material", "poisson", Kind::kNumber, "0.3", "above -1, to 0.5", "Poisson's ratio, for them",
     kPlain, -1.0, true, 0.5},
    {"pair", "friction", Kind::kNumber, "", ">= 0",
     "friction coefficient; that of [contact] if not given", kPlain, 0.0},
    {"pair", "rolling_friction", Kind::kNumber, "", ">= 0",
     "as in [contact], and that of it if not given", kPlain, 0.0},
    {"pair", "spinning_friction", Kind::kNumber, "", ">= 0", "the same", kPlain, 0.0},
    {"pair", "restitution", Kind::kRestitution, "", kRebounds,
     "as in [contact]; if not given all of it is", kPlain, 0.0, false, 1.0},
    {"pair", "stiffness", Kind::kNumber, "", "> 0", kStiffnessDoc, kPlain, 0.0, true},
    {"pair", "dissipation", Kind::kNumber, "", ">= 0", kDissipationDoc, kPlain, 0.0},
    {"pair", "load", Kind::kYesNo, "no", "", kLoadDoc},
    {"wall", "shape", Kind::kChoice, "",
     "plane | box | cylinder | sphere | pipe | cone | disk | mesh",
     "kind of solid; pipe, cone and disk are sheets without thickness"},
    {"wall", "point", Kind::kVector, "", "", "plane: a point of it; sphere, disk: centre", kLength},
    {"wall", "normal", Kind::kVector, "", "not zero", "plane: direction out of the solid; disk"},
    {"wall", "lower", Kind::kVector, "", "", "box: lower corner", kLength},
    {"wall", "upper", Kind::kVector, "", "above lower", "box: upper corner", kLength},
    {"wall", "from", Kind::kVector, "", "", "cylinder, pipe, cone: centre of one end", kLength},
    {"wall", "to", Kind::kVector, "", "not from", "centre of the other end", kLength},
    {"wall", "radius", Kind::kNumber, "", "> 0", "cylinder, sphere, pipe, disk", kLength, 0.0,
     true},
    {"wall", "diameter", Kind::kNumber, "", "> 0", "or diameter", kLength, 0.0, true},
    {"wall", "from_radius", Kind::kNumber, "", ">= 0", "cone: radius at from", kLength, 0.0},
    {"wall", "to_radius", Kind::kNumber, "", ">= 0", "cone: radius at to", kLength, 0.0},
    {"wall", "hole", Kind::kNumber, "0 m", ">= 0, < radius", "disk: radius of the hole", kLength,
     0.0},
    {"wall", "file", Kind::kText, "", ".stl, binary or ASCII",
     "mesh: triangles; looked for from here, then beside the scene"},
    {"wall", "unit", Kind::kNumber, "1 m", "> 0", "mesh: unit of the file", kLength, 0.0, true},
    {"wall", "offset", Kind::kVector, "0 0 0 m", "", "mesh: where the file's origin is", kLength},
    {"wall", "solid", Kind::kChoice, "no", "no | inside | outside",
     "mesh: what its surface encloses is solid, or all but that; no: a sheet"},
    {"wall", "velocity", Kind::kVector, "0 0 0 m/s", "", "prescribed velocity", kSpeed},
    {"wall", "amplitude", Kind::kVector, "0 0 0 m", "",
     "A of an oscillation A (sin(2 pi f t + phase) - sin(phase)), added to that", kLength},
    {"wall", "frequency", Kind::kNumber, "0 Hz", ">= 0", "f of the oscillation", kFrequency, 0.0},
    {"wall", "phase", Kind::kNumber, "0 rad", "", "of the oscillation"},
    {"wall", "angular_velocity", Kind::kVector, "0 0 0 1/s", "", "rotation about its centre",
     kFrequency},
    {"wall", "centre", Kind::kVector, "0 0 0 m", "",
     "point of the axis of rotation, and about which the torque is told", kLength},
    {"wall", "removed_at", Kind::kNumber, "", "> 0, whole steps; stays if not given",
     "time at which the wall vanishes", kTime, 0.0, true},
    {"wall", "material", Kind::kName, "", "the first material if not given", "material"},
    {"fill", "lower", Kind::kVector, "", "in the domain", "lower corner", kLength},
    {"fill", "upper", Kind::kVector, "", "in the domain", "upper corner", kLength},
    {"fill", "places", Kind::kChoice, "lattice", "lattice | random",
     "random: none overlapping another of this fill, wholly in the region"},
    {"fill", "spacing", Kind::kNumber, "", ">= diameter", "of the lattice", kLength, 0.0, true},
    {"fill", "solid_fraction", Kind::kNumber, "", "> 0, at most 0.3",
     "random: volume of the spheres over that of the region", kPlain, 0.0, true, 0.3},
    {"fill", "radius", Kind::kNumber, "", "> 0", "of the spheres", kLength, 0.0, true},
    {"fill", "diameter", Kind::kNumber, "", "> 0", "of the spheres, or radius", kLength, 0.0, true},
    {"fill", "sizes", Kind::kChoice, "one", "one | uniform | lognormal | sieved",
     "radii: all alike, uniform, ln r normal around the radius, or by mass"},
    {"fill", "smallest_radius", Kind::kNumber, "", "> 0", "of uniform and lognormal", kLength, 0.0,
     true},
    {"fill", "largest_radius", Kind::kNumber, "", "> smallest_radius", "of uniform and lognormal",
     kLength, 0.0, true},
    {"fill", "spread", Kind::kNumber, "", "> 0", "of lognormal: standard deviation of ln r", kPlain,
     0.0, true},
    {"fill", "sieves", Kind::kList, "", "> 0, growing", "of sieved: radii", kLength, 0.0, true},
    {"fill", "passing", Kind::kList, "", "from 0 to 1",
     "of sieved: shares of the mass with at most these radii", kPlain, 0.0, false, 1.0},
    {"fill", "material", Kind::kName, "", "the first material if not given", "material"},
    {"fill", "velocity", Kind::kVector, "0 0 0 m/s", "", "initial velocity", kSpeed},
    {"fill", "jitter", Kind::kVector, "0 0 0 m/s", ">= 0",
     "each velocity component is uniform within plus or minus this", kSpeed, 0.0},
    {"inflow", "piston", Kind::kName, "", "a wall that is a plane", "wall that drives"},
    {"inflow", "lower", Kind::kVector, "", "in the domain", "lower corner of a layer", kLength},
    {"inflow", "upper", Kind::kVector, "", "in the domain", "upper corner of a layer", kLength},
    {"inflow", "spacing", Kind::kNumber, "", ">= diameter",
     "of the lattice across the piston's axis", kLength, 0.0, true},
    {"inflow", "radius", Kind::kNumber, "", "> 0", "of the spheres", kLength, 0.0, true},
    {"inflow", "diameter", Kind::kNumber, "", "> 0", "of the spheres, or radius", kLength, 0.0,
     true},
    {"inflow", "sizes", Kind::kChoice, "one", "one | uniform | lognormal | sieved",
     "radii: all alike, uniform, ln r normal around the radius, or by mass"},
    {"inflow", "smallest_radius", Kind::kNumber, "", "> 0", "of uniform and lognormal", kLength,
     0.0, true},
    {"inflow", "largest_radius", Kind::kNumber, "", "> smallest_radius", "of uniform and lognormal",
     kLength, 0.0, true},
    {"inflow", "spread", Kind::kNumber, "", "> 0", "of lognormal: standard deviation of ln r",
     kPlain, 0.0, true},
    {"inflow", "sieves", Kind::kList, "", "> 0, growing", "of sieved: radii", kLength, 0.0, true},
    {"inflow", "passing", Kind::kList, "", "from 0 to 1",
     "of sieved: shares of the mass with at most these radii", kPlain, 0.0, false, 1.0},
    {"inflow", "material", Kind::kName, "", "the first material if not given", "material"},
    {"inflow", "velocity", Kind::kVector, "0 0 0 m/s", "", "initial velocity", kSpeed},
    {"inflow", "jitter", Kind::kVector, "0 0 0 m/s", ">= 0",
     "each velocity component is uniform within plus or minus this", kSpeed, 0.0},
    {"outflow", "faces", Kind::kFaces, "none", "", "faces that delete particles crossing them"},
    {"initial", "file", Kind::kText, "", ".h5 | .csv | .csv.gz", "snapshot or table of particles"},
    {"solver", "sweeps", Kind::kWhole, "10", "1 to 1000000",
     "relaxations of each contact per step, without a tolerance", kPlain, 1.0, false, 1e6},
    {"solver", "tolerance", Kind::kNumber, "", "> 0",
     "sweep until relative velocities change by less", kSpeed, 0.0, true},
    {"solver", "max_sweeps", Kind::kWhole, "1000", "1 to 1000000",
     "with a tolerance, no more sweeps than this", kPlain, 1.0, false, 1e6},
    {"solver", "scheme", Kind::kChoice, "gauss_seidel", "gauss_seidel | jacobi",
     "jacobi: the same bits on any number of ranks, but slower"},
    {"solver", "sharing", Kind::kChoice, "local_weights", "local_weights | mass_splitting",
     "gauss_seidel: what ranks do about particles that several of them correct"},
    {"solver", "order", Kind::kChoice, "forward", "forward | symmetric",
     "gauss_seidel: symmetric turns round after every sweep"},
    {"solver", "kernel", Kind::kChoice, "sphere", "sphere | max_dissipation | coulomb",
     "what solves one contact; all agree for spheres, the general two are slower"},
    {"solver", "position_sweeps", Kind::kWhole, "",
     "0 to 1000000; as sweeps but at most 10 if not given",
     "sweeps that move overlapping spheres apart without changing velocities; 0: overlaps are "
     "removed through the velocities (Baumgarte stabilisation)",
     kPlain, 0.0, false, 1e6},
    {"solver", "slop", Kind::kAutoNumber, "auto", "auto | >= 0",
     "an overlap that position_sweeps leave; auto: 1e-4 of the smallest radius", kLength, 0.0},
    {"solver", "error_reduction", Kind::kNumber, "0.8", "0 to 1",
     "share of an overlap removed in one step", kPlain, 0.0, false, 1.0},
    {"solver", "max_correction_speed", Kind::kAutoNumber, "auto", "auto | >= 0",
     "cap on the speed of that", kSpeed, 0.0},
    {"solver", "warm_start", Kind::kYesNo, "yes", "",
     "contacts begin with their impulses of the last step"},
    {"solver", "speculative", Kind::kYesNo, "yes", "",
     "include open gaps that would close within the step"},
    {"solver", "contact_margin", Kind::kAutoNumber, "auto", "auto | >= 0",
     "gaps that the step would leave smaller are included too; auto: 5 g dt^2, where nothing "
     "rebounds at least 0.4 % of the smallest radius",
     kLength, 0.0},
    {"solver", "contact_threshold", Kind::kNumber, "1e-8 m", ">= 0",
     "gaps up to this take part if speculative = no", kLength, 0.0},
    {"parallel", "subdomains", Kind::kGrid, "auto", "", "subdomains along each axis"},
    {"parallel", "skin", Kind::kAutoNumber, "auto", "auto | > 0",
     "extra reach of the neighbour list; auto: 0.8 mean radii", kLength, 0.0, true, kMost},
    {"output", "directory", Kind::kText, "output", "", "where everything is written"},
    {"output", "every", Kind::kInterval, "never", "whole steps", "snapshots", kTime, 0.0, true},
    {"output", "log_every", Kind::kInterval, "", "as every if not given",
     "rows of series.csv and progress lines", kTime, 0.0, true},
    {"output", "energy_book", Kind::kYesNo, "no", "",
     "series.csv tells where the energy goes, summed over all steps"},
    {"output", "wall_forces", Kind::kYesNo, "no", "",
     "series.csv tells the force and torque on each wall in the step"},
    {"output", "overwrite", Kind::kYesNo, "no", "", "replace existing output"},
    {"output", "fields", Kind::kFields, "all", "", "of the particles; position and id always"},
    {"output", "precision", Kind::kChoice, "double", "double | single", "of numbers in snapshots"},
    {"output", "contacts", Kind::kYesNo, "no", "", "snapshots have the contacts too"},
    {"checkpoint", "every", Kind::kPace, "never", "whole steps, or \"30 min wall\"",
     "checkpoints, also one at the end", kTime, 0.0, true},
    {"checkpoint", "keep", Kind::kWhole, "2", ">= 1", "how many of the last ones are kept", kPlain,
     1.0},
    {"average", "lower", Kind::kVector, "", "the domain's if not given", "grid: lower corner",
     kLength},
    {"average", "upper", Kind::kVector, "", "the domain's if not given", "grid: upper corner",
     kLength},
    {"average", "cells", Kind::kCells, "1x1x1", ">= 1 each", "grid: cells along x, y and z"},
    {"average", "every", Kind::kInterval, "", "whole steps", "grid: between two frames", kTime, 0.0,
     true},
    {"average", "plane", Kind::kVector, "", "", "plane: a point of it; there is no grid then",
     kLength},
    {"average", "normal", Kind::kVector, "", "not zero", "plane: direction of positive flow"},
    {"average", "from", Kind::kNumber, "0 s", "whole steps", "first frame, or start of counting",
     kTime, 0.0},
    {"average", "to", Kind::kNumber, "", "the end if not given", "last frame, or end of counting",
     kTime, 0.0, true},
};

const SectionSpec* FindSection(const std::string& section) {
  const std::vector<std::string> parts = SectionParts(section);
  for (const SectionSpec& spec : kSections) {
    const bool fits = parts.size() - 1 >= spec.least_names && parts.size() - 1 <= spec.most_names;
    if (parts[0] == spec.name && fits) return &spec;
  }
  return nullptr;
}

}  // namespace

std::span<const SectionSpec> AllSections() { return kSections; }
std::span<const KeySpec> AllKeys() { return kKeys; }

std::vector<std::string> SectionParts(const std::string& section) {
  std::vector<std::string> parts(1);
  for (const char c : section) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

const KeySpec* FindKey(const std::string& section, const std::string& key) {
  const SectionSpec* spec = FindSection(section);
  if (spec == nullptr) return nullptr;
  for (const KeySpec& candidate : kKeys) {
    if (std::strcmp(candidate.section, spec->name) == 0 && key == candidate.key) return &candidate;
  }
  return nullptr;
}

std::vector<std::string> KeysOf(const std::string& section) {
  std::vector<std::string> keys;
  const SectionSpec* spec = FindSection(section);
  for (const KeySpec& candidate : kKeys) {
    if (spec != nullptr && std::strcmp(candidate.section, spec->name) == 0) {
      keys.emplace_back(candidate.key);
    }
  }
  return keys;
}

std::string KeyHelp() {
  std::string help;
  for (const SectionSpec& section : kSections) {
    help += Text("\n[", section.form, "]  ", section.doc, "\n");
    for (const KeySpec& key : kKeys) {
      if (std::strcmp(key.section, section.name) != 0) continue;
      std::string name = Text("  ", key.key);
      name.resize(std::max<std::size_t>(name.size() + 1, 24), ' ');
      help += name + key.doc;
      if (const std::string unit = SiUnit(key.dimension); !unit.empty()) {
        help += Text(" [", unit, "]");
      }
      if (*key.range != '\0') help += Text("; ", key.range);
      if (*key.initial != '\0') help += Text("; default ", key.initial);
      help += '\n';
    }
  }
  return help;
}

std::string KeyList() {
  std::string list;
  for (const SectionSpec& section : kSections) {
    const std::string form(section.form);
    const std::string name = form.substr(0, form.find(' '));
    for (const KeySpec& key : kKeys) {
      if (std::strcmp(key.section, section.name) == 0) list += Text(name, ".", key.key, "\n");
    }
  }
  return list;
}

}  // namespace scree

// What must hold between the keys of a scene.
#include <cmath>

#include "engine/lattice.hpp"
#include "io/config_reader.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

class Checker {
 public:
  Checker(const RunConfig& config, const Settings& settings, ErrorList& errors)
      : config_(config), scene_(config.scene), settings_(settings), errors_(errors) {}

  void Run() {
    Times();
    const std::vector<std::string> sections = settings_.Sections("fill");
    for (std::size_t f = 0; f < sections.size(); ++f) {
      LatticeHolds(sections[f], scene_.fills[f].lattice, scene_.fills[f].grain.radius, -1);
    }
    if (scene_.inflow) InflowHolds();
    Outflow();
    if (scene_.fills.empty() && !scene_.inflow && config_.initial.file.empty()) {
      errors_.Add(
          settings_.Where("fill", ""),
          "the scene has no particles; expected a [fill], an [inflow] or an [initial] file");
    }
    InitialFile();
  }

 private:
  void Complain(const std::string& section, const std::string& key, const std::string& message) {
    errors_.Add(settings_.Where(section, key), message);
  }

  void Times() {
    const auto check = [this](const char* section, const char* key, const Interval& interval) {
      try {
        interval.InSteps(config_.step.dt, key);
      } catch (const InputError& error) {
        Complain(section, key, error.what());
      }
    };
    check("time", "end", {0, config_.time.end});
    check("output", "every", config_.output.every);
    check("output", "log_every", config_.output.log_every);
  }

  /// @param free_axis  along which the extent does not matter; -1: none
  void LatticeHolds(const std::string& section, const Lattice& lattice, double radius,
                    int free_axis) {
    // The smallest gap is that of 2 r = spacing to rounding, which touches and is allowed.
    constexpr double kRounding = 1e-12;
    if (lattice.spacing < 2.0 * radius * (1.0 - kRounding)) {
      Complain(section, "spacing",
               Text("is ", lattice.spacing, " m, less than the diameter ", 2.0 * radius,
                    " m: the spheres would overlap; expected at least the diameter"));
    }
    const Box& domain = scene_.domain.box;
    const auto sites = lattice.Sites();
    for (int axis = 0; axis < 3; ++axis) {
      if (axis == free_axis) continue;
      const double slack = kRounding * domain.Extent()[axis];
      if (lattice.region.lower[axis] < domain.lower[axis] - slack) {
        Outside(section, "lower", axis, lattice.region.lower[axis]);
      }
      if (lattice.region.upper[axis] > domain.upper[axis] + slack) {
        Outside(section, "upper", axis, lattice.region.upper[axis]);
      }
      if (sites[static_cast<std::size_t>(axis)] < 1) {
        Complain(section, "spacing",
                 Text("is ", lattice.spacing, " m, more than the region's extent along ",
                      "xyz"[axis], ", so that there is no site; expected a smaller spacing"));
      }
    }
  }

  void Outside(const std::string& section, const char* key, int axis, double value) {
    Complain(section, key,
             Text("is ", value, " m along ", "xyz"[axis], ", outside the domain, which is ",
                  scene_.domain.box.lower[axis], " to ", scene_.domain.box.upper[axis], " m"));
  }

  void InflowHolds() {
    const Inflow& inflow = *scene_.inflow;
    const Wall& wall = scene_.walls[inflow.piston];
    const std::string name = "wall." + wall.name;
    const Plane* plane = std::get_if<Plane>(&wall.shape.parts[0]);
    if (plane == nullptr || wall.shape.parts.size() != 1) {
      Complain("inflow", "piston", Text("[", name, "] is no single plane; a piston must be one"));
      return;
    }
    int axis = 0;
    if (plane->normal.cwiseAbs().maxCoeff(&axis) != 1.0) {
      Complain(name, "normal", "a piston's normal must be along an axis, such as 1 0 0");
      return;
    }
    const double speed = wall.velocity.dot(plane->normal);
    if (!(speed > 0.0) || (wall.velocity - speed * plane->normal).norm() != 0.0) {
      Complain(name, "velocity",
               "a piston must move along its normal, into the channel; expected a velocity such as "
               "1 0 0 m/s for the normal 1 0 0");
      return;
    }
    if (speed * config_.step.dt >= 2.0 * inflow.grain.radius) {
      Complain(
          name, "velocity",
          Text("the piston moves ", speed * config_.step.dt, " m in a step, not less than a ",
               "diameter (", 2.0 * inflow.grain.radius, " m); expected a smaller speed or step"));
    }
    LatticeHolds("inflow", inflow.lattice, inflow.grain.radius, axis);
    if (errors_.Empty()) LayerIsFree(*plane, axis);
  }

  /// The first layer's sites lie in the domain and overlap no wall but the piston.
  void LayerIsFree(const Plane& piston, int axis) {
    const Inflow& inflow = *scene_.inflow;
    const double radius = inflow.grain.radius;
    auto sites = inflow.lattice.Sites();
    sites[static_cast<std::size_t>(axis)] = 1;
    for (std::int64_t n = 0; n < sites[0] * sites[1] * sites[2]; ++n) {
      Vec3 place = LatticeSite(inflow.lattice,
                               {n % sites[0], n / sites[0] % sites[1], n / (sites[0] * sites[1])});
      place[axis] = piston.point[axis] + radius * piston.normal[axis];
      if (!scene_.domain.box.Contains(place)) {
        Complain("wall." + scene_.walls[inflow.piston].name, "point",
                 Text("a layer in front of this piston appears at ", "xyz"[axis], " = ",
                      place[axis], " m, outside the domain"));
        return;
      }
      for (std::size_t w = 0; w < scene_.walls.size(); ++w) {
        if (w != inflow.piston && Overlaps(scene_.walls[w], place, radius)) {
          Complain(
              "inflow", "lower",
              Text("the particle that enters at (", place.transpose(), ") m would overlap ",
                   "[wall.", scene_.walls[w].name, "]; move that wall or the inflow's region"));
          return;
        }
      }
    }
  }

  /// Deeper than rounding of places that just touch.
  static bool Overlaps(const Wall& wall, const Vec3& place, double radius) {
    return NearestSurface(wall.shape, place).distance < radius * (1.0 - 1e-9);
  }

  void Outflow() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool any = scene_.outflow[axis][0] || scene_.outflow[axis][1];
      if (any && scene_.domain.periodic[axis]) {
        Complain("outflow", "faces",
                 Text("particles cannot leave along ", "xyz"[axis], ", which is periodic"));
      }
    }
  }

  void InitialFile() {
    const std::string& file = config_.initial.file;
    if (file.empty() || file.ends_with(".h5") || file.ends_with(".csv")) return;
    Complain("initial", "file",
             Text("\"", file, "\" is of unknown kind; expected a snapshot .h5 or a table .csv"));
  }

  const RunConfig& config_;
  const Scene& scene_;
  const Settings& settings_;
  ErrorList& errors_;
};

}  // namespace

void CheckRunConfig(const RunConfig& config, const Settings& settings, ErrorList& errors) {
  Checker(config, settings, errors).Run();
}

}  // namespace scree

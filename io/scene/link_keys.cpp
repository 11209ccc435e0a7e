// [link.NAME]
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "engine/geometry/shape_moments.hpp"
#include "engine/scene/links.hpp"
#include "io/scene/key_groups.hpp"
#include "io/scene/link_names.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

struct LinkValues {
  std::string walls;
  Vec3 moments = Vec3::Zero(), products = Vec3::Zero();  // of inertia [kg m²]
};

/// Once the mass is known, it is written instead of the density. A restart then does not need the
/// solids.
KeyRows LinkRows(Link& link, LinkValues& values) {
  const AlternativeKey alternative{"density"};
  const bool is_mass_known = !(link.density > 0.0) || link.mass > 0.0;
  return {
      {{"walls", "names of the walls of the link, such as bucket teeth", kOptional,
        InWords("each in at most one link; none: particles do not touch the link")},
       values.walls},
      KeyRow({"density",
              "density of the walls, instead of mass, centre and inertia; the walls must be boxes, "
              "cylinders, spheres or meshes with a solid inside, and must not overlap",
              kDensity, Positive(), kOptional},
             link.density)
          .OnlyIf(!is_mass_known),
      KeyRow({"mass", "mass of the link", kMass, Positive(), alternative}, link.mass)
          .OnlyIf(is_mass_known),
      KeyRow({"centre", "centre of mass at time zero", kLength, alternative}, link.centre)
          .OnlyIf(is_mass_known),
      KeyRow({"inertia", "Ixx Iyy Izz about the centre of mass, at time zero", kInertia,
              InWords("> 0"), alternative},
             values.moments)
          .OnlyIf(is_mass_known),
      KeyRow({"inertia_products", "Ixy Iyz Izx of the inertia tensor, with Ixy = -sum m x y",
              kInertia, Default{"0 0 0 kg m^2"}},
             values.products)
          .OnlyIf(is_mass_known)};
}

Mat3 TensorOf(const LinkValues& values) {
  const Vec3 &m = values.moments, &p = values.products;
  Mat3 tensor;
  tensor << m.x(), p.x(), p.z(), p.x(), m.y(), p.y(), p.z(), p.y(), m.z();
  return tensor;
}

/// Reports principal moments that no body can have. In a body, each is at most the sum of the other
/// two.
void CheckInertia(Section& section, const Mat3& inertia) {
  if (!section.HasValue("inertia")) return;
  constexpr double kRounding = 1.0 + 1e-9;
  const Vec3 moments =
      Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (moments[0] > 0.0 && moments[2] <= kRounding * (moments[0] + moments[1])) return;
  section.AddError("inertia", Text("has the principal moments ", moments.transpose(),
                                   " kg m^2, which no body has; expected > 0, and none more than "
                                   "the other two together"));
}

/// Marks the named walls as parts of the link.
void SetWalls(Section& section, const std::string& names, std::size_t number, Scene& scene) {
  for (const std::string& name : Words(names)) {
    const auto wall_row = section.FindNamed("walls", "wall", name, ListNames(scene.walls));
    if (!wall_row) continue;
    Wall& wall = scene.walls[*wall_row];
    if (wall.IsPartOfLink()) {
      section.AddError("walls",
                       Text("has ", name, ", which is part of [link.",
                            scene.links[static_cast<std::size_t>(wall.link)].name, "] already"));
    } else if (wall.IsMoving()) {
      section.AddError("walls", Text("has ", name, ", which moves by itself, but joints move the ",
                                     "walls of a link; expected a wall without velocity, ",
                                     "angular_velocity, amplitude, motion and free"));
    } else {
      wall.link = static_cast<Index>(number);
    }
  }
}

/// Requires walls that have a volume, and computes the mass from them if their meshes are loaded.
void UseDensity(Section& section, std::size_t number, Scene& scene) {
  if (section.IsGiven("inertia_products")) {
    section.AddError("inertia_products", "cannot be combined with density; expected one of them");
  }
  bool are_solid = true, has_walls = false;
  for (const Wall& wall : scene.walls) {
    if (wall.link != static_cast<Index>(number)) continue;
    has_walls = true;
    if (std::ranges::all_of(wall.shape.parts, IsBoundedSolid)) continue;
    are_solid = false;
    section.AddError("density",
                     Text("cannot be combined with [wall.", wall.name, "], which is ",
                          std::holds_alternative<Mesh>(wall.shape.parts[0])
                              ? "a mesh without a solid inside; expected solid = inside and a "
                                "closed surface"
                              : "not a bounded solid; expected a box, cylinder, sphere or mesh",
                          ", or mass, centre and inertia"));
  }
  if (!has_walls && !section.IsIntended("walls")) {
    section.AddError("density", "lacks the key \"walls\" (the solids that have this density)");
  }
  if (!are_solid || !has_walls) return;
  try {
    SetMassByDensity(scene, number);
  } catch (const InputError& error) {
    section.AddError("density", error.what());
  }
}

void ReadLinks(const Settings& settings, ErrorList& errors, Scene& scene) {
  for (const std::string& section_name : settings.Sections("link")) {
    Section section(section_name, settings, errors);
    LinkValues values;
    Link& link = scene.links.emplace_back();
    link.name = NameInSection(section_name);
    section.VisitKeys(LinkRows(link, values));
    link.inertia = TensorOf(values);
    CheckInertia(section, link.inertia);
    SetWalls(section, values.walls, scene.links.size() - 1, scene);
    if (link.density > 0.0) UseDensity(section, scene.links.size() - 1, scene);
    if (scene.frame.IsRotating())
      section.AddError("walls", "cannot be combined with a rotating [frame]");
  }
}

void WriteLinks(Scene& scene, IniEntries& entries) {
  for (std::size_t l = 0; l < scene.links.size(); ++l) {
    Link& link = scene.links[l];
    LinkValues values;
    for (const Wall& wall : scene.walls) {
      if (wall.link != static_cast<Index>(l)) continue;
      values.walls += (values.walls.empty() ? "" : " ") + wall.name;
    }
    values.moments = link.inertia.diagonal();
    values.products = Vec3(link.inertia(0, 1), link.inertia(1, 2), link.inertia(2, 0));
    Section("link." + link.name, entries).VisitKeys(LinkRows(link, values));
  }
}

KeySpecs LinkSpecs() {
  Link link;
  LinkValues values;
  return SpecsOf(LinkRows(link, values));
}

}  // namespace

bool FindLinks(Section& section, const std::string& parent_name, const std::string& child_name,
               const Scene& scene, Index& parent, Index& child) {
  if (!section.IsGiven("child")) return false;  // the missing key is already reported
  const std::vector<std::string> links = ListNames(scene.links);
  const auto child_row = section.FindNamed("child", "link", child_name, links);
  if (!child_row) return false;
  child = static_cast<Index>(*child_row);
  if (parent_name == kGroundName) return true;
  const auto parent_row = section.FindNamed("parent", "link", parent_name, links);
  if (!parent_row) return false;
  parent = static_cast<Index>(*parent_row);
  return true;
}

std::string LinkName(const Scene& scene, Index link) {
  return link == Joint::kGround ? kGroundName : scene.links[static_cast<std::size_t>(link)].name;
}

KeyGroup LinkKeys() {
  return {{{"link", "link.NAME", 1, 1,
            "A rigid body made of walls, which a joint connects to another link or to the ground",
            LinkPlacementRule(), LinkSpecs()}},
          [](const Settings& settings, ErrorList& errors, RunConfig& run) {
            ReadLinks(settings, errors, run.scene);
          },
          [](RunConfig& run, IniEntries& entries) { WriteLinks(run.scene, entries); }};
}

}  // namespace scree

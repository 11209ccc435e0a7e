#include "engine/scene/links.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/geometry/shape_moments.hpp"
#include "engine/scene/machines.hpp"
#include "solvers/base/check.hpp"

namespace scree {

void SetMassByDensity(Scene& scene, std::size_t number) {
  Link& link = scene.links[number];
  if (!(link.density > 0.0)) return;
  std::vector<const ShapePart*> parts;
  std::vector<const Wall*> walls;  // of the parts
  for (const Wall& wall : scene.walls) {
    if (wall.link != static_cast<Index>(number)) continue;
    if (!IsLoaded(wall.shape)) return;
    for (const ShapePart& part : wall.shape.parts) {
      parts.push_back(&part);
      walls.push_back(&wall);
    }
  }
  std::vector<SolidMoments> solids;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    solids.push_back(MomentsOf(*parts[k]));
    for (std::size_t other = 0; other < k; ++other) {
      const auto overlap = FindOverlap(*parts[other], *parts[k]);
      if (!overlap) continue;
      throw InputError(Text("would count twice where [wall.", walls[other]->name, "] and [wall.",
                            walls[k]->name, "] overlap, as at (", overlap->transpose(),
                            ") m; expected solids that do not overlap, or the keys mass, centre "
                            "and inertia"));
    }
  }
  if (solids.empty()) return;
  const SolidMoments sum = SumOf(solids);
  link.mass = link.density * sum.volume;
  link.centre = sum.centre;
  link.inertia = link.density * sum.inertia;
}

void PlaceLinks(const Scene& scene, double begin, double length, FreeWallStates states,
                std::vector<WallPose>& poses) {
  if (scene.links.empty()) return;
  const Machines machines(scene, states);
  std::vector<std::shared_ptr<const FreeTree>> trees;
  for (std::size_t number = 0; number < machines.Count(); ++number) {
    trees.push_back(machines.TreeInStep(number, {begin, length}));
  }
  for (std::size_t w = 0; w < poses.size(); ++w) {
    const Wall& wall = scene.walls[w];
    if (wall.link < 0) continue;
    const auto number = static_cast<std::size_t>(wall.link);
    const LinkMotion& motion = machines.Motion(number);
    WallPose& pose = poses[w];
    pose.is_rotated = true;
    pose.rotation = motion.rotation;
    pose.centre = scene.links[number].centre;
    pose.displacement = motion.centre - pose.centre;
    pose.velocity = motion.velocity;
    pose.angular_velocity = motion.angular_velocity;
    if (pose.IsBelt()) pose.belt = pose.DirectionInSpace(wall.surface_velocity);
    if (motion.moved_by == 0) continue;
    pose.tree = trees[static_cast<std::size_t>(motion.tree)];
    pose.moved_by = motion.moved_by;
  }
}

std::vector<LinkPose> LinkPoses(const Scene& scene, FreeWallStates states) {
  const Machines machines(scene, states);
  std::vector<LinkPose> poses;
  for (std::size_t l = 0; l < scene.links.size(); ++l) {
    const LinkMotion& motion = machines.Motion(l);
    poses.push_back({motion.rotation, motion.centre, motion.velocity, motion.angular_velocity});
  }
  return poses;
}

std::vector<double> InertiaOfJoints(const Scene& scene, FreeWallStates states) {
  std::vector<double> inertia(scene.joints.size(), 0.0);
  const Machines machines(scene, states);
  for (std::size_t number = 0; number < machines.Count(); ++number) {
    const FreeTree tree = machines.TreeOf(number);
    const Eigen::VectorXd effective_inertia =
        EffectiveInertia(tree.mass, machines.ConstraintsOf(number));
    for (std::size_t k = 0; k < tree.axes.size(); ++k) {
      const auto joint = static_cast<std::size_t>(tree.axes[k].joint);
      if (scene.joints[joint].HasOneAxis())
        inertia[joint] = effective_inertia[static_cast<Index>(k)];
    }
  }
  return inertia;
}

std::vector<double> ArmsOfJoints(const Scene& scene) {
  const std::vector<Joint>& joints = scene.joints;
  const double diagonal = scene.domain.box.Extent().norm();
  std::vector<double> arms(joints.size(), 0.0);
  const auto include = [&](Index link, auto&& arm_from) {
    const auto joint = std::ranges::find(joints, link, &Joint::child);
    if (joint == joints.end()) return;
    double& arm = arms[static_cast<std::size_t>(joint - joints.begin())];
    arm = std::max(arm, arm_from(joint->point));
  };
  for (const Wall& wall : scene.walls) {
    include(wall.link, [&](const Vec3& point) { return MaxDistance(wall.shape, point); });
  }
  for (std::size_t j = joints.size(); j-- > 0;) {  // children come after their parents
    const Joint& joint = joints[j];
    const bool drives_others = !scene.loop_joints.empty() || joint.HasGear() ||
                               std::ranges::count(joints, static_cast<Index>(j), &Joint::geared_to);
    if (drives_others || arms[j] == 0.0) arms[j] = diagonal;
    arms[j] = std::min(arms[j], diagonal);
    const bool keeps_distance =
        joint.IsHinge() || joint.kind == JointKind::kBall || joint.IsFixed();
    include(joint.parent, [&](const Vec3& point) {
      return keeps_distance ? (joint.point - point).norm() + arms[j] : diagonal;
    });
  }
  return arms;
}

std::vector<double> MobilityOfJoints(const Scene& scene, FreeWallStates states) {
  std::vector<double> mobilities(scene.joints.size(), 0.0);
  const Machines machines(scene, states);
  for (std::size_t number = 0; number < machines.Count(); ++number) {
    FreeTree tree = machines.TreeOf(number);
    if (tree.axes.empty()) continue;
    tree.Eliminate(machines.ConstraintsOf(number).rows);
    for (std::size_t k = 0; k < tree.axes.size(); ++k) {
      const auto joint = static_cast<std::size_t>(tree.axes[k].joint);
      const double mobility = tree.Mobility(k);
      if (scene.joints[joint].HasOneAxis() && std::isfinite(mobility)) mobilities[joint] = mobility;
    }
  }
  return mobilities;
}

double KineticEnergyOfLinks(const Scene& scene, FreeWallStates states) {
  const Machines machines(scene, states);
  double energy = 0.0;
  for (std::size_t number = 0; number < machines.Count(); ++number) {
    const FreeTree tree = machines.TreeOf(number);
    Eigen::VectorXd speeds(tree.mass.rows());
    for (std::size_t k = 0; k < tree.axes.size(); ++k) {
      speeds[static_cast<Index>(k)] = tree.axes[k].speed;
    }
    energy += 0.5 * speeds.dot(tree.mass * speeds);
  }
  return energy;
}

}  // namespace scree

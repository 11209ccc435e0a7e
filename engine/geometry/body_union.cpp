#include "engine/geometry/body_union.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/geometry/core_distance.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Members touch if the distance of their cores is the sum of their roundings, to within this
/// fraction of the sum.
constexpr double kTouching = 1e-9;
/// Integration lines per side of the box around the overlaps.
constexpr int kLines = 400;

/// Integrals of 1, x and x xᵀ over a body.
struct BodySums {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();

  void Add(const SolidMoments& moments) {
    const Vec3& c = moments.centre;
    volume += moments.volume;
    first += moments.volume * c;
    second += 0.5 * moments.inertia.trace() * Mat3::Identity() - moments.inertia +
              moments.volume * c * c.transpose();
  }
  SolidMoments Moments() const {
    const Vec3 centre = first / volume;
    const Mat3 central = second - volume * centre * centre.transpose();
    return {volume, centre, central.trace() * Mat3::Identity() - central};
  }
};

/// Axes u, v, w; the integration lines are parallel to w. They are not parallel to any plausible
/// face or edge, so that the length of a line inside a body is a continuous function of the line's
/// position.
struct Lines {
  Mat3 axes = Eigen::AngleAxisd(1.0, Vec3(0.31, 0.59, 0.74).normalized()).matrix();  // u, v, w

  Vec3 ToLineAxes(const Vec3& x) const { return axes.transpose() * x; }
};

/// Calls visit(t) for each point p + t w where a line crosses a face of the body, the cylinder of
/// an edge or the ball of a vertex. The line enters the body at the smallest t and leaves it at the
/// largest; the other points are inside.
template <class Visit>
void ForEachHit(const RoundedPolyhedron& body, const Vec3& p, const Vec3& w, Visit&& visit) {
  const auto& [core, rho] = body;
  // Calls visit(t) for the t with |from + t direction| = ρ for which is_on(t) is true.
  const auto visit_round = [&, r = rho](const Vec3& from, const Vec3& direction, auto&& is_on) {
    const double a = direction.squaredNorm(), b = from.dot(direction);
    const double root = b * b - a * (from.squaredNorm() - r * r);
    if (root < 0.0) return;
    for (const double sign : {-1.0, 1.0}) {
      const double t = (-b + sign * std::sqrt(root)) / a;
      if (is_on(t)) visit(t);
    }
  };
  for (const Vec3& vertex : core.vertices) {
    visit_round(p - vertex, w, [](double) { return true; });
  }
  for (const PolyhedronEdge& edge : core.edges) {
    const Vec3 from = p - core.vertices[edge.from];
    const Vec3 direction = core.vertices[edge.to] - core.vertices[edge.from];
    const double squared = direction.squaredNorm();
    const double start = from.dot(direction) / squared, rate = w.dot(direction) / squared;
    visit_round(from - start * direction, w - rate * direction,
                [&](double t) { return start + rate * t >= 0.0 && start + rate * t <= 1.0; });
  }
  for (const PolyhedronFace& face : core.faces) {
    const double rate = face.normal.dot(w);
    if (rate == 0.0) continue;
    const double t = (face.offset + rho - face.normal.dot(p)) / rate;
    const Vec3 x = p + t * w;
    const Vec3* from = &core.vertices[face.corners.back()];
    const bool projects_into_face = std::ranges::all_of(face.corners, [&](std::uint16_t corner) {
      const Vec3& last = *std::exchange(from, &core.vertices[corner]);
      return face.normal.dot((*from - last).cross(x - last)) >= 0.0;
    });
    if (projects_into_face) visit(t);
  }
}

/// Bounds of a body, including its rounding, in the axes of the lines.
Box BoundsInLineAxes(const RoundedPolyhedron& body, const Lines& lines) {
  Box box = {Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
  for (const Vec3& vertex : body.core.vertices) {
    box.lower = box.lower.cwiseMin(lines.ToLineAxes(vertex));
    box.upper = box.upper.cwiseMax(lines.ToLineAxes(vertex));
  }
  return {box.lower - Vec3::Constant(body.rounding), box.upper + Vec3::Constant(body.rounding)};
}

/// What the sum over bodies counts in excess of their union: it counts a region that n bodies share
/// n − 1 times too often.
class Excess {
 public:
  explicit Excess(std::vector<const RoundedPolyhedron*> bodies) : bodies_(std::move(bodies)) {
    for (const RoundedPolyhedron* body : bodies_)
      bounds_.push_back(BoundsInLineAxes(*body, lines_));
    Box common = {Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      for (std::size_t l = 0; l < k; ++l) {
        const Vec3 lower = bounds_[k].lower.cwiseMax(bounds_[l].lower);
        const Vec3 upper = bounds_[k].upper.cwiseMin(bounds_[l].upper);
        if (!(lower.array() < upper.array()).all()) continue;
        common.lower = common.lower.cwiseMin(lower);
        common.upper = common.upper.cwiseMax(upper);
      }
    }
    common_ = common;
  }

  void SubtractFrom(BodySums& sums) {
    const Vec3 step = common_.Extent() / kLines;
    for (int i = 0; i < kLines; ++i) {
      for (int j = 0; j < kLines; ++j) {
        const double u = common_.lower.x() + (i + 0.5) * step.x();
        const double v = common_.lower.y() + (j + 0.5) * step.y();
        SubtractLine(u, v, step.x() * step.y(), sums);
      }
    }
  }

 private:
  void SubtractLine(double u, double v, double area, BodySums& sums) {
    const Vec3 w = lines_.axes.col(2), p = u * lines_.axes.col(0) + v * lines_.axes.col(1);
    intervals_.clear();
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const Box& bounds = bounds_[k];
      if (u < bounds.lower.x() || u > bounds.upper.x() || v < bounds.lower.y() ||
          v > bounds.upper.y()) {
        continue;
      }
      double from = HUGE_VAL, to = -HUGE_VAL;
      ForEachHit(*bodies_[k], p, w, [&](double t) {
        from = std::min(from, t);
        to = std::max(to, t);
      });
      if (from < to) intervals_.emplace_back(from, to);
    }
    std::ranges::sort(intervals_);
    double reached = -HUGE_VAL;
    for (const auto& [from, to] : intervals_) {
      const double end = std::min(to, reached);
      reached = std::max(reached, to);
      if (end > from) SubtractInterval(p, w, {from, end}, area, sums);
    }
  }

  static void SubtractInterval(const Vec3& p, const Vec3& w, std::pair<double, double> interval,
                               double area, BodySums& sums) {
    const auto [a, b] = interval;
    const double m0 = area * (b - a), m1 = area * (b * b - a * a) / 2.0;
    const double m2 = area * (b * b * b - a * a * a) / 3.0;
    sums.volume -= m0;
    sums.first -= m0 * p + m1 * w;
    const Mat3 outer = p * w.transpose();
    sums.second -=
        m0 * p * p.transpose() + m1 * (outer + outer.transpose()) + m2 * w * w.transpose();
  }

  Lines lines_;
  std::vector<const RoundedPolyhedron*> bodies_;
  std::vector<Box> bounds_;  // of each body, along u, v and w [m]
  Box common_;               // contains all pairwise overlaps
  std::vector<std::pair<double, double>> intervals_;
};

SolidMoments MomentsOfBody(const RoundedPolyhedron& body) {
  if (!IsBall(body)) return MomentsOf(body);
  const Member ball = {body.core.vertices[0], body.rounding};
  return MomentsOfUnion(std::span(&ball, 1));
}

/// Adds the integrals over the union of a group of overlapping bodies.
void AddGroup(const std::vector<const RoundedPolyhedron*>& group, BodySums& sums) {
  if (std::ranges::all_of(group, [](const auto* body) { return IsBall(*body); })) {
    std::vector<Member> spheres;
    for (const RoundedPolyhedron* body : group) {
      spheres.push_back({body->core.vertices[0], body->rounding});
    }
    return sums.Add(MomentsOfUnion(spheres));
  }
  for (const RoundedPolyhedron* body : group) sums.Add(MomentsOfBody(*body));
  if (group.size() > 1) Excess(group).SubtractFrom(sums);
}

}  // namespace

OverlapState ClassifyOverlap(const RoundedPolyhedron& first, const RoundedPolyhedron& second) {
  const double rounding_sum = first.rounding + second.rounding;
  const double limit = (1.0 + kTouching) * rounding_sum;
  double min = HUGE_VAL;
  if (IsBall(first) && IsBall(second)) {
    min = (first.core.vertices[0] - second.core.vertices[0]).norm();
  } else {
    struct CoreArrays {
      std::vector<Member> balls;
      std::vector<Vec3> normals;
      std::vector<FacePacket> packets;
      explicit CoreArrays(const RoundedPolyhedron& body) {
        for (const Vec3& x : body.core.vertices) balls.push_back({x, body.rounding});
        for (const PolyhedronFace& face : body.core.faces) normals.push_back(face.normal);
        AppendFaces(body.core, normals, 1.0, packets);
      }
      PlacedCore Core(const RoundedPolyhedron& body) const {
        return {balls, IsBall(body) ? nullptr : &body.core, normals, packets, 0};
      }
    };
    const CoreArrays first_arrays(first), second_arrays(second);
    CoreDistance distance;
    for (const CoreContact& minimum :
         distance.FindMinima(first_arrays.Core(first), second_arrays.Core(second), Vec3::Zero(),
                             limit, rounding_sum)) {
      min = std::min(min, minimum.distance);
    }
  }
  if (min > limit) return OverlapState::kApart;
  return min < (1.0 - kTouching) * rounding_sum ? OverlapState::kOverlaps : OverlapState::kTouches;
}

SolidMoments MomentsOfBodies(std::span<const RoundedPolyhedron> bodies) {
  SCREE_DEMAND(!bodies.empty());
  if (bodies.size() == 1) return MomentsOfBody(bodies[0]);
  if (std::ranges::all_of(bodies, IsBall)) {
    std::vector<Member> spheres;
    for (const RoundedPolyhedron& body : bodies) {
      spheres.push_back({body.core.vertices[0], body.rounding});
    }
    return MomentsOfUnion(spheres);
  }
  // Connected groups of overlapping bodies.
  std::vector<std::size_t> group(bodies.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    for (std::size_t l = 0; l < k; ++l) {
      if (group[k] == group[l] || ClassifyOverlap(bodies[k], bodies[l]) != OverlapState::kOverlaps)
        continue;
      std::ranges::replace(group, std::size_t{group[k]}, std::size_t{group[l]});
    }
  }
  BodySums sums;
  for (std::size_t g = 0; g < bodies.size(); ++g) {
    std::vector<const RoundedPolyhedron*> members;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (group[k] == g) members.push_back(&bodies[k]);
    }
    if (!members.empty()) AddGroup(members, sums);
  }
  return sums.Moments();
}

}  // namespace scree

#include "engine/geometry/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "engine/geometry/welder.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

// Angular tolerance of a local minimum, against rounding.
constexpr double kRounding = 1e-9;
// Fraction of a distance: points nearer to each other are the same point.
constexpr double kSamePoint = 1e-6;
// Fraction of a distance: smaller differences are rounding errors.
constexpr double kNearer = 1e-13;
// Fraction of a distance: surfaces nearer to each other are the same surface.
constexpr double kOneSurface = 1e-4;
// Fraction of the extent: corners nearer to each other are merged.
constexpr double kWeld = 1e-7;
// Fraction of a coordinate: error of the difference of two values in single precision.
constexpr double kSingle = 1.2e-7;
// Angle between triangles below which their edge is flat [rad].
constexpr double kFlatEdge = 1e-6;
// Fraction of the longest side: the normal of a triangle with a smaller height is undefined.
constexpr double kMinHeight = 1e-7;

Vec3 AreaVector(const Vec3& a, const Vec3& b, const Vec3& c) { return (b - a).cross(c - a); }

double AngleBetween(const Vec3& a, const Vec3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

double Extent(std::span<const Triangle> triangles) {
  Vec3 lower = Vec3::Constant(HUGE_VAL), upper = -lower;
  for (const Triangle& triangle : triangles) {
    for (const Vec3& corner : triangle) {
      lower = lower.cwiseMin(corner);
      upper = upper.cwiseMax(corner);
    }
  }
  return triangles.empty() ? 0.0 : (upper - lower).norm();
}

/// An edge of one triangle, from a corner to the next.
struct TriangleEdge {
  std::array<Index, 2> ends;  // vertices, the smaller index first
  Index triangle, corner;
};

/// Sorts the edges by their ends, then by triangle and corner. A counting sort first groups
/// them by their smaller vertex, so that the groups to sort are small.
std::vector<TriangleEdge> SortEdges(std::span<const std::array<Index, 3>> corners,
                                    std::size_t vertices) {
  const auto edge_at = [&](std::size_t t, std::size_t k) -> TriangleEdge {
    const auto [low, high] = std::minmax(corners[t][k], corners[t][(k + 1) % 3]);
    return {{low, high}, static_cast<Index>(t), static_cast<Index>(k)};
  };
  const auto visit_all = [&](const auto& visit) {
    for (std::size_t t = 0; t < corners.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) visit(edge_at(t, k));
    }
  };
  // For each vertex: slot of the next edge that has it as its smaller vertex.
  std::vector<std::size_t> next(vertices + 1, 0);
  visit_all([&](const TriangleEdge& edge) { ++next[static_cast<std::size_t>(edge.ends[0]) + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<TriangleEdge> edges(3 * corners.size());
  visit_all([&](const TriangleEdge& edge) {
    edges[next[static_cast<std::size_t>(edge.ends[0])]++] = edge;
  });
  auto begin = edges.begin();
  for (std::size_t v = 0; v < vertices; ++v) {
    const auto end = edges.begin() + static_cast<std::ptrdiff_t>(next[v]);
    std::sort(begin, end, [](const TriangleEdge& a, const TriangleEdge& b) {
      return std::tie(a.ends[1], a.triangle, a.corner) < std::tie(b.ends[1], b.triangle, b.corner);
    });
    begin = end;
  }
  return edges;
}

/// Whether welding would merge corners, or the corners are collinear.
bool IsDegenerate(const Triangle& triangle, double weld) {
  const auto& [a, b, c] = triangle;
  const auto [shortest, longest] = std::minmax({(b - a).norm(), (c - b).norm(), (a - c).norm()});
  return shortest <= weld || !(AreaVector(a, b, c).norm() > kMinHeight * longest * longest);
}

}  // namespace

std::size_t DropDegenerate(std::vector<Triangle>& triangles) {
  const auto is_not_finite = [](const Triangle& triangle) {
    return std::ranges::any_of(triangle, [](const Vec3& corner) { return !corner.allFinite(); });
  };
  if (std::ranges::any_of(triangles, is_not_finite)) return 0;  // TriangleMesh() reports them
  const double weld = kWeld * Extent(triangles);
  return std::erase_if(triangles,
                       [weld](const Triangle& triangle) { return IsDegenerate(triangle, weld); });
}

TriangleMesh::TriangleMesh(std::span<const Triangle> triangles, MeshSolid solid)
    : is_sheet_(solid == MeshSolid::kNo), tree_(triangles) {
  if (triangles.empty()) throw InputError("has no triangles; expected at least one");
  Weld(triangles);
  RequireArea();
  FindEdges();
  FindNeighbours();
  if (!is_sheet_) RequireSolid(solid);
  FindNormals();
}

void TriangleMesh::Weld(std::span<const Triangle> triangles) {
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const Vec3& corner : triangles[t]) {
      if (!corner.allFinite()) {
        throw InputError(Text("triangle ", t + 1, " of ", triangles.size(), " has a corner at (",
                              corner.transpose(), ") m, which is not finite"));
      }
    }
  }
  const Box bounds = tree_.Bounds();
  const double extent = bounds.Extent().norm();
  resolution_ = kSingle * bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs()).norm();
  Welder welder(std::max(kWeld * extent, 1e-300), 3 * triangles.size(), vertices_);
  corners_.reserve(triangles.size());
  for (const auto& [a, b, c] : triangles) {
    const Index first = welder.FindOrAdd(a), second = welder.FindOrAdd(b);
    corners_.push_back({first, second, welder.FindOrAdd(c)});
  }
}

void TriangleMesh::RequireArea() const {
  std::size_t flat = 0, first = 0;
  for (std::size_t t = 0; t < corners_.size(); ++t) {
    const Index triangle = static_cast<Index>(t);
    const Vec3 &a = VertexOf(triangle, 0), &b = VertexOf(triangle, 1), &c = VertexOf(triangle, 2);
    const double longest =
        std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    if (AreaVector(a, b, c).norm() > kMinHeight * longest) continue;
    if (flat++ == 0) first = t;
  }
  if (flat == 0) return;
  throw InputError(
      Text("has ", flat, " degenerate triangles of ", corners_.size(), ", the first is ", first + 1,
           " at (", VertexOf(static_cast<Index>(first), 0).transpose(),
           ") m: its corners coincide or lie on a line; expected triangles with area"));
}

void TriangleMesh::FindEdges() {
  edge_of_.resize(corners_.size());
  sides_.reserve(3 * corners_.size());
  edges_.reserve(3 * corners_.size() / 2);
  for (const TriangleEdge& edge : SortEdges(corners_, vertices_.size())) {
    const auto t = static_cast<std::size_t>(edge.triangle),
               k = static_cast<std::size_t>(edge.corner);
    const auto side = static_cast<Index>(sides_.size());
    if (edges_.empty() || edges_.back().ends != edge.ends)
      edges_.push_back({edge.ends, side, side});
    const Vec3& from = VertexOf(edge.triangle, edge.corner);
    const Vec3 direction = VertexOf(edge.triangle, (edge.corner + 1) % 3) - from;
    const Vec3 into = VertexOf(edge.triangle, (edge.corner + 2) % 3) - from;
    const Vec3 inward = into - into.dot(direction) / direction.squaredNorm() * direction;
    sides_.push_back({edge.triangle, corners_[t][k] == edge.ends[0], inward.normalized()});
    edges_.back().last_side = side + 1;
    edge_of_[t][k] = static_cast<Index>(edges_.size() - 1);
  }
}

void TriangleMesh::FindNeighbours() {
  first_neighbour_.assign(vertices_.size() + 1, 0);
  for (const Edge& edge : edges_) {
    for (const Index end : edge.ends) ++first_neighbour_[static_cast<std::size_t>(end) + 1];
  }
  for (std::size_t v = 0; v < vertices_.size(); ++v) first_neighbour_[v + 1] += first_neighbour_[v];
  std::vector<Index> next(first_neighbour_.begin(), first_neighbour_.end() - 1);
  neighbours_.resize(2 * edges_.size());
  for (const Edge& edge : edges_) {
    for (const std::size_t k : {0u, 1u}) {
      Index& slot = next[static_cast<std::size_t>(edge.ends[k])];
      neighbours_[static_cast<std::size_t>(slot++)] = edge.ends[1 - k];
    }
  }
}

/// Angle-weighted normals of vertices distinguish inside from outside for any solid (J. A.
/// Bærentzen, H. Aanæs, "Signed distance computation using the angle weighted pseudonormal", IEEE
/// Trans. Vis. Comput. Graph. 11 (2005), section 3).
void TriangleMesh::FindNormals() {
  normals_.assign(static_cast<std::size_t>(Features()), Vec3::Zero());
  frames_.reserve(corners_.size());
  for (std::size_t t = 0; t < corners_.size(); ++t) {
    const Index triangle = static_cast<Index>(t);
    const Vec3 normal =
        AreaVector(VertexOf(triangle, 0), VertexOf(triangle, 1), VertexOf(triangle, 2))
            .normalized();
    normals_[t] = normal;
    TriangleFrame frame;
    frame.normal = normal;
    for (int k = 0; k < 3; ++k) {
      const auto corner = static_cast<std::size_t>(k);
      const Vec3& vertex = VertexOf(triangle, k);
      const Vec3 direction = VertexOf(triangle, (k + 1) % 3) - vertex;
      frame.corner[corner] = vertex;
      frame.inward[corner] = normal.cross(direction).normalized();
      const double angle = AngleBetween(direction, VertexOf(triangle, (k + 2) % 3) - vertex);
      normals_[static_cast<std::size_t>(FirstEdge() + edge_of_[t][corner])] += normal;
      normals_[static_cast<std::size_t>(FirstVertex() + corners_[t][corner])] += angle * normal;
    }
    frames_.push_back(frame);
  }
  for (Vec3& normal : normals_) {
    const double length = normal.norm();
    normal = length > 0.0 ? Vec3(normal / length) : Vec3(Vec3::UnitZ());
  }
}

std::string TriangleMesh::Describe(const Edge& edge) const {
  return Text("the first from (", vertices_[static_cast<std::size_t>(edge.ends[0])].transpose(),
              ") to (", vertices_[static_cast<std::size_t>(edge.ends[1])].transpose(), ") m");
}

void TriangleMesh::RequireSolid(MeshSolid solid) const {
  std::size_t open = 0, inconsistent = 0;
  const Edge *first_open = nullptr, *first_inconsistent = nullptr;
  for (const Edge& edge : edges_) {
    if (edge.last_side - edge.first_side != 2) {
      if (open++ == 0) first_open = &edge;
    } else if (const auto side = sides_.begin() + edge.first_side;
               side[0].is_along == side[1].is_along) {
      if (inconsistent++ == 0) first_inconsistent = &edge;
    }
  }
  if (open > 0) {
    throw InputError(Text("is not closed: ", open, " edges do not have two triangles, ",
                          Describe(*first_open), "; close it, or use it as a sheet (solid = no)"));
  }
  if (inconsistent > 0) {
    throw InputError(Text("is oriented inconsistently: at ", inconsistent,
                          " edges one triangle faces out where the other faces in, ",
                          Describe(*first_inconsistent),
                          "; orient them alike, or use it as a sheet (solid = no)"));
  }
  double volume = 0.0;  // of the inside; negative if the triangles face inwards
  for (std::size_t t = 0; t < corners_.size(); ++t) {
    const Index triangle = static_cast<Index>(t);
    const Vec3& origin = vertices_[0];
    volume += (VertexOf(triangle, 0) - origin)
                  .dot((VertexOf(triangle, 1) - origin).cross(VertexOf(triangle, 2) - origin)) /
              6.0;
  }
  if ((solid == MeshSolid::kInside) == (volume > 0.0)) return;
  throw InputError(
      Text("is inside out: its triangles enclose ", std::abs(volume), " m^3 and face ",
           volume > 0.0 ? "outwards" : "inwards",
           ", but with solid = ", solid == MeshSolid::kInside ? "inside" : "outside",
           " they must face ", volume > 0.0 ? "inwards" : "outwards",
           ", out of the solid; expected flip = yes, which reverses them, or the opposite solid"));
}

TriangleMesh::LocalPoint TriangleMesh::LocalPointOf(const TriangleFrame& frame,
                                                    const Vec3& x) const {
  LocalPoint local;
  local.height = frame.normal.dot(x - frame.corner[0]);
  double beyond = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    local.inward[k] = frame.inward[k].dot(x - frame.corner[k]);
    beyond = std::min(beyond, local.inward[k]);
  }
  local.min_squared = local.height * local.height + beyond * beyond;
  return local;
}

/// If x projects into the face, the projection is on the face. If not, it is the nearest point of
/// the edges that x is beyond.
TriangleMesh::Projection TriangleMesh::ProjectOn(Index triangle, const LocalPoint& local,
                                                 const Vec3& x) const {
  const auto t = static_cast<std::size_t>(triangle);
  const TriangleFrame& frame = frames_[t];
  Projection projection{Vec3::Zero(), triangle, HUGE_VAL};
  for (std::size_t k = 0; k < 3; ++k) {
    if (local.inward[k] >= 0.0) continue;
    const Vec3 &begin = frame.corner[k], &end = frame.corner[(k + 1) % 3];
    const Vec3 direction = end - begin;
    const double fraction = (x - begin).dot(direction) / direction.squaredNorm();
    Vec3 point = begin + fraction * direction;
    Index feature = FirstEdge() + edge_of_[t][k];
    if (fraction <= 0.0) {
      point = begin;
      feature = FirstVertex() + corners_[t][k];
    } else if (fraction >= 1.0) {
      point = end;
      feature = FirstVertex() + corners_[t][(k + 1) % 3];
    }
    const double squared = (x - point).squaredNorm();
    if (squared < projection.squared_distance) projection = {point, feature, squared};
  }
  if (projection.squared_distance < HUGE_VAL) return projection;
  return {x - local.height * frame.normal, triangle, local.height * local.height};
}

bool TriangleMesh::IsLocalMinimum(Index feature, const Vec3& point, const Vec3& x,
                                  double tolerance) const {
  if (feature < FirstEdge()) return true;
  const Vec3 d = x - point;
  const double slack = tolerance * d.norm();
  if (feature < FirstVertex()) {
    const Edge& edge = edges_[static_cast<std::size_t>(feature - FirstEdge())];
    for (Index s = edge.first_side; s < edge.last_side; ++s) {
      if (d.dot(sides_[static_cast<std::size_t>(s)].inward) > slack) return false;
    }
    return true;
  }
  // The edges suffice, because each face at the vertex is between two of them.
  const auto v = static_cast<std::size_t>(feature - FirstVertex());
  for (Index n = first_neighbour_[v]; n < first_neighbour_[v + 1]; ++n) {
    const Vec3 direction =
        vertices_[static_cast<std::size_t>(neighbours_[static_cast<std::size_t>(n)])] - point;
    if (d.dot(direction) > slack * direction.norm()) return false;
  }
  return true;
}

void TriangleMesh::FindPoints(const Vec3& x, double limit, MeshQuery& query) const {
  query.found.clear();
  AppendNear(x, limit, query.found);
  FindPoints(x, limit, query.found, query);
}

void TriangleMesh::FindPoints(const Vec3& x, double limit, std::span<const Index> triangles,
                              MeshQuery& query) const {
  query.points.clear();
  query.near_triangles.clear();
  query.feet.clear();
  if (!(limit > 0.0)) return;
  for (const Index triangle : triangles) AddPointsOf(triangle, x, limit * limit, query);
  Finish(x, query);
}

/// The appended triangles are in ascending order, so that the triangle that represents a shared
/// feature does not depend on the order of the search.
void TriangleMesh::AppendNear(const Vec3& x, double limit, std::vector<Index>& triangles) const {
  if (!(limit > 0.0)) return;
  const auto before = static_cast<std::ptrdiff_t>(triangles.size());
  const double squared_limit = limit * limit;
  tree_.VisitNear(x, squared_limit, [&](Index triangle) {
    const LocalPoint local = LocalPointOf(frames_[static_cast<std::size_t>(triangle)], x);
    if (local.min_squared <= squared_limit) triangles.push_back(triangle);
  });
  std::sort(triangles.begin() + before, triangles.end());
}

void TriangleMesh::AddPointsOf(Index triangle, const Vec3& x, double squared_limit,
                               MeshQuery& query) const {
  const LocalPoint local = LocalPointOf(frames_[static_cast<std::size_t>(triangle)], x);
  if (local.min_squared > squared_limit) return;
  const Projection projection = ProjectOn(triangle, local, x);
  if (projection.squared_distance > squared_limit) return;
  query.near_triangles.push_back({triangle, std::sqrt(projection.squared_distance)});
  const auto is_same_feature = [&](const MeshPoint& point) {
    return point.feature == projection.feature;
  };
  if (std::any_of(query.points.begin(), query.points.end(), is_same_feature)) return;
  if (!IsLocalMinimum(projection.feature, projection.point, x, kRounding)) return;
  const SurfacePoint surface = SurfacePointFrom(projection.feature, projection.point, x);
  query.points.push_back({projection.feature, surface.distance, surface.normal});
}

void TriangleMesh::Finish(const Vec3& x, MeshQuery& query) const {
  if (query.points.size() > 1) {
    Sort(query);
    for (const MeshPoint& point : query.points) {
      query.feet.push_back(x - point.distance * point.normal);
    }
    DropOccluded(x, query);
  }
  if (!is_sheet_) DropInside(query);
}

/// Sorts by feature, so that the order of the points does not depend on the search.
void TriangleMesh::Sort(MeshQuery& query) const {
  std::sort(query.points.begin(), query.points.end(),
            [](const MeshPoint& a, const MeshPoint& b) { return a.feature < b.feature; });
}

/// Removes points that repeat an earlier point to rounding, points behind other triangles, and
/// points on another triangle that has a nearer point (for example at an edge that abuts a face).
/// The nearest point always stays.
void TriangleMesh::DropOccluded(const Vec3& x, MeshQuery& query) const {
  double nearest = HUGE_VAL;
  for (const MeshPoint& point : query.points) nearest = std::min(nearest, std::abs(point.distance));
  std::size_t kept = 0;
  for (std::size_t p = 0; p < query.points.size(); ++p) {
    const Vec3 projection = query.feet[p];
    const double distance = std::abs(query.points[p].distance);
    const Index feature = query.points[p].feature;
    bool is_dropped = false;
    for (std::size_t other = 0; other < kept && !is_dropped; ++other) {
      is_dropped = (query.feet[other] - projection).norm() <= kSamePoint * distance;
    }
    for (std::size_t n = 0; n < query.near_triangles.size() && !is_dropped; ++n) {
      const auto& [triangle, near_distance] = query.near_triangles[n];
      is_dropped =
          (near_distance < distance * (1.0 - kSamePoint) && Occludes(triangle, x, projection)) ||
          (distance > nearest && near_distance < distance * (1.0 - kNearer) &&
           Contains(triangle, projection, kOneSurface * distance) &&
           !HasFeature(triangle, feature));
    }
    if (is_dropped) continue;
    query.points[kept] = query.points[p];
    query.feet[kept++] = projection;
  }
  query.points.resize(kept);
  query.feet.resize(kept);
}

/// Whether the segment from x to `point` passes through the triangle.
bool TriangleMesh::Occludes(Index triangle, const Vec3& x, const Vec3& point) const {
  const Vec3 &a = VertexOf(triangle, 0), &b = VertexOf(triangle, 1), &c = VertexOf(triangle, 2);
  const Vec3& normal = NormalOf(triangle);
  const double height_x = normal.dot(x - a), height = normal.dot(point - a);
  if (height_x * height >= 0.0) return false;
  const double fraction = height_x / (height_x - height);
  if (fraction > 1.0 - kSamePoint) return false;
  const Vec3 cut = x + fraction * (point - x);
  return normal.dot((b - a).cross(cut - a)) >= 0.0 && normal.dot((c - b).cross(cut - b)) >= 0.0 &&
         normal.dot((a - c).cross(cut - c)) >= 0.0;
}

bool TriangleMesh::Contains(Index triangle, const Vec3& point, double tolerance) const {
  const LocalPoint local = LocalPointOf(frames_[static_cast<std::size_t>(triangle)], point);
  const double squared = tolerance * tolerance;
  return local.min_squared <= squared &&
         ProjectOn(triangle, local, point).squared_distance <= squared;
}

bool TriangleMesh::HasFeature(Index triangle, Index feature) const {
  const auto t = static_cast<std::size_t>(triangle);
  if (feature < FirstEdge()) return feature == triangle;
  const bool is_edge = feature < FirstVertex();
  const Corner3& features = is_edge ? edge_of_[t] : corners_[t];
  return std::ranges::find(features, feature - (is_edge ? FirstEdge() : FirstVertex())) !=
         features.end();
}

bool TriangleMesh::Covers(const Vec3& x, const Vec3& point, double limit, double tolerance,
                          MeshQuery& query) const {
  query.found.clear();
  AppendNear(x, limit, query.found);
  return std::ranges::any_of(query.found, [&](Index triangle) {
    const LocalPoint local = LocalPointOf(frames_[static_cast<std::size_t>(triangle)], x);
    return ProjectOn(triangle, local, x).squared_distance < limit * limit &&
           (Contains(triangle, point, tolerance) || Occludes(triangle, x, point));
  });
}

/// For a solid: if x is outside, removes points on faces seen from behind; if x is inside, keeps
/// only the nearest point.
void TriangleMesh::DropInside(MeshQuery& query) const {
  const auto nearest = std::min_element(query.points.begin(), query.points.end(),
                                        [](const MeshPoint& a, const MeshPoint& b) {
                                          return std::abs(a.distance) < std::abs(b.distance);
                                        });
  if (nearest != query.points.end() && nearest->distance < 0.0) {
    query.points = {*nearest};
    return;
  }
  std::erase_if(query.points, [](const MeshPoint& point) { return point.distance < 0.0; });
}

Vec3 TriangleMesh::NearestOn(Index feature, const Vec3& x) const {
  if (IsVertex(feature)) return VertexPosition(feature);
  const auto [from, to] = EndsOf(feature);
  const Vec3 direction = to - from;
  return from +
         std::clamp((x - from).dot(direction) / direction.squaredNorm(), 0.0, 1.0) * direction;
}

Vec3 TriangleMesh::FaceNormalAt(Index feature, const Vec3& n) const {
  if (IsFace(feature)) return NormalOf(feature);
  Vec3 nearest = Vec3::Zero();
  if (IsVertex(feature)) return nearest;
  const Edge& edge = edges_[static_cast<std::size_t>(feature - FirstEdge())];
  for (Index s = edge.first_side; s < edge.last_side; ++s) {
    Vec3 normal = NormalOf(sides_[static_cast<std::size_t>(s)].triangle);
    if (is_sheet_ && normal.dot(n) < 0.0) normal = -normal;
    if (normal.dot(n) > nearest.dot(n)) nearest = normal;
  }
  return nearest;
}

SurfacePoint TriangleMesh::SurfacePointFrom(Index feature, const Vec3& point, const Vec3& x) const {
  const Vec3 d = x - point;
  const double distance = d.norm();
  const Vec3& normal = NormalOf(feature);
  if (distance == 0.0) return {0.0, normal};
  const double sign = !is_sheet_ && d.dot(normal) < 0.0 ? -1.0 : 1.0;
  return {sign * distance, (sign / distance) * d};
}

void TriangleMesh::FindSharpFeatures(std::span<const Index> triangles,
                                     std::vector<Index>& features) const {
  features.clear();
  for (const Index triangle : triangles) {
    for (const Index e : edge_of_[static_cast<std::size_t>(triangle)]) {
      const Edge& edge = edges_[static_cast<std::size_t>(e)];
      const std::span side = std::span(sides_).subspan(static_cast<std::size_t>(edge.first_side));
      // Two coplanar triangles.
      const bool is_flat = edge.last_side - edge.first_side == 2 &&
                           (side[0].inward + side[1].inward).norm() < kFlatEdge;
      if (is_flat) continue;
      const Index v = FirstVertex();
      features.insert(features.end(), {FirstEdge() + e, v + edge.ends[0], v + edge.ends[1]});
    }
  }
  std::ranges::sort(features);
  features.erase(std::unique(features.begin(), features.end()), features.end());
}

SurfacePoint TriangleMesh::Nearest(const Vec3& x, double limit) const {
  double squared = limit * limit;
  Projection nearest{Vec3::Zero(), -1, squared};
  tree_.VisitNear(x, squared, [&](Index triangle) {
    const LocalPoint local = LocalPointOf(frames_[static_cast<std::size_t>(triangle)], x);
    if (local.min_squared > squared) return;
    const Projection projection = ProjectOn(triangle, local, x);
    const bool is_nearer =
        projection.squared_distance < squared ||
        (projection.squared_distance == squared && projection.feature > nearest.feature);
    if (!is_nearer) return;
    nearest = projection;
    squared = projection.squared_distance;
  });
  return nearest.feature < 0 ? SurfacePoint() : SurfacePointFrom(nearest.feature, nearest.point, x);
}

}  // namespace scree

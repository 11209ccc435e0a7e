/// \file  References by brute force: a cloud of particles known to all ranks, the part that a rank
///        owns, and the pairs that are closer than a given gap.
#pragma once

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/subdomains.hpp"
#include "tests/support/draw.hpp"

namespace scree::test {

/// Random particles in the box with ids 0 .. count - 1 in order. All positions, velocities and
/// radii differ.
inline Particles RandomParticles(const Box& box, std::size_t count, double largest_radius,
                                 std::uint64_t stream) {
  Draw draw(stream);
  Particles all;
  Resize(all, count);
  all.owned = count;
  for (std::size_t i = 0; i < count; ++i) {
    all.position[i] = draw.PointIn(box);
    all.velocity[i] = draw.Vector(1.0);
    all.angular_velocity[i] = draw.Vector(1.0);
    all.orientation[i] = {draw.Uniform(-1, 1), draw.Uniform(-1, 1), draw.Uniform(-1, 1), 0.5};
    all.radius[i] = largest_radius * draw.Uniform(0.3, 1.0);
    all.id[i] = static_cast<ParticleId>(i);
    all.material[i] = draw.Integer(0, 3);
  }
  return all;
}

inline Particles OwnedBy(const Subdomains& subdomains, int rank, const Particles& all) {
  std::vector<Index> owned;
  for (std::size_t i = 0; i < all.owned; ++i) {
    if (subdomains.OwnerOf(all.position[i]) == rank) owned.push_back(static_cast<Index>(i));
  }
  Particles particles = all;
  Select(particles, owned);
  return particles;
}

/// All shifts by at most one period along each periodic axis, including zero.
inline std::vector<Image> AllImages(const std::array<bool, 3>& periodic) {
  std::vector<Image> images;
  for (int number = 0; number < 27; ++number) {
    const Image image = {static_cast<std::int8_t>(number % 3 - 1),
                         static_cast<std::int8_t>(number / 3 % 3 - 1),
                         static_cast<std::int8_t>(number / 9 - 1)};
    bool exists = true;
    for (std::size_t axis = 0; axis < 3; ++axis) exists &= image[axis] == 0 || periodic[axis];
    if (exists) images.push_back(image);
  }
  return images;
}

/// Pairs of indices (a < b) of particles whose surfaces are less than `gap` apart. Periodic images
/// count too.
inline std::set<std::pair<std::size_t, std::size_t>> AllPairs(const Subdomains& subdomains,
                                                              const Particles& all, double gap) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  const std::vector<Image> images = AllImages(subdomains.WholeDomain().periodic);
  for (std::size_t a = 0; a < all.owned; ++a) {
    for (std::size_t b = a + 1; b < all.owned; ++b) {
      double distance = (all.position[a] - all.position[b]).norm();
      for (const Image& image : images) {
        const Vec3 image_position = all.position[b] + subdomains.Shift(image);
        distance = std::min(distance, (all.position[a] - image_position).norm());
      }
      if (distance < all.radius[a] + all.radius[b] + gap) pairs.emplace(a, b);
    }
  }
  return pairs;
}

/// Divisions of a unit cube among the ranks: with no, one and three periodic axes.
inline std::vector<Subdomains> DivideUnitCube(int ranks) {
  std::vector<Subdomains> all;
  for (const std::array<bool, 3> periodic :
       {std::array<bool, 3>{false, false, false}, std::array<bool, 3>{false, true, false},
        std::array<bool, 3>{true, true, true}}) {
    const Domain domain = {{Vec3(-0.3, 0, 0), Vec3(0.7, 1, 1)}, periodic};
    all.emplace_back(domain, std::array<int, 3>{ranks, 1, 1});
    if (ranks > 1) all.emplace_back(domain, std::array<int, 3>{1, ranks, 1});
    if (ranks > 2) all.emplace_back(domain, std::array<int, 3>{ranks / 2, 1, 2});
  }
  return all;
}

}  // namespace scree::test

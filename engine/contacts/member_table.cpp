#include "engine/contacts/member_table.hpp"

namespace scree {

void MemberTable::Set(const Particles& particles, std::span<const ClumpShape> clumps) {
  first_.assign(1, 0);
  all_.clear();
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const double radius = particles.radius[i];
    if (particles.shape[i] == kSphereShape) {
      all_.push_back({Vec3::Zero(), radius});
    } else {
      const Mat3 turn = radius * RotationMatrix(particles.orientation[i]);
      for (const Member& member :
           clumps[static_cast<std::size_t>(particles.shape[i] - 1)].members) {
        all_.push_back({turn * member.centre, radius * member.radius});
      }
    }
    first_.push_back(static_cast<Index>(all_.size()));
  }
}

}  // namespace scree

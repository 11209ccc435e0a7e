#include "engine/contacts/restitution_slip.hpp"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

/// A contact of a group, with its impulse r.
struct GroupContact {
  Vec3 normal;
  ContactArms arms;
  double bias = 0.0, mobility = 0.0;  // b [m/s], Aₙₙ [1/kg]
  double impulse = 0.0;               // r [N s]
};

/// The contacts between two bodies, or between a body and walls, in the order of detection. The
/// bodies start from rest. Neither the order nor the bits of u depend on which body is a.
class ContactGroup {
 public:
  void Begin(const ContactInput& input, const DetectedContact& first) {
    contacts_.clear();
    partners_.clear();
    has_walls_ = input.Bodies().IsWall(first.b);
    body_ = BodyAtRest(input, first.a);
    if (!has_walls_) partners_.push_back(BodyAtRest(input, first.b));
  }
  void Add(const ContactInput& input, const ContactSpan& contacts, std::size_t j, double bias) {
    const DetectedContact& found = contacts[j];
    const auto [weight_a, weight_b] = input.WeightsOf(contacts, j);
    contacts_.push_back({found.normal, input.ArmsOf(contacts, j), bias, weight_a + weight_b, 0.0});
    if (has_walls_) partners_.push_back(BodyAtRest(input, found.b));
  }
  /// Gauss-Seidel sweeps for r.
  void Solve() {
    constexpr int kSweeps = 200;
    constexpr double kRounding = 1e-14;
    double max_bias = 0.0, change = 1.0;
    for (const GroupContact& contact : contacts_) {
      max_bias = std::max(max_bias, std::abs(contact.bias));
    }
    for (int sweep = 0; sweep < kSweeps && change > kRounding * max_bias; ++sweep) {
      change = 0.0;
      for (std::size_t k = 0; k < contacts_.size(); ++k) {
        GroupContact& contact = contacts_[k];
        const double residual = VelocityAt(k).dot(contact.normal) + contact.bias;
        const double impulse = std::max(0.0, contact.impulse - residual / contact.mobility);
        const double added = impulse - contact.impulse;
        ApplyImpulse(contact.arms, added * contact.normal, body_, PartnerOf(k));
        contact.impulse = impulse;
        change = std::max(change, std::abs(added) * contact.mobility);
      }
    }
  }
  Vec3 SlipAt(std::size_t k) {
    const Vec3 velocity = VelocityAt(k);
    const Vec3& n = contacts_[k].normal;
    return velocity - velocity.dot(n) * n;
  }

 private:
  static RigidBody BodyAtRest(const ContactInput& input, Index i) {
    RigidBody body = input.rigid[static_cast<std::size_t>(i)];
    body.v = body.omega = Vec3::Zero();
    return body;
  }
  RigidBody& PartnerOf(std::size_t k) { return partners_[has_walls_ ? k : 0]; }
  Vec3 VelocityAt(std::size_t k) {
    return RelativeVelocity(body_, PartnerOf(k), contacts_[k].arms);
  }

  bool has_walls_ = false;
  RigidBody body_;                   // a
  std::vector<RigidBody> partners_;  // b; for walls one per contact
  std::vector<GroupContact> contacts_;
};

}  // namespace

void SetRestitutionSlips(const ContactInput& input, std::span<const Index> impacts,
                         ContactBatches& batches) {
  const ContactBodies bodies = input.Bodies();
  const auto is_same_group = [&](const DetectedContact& x, const DetectedContact& y) {
    return x.a == y.a && (x.b == y.b || (bodies.IsWall(x.b) && bodies.IsWall(y.b)));
  };
  const std::size_t owned = input.detected.size();
  std::size_t end_of_group = 0;  // u is set for all contacts before this one
  ContactGroup group;
  for (const Index impact : impacts) {
    const auto number = static_cast<std::size_t>(impact);
    if (number < end_of_group) continue;
    const bool is_ghost = number >= owned;
    const ContactSpan& list = is_ghost ? input.ghosts : input.detected;
    const std::size_t offset = is_ghost ? owned : 0;
    const DetectedContact& found = list[number - offset];
    std::size_t first = number - offset, last = first + 1;
    while (first > 0 && is_same_group(list[first - 1], found)) --first;
    while (last < list.size() && is_same_group(list[last], found)) ++last;
    group.Begin(input, found);
    for (std::size_t j = first; j < last; ++j) {
      group.Add(input, list, j, batches.Bias(offset + j));
    }
    group.Solve();
    for (std::size_t j = first; j < last; ++j) {
      batches.SetRestitutionSlip(offset + j, group.SlipAt(j - first));
    }
    end_of_group = offset + last;
  }
}

}  // namespace scree

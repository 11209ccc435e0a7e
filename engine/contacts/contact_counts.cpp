#include "engine/contacts/contact_counts.hpp"

namespace scree {
namespace {

void Count(std::span<const DetectedContact> contacts, std::vector<Index>& counts) {
  for (const DetectedContact& contact : contacts) {
    ++counts[static_cast<std::size_t>(contact.a)];
    ++counts[static_cast<std::size_t>(contact.b)];
  }
}

}  // namespace

void ContactCounts::Reserve(std::size_t bodies) {
  counts_.reserve(bodies);
  local_counts_.reserve(bodies);
}

void ContactCounts::Start(const SchemeRequirements& requirements, const Communicator& communicator,
                          ExchangePlan& plan, std::span<const DetectedContact> contacts,
                          std::span<const DetectedContact> ghost_contacts, std::size_t bodies) {
  counts_all_ = requirements.ghost_contacts;
  counts_.clear();
  if (plan.IsEmpty() && !counts_all_) return;
  local_counts_.assign(bodies, 0);
  Count(contacts, local_counts_);
  if (counts_all_) Count(ghost_contacts, local_counts_);
  counts_ = local_counts_;
  if (counts_all_) return;  // each rank has all contacts of its particles
  plan.StartScatter<Index>(communicator,
                           [&](Index ghost) { return counts_[static_cast<std::size_t>(ghost)]; });
}

void ContactCounts::StartGather(const Communicator& communicator, ExchangePlan& plan) {
  if (counts_.empty()) return;
  if (!counts_all_) {
    plan.FinishScatter<Index>(
        [&](Index owned, Index count) { counts_[static_cast<std::size_t>(owned)] += count; });
  }
  plan.StartGather<Index>(communicator,
                          [&](Index owned) { return counts_[static_cast<std::size_t>(owned)]; });
}

void ContactCounts::FinishGather(ExchangePlan& plan) {
  if (counts_.empty()) return;
  plan.FinishGather<Index>(
      [&](Index ghost, Index count) { counts_[static_cast<std::size_t>(ghost)] = count; });
  if (counts_all_) return;
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] -= local_counts_[i];
}

}  // namespace scree

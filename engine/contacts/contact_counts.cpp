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
  of_body_.reserve(bodies);
  here_.reserve(bodies);
}

void ContactCounts::Start(const SchemeRequirements& needs, const Communicator& communicator,
                          ExchangePlan& plan, std::span<const DetectedContact> contacts,
                          std::span<const DetectedContact> ghosts, std::size_t bodies) {
  counts_all_ = needs.ghost_contacts;
  of_body_.clear();
  if (plan.IsEmpty() && !counts_all_) return;
  here_.assign(bodies, 0);
  Count(contacts, here_);
  if (counts_all_) Count(ghosts, here_);
  of_body_ = here_;
  if (counts_all_) return;  // each rank has all contacts of its particles
  plan.StartScatter<Index>(communicator,
                           [&](Index ghost) { return of_body_[static_cast<std::size_t>(ghost)]; });
}

void ContactCounts::StartGather(const Communicator& communicator, ExchangePlan& plan) {
  if (of_body_.empty()) return;
  if (!counts_all_) {
    plan.FinishScatter<Index>(
        [&](Index owned, Index count) { of_body_[static_cast<std::size_t>(owned)] += count; });
  }
  plan.StartGather<Index>(communicator,
                          [&](Index owned) { return of_body_[static_cast<std::size_t>(owned)]; });
}

void ContactCounts::FinishGather(ExchangePlan& plan) {
  if (of_body_.empty()) return;
  plan.FinishGather<Index>(
      [&](Index ghost, Index count) { of_body_[static_cast<std::size_t>(ghost)] = count; });
  if (counts_all_) return;
  for (std::size_t i = 0; i < of_body_.size(); ++i) of_body_[i] -= here_[i];
}

}  // namespace scree

#include "engine/contacts/contact_counts.hpp"

namespace scree {
namespace {

void CountHere(std::span<const DetectedContact> contacts, std::vector<Index>& here) {
  for (const DetectedContact& contact : contacts) {
    ++here[static_cast<std::size_t>(contact.a)];
    ++here[static_cast<std::size_t>(contact.b)];
  }
}

/// `total` is of this rank's copies; becomes the sum over the copies of all ranks, on all of them.
void AddUpCopies(const Communicator& communicator, ExchangePlan& plan, std::vector<Index>& total) {
  plan.ScatterAdd<Index>(
      communicator, [&](Index ghost) { return total[static_cast<std::size_t>(ghost)]; },
      [&](Index owned, Index count) { total[static_cast<std::size_t>(owned)] += count; });
  plan.Gather(communicator, std::span(total));
}

}  // namespace

void CountContacts(const SchemeNeeds& needs, const Communicator& communicator, ExchangePlan& plan,
                   std::span<const DetectedContact> contacts,
                   std::span<const DetectedContact> mirrors, std::size_t bodies,
                   ContactCounts& counts) {
  counts.of_body.clear();
  if (plan.IsEmpty() && !needs.counts_alone) return;
  std::vector<Index>& here = counts.here;
  std::vector<Index>& total = counts.of_body;
  here.assign(bodies, 0);
  CountHere(contacts, here);
  if (needs.count == BodyCount::kContacts) {  // owners have all contacts of their particles
    CountHere(mirrors, here);
    total = here;
    plan.Gather(communicator, std::span(total));
    return;
  }
  total = here;
  if (needs.count == BodyCount::kRanks) {
    for (Index& count : total) count = count > 0;
    AddUpCopies(communicator, plan, total);
    return;
  }
  AddUpCopies(communicator, plan, total);
  for (std::size_t i = 0; i < bodies; ++i) total[i] -= here[i];
}

}  // namespace scree

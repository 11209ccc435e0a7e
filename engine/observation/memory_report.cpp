#include "engine/observation/memory_report.hpp"

namespace scree {

std::size_t BytesOf(const Particles& particles) {
  std::size_t bytes = 0;
  ForEachField(particles, [&](const Field&, const auto& array) { bytes += BytesOf(array); });
  return bytes;
}

std::size_t BytesOf(const SpareArrays& arrays) {
  return std::apply([](const auto&... array) { return (BytesOf(array) + ...); }, arrays);
}

std::size_t BytesOf(const Halo& halo) {
  return BytesOf(halo.image) + BytesOf(halo.shift) + BytesOf(halo.velocity) + BytesOf(halo.owner);
}

std::size_t BytesOf(const NeighborList& list) {
  return BytesOf(list.first) + BytesOf(list.partner) + BytesOf(list.walls) +
         BytesOf(list.triangles) + BytesOf(list.reference) + BytesOf(list.drift) +
         BytesOf(list.wall_reference) + BytesOf(list.wall_extent) + BytesOf(list.wall_images);
}

std::size_t SweepBytes(const ContactBatches& batches) {
  const LawFlags active = batches.ActiveLaws();
  std::size_t law_bytes = 0;
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    if (Law::kIsGiven) return;
    if (active[kLawIndex<Law>]) law_bytes += sizeof(LawBatch<Law>) + 3 * sizeof(Double8);
  });
  return batches.Colouring().Batches() * (sizeof(ContactBatch) + 3 * sizeof(Double8) + law_bytes) +
         4 * batches.Size() * sizeof(SphereBody);
}

}  // namespace scree

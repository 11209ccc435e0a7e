#include "engine/ranks/migration.hpp"

#include <map>

namespace scree {
namespace {

void PutParticle(const Particles& particles, std::size_t i, ByteWriter& out) {
  ForEachField(particles, [&](const Field&, const auto& array) { out.Put(array[i]); });
}

void GetParticle(ByteReader& in, Particles& particles) {
  ForEachField(particles, [&](const Field&, auto& array) {
    array.push_back(in.Get<ElementOf<decltype(array)>>());
  });
}

}  // namespace

std::vector<Index> Migrate(const Communicator& communicator, const Subdomains& subdomains,
                           Particles& particles, const Attachment* attached) {
  Resize(particles, particles.owned);
  std::vector<Index> staying;
  staying.reserve(particles.owned);
  std::map<int, ByteWriter> leaving;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    subdomains.Images().Wrap(particles.position[i], particles.velocity[i]);
    const int owner = subdomains.OwnerOf(particles.position[i]);
    if (owner == communicator.Rank()) {
      staying.push_back(static_cast<Index>(i));
    } else {
      ByteWriter& out = leaving[owner];
      PutParticle(particles, i, out);
      if (attached != nullptr) attached->pack(static_cast<Index>(i), out);
    }
  }
  std::vector<Communicator::Message> messages;
  for (auto& [rank, bytes] : leaving) messages.push_back({rank, bytes.Take()});
  Keep(particles, staying);
  for (const Communicator::Message& message : communicator.ExchangeSparse(messages)) {
    for (ByteReader in(message.bytes); !in.IsAtEnd();) {
      GetParticle(in, particles);
      if (attached != nullptr) attached->unpack(in);
    }
  }
  particles.owned = particles.Size();
  return staying;
}

}  // namespace scree

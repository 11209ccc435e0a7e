#include "engine/migration.hpp"

#include <map>

#include "engine/byte_buffer.hpp"
#include "engine/collective_error.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

/// A centre may sit on the closed end of an axis or leave through a periodic one.
bool IsInside(const Domain& domain, const Vec3& x) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!std::isfinite(x[axis])) return false;
    if (domain.periodic[static_cast<std::size_t>(axis)]) continue;
    if (x[axis] < domain.box.lower[axis] || x[axis] > domain.box.upper[axis]) return false;
  }
  return true;
}

std::string DescribeLost(const Particles& particles, const std::vector<std::size_t>& lost,
                         int rank) {
  constexpr std::size_t kNamed = 5;
  if (lost.empty()) return {};
  std::string text =
      Text(lost.size(), lost.size() == 1 ? " particle" : " particles", " lost on rank ", rank, ":");
  for (std::size_t k = 0; k < lost.size() && k < kNamed; ++k) {
    const std::size_t i = lost[k];
    text +=
        Text(k == 0 ? " id " : "; id ", particles.id[i], " at (", particles.position[i].transpose(),
             ") m with velocity (", particles.velocity[i].transpose(), ") m/s");
  }
  if (lost.size() > kNamed) text += "; ...";
  return text;
}

void DemandNoneLost(const Communicator& communicator, const Domain& domain,
                    const Particles& particles) {
  std::vector<std::size_t> lost;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kGone && !IsInside(domain, particles.position[i])) lost.push_back(i);
  }
  const std::string all =
      JoinMessages(communicator, DescribeLost(particles, lost, communicator.Rank()));
  if (all.empty()) return;
  throw SimulationError(
      all + Text("\nA particle is lost when its centre leaves the domain (",
                 domain.box.lower.transpose(), ") .. (", domain.box.upper.transpose(),
                 ") m other than through an outflow or periodic face. Is the domain closed by "
                 "walls, and is the time step short enough for the speed?"));
}

void PutParticle(const Particles& particles, std::size_t i, ByteWriter& out) {
  ForEachField(particles, [&](const char*, Travels, const auto& field) { out.Put(field[i]); });
}

void GetParticle(ByteReader& in, Particles& particles) {
  ForEachField(particles, [&](const char*, Travels, auto& field) {
    using Value = typename std::remove_reference_t<decltype(field)>::value_type;
    field.push_back(in.Get<Value>());
  });
}

}  // namespace

void Migrate(const Communicator& communicator, const Subdomains& subdomains, Particles& particles) {
  Resize(particles, particles.owned);
  DemandNoneLost(communicator, subdomains.WholeDomain(), particles);

  std::vector<Index> staying;
  std::map<int, ByteWriter> leaving;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kGone) continue;
    particles.position[i] = subdomains.Wrap(particles.position[i]);
    const int owner = subdomains.OwnerOf(particles.position[i]);
    if (owner == communicator.Rank()) {
      staying.push_back(static_cast<Index>(i));
    } else {
      PutParticle(particles, i, leaving[owner]);
    }
  }
  std::vector<Communicator::Letter> letters;
  for (auto& [rank, bytes] : leaving) letters.push_back({rank, bytes.Take()});
  Select(particles, staying);
  for (const Communicator::Letter& letter : communicator.ExchangeLetters(letters)) {
    for (ByteReader in(letter.bytes); !in.AtEnd();) GetParticle(in, particles);
  }
  particles.owned = particles.Size();
}

}  // namespace scree

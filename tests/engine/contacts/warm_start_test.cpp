// Contacts find their stored impulses after any migration of the particles.
#include "engine/contacts/warm_start.hpp"

#include <gtest/gtest.h>

#include <array>

#include "engine/contacts/ghost_contacts.hpp"
#include "engine/ranks/migration.hpp"
#include "tests/support/all_pairs.hpp"
#include "tests/support/lists.hpp"
#include "tests/support/scenes.hpp"

namespace scree::warm_start_test {
namespace {

constexpr double kRadius = 0.05, kSkin = 0.03;

/// An impulse that differs for every contact. It acts on the particle with the smaller id;
/// at a wall (low = -1), on the only particle.
Vec3 ImpulseOf(ParticleId low, ParticleId high) {
  return {static_cast<double>(low), static_cast<double>(high), 1.0};
}

/// The angular impulse L of law l. Its last component differs for each law.
Vec3 LawImpulseOf(std::size_t l, const Vec3& impulse) {
  return {-2.0 * impulse.y(), impulse.x(), 0.5 + static_cast<double>(l)};
}

/// The particles of a cloud on one rank, and the rank's lists. All candidates become contacts.
struct Cloud {
  const Communicator world = Communicator::World();
  Subdomains subdomains;
  InterfacePairs interface;
  Scene scene;
  std::vector<WallPose> walls = {WallPose()};
  std::vector<WallBody> wall_bodies;
  Particles particles;
  SizeClasses classes;
  Halo halo;
  NeighborList list;
  ContactList contacts;
  ContactList ghosts;
  WarmStart warm_start;
  bool has_laws;  // all additional laws are active

  Cloud(const Subdomains& all, const Particles& all_particles,
        InterfacePairs pairs = InterfacePairs::kOwnedContact, bool all_laws = true)
      : subdomains(all), interface(pairs), has_laws(all_laws) {
    const Box& box = subdomains.WholeDomain().box;
    scene.walls.push_back({"wall", {{Plane{box.lower, Vec3::UnitY()}}}, Vec3::Zero(), 0});
    particles = test::OwnedBy(subdomains, world.Rank(), all_particles);
    Rebuild();
  }
  void Rebuild() {
    const Attachment impulses = warm_start.AttachedToParticles();
    const std::vector<Index> staying = Migrate(world, subdomains, particles, &impulses);
    const ListReach reach = {kSkin, kSkin};
    DetectionBuffers buffers;
    SpareArrays scratch;
    SortAlongCells(kSkin, particles, scratch, classes);
    halo = test::MakeNearGhosts(world, subdomains, classes, kSkin, kRadius, interface, particles);
    BuildNeighborList(particles, classes, halo, scene, walls, reach, buffers.spheres.packed, list);
    warm_start.Remap(world, staying, classes.Order(), particles, halo, list);

    const ActivationRule all_candidates = {1.0, 0.0, false, 2.0 * kSkin};
    contacts.Begin();
    DetectContacts(particles, particles.velocity, halo, list, scene, walls, all_candidates, nullptr,
                   buffers, contacts, wall_bodies);
    contacts.End();
    SplitGhostContacts(world.Rank(), particles, halo, contacts, ghosts);
  }
  Vec3 ExpectedImpulse(const DetectedContact& contact) const {
    const ParticleId a = particles.id[static_cast<std::size_t>(contact.a)];
    const auto j = static_cast<std::size_t>(contact.b);
    if (j >= particles.Size()) return ImpulseOf(-1, a);
    const ParticleId b = particles.id[j];
    return a < b ? ImpulseOf(a, b) : Vec3(-ImpulseOf(b, a));
  }
  double ExpectedProjection(const DetectedContact& contact) const {
    return kProjectionMemory * ExpectedImpulse(contact).norm();
  }
  Vec3 ExpectedOfLaw(std::size_t l, const DetectedContact& contact) const {
    const ParticleId a = particles.id[static_cast<std::size_t>(contact.a)];
    const auto j = static_cast<std::size_t>(contact.b);
    const bool is_swapped = j < particles.Size() && a > particles.id[j];
    const Vec3 impulse = ExpectedImpulse(contact);
    return is_swapped ? Vec3(-LawImpulseOf(l, -impulse)) : LawImpulseOf(l, impulse);
  }
  std::array<std::span<const DetectedContact>, 2> OwnedAndGhostContacts() const {
    return {contacts, ghosts};
  }
  void Store() {
    ContactBatches batches;
    batches.Begin(static_cast<Index>(particles.Size()), particles.Size() + 1);
    for (const std::span<const DetectedContact> detected : OwnedAndGhostContacts()) {
      for (const DetectedContact& found : detected) {
        Contact contact;
        contact.a = found.a;
        contact.b = found.b;
        batches.Add(contact, ExpectedImpulse(found));
      }
    }
    batches.End();
    if (has_laws) ForEachLaw([&](auto law) { SetLaw<typename decltype(law)::type>(batches); });
    PositionProjection positions;
    positions.Begin(contacts.size() + ghosts.size());
    std::size_t j = 0;
    for (const std::span<const DetectedContact> detected : OwnedAndGhostContacts()) {
      for (const DetectedContact& contact : detected) {
        positions.SetContact(batches, j++, contact.gap, ExpectedImpulse(contact).norm());
      }
    }
    positions.End({}, 1.0, batches, particles.Size() + 1);
    warm_start.Store(contacts, contacts.size(), ghosts, wall_bodies, batches, positions);
  }
  template <class Law>
  void SetLaw(ContactBatches& batches) const {
    batches.BeginLaw<Law>();
    std::size_t j = 0;
    for (const std::span<const DetectedContact> detected : OwnedAndGhostContacts()) {
      for (const DetectedContact& contact : detected) {
        batches.ArraysOf<Law>().Set(batches.SlotOf(j++), {},
                                    ExpectedOfLaw(kLawIndex<Law>, contact));
      }
    }
  }
  /// Numbers over all ranks: contacts that were candidates before the rebuild, and those of them
  /// with the right stored impulses.
  struct Count {
    std::int64_t known_count = 0, right_count = 0;
  };
  Count CountFound(const std::set<std::pair<ParticleId, ParticleId>>& known_pairs) const {
    Count count;
    for (const std::span<const DetectedContact> detected : OwnedAndGhostContacts()) {
      for (const DetectedContact& contact : detected) {
        const ParticleId a = particles.id[static_cast<std::size_t>(contact.a)];
        const auto j = static_cast<std::size_t>(contact.b);
        const ParticleId b = j < particles.Size() ? particles.id[j] : -1;
        if (known_pairs.count(std::minmax(a, b)) == 0) continue;
        ++count.known_count;
        const LocalPartner partner = ContactBodies(particles, wall_bodies).PartnerOf(contact.b);
        const Index number = warm_start.Find(contact.a, partner);
        const WarmStart::Entry& entry = warm_start.EntryAt(number);
        bool is_right = entry.impulse == ExpectedImpulse(contact) &&
                        entry.projection_impulse == ExpectedProjection(contact);
        ForEachLaw([&](auto law) {
          using Law = typename decltype(law)::type;
          const Vec3 expected =
              has_laws ? ExpectedOfLaw(kLawIndex<Law>, contact) : Vec3(Vec3::Zero());
          is_right = is_right && warm_start.LawAt<Law>(number) == expected;
        });
        count.right_count += is_right;
      }
    }
    count.known_count = world.Sum(count.known_count);
    count.right_count = world.Sum(count.right_count);
    return count;
  }
};

/// All candidate pairs as pairs of ids, on every rank.
std::set<std::pair<ParticleId, ParticleId>> Candidates(const Subdomains& subdomains,
                                                       const Particles& all) {
  std::set<std::pair<ParticleId, ParticleId>> pairs;
  for (const auto& [a, b] : test::AllPairs(subdomains, all, kSkin)) {
    pairs.insert(std::minmax(all.id[a], all.id[b]));
  }
  for (std::size_t i = 0; i < all.owned; ++i) {
    const double height = all.position[i].y() - subdomains.WholeDomain().box.lower.y();
    if (height < all.radius[i] + kSkin) pairs.emplace(-1, all.id[i]);
  }
  return pairs;
}

/// The positions at the next rebuild: many particles have moved to another rank.
std::map<ParticleId, Vec3> MovedPositions(const Domain& domain, const Particles& all) {
  std::map<ParticleId, Vec3> positions;
  test::Draw draw(2);
  for (std::size_t i = 0; i < all.owned; ++i) {
    Vec3 x = all.position[i] + 0.4 * kSkin * draw.Direction();
    for (int axis = 0; axis < 3; ++axis) {
      if (domain.periodic[static_cast<std::size_t>(axis)]) continue;
      x[axis] = std::clamp(x[axis], domain.box.lower[axis], domain.box.upper[axis]);
    }
    positions[all.id[i]] = x;
  }
  return positions;
}

TEST(WarmStart, StoredImpulsesAreFoundAfterMigrationAndSorting) {
  bool has_laws = false;
  for (const InterfacePairs interface : {InterfacePairs::kOwnedContact, InterfacePairs::kAll}) {
    for (const Subdomains& subdomains : test::DivideUnitCube(Communicator::World().Size())) {
      const Particles all = test::RandomParticles(subdomains.WholeDomain().box, 400, kRadius, 1);
      Cloud cloud(subdomains, all, interface, has_laws = !has_laws);
      cloud.Store();
      const auto positions = MovedPositions(subdomains.WholeDomain(), all);
      for (std::size_t i = 0; i < cloud.particles.owned; ++i) {
        cloud.particles.position[i] = positions.at(cloud.particles.id[i]);
      }
      cloud.Rebuild();
      const Cloud::Count count = cloud.CountFound(Candidates(subdomains, all));
      EXPECT_GT(count.known_count, 200);
      EXPECT_EQ(count.right_count, count.known_count) << subdomains.Count() << " subdomains";
    }
  }
}

// Particles migrate to ranks that were not neighbours.
TEST(WarmStart, StoredImpulsesAreFoundWhenTheSubdomainsChange) {
  const Communicator world = Communicator::World();
  if (world.Size() == 1) return;
  for (const InterfacePairs interface : {InterfacePairs::kOwnedContact, InterfacePairs::kAll}) {
    for (const Subdomains& subdomains : test::DivideUnitCube(world.Size())) {
      const Domain& domain = subdomains.WholeDomain();
      const Particles all = test::RandomParticles(domain.box, 400, kRadius, 1);
      Cloud cloud(subdomains, all, interface);
      cloud.Store();
      // Slices across another axis.
      Cuts cuts;
      for (int rank = 0; rank + 1 < world.Size(); ++rank) {
        cuts.tree.push_back({0.15 + 0.2 * rank, 2, 1});
      }
      cloud.subdomains = Subdomains::WithCuts(domain, cuts);
      cloud.Rebuild();
      const Cloud::Count count = cloud.CountFound(Candidates(subdomains, all));
      EXPECT_GT(count.known_count, 200);
      EXPECT_EQ(count.right_count, count.known_count);
    }
  }
}

TEST(WarmStart, FindPacketEqualsEightSingleSearches) {
  const Subdomains subdomains = test::DivideUnitCube(Communicator::World().Size()).front();
  const Particles all = test::RandomParticles(subdomains.WholeDomain().box, 400, kRadius, 4);
  Cloud cloud(subdomains, all);
  // Half of the contacts are stored, so that many spheres have no entry, one or several.
  ContactList dropped;
  cloud.contacts.MoveTo(
      dropped, [](const DetectedContact& contact) { return (contact.a + contact.b) % 2 == 0; });
  cloud.Store();
  const NeighborList& list = cloud.list;
  const auto compare = [&] {
    std::int64_t stored_count = 0, missing_count = 0;
    for (std::size_t i = 0; i < cloud.particles.owned; ++i) {
      for (Index k = list.first[i]; k < list.first[i + 1]; k += kLanes) {
        const Index* const partners = &list.partner[static_cast<std::size_t>(k)];
        std::array<Index, kLanes + 1> numbers;
        numbers.fill(kNoStoredImpulse);
        const unsigned found = cloud.warm_start.FindPacket(i, partners, numbers);
        for (Index lane = 0; lane < std::min<Index>(kLanes, list.first[i + 1] - k); ++lane) {
          const Index number =
              cloud.warm_start.Find(static_cast<Index>(i), LocalPartner::Particle(partners[lane]));
          EXPECT_EQ((found >> lane & 1u) != 0, number != kNoStoredImpulse);
          EXPECT_EQ(numbers[static_cast<std::size_t>(lane)], number);
          ++(number == kNoStoredImpulse ? missing_count : stored_count);
        }
      }
    }
    EXPECT_GT(cloud.world.Sum(stored_count), 80);
    EXPECT_GT(cloud.world.Sum(missing_count), 80);
  };
  compare();
  // A pair that touches directly and through a periodic end has two impulses with the same key.
  std::vector<StoredImpulse> stored = cloud.warm_start.AllStored();
  for (std::size_t k = 0, count = stored.size(); k < count; ++k) {
    stored.push_back(stored[k]);
    stored.back().impulse *= 2.0;
  }
  cloud.warm_start.Restore(stored, cloud.particles, list);
  compare();
}

TEST(WarmStart, ImagesOfAWallAreDistinguishedByDirection) {
  Particles particles;
  test::AddSphere(particles, 7, Vec3::Zero(), kRadius);
  const NeighborList list = test::ListOf(particles, 1.0, Halo(), Scene(), {}, {kSkin, kSkin});
  const auto wall = GlobalPartner::Surface(0), other_surface = GlobalPartner::Surface(1);
  const Vec3 left_normal(1.0, 0.2, 0.0), right_normal(-0.01, 0.0, 0.01), far_normal(-5.0, 0.0, 0.0);
  WarmStart warm_start;
  warm_start.Restore(std::vector<StoredImpulse>{{7, wall, left_normal, {}},
                                                {7, wall, right_normal, {}},
                                                {7, other_surface, far_normal, {}}},
                     particles, list);
  const auto impulse_of = [&](Index surface, const Vec3& n) {
    return warm_start.EntryAt(warm_start.FindSurface(0, surface, {}, n)).impulse;
  };
  EXPECT_EQ(impulse_of(0, Vec3(1, 0, 0)), left_normal);
  EXPECT_EQ(impulse_of(0, Vec3(-1, 0, 0)), right_normal);
  EXPECT_EQ(impulse_of(1, Vec3(1, 0, 0)), far_normal);
  EXPECT_EQ(impulse_of(2, Vec3(1, 0, 0)), Vec3(0, 0, 0));
}

TEST(WarmStart, RestoredAndScatteredImpulsesAreFound) {
  const Subdomains subdomains = test::DivideUnitCube(Communicator::World().Size()).front();
  const Particles all = test::RandomParticles(subdomains.WholeDomain().box, 400, kRadius, 3);
  Cloud cloud(subdomains, all);
  cloud.Store();
  const auto pairs_before = Candidates(subdomains, all);
  const std::vector<StoredImpulse> stored = cloud.warm_start.AllStored();

  Cloud restored(subdomains, all);
  restored.warm_start.Restore(stored, restored.particles, restored.list);
  EXPECT_EQ(restored.CountFound(pairs_before).right_count,
            restored.CountFound(pairs_before).known_count);

  Cloud scattered(subdomains, all);
  scattered.warm_start.ScatterToOwners(scattered.world, subdomains, scattered.particles, stored);
  scattered.Rebuild();
  EXPECT_EQ(scattered.CountFound(pairs_before).right_count,
            scattered.CountFound(pairs_before).known_count);
  EXPECT_GT(scattered.CountFound(pairs_before).known_count, 200);
}

/// Bytes that all ranks together send to rebuild the lists of a cloud.
std::int64_t BytesOfRebuild(Cloud& cloud) {
  const std::int64_t bytes_before = cloud.world.Sent().bytes;
  cloud.Rebuild();
  return cloud.world.Sum(cloud.world.Sent().bytes - bytes_before);
}

TEST(WarmStart, OnlyImpulsesWithAPartnerOnAnotherRankAreSent) {
  const Subdomains subdomains = test::DivideUnitCube(Communicator::World().Size()).front();
  const Particles all = test::RandomParticles(subdomains.WholeDomain().box, 400, kRadius, 3);
  Cloud cloud(subdomains, all);
  cloud.Store();
  const std::vector<StoredImpulse> stored = cloud.warm_start.AllStored();
  std::int64_t on_other_rank = 0;
  for (const StoredImpulse& impulse : stored) {
    const auto owned = std::span(cloud.particles.id).first(cloud.particles.owned);
    on_other_rank +=
        !impulse.b.IsSurface() && std::ranges::find(owned, impulse.b.Particle()) == owned.end();
  }
  Cloud scattered(subdomains, all);
  const std::int64_t bytes_without = BytesOfRebuild(scattered);
  scattered.warm_start.ScatterToOwners(scattered.world, subdomains, scattered.particles, stored);
  const std::int64_t bytes = BytesOfRebuild(scattered) - bytes_without;
  const std::int64_t peers =
      scattered.world.Max(static_cast<std::int64_t>(scattered.halo.plan.Peers().size()));
  const auto size = static_cast<std::int64_t>(sizeof(StoredImpulse));
  EXPECT_GE(bytes, size * scattered.world.Sum(on_other_rank));
  EXPECT_LE(bytes, size * scattered.world.Sum(on_other_rank) * peers);
}

TEST(WarmStart, ImpulsesStartWithinTheConeAboutTheNewNormal) {
  const Vec3 n = Vec3(1, 2, 2) / 3.0;
  const Vec3 t = Vec3(2, 1, -2) / 3.0;
  const std::array<Vec3, kLanes> stored = {2.0 * n + 0.5 * t, 2.0 * n + 5.0 * t, -2.0 * n + 5.0 * t,
                                           Vec3::Zero(),      5.0 * t - 0.1 * n, 2.0 * n,
                                           0.8 * t - n,       1e-9 * (n + t)};
  const std::array<Vec3, kLanes> expected = {stored[0],    2.0 * n + 0.8 * t,   Vec3::Zero(),
                                             Vec3::Zero(), Vec3::Zero(),        2.0 * n,
                                             Vec3::Zero(), 1e-9 * (n + 0.4 * t)};
  ContactBatch batch = {};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (int axis = 0; axis < 3; ++axis) {
      batch.normal[axis][lane] = n[axis];
      batch.impulse[axis][lane] = stored[lane][axis];
    }
    batch.friction[lane] = 0.4;
  }
  ProjectOntoCones(batch);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const Vec3 start(batch.impulse[0][lane], batch.impulse[1][lane], batch.impulse[2][lane]);
    EXPECT_LT((start - expected[lane]).norm(), 1e-15) << lane;
    if (expected[lane].isZero(0.0)) {
      EXPECT_EQ(start, Vec3::Zero()) << lane;
    }
  }
}

/// A column of spheres on a floor, for one rank.
struct Column {
  static constexpr double kSphereRadius = 0.001, kDt = 1e-5;
  const Communicator self = Communicator::Self();
  Scene scene = test::EmptyScene(Vec3(-0.01, -0.01, 0), Vec3(0.01, 0.01, 0.05), 0.4);
  StepParameters parameters;
  State state;

  explicit Column(int spheres) {
    scene.gravity = Vec3(0, 0, -9.81);
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    for (int k = 0; k < spheres; ++k) {
      test::AddSphere(state.particles, k, Vec3(0, 0, (2 * k + 1) * kSphereRadius), kSphereRadius);
    }
    parameters.dt = kDt;
  }
};

TEST(WarmStart, StackAtRestNeedsOneSweep) {
  Column column(10);
  column.parameters.solver.sweeps = 2000;
  test::Run(column.self, column.scene, column.parameters, column.state, 1);  // finds the impulses
  const double kick = 9.81 * Column::kDt;
  for (const bool is_warm : {true, false}) {
    State state = column.state;
    StepParameters parameters = column.parameters;
    parameters.warm_start = is_warm;
    const Subdomains subdomains(column.scene.domain, {1, 1, 1});
    TimeStep first(column.self, column.scene, parameters, subdomains, state);
    first.Advance(state);
    RestartPoint point = first.Point(state);
    Resize(state.particles, state.particles.owned);
    parameters.solver.sweeps = 1;
    TimeStep restarted(column.self, column.scene, parameters, subdomains, state, point);
    restarted.Advance(state);
    const double residual = restarted.Report().residual_max;
    if (is_warm) {
      EXPECT_LT(residual, 1e-6 * kick);
    } else {
      EXPECT_GT(residual, 0.01 * kick);
    }
  }
}

TEST(WarmStart, SeparatingContactKeepsNoImpulse) {
  Column column(2);
  column.parameters.solver.sweeps = 50;
  const Subdomains subdomains(column.scene.domain, {1, 1, 1});
  TimeStep step(column.self, column.scene, column.parameters, subdomains, column.state);
  for (int k = 0; k < 20; ++k) step.Advance(column.state);
  std::size_t top = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    if (column.state.particles.id[i] == 1) top = i;
  }
  constexpr double kSeparationSpeed = 0.5;  // [m/s]
  column.state.particles.velocity[top] = Vec3(0, 0, kSeparationSpeed);
  step.Advance(column.state);
  EXPECT_NEAR(column.state.particles.velocity[top].z(), kSeparationSpeed - 9.81 * Column::kDt,
              1e-12);
}

}  // namespace
}  // namespace scree::warm_start_test

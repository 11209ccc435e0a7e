#include "io/state/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "io/files/hdf5_file.hpp"
#include "tests/io/scratch.hpp"

namespace scree::snapshot_test {
namespace {

using testing::HasSubstr;

/// Particles with values that a conversion to text or single precision would change.
Particles MakeParticles(const Communicator& world, std::size_t count, std::size_t ghosts) {
  Particles particles;
  Resize(particles, count + ghosts);
  particles.owned = count;
  for (std::size_t i = 0; i < count + ghosts; ++i) {
    const double x = 0.1 * static_cast<double>(i) + world.Rank();
    particles.position[i] = Vec3(x, 1.0 / 3.0, -x);
    particles.velocity[i] = Vec3(-0.0, std::numeric_limits<double>::denorm_min(), x);
    particles.angular_velocity[i] = Vec3(1e300, x, 7.0);
    particles.orientation[i] = {0.5, -0.5, 0.5, x};
    particles.radius[i] = 1e-3 + x;
    particles.id[i] = (std::int64_t{1} << 40) * (world.Rank() + 1) + static_cast<std::int64_t>(i);
    particles.material[i] = static_cast<MaterialId>(i % 2);
  }
  return particles;
}

SnapshotMeta TestMeta() {
  SnapshotMeta meta;
  meta.domain = {{Vec3(-1.0, 0.0, 0.1), Vec3(2.0, 0.5, 1.1)}, {false, true, false}};
  meta.materials = {{"glass", 2500.0}, {"steel ball", 7800.0}};
  meta.configuration = std::string(100000, 'c') + "\n# μ = 0.3\n";
  meta.program_version = "1.2.3";
  meta.git_hash = "abc123";
  meta.seed = std::numeric_limits<std::uint64_t>::max();
  meta.observables.step = 1234567890123;
  meta.observables.time = 0.1;
  meta.observables.deleted = 17;
  meta.observables.mean_velocity = Vec3(0.1, 0.2, 0.3);
  meta.solve = {10, 1e-3, 1e-4, false, false, 0, {}};
  return meta;
}

/// All rows of all ranks as text in file order, the same on every rank.
std::string RowsAsText(const Communicator& world, const Particles& particles) {
  std::ostringstream text;
  text << std::hexfloat;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const Quaternion& q = particles.orientation[i];
    text << particles.position[i].transpose() << ' ' << particles.velocity[i].transpose() << ' '
         << particles.angular_velocity[i].transpose() << ' ' << q.w << ' ' << q.x << ' ' << q.y
         << ' ' << q.z << ' ' << particles.radius[i] << ' ' << particles.id[i] << ' '
         << particles.material[i] << '\n';
  }
  std::string joined;
  for (const std::string& message : world.GatherAtRoot(text.str())) joined += message;
  return world.Broadcast(joined);
}

/// Row counts that differ by rank; rank 1 has none.
std::size_t UnevenCount(const Communicator& world) {
  return world.Rank() == 1 ? 0 : static_cast<std::size_t>(5 + world.Rank());
}

struct SnapshotTest : InScratch {};

TEST_F(SnapshotTest, RoundTripIsExactAndOmitsGhosts) {
  const Particles written = MakeParticles(world, UnevenCount(world), 3);
  WriteSnapshot(world, scratch / "a.h5", written, TestMeta());
  const Snapshot snapshot = ReadSnapshot(world, scratch / "a.h5");
  EXPECT_EQ(RowsAsText(world, snapshot.particles), RowsAsText(world, written));
  EXPECT_EQ(snapshot.particles.Size(), snapshot.particles.owned);

  const std::int64_t max = world.Max(static_cast<std::int64_t>(snapshot.particles.owned));
  EXPECT_LE(max - static_cast<std::int64_t>(snapshot.particles.owned), 1) << "rows split evenly";
}

TEST_F(SnapshotTest, CellHasItsRatesAndTheOffsetOfItsImages) {
  SnapshotMeta meta = TestMeta();
  meta.domain.deforms = true;
  meta.domain.stretch = Vec3(1, -2, 3);
  WriteSnapshot(world, scratch / "still.h5", MakeParticles(world, 2, 0), meta);
  meta.domain.image_offset = 0.25;
  meta.domain.shear = {-3.0, CoordinateAxis::kY, CoordinateAxis::kX};
  WriteSnapshot(world, scratch / "sheared.h5", MakeParticles(world, 2, 0), meta);
  const std::string box = "/particles/grains/box";
  EXPECT_FALSE(Hdf5Reader(scratch / "still.h5").HasAttribute(box, "image_offset"));
  const Hdf5Reader sheared(scratch / "sheared.h5");
  EXPECT_EQ(sheared.Attribute<double>(box, "image_offset"), 0.25);
  EXPECT_EQ(sheared.Attribute<double>(box, "shear_rate"), -3.0);
  EXPECT_EQ(ReadSnapshot(world, scratch / "still.h5").meta.domain.stretch, Vec3(1, -2, 3));
  const Domain read_domain = ReadSnapshot(world, scratch / "sheared.h5").meta.domain;
  EXPECT_TRUE(read_domain.deforms);
  EXPECT_EQ(read_domain.image_offset, 0.25);
  EXPECT_EQ(read_domain.shear.rate, -3.0);
  EXPECT_EQ(read_domain.shear.flow, CoordinateAxis::kY);
  EXPECT_EQ(read_domain.shear.gradient, CoordinateAxis::kX);
}

// The images of such a domain are where the rate and the time place them.
TEST_F(SnapshotTest, ShearedDomainHasItsRate) {
  SnapshotMeta meta = TestMeta();
  meta.domain.shear.rate = 7.0;
  WriteSnapshot(world, scratch / "a.h5", MakeParticles(world, 2, 0), meta);
  const Domain read_domain = ReadSnapshot(world, scratch / "a.h5").meta.domain;
  EXPECT_FALSE(read_domain.deforms);
  EXPECT_EQ(read_domain.shear.rate, 7.0);
}

TEST_F(SnapshotTest, MetaDataReadBack) {
  const SnapshotMeta written_meta = TestMeta();
  WriteSnapshot(world, scratch / "a.h5", MakeParticles(world, 2, 0), written_meta);
  const SnapshotMeta read_meta = ReadSnapshot(world, scratch / "a.h5").meta;
  EXPECT_EQ(read_meta.domain.box.lower, written_meta.domain.box.lower);
  EXPECT_TRUE(read_meta.domain.box.upper.isApprox(written_meta.domain.box.upper));
  EXPECT_EQ(read_meta.domain.periodic, written_meta.domain.periodic);
  ASSERT_EQ(read_meta.materials.size(), 2u);
  EXPECT_EQ(read_meta.materials[1].name, "steel ball");
  EXPECT_EQ(read_meta.materials[1].density, 7800.0);
  EXPECT_EQ(read_meta.configuration, written_meta.configuration);
  EXPECT_EQ(read_meta.program_version, "1.2.3");
  EXPECT_EQ(read_meta.git_hash, "abc123");
  EXPECT_EQ(read_meta.seed, written_meta.seed);
  EXPECT_EQ(read_meta.observables.step, written_meta.observables.step);
  EXPECT_EQ(read_meta.observables.time, 0.1);
  EXPECT_EQ(read_meta.observables.deleted, 17);
  EXPECT_EQ(read_meta.observables.mean_velocity, written_meta.observables.mean_velocity);
  EXPECT_EQ(read_meta.solve.sweeps, 10);
  EXPECT_EQ(read_meta.solve.residual_rms, 1e-4);
  EXPECT_EQ(read_meta.solve.converged, std::optional<bool>(false));
}

TEST_F(SnapshotTest, MeasuredSolveErrorIsReadBack) {
  SnapshotMeta meta = TestMeta();
  const Particles particles = MakeParticles(world, 1, 0);
  WriteSnapshot(world, scratch / "a.h5", particles, meta);
  EXPECT_FALSE(ReadSnapshot(world, scratch / "a.h5").meta.solve.measured.has_value());
  for (const std::vector<double>& loads : {std::vector<double>{}, {0.5, 0.0, 3.0}}) {
    meta.solve.measured = {1000, 0.28, -0.5, 0.125, loads};
    WriteSnapshot(world, scratch / "b.h5", particles, meta);
    const auto measured = ReadSnapshot(world, scratch / "b.h5").meta.solve.measured;
    ASSERT_TRUE(measured.has_value());
    EXPECT_EQ(measured->step, 1000);
    EXPECT_EQ(measured->impulses, 0.28);
    EXPECT_EQ(measured->normal_rms, -0.5);
    EXPECT_EQ(measured->normal_mean, 0.125);
    EXPECT_EQ(measured->loads, loads);
  }
}

// Files from other sources may contain such values.
TEST_F(SnapshotTest, ImpossibleSolveErrorsAreFileErrors) {
  for (const MeasuredSolveError& bad :
       {MeasuredSolveError{-1, 0.1, 0.1, 0.1, {}}, MeasuredSolveError{1, -0.1, 0.1, 0.1, {}},
        MeasuredSolveError{1, 0.1, -1.5, 0.1, {}},
        MeasuredSolveError{1, 0.1, 0.1, std::nan(""), {}},
        MeasuredSolveError{1, 0.1, 0.1, 0.1, {-1.0}}}) {
    SnapshotMeta meta = TestMeta();
    meta.solve.measured = bad;
    WriteSnapshot(world, scratch / "a.h5", MakeParticles(world, 1, 0), meta);
    EXPECT_THROW(ReadSnapshot(world, scratch / "a.h5"), FileError);
  }
}

TEST_F(SnapshotTest, ConvergedIsUnsetIfNoToleranceWasGiven) {
  SnapshotMeta meta = TestMeta();
  meta.solve.converged.reset();
  WriteSnapshot(world, scratch / "a.h5", MakeParticles(world, 1, 0), meta);
  EXPECT_FALSE(ReadSnapshot(world, scratch / "a.h5").meta.solve.converged.has_value());
}

TEST_F(SnapshotTest, FileWithoutParticlesIsRead) {
  WriteSnapshot(world, scratch / "a.h5", MakeParticles(world, 0, 2), TestMeta());
  EXPECT_EQ(ReadSnapshot(world, scratch / "a.h5").particles.Size(), 0u);
}

TEST_F(SnapshotTest, RemovedParticlesAreNotWritten) {
  Particles particles = MakeParticles(world, 4, 0);
  particles.id[1] = kRemovedId;
  WriteSnapshot(world, scratch / "a.h5", particles, TestMeta());
  const Snapshot snapshot = ReadSnapshot(world, scratch / "a.h5");
  EXPECT_EQ(world.Sum(static_cast<std::int64_t>(snapshot.particles.owned)), 3 * world.Size());
  EXPECT_EQ(RowsAsText(world, snapshot.particles), RowsAsText(world, particles));
}

TEST_F(SnapshotTest, SinglePrecisionMakesFilesSmallerAndIsReadBack) {
  Particles written = MakeParticles(world, 500, 0);
  for (Vec3& omega : written.angular_velocity) omega.x() = 1e30;  // 1e300 would overflow
  WriteSnapshot(world, scratch / "double.h5", written, TestMeta());
  WriteSnapshot(world, scratch / "single.h5", written, TestMeta(), {"all", true});
  EXPECT_LT(std::filesystem::file_size(scratch / "single.h5") + 20'000,
            std::filesystem::file_size(scratch / "double.h5"));
  const Particles read_particles = ReadSnapshot(world, scratch / "single.h5").particles;
  EXPECT_EQ(world.Sum(static_cast<std::int64_t>(read_particles.owned)), 500 * world.Size());
  for (std::size_t i = 0; i < read_particles.owned; ++i) {
    EXPECT_EQ(read_particles.position[i].y(), static_cast<double>(static_cast<float>(1.0 / 3.0)));
  }
}

TEST_F(SnapshotTest, UnselectedFieldsAreNotWritten) {
  WriteSnapshot(world, scratch / "a.h5", MakeParticles(world, 5, 0), TestMeta(), {"radius", false});
  {
    const Hdf5Reader file(scratch / "a.h5");
    for (const char* name : {"position/value", "position/step", "radius", "id"}) {
      EXPECT_TRUE(file.Has(std::string("/particles/grains/") + name)) << name;
    }
    for (const char* missing : {"velocity", "angular_velocity", "orientation", "material"}) {
      EXPECT_FALSE(file.Has(std::string("/particles/grains/") + missing)) << missing;
    }
  }
  EXPECT_THAT(MessageOf<FileError>([&] { ReadSnapshot(world, scratch / "a.h5"); }),
              HasSubstr("/particles/grains/velocity/value"));
}

TEST_F(SnapshotTest, ClustersAreFieldsOfExistingParticles) {
  Particles particles = MakeParticles(world, 3, 1);
  particles.id[1] = kRemovedId;
  const std::int64_t rank = world.Rank();
  const BondOutput bonds = {{}, {{10 + rank, kRemovedId, 20 + rank}, {1, 0, 2}, {}}};
  WriteSnapshot(world, scratch / "a.h5", particles, TestMeta(), {}, nullptr, nullptr, {}, &bonds);
  const auto ranks = static_cast<std::size_t>(world.Size());
  const Hdf5Reader file(scratch / "a.h5");
  const std::string cluster = "/particles/grains/cluster", size = "/particles/grains/cluster_size";
  ASSERT_EQ(file.CountRows(cluster + "/value", {0, true}), 2 * ranks);
  EXPECT_EQ(file.Rows<std::int64_t>(cluster + "/value", {0, true}, 0, 2),
            (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(file.Rows<std::int64_t>(size + "/value", {0, true}, 2 * ranks - 2, 2),
            (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(file.Rows<std::int64_t>(size + "/step", {}, 0, 1).front(), TestMeta().observables.step);
  EXPECT_EQ(file.CountRows("/scree/bonds/id", {2}), 0u);
  // Apart from the clusters, the file is read like any other.
  EXPECT_EQ(
      world.Sum(static_cast<std::int64_t>(ReadSnapshot(world, scratch / "a.h5").particles.owned)),
      static_cast<std::int64_t>(2 * ranks));
  WriteSnapshot(world, scratch / "b.h5", particles, TestMeta());
  EXPECT_FALSE(Hdf5Reader(scratch / "b.h5").Has(cluster));
}

TEST_F(SnapshotTest, ContactsOfAllRanksAreRows) {
  std::vector<ContactRecord> contacts(UnevenCount(world));
  for (ContactRecord& contact : contacts) {
    contact.id_a = world.Rank();
    contact.wall = 3;
    contact.gap = -1.0 / 3.0;
    contact.impulse = Vec3(1, 2, 3);
  }
  WriteSnapshot(world, scratch / "a.h5", MakeParticles(world, 1, 0), TestMeta(), {}, &contacts);
  const auto all = static_cast<std::size_t>(world.Sum(static_cast<std::int64_t>(contacts.size())));
  const Hdf5Reader file(scratch / "a.h5");
  ASSERT_EQ(file.CountRows("/scree/contacts/id", {2}), all);
  EXPECT_EQ(file.Rows<std::int64_t>("/scree/contacts/id", {2}, 0, 1),
            (std::vector<std::int64_t>{0, -1}));
  EXPECT_EQ(file.Rows<std::int32_t>("/scree/contacts/wall", {}, 0, all),
            std::vector<std::int32_t>(all, 3));
  EXPECT_EQ(file.Rows<double>("/scree/contacts/gap", {}, all - 1, 1).front(), -1.0 / 3.0);
  EXPECT_EQ(file.Rows<double>("/scree/contacts/impulse", {3}, 0, 1),
            (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(file.TextAttribute("/scree/contacts/impulse", "unit"), "N s");
}

TEST_F(SnapshotTest, FollowsTheH5mdLayout) {
  WriteSnapshot(world, scratch / "a.h5", MakeParticles(world, 2, 0), TestMeta());
  const Hdf5Reader file(scratch / "a.h5");
  EXPECT_EQ(file.ListAttribute<std::int64_t>("/h5md", "version"),
            (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(file.TextAttribute("/h5md/creator", "name"), "Scree");
  const auto all = static_cast<std::size_t>(2 * world.Size());
  EXPECT_EQ(file.CountRows("/particles/grains/position/value", {3, true}), all);
  EXPECT_EQ(file.CountRows("/particles/grains/orientation/value", {4, true}), all);
  EXPECT_EQ(file.TextAttribute("/particles/grains/velocity/value", "unit"), "m s-1");
  EXPECT_EQ(file.Rows<std::int64_t>("/particles/grains/velocity/step", {}, 0, 1).front(),
            1234567890123);
  EXPECT_EQ(file.TextListAttribute("/particles/grains/box", "boundary"),
            (std::vector<std::string>{"none", "periodic", "none"}));
}

TEST_F(SnapshotTest, MissingForeignAndTruncatedFilesAreFileErrors) {
  EXPECT_THAT(MessageOf<FileError>([&] { ReadSnapshot(world, scratch / "none.h5"); }),
              HasSubstr("none.h5"));
  PutFile(world, scratch / "text.h5", "not HDF5 at all");
  EXPECT_THAT(MessageOf<FileError>([&] { ReadSnapshot(world, scratch / "text.h5"); }),
              HasSubstr("text.h5"));

  WriteSnapshot(world, scratch / "a.h5", MakeParticles(world, 50, 0), TestMeta());
  const std::string bytes = FileBytes(scratch / "a.h5");
  PutFile(world, scratch / "half.h5", bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(MessageOf<FileError>([&] { ReadSnapshot(world, scratch / "half.h5"); }),
              HasSubstr("truncated"));

  { Hdf5Writer(world, scratch / "foreign.h5").MakeGroup("/other"); }
  EXPECT_THAT(MessageOf<FileError>([&] { ReadSnapshot(world, scratch / "foreign.h5"); }),
              HasSubstr("/particles/grains/box"));
}

TEST_F(SnapshotTest, AnyFlippedByteIsDetectedByTheDigest) {
  const std::string path = scratch / "a.h5";
  WriteSnapshot(world, path, MakeParticles(world, 4, 0), TestMeta());
  const std::string intact = FileBytes(path);
  world.Barrier();  // all ranks have read the file
  for (std::size_t offset = 0; offset < intact.size(); offset += intact.size() / 15) {
    std::string damaged = intact;
    damaged[offset] = static_cast<char>(damaged[offset] ^ 1);
    PutFile(world, path, damaged);
    EXPECT_THAT(MessageOf<FileError>([&] { ReadSnapshot(world, path); }),
                HasSubstr("is damaged: its digest is"));
  }
  PutFile(world, path, intact);
  EXPECT_NO_THROW(ReadSnapshot(world, path));
  if (world.IsRoot()) std::filesystem::remove(path + ".xxh64");
  world.Barrier();
  EXPECT_NO_THROW(ReadSnapshot(world, path));
}

TEST_F(SnapshotTest, NewFileOfTheSameNameHasItsOwnDigest) {
  for (const std::size_t count : {4U, 5U}) {
    WriteSnapshot(world, scratch / "a.h5", MakeParticles(world, count, 0), TestMeta());
    EXPECT_NO_THROW(ReadSnapshot(world, scratch / "a.h5"));
  }
}

}  // namespace
}  // namespace scree::snapshot_test

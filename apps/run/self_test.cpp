#include "apps/run/self_test.hpp"

#include <unistd.h>

#include <filesystem>
#include <iomanip>
#include <span>
#include <stdexcept>
#include <vector>

#include "apps/run/golden_channel.hpp"
#include "io/files/build_info.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/digest.hpp"
#include "io/state/snapshot.hpp"
#include "io/state/state_digest.hpp"

namespace scree {
namespace {

std::string Ranks(const Communicator& world) {
  return Text(world.Size(), world.Size() == 1 ? " rank" : " ranks");
}

std::string Hexadecimal(std::uint64_t value) {
  return Text("0x", std::hex, std::setw(16), std::setfill('0'), value);
}

/// Each rank's part of the channel before its first step.
Particles FirstParticles(const Communicator& world) {
  Particles particles = FirstState(world, GoldenChannel()).particles;
  particles.owned = particles.Size();
  return particles;
}

std::vector<std::byte> MessageOf(int rank) { return std::vector<std::byte>(1000, std::byte(rank)); }

/// One number for all particles, independent of their ranks.
std::int64_t SumOfDigests(const Communicator& world, const Particles& particles) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    Digest digest;
    ForEachField(particles, [&](const Field&, const auto& array) {
      digest.Add(std::as_bytes(std::span(&array[i], 1)));
    });
    sum += static_cast<std::int64_t>(digest.Value() >> 16U);  // avoids overflow of the sum
  }
  return world.Sum(sum);
}

/// @returns whether `value` is true on all ranks
bool IsTrueOnAll(const Communicator& world, bool value) {
  return world.Max(std::int64_t{!value}) == 0;
}

}  // namespace

std::string TryMessages(const Communicator& world) {
  const std::int64_t ranks = world.Size(), sum = world.Sum(std::int64_t{world.Rank()});
  if (sum != ranks * (ranks - 1) / 2 || world.Max(std::int64_t{world.Rank()}) != ranks - 1) {
    throw std::runtime_error(Text("the rank numbers of ", Ranks(world), " sum up to ", sum));
  }
  const int next_rank = (world.Rank() + 1) % world.Size();
  const int previous_rank = (world.Rank() + world.Size() - 1) % world.Size();
  const auto received = world.ExchangeSparse({{next_rank, MessageOf(world.Rank())}});
  const bool has_arrived = received.size() == 1 && received[0].rank == previous_rank &&
                           received[0].bytes == MessageOf(previous_rank);
  if (!IsTrueOnAll(world, has_arrived)) {
    throw std::runtime_error("a message from each rank to the next one did not arrive as sent");
  }
  return Text(MpiLibraryVersion(), ", ", Ranks(world), ": sums and messages arrive");
}

std::string TryBits(const Communicator& world, std::uint64_t expected) {
  const Scene scene = GoldenChannel();
  StepParameters parameters;
  parameters.solver.scheme = Scheme::kJacobi;
  State state = FirstState(world, scene);
  const Subdomains subdomains(scene.domain, SmallestHaloGrid(scene.domain, world.Size()));
  TimeStep step(world, scene, parameters, subdomains, state);
  for (int k = 0; k < kGoldenChannelSteps; ++k) step.Advance(state);
  const std::uint64_t digest = StateDigest(world, state, step);
  const std::string description =
      Text(kGoldenChannelSteps, " steps of ", step.Observe(state).particles, " particles end with ",
           Hexadecimal(digest));
  if (digest != expected)
    throw std::runtime_error(description + ", expected " + Hexadecimal(expected));
  return description + ", as they should";
}

std::string TryFiles(const Communicator& world, const std::string& path) {
  const Particles written_particles = FirstParticles(world);
  SnapshotMeta meta = MakeSnapshotMeta(GoldenChannel(), StepParameters().dt, {}, {}, {});
  WriteSnapshot(world, path, written_particles, meta);
  const Particles particles_read = ReadSnapshot(world, path).particles;
  CallOnRoot<OutputError>(world, [&] {
    for (const std::string& file : {path, DigestName(path)}) std::filesystem::remove(file);
  });
  if (SumOfDigests(world, particles_read) != SumOfDigests(world, written_particles)) {
    throw std::runtime_error("the particles read from a snapshot differ from those written");
  }
  return Text(Hdf5LibraryVersion(), ": a snapshot is written, agrees with its digest and is read");
}

ExitCode SelfTest(const Communicator& world,
                  const std::function<void(const std::string&)>& report) {
  ExitCode first_failure = kDone;
  const auto attempt = [&](const std::string& name, auto&& check) {
    try {
      report(name + " good: " + check());
    } catch (const std::exception& error) {
      report(name + " FAILED: " + error.what());
      if (dynamic_cast<const UnclosedFile*>(&error) != nullptr)
        throw;  // after this error the program must end
      if (first_failure == kDone) first_failure = ExitCodeOf(error);
    }
  };
  const std::int64_t process = world.Max(world.IsRoot() ? std::int64_t{getpid()} : 0);
  report(Text("self-test of Scree ", ProgramVersion(), " (", GitHash(), ")"));
  attempt("MPI: ", [&] { return TryMessages(world); });
  attempt("bits:", [&] { return TryBits(world, kGoldenChannelDigest); });
  attempt("HDF5:", [&] { return TryFiles(world, Text("scree_self_test_", process, ".h5")); });
  report(first_failure == kDone ? "all is good" : Text("exit code ", int{first_failure}));
  return first_failure;
}

}  // namespace scree

// A folder of checkpoints. The input is split at zero bytes. The first part is the text of
// `latest`. Then follow a checkpoint and its digest for step 20, for step 40, and so on.
#include "io/files/digest.hpp"
#include "io/state/checkpoint_directory.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  static const MpiSession session(nullptr, nullptr);
  static const fuzz::ScratchDirectory scratch;
  const Communicator self = Communicator::Self();
  const std::vector<std::string> parts = fuzz::Split(fuzz::TextOf(data, size), '\0');
  const std::string folder = scratch.Path() + "/checkpoints";
  std::filesystem::remove_all(folder);
  scratch.Put("checkpoints/latest", parts[0]);
  for (std::size_t k = 1; k < parts.size() && k < 10; ++k) {
    const std::string name = CheckpointFile(static_cast<std::int64_t>(20 * ((k + 1) / 2)));
    scratch.Put(k % 2 == 1 ? name : DigestName(name), parts[k]);
  }
  fuzz::AcceptOrRefuse(
      [&] { SCREE_DEMAND(DamageOf(self, FindCheckpoint(self, scratch.Path()).path).empty()); });
  return 0;
}

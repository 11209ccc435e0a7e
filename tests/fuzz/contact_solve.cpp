// scree-contact solve with a file of problems. The first byte selects the kernel.
#include "apps/contact/commands.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  static const char* const kKernels[] = {"max_dissipation", "coulomb", "all-coulomb"};
  static const fuzz::ScratchDirectory scratch;
  if (size == 0) return 0;
  const std::string input = scratch.Put("problems.csv", fuzz::TextOf(data + 1, size - 1));
  fuzz::AcceptOrRefuse([&] {
    AppRun app({"--input", input, "--kernel", kKernels[data[0] % 3], "--output",
                scratch.Path() + "/solutions.csv"},
               "scree-contact solve");
    ContactSolve(app);
  });
  return 0;
}

// Meshes from STL files.
#include "io/files/stl_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scree::fuzz::AcceptOrRefuse([&] { scree::ReadStl(scree::fuzz::TextOf(data, size)); });
  return 0;
}

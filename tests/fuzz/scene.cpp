// Scene files: any text is a scene or an error. An accepted scene can be written and read again.
#include "io/scene/config_reader.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  std::string effective;
  fuzz::AcceptOrRefuse(
      [&] { effective = EffectiveIni(ReadRunConfig(fuzz::TextOf(data, size), "fuzzed.ini", {})); });
  if (effective.empty()) return 0;
  // Outside of AcceptOrRefuse, because the text of an accepted scene must be accepted again.
  SCREE_DEMAND(EffectiveIni(ReadRunConfig(effective, "effective.ini", {})) == effective);
  return 0;
}

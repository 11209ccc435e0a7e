#include "solvers/simd/simd_level.hpp"

namespace scree {

#if defined(__AVX512F__)
const char* SimdLevel() { return "v4"; }
int SimdBits() { return 512; }
#elif defined(__AVX2__) && defined(__FMA__)
const char* SimdLevel() { return "v3"; }
int SimdBits() { return 256; }
#elif defined(__x86_64__)
const char* SimdLevel() { return "v2"; }
int SimdBits() { return 128; }
#else
const char* SimdLevel() { return "none"; }
int SimdBits() { return 128; }
#endif

}  // namespace scree

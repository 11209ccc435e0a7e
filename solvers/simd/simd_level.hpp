/// \file  For which processors the kernels at work were compiled.
///
/// A build for all x86-64 (SCREE_LEVELS) has solvers and engine as shared libraries, once for each
/// level of x86-64; the loader takes the best that the processor has (ld.so(8), glibc-hwcaps). So
/// each library is of one level as a whole, and no function of a higher one, such as an inline
/// function that several files define, can get into what runs on all processors.
#pragma once

namespace scree {

/// The level of this library: "v4" with AVX-512, "v3" with AVX2 and FMA, else "v2"; on other
/// processors than x86-64 "none".
const char* SimdLevel();

/// Bits of its vectors of doubles.
int SimdBits();

}  // namespace scree

/// \file  The processor level for which the running kernels were compiled.
///
/// A build for all x86-64 (SCREE_LEVELS) has solvers and engine as shared libraries, once for each
/// level of x86-64. The loader takes the best level that the processor has (ld.so(8),
/// glibc-hwcaps). All code of a library is for one level. If levels were mixed, the linker could
/// choose, for an inline function that several files define, the copy of the highest level, which
/// processors of a lower level cannot run.
#pragma once

namespace scree {

/// The level of this library: "v4" with AVX-512, "v3" with AVX2 and FMA, else "v2"; "none" on
/// processors other than x86-64.
const char* SimdLevel();

/// Width of a vector of doubles at this level [bits].
int SimdBits();

}  // namespace scree

/// \file  Counts calls of operator new, in tests that list allocation_counter.cpp as a source.
#pragma once

#include <cstddef>

namespace scree::test {

/// Number of calls of operator new since the start of the program.
std::size_t AllocationCount();

}  // namespace scree::test

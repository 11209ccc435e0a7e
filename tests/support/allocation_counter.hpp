/// \file  Counts calls of operator new, in tests that list allocation_counter.cpp as a source.
#pragma once

#include <cstddef>

namespace scree::test {

/// Calls of operator new since the program began.
std::size_t AllocationCount();

}  // namespace scree::test

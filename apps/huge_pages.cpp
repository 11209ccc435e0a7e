// Large arrays on huge pages, where the system gives them to those that ask (on Linux with
// transparent_hugepage at `madvise`, which is usual): a step of a large system walks through some
// hundred megabytes (engine/performance.md). A source of the programs that simulate: it replaces
// operator new.
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = 2 * kHugePage;  // less would leave much of a page unused

std::size_t RoundedUp(std::size_t size, std::size_t unit) {
  return (size + unit - 1) / unit * unit;
}

/// @returns null if there is no memory
void* Allocate(std::size_t size, std::size_t alignment) noexcept {
  if (size >= kLarge && size <= SIZE_MAX - kHugePage) {
    const std::size_t whole = RoundedUp(size, kHugePage);
    void* const memory = std::aligned_alloc(std::max(alignment, kHugePage), whole);
#ifdef MADV_HUGEPAGE
    if (memory != nullptr) static_cast<void>(madvise(memory, whole, MADV_HUGEPAGE));
#endif
    return memory;
  }
  if (alignment <= alignof(std::max_align_t)) return std::malloc(std::max<std::size_t>(size, 1));
  if (size > SIZE_MAX - alignment) return nullptr;
  return std::aligned_alloc(alignment, RoundedUp(std::max<std::size_t>(size, 1), alignment));
}

void* AllocateOrThrow(std::size_t size, std::size_t alignment) {
  if (void* const memory = Allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

/// Large arrays are mapped one by one, so that what one leaves is the system's again: in a heap
/// with holes for huge pages few of them would fit another. They are asked for anew too rarely for
/// the pages that then have to be cleared to count; not so what is smaller.
[[maybe_unused]] const bool maps_large_ones =
    mallopt(M_MMAP_THRESHOLD, kLarge) != 0 && mallopt(M_TRIM_THRESHOLD, -1) != 0;

}  // namespace

void* operator new(std::size_t size) { return AllocateOrThrow(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// Puts memory on huge pages if the system provides them on request (on Linux with
// transparent_hugepage at `madvise`, the typical default). A step reads bodies scattered over
// several hundred megabytes, and with small pages almost every read would miss the TLB
// (engine/performance.md). This file is compiled into the programs that simulate, and replaces
// operator new, also for arrays. glibc can do the same, but only if the environment says so before
// a program starts: GLIBC_TUNABLES=glibc.malloc.hugetlb=1.
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t RoundUp(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }
std::size_t OffsetInHugePage(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % kHugePage;
}

void RequestHugePages([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
  static_cast<void>(madvise(begin, size, MADV_HUGEPAGE));
#endif
}

/// Gives each large array its own pages, so that freeing it returns the memory to the system. In
/// the heap, freed arrays would leave holes that rarely fit another array aligned to huge pages.
class MappedArrays {
 public:
  static constexpr std::size_t kMinSize =
      2 * kHugePage;  // a smaller array would waste much of its last page

  /// @returns null if there is no memory, or no free entry to record the mapping
  void* Map(std::size_t size) noexcept {
    if (size > SIZE_MAX / 2) return nullptr;
    const std::size_t rounded = RoundUp(size, kHugePage);
    // Maps one huge page more than required, and unmaps the excess at both ends.
    void* const mapped = mmap(nullptr, rounded + kHugePage, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto* const first = static_cast<std::byte*>(mapped);
    const std::size_t leading = (kHugePage - OffsetInHugePage(first)) % kHugePage;
    if (leading > 0) munmap(first, leading);
    munmap(first + leading + rounded, kHugePage - leading);
    RequestHugePages(first + leading, rounded);
    if (RecordMapping({first + leading, rounded})) return first + leading;
    munmap(first + leading, rounded);
    return nullptr;
  }
  /// @returns whether the memory was one of these arrays
  bool Unmap(void* memory) noexcept {
    if (memory == nullptr || OffsetInHugePage(memory) != 0) return false;
    const Array array = RemoveRecord(memory);
    if (array.begin == nullptr) return false;
    munmap(array.begin, array.size);
    return true;
  }

 private:
  struct Array {
    void* begin = nullptr;
    std::size_t size = 0;
  };
  /// @returns false if no entry is free
  bool RecordMapping(const Array& array) noexcept {
    const std::lock_guard lock(mutex_);
    const auto free_entry = std::ranges::find(arrays_, nullptr, &Array::begin);
    if (free_entry == arrays_.end()) return false;
    *free_entry = array;
    return true;
  }
  /// @returns the recorded array, empty if there is none
  Array RemoveRecord(const void* memory) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(arrays_, memory, &Array::begin);
    return found == arrays_.end() ? Array() : std::exchange(*found, {});
  }

  std::mutex mutex_;  // not locked during system calls, because MPI may intercept them and allocate
  std::array<Array, 512> arrays_;  // a run needs about fifty
};
constinit MappedArrays mapped_arrays;

/// Requests huge pages for the part by which the heap has grown since the last call.
void RequestPagesOfGrownHeap() noexcept {
  static std::atomic<std::byte*> known_end = nullptr;
  auto* const end = static_cast<std::byte*>(sbrk(0));
  if (known_end.load(std::memory_order_relaxed) == end) return;
  std::byte* const known = known_end.exchange(end, std::memory_order_relaxed);
  if (known == nullptr || end <= known) return;
  std::byte* const begin = known - OffsetInHugePage(known);
  RequestHugePages(begin, static_cast<std::size_t>(end - begin));
}

/// @returns null if there is no memory
void* AllocateInHeap(std::size_t size, std::size_t alignment) noexcept {
  size = std::max<std::size_t>(size, 1);
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
  if (size > SIZE_MAX - alignment) return nullptr;
  return std::aligned_alloc(alignment, RoundUp(size, alignment));
}

void* Allocate(std::size_t size, std::size_t alignment) noexcept {
  if (size >= MappedArrays::kMinSize && alignment <= kHugePage) {
    if (void* const memory = mapped_arrays.Map(size)) return memory;
  }
  void* const memory = AllocateInHeap(size, alignment);
  RequestPagesOfGrownHeap();  // before anything is written to the new part
  return memory;
}

void* AllocateOrThrow(std::size_t size, std::size_t alignment) {
  if (void* const memory = Allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

void Free(void* memory) noexcept {
  if (!mapped_arrays.Unmap(memory)) std::free(memory);
}

/// Makes the heap grow by many huge pages at a time, because both ends of each growth consist of
/// small pages. Makes malloc keep freed memory, and never use mmap, because MappedArrays maps the
/// large arrays.
[[maybe_unused]] const bool is_set_up = [] {
  const bool sets_growth = mallopt(M_TOP_PAD, 32 * kHugePage) != 0;
  const bool sets_trim = mallopt(M_TRIM_THRESHOLD, -1) != 0;
  return mallopt(M_MMAP_MAX, 0) != 0 && sets_growth && sets_trim;
}();

}  // namespace

void* operator new(std::size_t size) { return AllocateOrThrow(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  Free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { Free(memory); }

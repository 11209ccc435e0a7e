// Large arrays begin on huge pages, and their memory returns to the system.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <set>
#include <vector>

namespace scree::huge_pages_test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

bool IsAlignedToHugePage(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % (2 * kMiB) == 0;
}

/// Resident memory of this process [bytes].
std::size_t ResidentMemory() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(HugePages, LargeArraysBeginOnAHugePageAndSmallOnesAreAligned) {
  struct alignas(64) Line {
    double memory[8];
  };
  for (const std::size_t size : {4 * kMiB, 4 * kMiB + 1, 31 * kMiB, 200 * kMiB}) {
    EXPECT_TRUE(IsAlignedToHugePage(std::make_unique<char[]>(size).get()));
    EXPECT_TRUE(IsAlignedToHugePage(std::vector<Line>(size / sizeof(Line) + 1).data()));
  }
  for (const std::size_t size : {1, 3, 1000}) {
    const std::vector<Line> lines(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lines.data()) % alignof(Line), 0u);
  }
}

/// More arrays than the allocator can record.
TEST(HugePages, AnyNumberOfLargeArraysCanBeAllocated) {
  std::vector<std::unique_ptr<char[]>> arrays;
  std::set<const char*> pages;
  for (int k = 0; k < 600; ++k) {
    arrays.push_back(std::make_unique_for_overwrite<char[]>(4 * kMiB));
    pages.insert(arrays.back().get());
  }
  EXPECT_EQ(pages.size(), arrays.size());
}

TEST(HugePages, ImpossibleSizeThrows) {
  volatile std::size_t max = std::numeric_limits<std::size_t>::max();  // hidden from the compiler
  for (const std::size_t reduction : {0, 100, 3 << 20}) {
    EXPECT_THROW(::operator delete(::operator new(max - reduction)), std::bad_alloc);
    EXPECT_THROW(::operator delete(::operator new (max - reduction, std::align_val_t{64})),
                 std::bad_alloc);
    EXPECT_EQ(::operator new(max - reduction, std::nothrow), nullptr);
  }
  ::operator delete(::operator new(0));
}

/// Arrays that grow alternately, as on a rank with a growing number of contacts. The default heap
/// would keep a hole for each previous size.
TEST(HugePages, GrowingArraysLeaveNoHoles) {
  const std::size_t resident_before = ResidentMemory();
  {
    std::vector<std::vector<char>> arrays(8);
    for (std::size_t size = 4 * kMiB; size <= 24 * kMiB; size += kMiB) {
      for (std::vector<char>& array : arrays) std::vector<char>(size, 1).swap(array);
    }
    EXPECT_GE(ResidentMemory() - resident_before, 8 * 24 * kMiB);
    EXPECT_LT(ResidentMemory() - resident_before, 8 * 24 * kMiB + 32 * kMiB);
  }
  EXPECT_LT(ResidentMemory(), resident_before + 16 * kMiB);
}

}  // namespace
}  // namespace scree::huge_pages_test

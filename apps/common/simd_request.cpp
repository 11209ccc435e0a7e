#include "apps/common/simd_request.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "solvers/base/check.hpp"
#include "solvers/simd/simd_level.hpp"

namespace scree {
namespace {

constexpr const char* kLevelVariable = "SCREE_SIMD";
constexpr const char* kPathVariable = "LD_LIBRARY_PATH";

bool ProcessorHas(const std::string& level) {
#if defined(__x86_64__)
  if (level == "v4") {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  }
  if (level == "v3") return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return level == "v2";
#else
  return level == "none";
#endif
}

/// The folder of a level's libraries, next to the loaded libraries. It does not exist if the
/// libraries are linked into the program.
std::filesystem::path FolderOf(const std::string& level) {
  Dl_info library;
  if (dladdr(reinterpret_cast<const void*>(&SimdLevel), &library) == 0) return {};
  std::filesystem::path folder = std::filesystem::absolute(library.dli_fname).parent_path();
  if (folder.parent_path().filename() == "glibc-hwcaps") {
    folder = folder.parent_path().parent_path();
  }
  return folder / "glibc-hwcaps" / ("x86-64-" + level);
}

/// Does not return if it succeeds. @throws InputError
void RestartWithLevel(const std::string& level, char** argv) {
  const std::string problem = Text(kLevelVariable, ": \"", level, "\": ");
  if (level != "v2" && level != "v3" && level != "v4") {
    throw InputError(problem + "expected v2, v3 or v4");
  }
  if (!ProcessorHas(level)) throw InputError(problem + "this processor does not have it");
  const std::string folder = FolderOf(level);
  const char* const old_path = std::getenv(kPathVariable);
  const std::string path = old_path == nullptr ? folder : folder + ":" + old_path;
  const bool has_restarted = old_path != nullptr && std::string(old_path).starts_with(folder);
  if (has_restarted || !std::filesystem::is_directory(folder)) {
    throw InputError(problem + Text("this build has only ", SimdLevel()));
  }
  setenv(kPathVariable, path.c_str(), 1);
  execv("/proc/self/exe", argv);
  throw InputError(problem + "the program could not be restarted");
}

}  // namespace

ExitCode SelectSimdLevel(const char* program, char** argv) {
  const char* const request = std::getenv(kLevelVariable);
  const std::string level = request == nullptr ? "" : request;
  if (level.empty() || level == SimdLevel()) return kDone;
  try {
    RestartWithLevel(level, argv);
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
  }
  return kWrongUsage;
}

}  // namespace scree

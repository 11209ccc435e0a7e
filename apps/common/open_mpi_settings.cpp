// Sets parameters of Open MPI for the parallel programs, unless the environment already sets them.
// There is one exception: a single rank never yields. Open MPI reads the parameters from the
// environment when it starts. Other MPI libraries ignore their names.
#include <array>
#include <cstdlib>
#include <string_view>

namespace {

struct Setting {
  const char* variable;
  const char* value;
};

/// Measured in engine/performance.md, "Busy cores".
constexpr std::array kSettings = {
    // If no other process wants the core, a yield has no measurable cost.
    Setting{"OMPI_MCA_mpi_yield_when_idle", "1"},
    // Messages between ranks of a node (vader; sm from Open MPI 5 on) up to this size [bytes]
    // travel during a sweep, as the velocities of ghosts should. Larger ones wait until both ranks
    // call MPI.
    Setting{"OMPI_MCA_btl_vader_eager_limit", "65536"},
    Setting{"OMPI_MCA_btl_vader_max_send_size", "65536"},
    Setting{"OMPI_MCA_btl_sm_eager_limit", "65536"},
    Setting{"OMPI_MCA_btl_sm_max_send_size", "65536"},
};

/// Whether this is the only rank: mpirun has started one rank, or no launcher was used. It waits
/// for no other rank, so a yield in a collective call would only give its time slice away.
bool IsAlone() {
  if (const char* const ranks = std::getenv("OMPI_COMM_WORLD_SIZE")) {
    return std::string_view(ranks) == "1";
  }
  return std::getenv("PMIX_RANK") == nullptr && std::getenv("PMI_RANK") == nullptr;
}

[[maybe_unused]] const bool are_set = [] {
  // Overwrites, because mpirun sets this to 1 if it may start more ranks than there are cores.
  if (IsAlone()) setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
  for (const Setting& setting : kSettings) setenv(setting.variable, setting.value, 0);
  return true;
}();

}  // namespace

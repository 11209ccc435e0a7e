// What the programs that run in parallel ask of Open MPI, unless the environment gives a value: its
// own are read from there when it starts. Other MPI libraries look for other names.
#include <array>
#include <cstdlib>

namespace {

struct Setting {
  const char* variable;
  const char* value;
};

/// Measured in engine/performance.md, "Busy cores".
constexpr std::array kSettings = {
    // If no other process wants the core, a yield has no measurable cost.
    Setting{"OMPI_MCA_mpi_yield_when_idle", "1"},
    // Between ranks of a node (vader; sm from Open MPI 5 on). Longer messages need both ranks in a
    // call of MPI, while the velocities of ghosts [bytes] are to travel during a sweep.
    Setting{"OMPI_MCA_btl_vader_eager_limit", "65536"},
    Setting{"OMPI_MCA_btl_vader_max_send_size", "65536"},
    Setting{"OMPI_MCA_btl_sm_eager_limit", "65536"},
    Setting{"OMPI_MCA_btl_sm_max_send_size", "65536"},
};

[[maybe_unused]] const bool are_set = [] {
  for (const Setting& setting : kSettings) setenv(setting.variable, setting.value, 0);
  return true;
}();

}  // namespace

#include "apps/python/agreement.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

#include "apps/common/exit_codes.hpp"
#include "engine/ranks/collective_error.hpp"

namespace scree::python {
namespace {

/// Shortens a text for messages, because a call may contain a whole scene.
std::string FirstLine(const std::string& text) {
  constexpr std::size_t kMax = 100;
  return text.substr(0, std::min(text.find('\n'), kMax));
}

}  // namespace

void AgreeOnCall(const Communicator& communicator, const std::string& call,
                 const std::string& error) {
  if (communicator.Size() == 1 && error.empty()) return;
  const auto digest = static_cast<std::int64_t>(std::hash<std::string>{}(call));
  std::int64_t maxima[3] = {digest, ~digest,
                            !error.empty()};  // the maximum of ~digest gives the smallest digest
  communicator.Max(maxima);
  if (maxima[0] == ~maxima[1] && maxima[2] == 0) return;
  const std::string rank = Text("rank ", communicator.Rank(), ": ");
  ThrowIfAny<InputError>(communicator, error.empty() ? "" : rank + error);
  const std::string root_call = communicator.Broadcast(call);
  const bool must_report = communicator.IsRoot() || call != root_call;
  const std::string calls = GatherErrors(communicator, must_report ? rank + FirstLine(call) : "");
  throw InputError(Text("ranks make different calls:\n", calls,
                        "\nexpected the same on all, with the same arguments"));
}

void AbortOnLocalError(const std::exception& error) {
  const bool is_local =
      IsOutOfMemory(error) || dynamic_cast<const LocalWriteError*>(&error) != nullptr;
  if (!is_local || !IsMpiRunning()) return;
  const Communicator world = Communicator::World();
  if (world.Size() == 1) return;
  std::fprintf(stderr, "scree: rank %d: %s\n", world.Rank(), MessageFor(error).c_str());
  std::fflush(nullptr);
  world.Abort(ExitCodeOf(error));
}

}  // namespace scree::python

// A directory for one test, the same on all ranks, which is removed afterwards.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "tests/support/message_of.hpp"

namespace scree {

class Scratch {
 public:
  explicit Scratch(const Communicator& communicator) : communicator_(communicator) {
    std::string pattern = (std::filesystem::temp_directory_path() / "scree_test_XXXXXX").string();
    if (communicator.IsRoot() && mkdtemp(pattern.data()) == nullptr) pattern.clear();
    path_ = communicator.Broadcast(pattern);
  }
  ~Scratch() {
    communicator_.Barrier();
    std::error_code ignored;
    if (communicator_.IsRoot()) std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& Path() const { return path_; }

 private:
  Communicator communicator_;
  std::string path_;
};

/// A test on all ranks with one directory.
struct InScratch : testing::Test {
  const Communicator world = Communicator::World();
  const Scratch scratch{world};
};

/// A test in which each rank has its own directory.
struct InOwnScratch : testing::Test {
  const Communicator self = Communicator::Self();
  const Scratch scratch{self};
};

/// The message of the Error that a call throws; empty if it throws none.
template <class Error, class Call>
std::string RefusalOf(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Expects all of these parts in a message.
/// @param input  what the message is about, printed on failure
inline void ExpectMessageContains(const std::string& message, const std::vector<std::string>& parts,
                                  const std::string& input) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), message.npos) << input << " lacks " << part << ": " << message;
  }
}

/// Expects one error that contains all of these texts.
inline void ExpectOneError(const std::string& message, const std::vector<std::string>& parts,
                           const std::string& input) {
  EXPECT_FALSE(message.empty()) << input << " is accepted";
  EXPECT_EQ(message.find('\n'), message.npos) << input << ": " << message;
  ExpectMessageContains(message, parts, input);
}

inline std::string FileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Writes a test input on root, while the other ranks wait.
inline void PutFile(const Communicator& communicator, const std::string& path,
                    const std::string& bytes) {
  if (communicator.IsRoot()) std::ofstream(path, std::ios::binary) << bytes;
  communicator.Barrier();
}

}  // namespace scree

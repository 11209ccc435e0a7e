/// \file  Scans an INI text into sections and entries, each with its file and line.
///
/// Boost's own reader gives no line numbers and cuts a value at any '#'. Here a comment starts with
/// '#' or ';' at the start of a line or after white space. A UTF-8 byte-order mark and CRLF line
/// ends are accepted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

/// Errors that are reported together, one line each, without repetitions.
class ErrorList {
 public:
  /// @param location  "scene.ini:12" or "--time.end"
  void Add(const std::string& location, const std::string& message);
  /// Adds a line of another list.
  void Add(const std::string& line);
  const std::vector<std::string>& Lines() const { return lines_; }
  bool Empty() const { return lines_.empty(); }
  /// @throws InputError with all lines in the order in which they were added, if there are any
  void ThrowIfAny() const;

 private:
  std::vector<std::string> lines_;
};

struct IniSection {
  std::string name;
  std::string location;
};

struct IniEntry {
  std::string section;
  std::string key;
  std::string value;
  std::string location;
  std::optional<KeyValue> typed_value = {};  // if set, is used instead of `value`
};

using IniEntries = std::vector<IniEntry>;

struct IniFile {
  std::string name;
  std::vector<IniSection> sections;
  IniEntries entries;
};

/// The text of a scene file; called on one rank.
/// @throws FileError if it is missing, unreadable or a directory
std::string ReadSceneFile(const std::string& path);

/// The same for all ranks. Root reads the file, because a thousand ranks that open it would
/// overload the file server. Collective.
/// @throws FileError on all ranks
std::string ReadSceneFile(const Communicator& communicator, const std::string& path);

/// Splits the text into sections and entries. Errors (bytes that are not text, a line that is
/// neither section nor entry, a section or key given twice, an empty file) go to `errors`.
IniFile ScanIni(std::string_view text, const std::string& file_name, ErrorList& errors);

/// Describes why a value or name that did not come from a scene file cannot be written to one: it
/// has a line break or other bytes that are not text, the start of a comment, or blanks at an end.
/// Empty if it can be written.
std::string DescribeUnwritable(std::string_view text);

/// The words of a text, separated by spaces.
std::vector<std::string> Words(const std::string& text);

/// The name nearest to a mistyped one; empty if none is near.
std::string NearestName(const std::string& typed, const std::vector<std::string>& known);

/// The same for a message, as " (did you mean \"...\"?)"; empty if none is near. Words of other
/// codes, such as dt or mu, give our key instead, " (here it is [time] step)", whatever `known`
/// contains.
std::string DidYouMean(const std::string& typed, const std::vector<std::string>& known);

}  // namespace scree

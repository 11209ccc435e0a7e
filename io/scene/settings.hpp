/// \file  The values given for the keys of a scene: file and command line merged, each value
///        checked separately.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/scene/config_keys.hpp"
#include "io/scene/ini_file.hpp"
#include "io/scene/table_files.hpp"

namespace scree {

class Settings {
 public:
  /// Reads every entry. The command line's `overrides` replace entries of the file; the value
  /// "unset" removes the key. Unknown sections and keys and bad values go to `errors`.
  /// @throws FileError if a file that a key names is missing or damaged
  Settings(const IniFile& file, const IniEntries& overrides, ErrorList& errors,
           const SceneFiles& files = {});
  /// The rows of a configuration (config_reader).
  /// @param name  source of the rows, for messages
  Settings(const std::string& name, const IniEntries& rows, const SceneFiles& files = {});

  /// Gives keys other values, as options of the command line do.
  void Change(const IniEntries& changes, ErrorList& errors);

  /// Sections whose name before the first dot is `head`, in the order of the file: "wall" gives
  /// "wall.floor", "wall.obstacle.front", ...
  std::vector<std::string> Sections(const std::string& head) const;
  bool Has(const std::string& section) const;

  /// True if the key was given, with a valid or a bad value.
  bool IsGiven(const std::string& section, const std::string& key) const;

  /// True if the key was given, or if an unknown key or section looks like a misspelling of it. The
  /// misspelling is an error already, so a missing key must not become a second one.
  bool IsIntended(const std::string& section, const std::string& key) const;

  /// The given value, or the key's default; nothing if there is neither or the value was bad.
  std::optional<KeyValue> Find(const std::string& section, const std::string& key) const;
  const std::string& FileName() const { return file_name_; }

  /// "scene.ini:12: [time] step" or "--time.step"; the line of the section if the key was not
  /// given; the file if the section was not given either.
  std::string Where(const std::string& section, const std::string& key) const;

 private:
  struct Setting {
    std::optional<KeyValue> value;  // nothing: bad, error already added
    std::string location;
  };

  void AddSections(const IniFile& file, ErrorList& errors);
  void AddSection(const IniSection& section, ErrorList& errors);
  void Read(IniEntry entry, const IniEntries& options, ErrorList& errors);
  void Store(const IniEntry& entry, const KeySpec& spec, const std::string& location,
             ErrorList& errors);
  void DropEmptyPair(const std::string& section);

  std::string file_name_;
  SceneFiles files_;
  std::vector<IniSection> sections_;              // in the order of the file
  std::map<std::string, std::string> locations_;  // file and line of each section
  std::map<std::pair<std::string, std::string>, Setting> settings_;
  std::set<std::pair<std::string, std::string>> misspelt_keys_;  // section, intended key
  std::set<std::string> misspelt_heads_;  // intended heads of unknown sections
};

}  // namespace scree

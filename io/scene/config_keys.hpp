/// \file  The table of all sections and keys of a scene file, joined from the groups of
///        key_groups.hpp. Reading, --help, --list-keys, the effective configuration and the
///        comparison at a restart all use it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/scene/key_spec.hpp"

namespace scree {

struct SectionSpec {
  std::string name;       // the part of the section's name before the first dot
  std::string form;       // as a user writes it, such as "material.NAME"
  std::size_t min_names;  // number of names after the first dot
  std::size_t max_names;
  std::string doc;
  ChangeRule change;  // of keys without their own rule
  std::vector<KeySpec> keys;
  std::string start_key =
      {};  // key of the time at which such a section begins to act: a restart may add a section
           // that begins in the future. Empty: a restart may add none
};

/// The table.
std::span<const SectionSpec> AllSections();

/// The part of a section's name before the first dot, and the names after it.
std::vector<std::string> SectionParts(const std::string& section);

/// The name in a section such as "fill.NAME"; empty if it has none.
std::string NameInSection(const std::string& section);

/// The section with this name: "fill.NAME", or "fill" if the name is empty.
std::string SectionOf(const std::string& head, const std::string& name);

/// The spec of a key in a section such as "wall.piston"; null if there is none.
const KeySpec* FindKey(const std::string& section, const std::string& key);

/// The keys of a section such as "wall.piston"; empty for an unknown one.
std::vector<std::string> KeysOf(const std::string& section);

/// The rule that says when this key of a section such as "wall.piston" may change.
/// @pre there is such a key
ChangeRule ChangeOf(const std::string& section, const std::string& key);

/// SectionSpec::start_key of a section such as "wall.piston"; empty for an unknown one.
std::string StartKeyOf(const std::string& section);

/// A value of a key as text of a scene file, in SI.
/// @pre there is such a key
std::string ValueText(const std::string& section, const std::string& key, const KeyValue& value);

/// All keys by section with unit, default, range and meaning.
std::string KeyHelp();

/// One "section.key" per line.
std::string KeyList();

}  // namespace scree

/// \file  The table of all sections and keys of a scene file. Reading, --help, --list-keys and the
///        effective configuration all walk it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "io/configuration/run_config.hpp"
#include "io/configuration/units.hpp"

namespace scree {

/// How a value is written.
enum class Kind {
  kText,         // anything but nothing
  kName,         // of a wall or material: letters, digits and _
  kChoice,       // one of the words in `range`, separated by " | "
  kYesNo,        // yes | no
  kWhole,        // whole number
  kNumber,       // number and unit
  kAutoNumber,   // the same or "auto", which is kAuto
  kVector,       // three numbers and one unit
  kList,         // numbers and one unit
  kInterval,     // time | N steps | never
  kPace,         // the same or "30 min wall": wall-clock time
  kRestitution,  // number or law: text, the number as ShortestText writes it
  kAxes,         // none | any of x y z
  kFields,       // all | names of fields of the particles
  kFaces,        // none | any of x- x+ y- y+ z- z+
  kGrid,         // auto | 16x10x4
  kCells,        // 16x10x4
};

/// The value of kAutoNumber for "auto".
inline constexpr double kAuto = -1.0;

using Value =
    std::variant<bool, std::int64_t, double, Vec3, std::string, Interval, std::array<bool, 3>,
                 OutflowFaces, std::array<int, 3>, std::vector<double>>;

struct KeySpec {
  const char* section;  // the part of the section's name before the first dot
  const char* key;
  Kind kind;
  const char* initial;  // the default as it would be written; "": none
  const char* range;    // what is allowed, in words; for kChoice the words themselves
  const char* doc;
  Dimension dimension = kPlain;
  double lower = -std::numeric_limits<double>::infinity();  // least allowed number
  bool open = false;                                        // lower itself is not allowed
  double upper = std::numeric_limits<double>::infinity();   // greatest allowed number
};

struct SectionSpec {
  const char* name;
  const char* form;  // as a user writes it, such as "material.NAME"
  std::size_t least_names;
  std::size_t most_names;
  const char* doc;
};

std::span<const SectionSpec> AllSections();
std::span<const KeySpec> AllKeys();

/// The part of a section's name before the first dot, and the names after it.
std::vector<std::string> SectionParts(const std::string& section);

/// The spec of a key in a section such as "wall.piston"; null if there is none.
const KeySpec* FindKey(const std::string& section, const std::string& key);

/// The keys of a section such as "wall.piston"; empty for an unknown one.
std::vector<std::string> KeysOf(const std::string& section);

/// @throws InputError saying what is expected, if the text is no such value.
Value ReadValue(const KeySpec& spec, const std::string& text);

/// The value in SI, as ReadValue takes it.
std::string WriteValue(const KeySpec& spec, const Value& value);

/// All keys by section with unit, default, range and meaning.
std::string KeyHelp();

/// One "section.key" per line.
std::string KeyList();

}  // namespace scree

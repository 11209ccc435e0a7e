/// \file  The keys of a scene file by what they are about. Each group is one file of this folder:
///        its rows bind keys to variables, and beside them stands what must hold between them.
#pragma once

#include <functional>
#include <vector>

#include "io/configuration/config_keys.hpp"
#include "io/configuration/effective_ini.hpp"
#include "io/configuration/key_binding.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// Sections that are read and written together.
struct KeyGroup {
  std::vector<SectionSpec> sections;
  std::function<void(SectionReader&, RunConfig&)> read;
  std::function<void(const RunConfig&, Echo&)> write;
};

/// All groups, in the order in which they are read and written: what names something comes after
/// what it names.
const std::vector<KeyGroup>& KeyGroups();

std::vector<KeyGroup> SceneKeys();  // scene, domain
KeyGroup MaterialKeys();            // contact, material.NAME, pair.A.B
KeyGroup ClumpKeys();
KeyGroup WallKeys();                 // wall.NAME, wall.NAME.PART
KeyGroup MotionKeys();               // motion.NAME
KeyGroup FillKeys();                 // fill.NAME
KeyGroup InflowKeys();               // inflow.NAME
std::vector<KeyGroup> RunKeys();     // outflow, initial, time, solver, parallel
std::vector<KeyGroup> OutputKeys();  // output, checkpoint
KeyGroup AverageKeys();              // average.NAME

/// A section that a scene has once and whose keys are always read and written.
/// @param section  without its keys
/// @param check    what must hold between the keys
KeyGroup Once(SectionSpec section, const Keys<RunConfig>& keys,
              const std::function<void(SectionReader&, RunConfig&)>& check = {});

/// The keys of all these, each once: where it stands first.
KeySpecs Joined(const std::vector<KeySpecs>& parts);

}  // namespace scree

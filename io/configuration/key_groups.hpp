/// \file  The keys of a scene file by what they are about. Each group is one file of this folder:
///        its rows bind keys to variables, and beside them stands what must hold between them.
#pragma once

#include <functional>
#include <string>
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
  std::function<void(RunConfig&, Echo&)> write;  // changes nothing
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
/// @param check  what must hold between the keys
KeyGroup Once(const std::string& name, const std::string& doc, const ChangeRule& change,
              KeyRows (*rows)(RunConfig&), void (*check)(SectionReader&, RunConfig&) = nullptr);

/// A time at which something begins, the start of the run unless given.
KeySpec BeginKey(const std::string& key, const std::string& doc);
/// A time at which something ends; never if not given.
KeySpec EndKey(const std::string& key, const std::string& doc, const std::string& range);

/// The names of things that have one.
template <class Things>
std::vector<std::string> ListNames(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

}  // namespace scree

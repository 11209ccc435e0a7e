/// \file  The keys of a scene file by what they are about. Each group is one file of this folder:
///        its rows bind keys to variables, and beside them stands what must hold between them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/scene/config_keys.hpp"
#include "io/scene/run_config.hpp"
#include "io/scene/section.hpp"

namespace scree {

/// Sections that are read and written together.
struct KeyGroup {
  std::vector<SectionSpec> sections;
  std::function<void(const Settings&, ErrorList&, RunConfig&)> read;
  std::function<void(RunConfig&, IniEntries&)> write;  // appends rows; changes nothing
};

/// All groups, in the order in which they are read and written: what names something comes after
/// what it names.
const std::vector<KeyGroup>& KeyGroups();

std::vector<KeyGroup> SceneKeys();  // scene, domain
KeyGroup MaterialKeys();            // contact, material.NAME, pair.A.B
KeyGroup ClumpKeys();               // shape.NAME
KeyGroup WallKeys();                // wall.NAME, wall.NAME.PART
KeyGroup MotionKeys();              // motion.NAME
KeyGroup LinkKeys();                // link.NAME, joint.NAME; after walls, motions and the frame
KeyGroup FillKeys();                // fill.NAME
KeyGroup InflowKeys();              // inflow.NAME
std::vector<KeyGroup> RunKeys();    // outflow, initial, time, solver, parallel, output, checkpoint
std::vector<KeyGroup> ForceKeys();  // field.NAME, frame, fluid; after domain, material and time
KeyGroup CellGroup();               // cell; after domain
KeyGroup AverageKeys();             // average.NAME

/// The keys that a function goes through.
template <class Visit>
KeySpecs ListedKeys(const Visit& visit) {
  KeySpecs specs;
  Section section(specs);
  visit(section);
  return specs;
}

/// A kind of sections that have a function for one of them.
/// @param things  in which each section adds one, with its name
template <class Thing>
KeyGroup ForEach(SectionSpec spec, std::vector<Thing>& (*things)(RunConfig&),
                 void (*keys)(Section&, Thing&, RunConfig&)) {
  spec.keys = ListedKeys([&](Section& section) {
    Thing none;
    RunConfig nothing;
    keys(section, none, nothing);
  });
  const std::string head = spec.name;
  return {{std::move(spec)},
          [=](const Settings& settings, ErrorList& errors, RunConfig& run) {
            for (const std::string& name : settings.Sections(head)) {
              Section section(name, settings, errors);
              Thing thing;
              thing.name = NameInSection(name);
              keys(section, thing, run);
              things(run).push_back(std::move(thing));
            }
          },
          [=](RunConfig& run, IniEntries& written) {
            for (Thing& thing : things(run)) {
              Section section(SectionOf(head, thing.name), written);
              keys(section, thing, run);
            }
          }};
}

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

/// \file  The keys of a scene file in groups by subject. Each group is one file of this folder:
///        rows bind keys to variables, and functions check the keys against each other.
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
  std::function<void(RunConfig&, IniEntries&)>
      write;  // appends entries; leaves the RunConfig unchanged
};

/// All groups in the order of reading and writing: a section comes after the sections that it
/// names.
const std::vector<KeyGroup>& KeyGroups();

std::vector<KeyGroup> SceneKeys();  // scene, domain
KeyGroup MaterialKeys();            // contact, material.NAME, pair.A.B
KeyGroup BondKeys();                // bond.NAME; after material
KeyGroup ClumpKeys();               // shape.NAME
KeyGroup WallKeys();                // wall.NAME, wall.NAME.PART
KeyGroup MotionKeys();              // motion.NAME
KeyGroup LinkKeys();                // link.NAME; after walls, motions and the frame
KeyGroup JointKeys();               // joint.NAME
KeyGroup LoopKeys();                // loop.NAME; checks links and joints together
KeyGroup FillKeys();                // fill.NAME
KeyGroup InflowKeys();              // inflow.NAME
std::vector<KeyGroup> RunKeys();    // outflow, initial, time, solver, parallel, output, checkpoint
std::vector<KeyGroup> ForceKeys();  // field.NAME, frame, fluid; after domain, material and time
KeyGroup CellKeys();                // cell; after domain
KeyGroup AverageKeys();             // average.NAME

/// The keys that a function visits.
template <class Visit>
KeySpecs ListedKeys(const Visit& visit) {
  KeySpecs specs;
  Section section(specs);
  visit(section);
  return specs;
}

/// A group of sections of one kind, each for one item of a list.
/// @param items  returns the list, to which reading adds one named item per section
template <class Item>
KeyGroup RepeatedSection(SectionSpec spec, std::vector<Item>& (*items)(RunConfig&),
                         void (*visit_keys)(Section&, Item&, RunConfig&)) {
  spec.keys = ListedKeys([&](Section& section) {
    Item empty_item;
    RunConfig empty_run;
    visit_keys(section, empty_item, empty_run);
  });
  const std::string head = spec.name;
  return {{std::move(spec)},
          [=](const Settings& settings, ErrorList& errors, RunConfig& run) {
            for (const std::string& name : settings.Sections(head)) {
              Section section(name, settings, errors);
              Item item;
              item.name = NameInSection(name);
              visit_keys(section, item, run);
              items(run).push_back(std::move(item));
            }
          },
          [=](RunConfig& run, IniEntries& entries) {
            for (Item& item : items(run)) {
              Section section(SectionOf(head, item.name), entries);
              visit_keys(section, item, run);
            }
          }};
}

/// Key of a time at which something begins; default: the start of the run.
KeySpec BeginKey(const std::string& key, const std::string& doc);
/// Key of a time at which something ends; never if not given.
KeySpec EndKey(const std::string& key, const std::string& doc, const std::string& range);

/// The names of all items in a list.
template <class Items>
std::vector<std::string> ListNames(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

}  // namespace scree

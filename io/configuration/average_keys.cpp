// [average.NAME]: means over a grid, or the flow through a plane.
#include "io/configuration/key_groups.hpp"

namespace scree {
namespace {

Keys<AverageConfig> WhenRows() {
  return {
      {{.key = "from",
        .doc = "first frame, or start of counting",
        .initial = "0 s",
        .range = "whole steps",
        .dimension = kTime,
        .lower = 0.0},
       &AverageConfig::from},
      // Without an end of its own it goes on when the run is continued for longer.
      {{.key = "to",
        .doc = "last frame, or end of counting",
        .lacking = Lacking::kMeansNone,
        .range = "the end if not given",
        .dimension = kTime,
        .lower = 0.0,
        .open = true,
        .change = AtAnyRestart()},
       &AverageConfig::to},
  };
}

Keys<FieldGrid> GridRows() {
  return {
      {{.key = "lower",
        .doc = "grid: lower corner",
        .lacking = Lacking::kTakesAnother,
        .range = "the domain's if not given",
        .dimension = kLength},
       [](auto& grid) -> decltype(auto) { return (grid.region.lower); }},
      {{.key = "upper",
        .doc = "grid: upper corner",
        .lacking = Lacking::kTakesAnother,
        .range = "the domain's if not given",
        .dimension = kLength},
       [](auto& grid) -> decltype(auto) { return (grid.region.upper); }},
      {{.key = "cells",
        .doc = "grid: cells along x, y and z",
        .initial = "1x1x1",
        .range = ">= 1 each"},
       &FieldGrid::cells},
      {{.key = "by", .doc = "grid: what has means of its own", .initial = "all"}, &FieldGrid::by},
  };
}

Keys<AverageConfig> FrameRows() {
  return {{{.key = "every",
            .doc = "grid: between two frames",
            .range = "whole steps",
            .dimension = kTime,
            .lower = 0.0,
            .open = true},
           &AverageConfig::every},
          {{.key = "interval",
            .doc = "grid: time that each row of a series is the mean of",
            .initial = "never",
            .range = "whole multiple of every, or never: one mean over all",
            .dimension = kTime,
            .lower = 0.0,
            .open = true},
           &AverageConfig::interval}};
}

Keys<FlowPlane> PlaneRows() {
  return {
      {{.key = "plane", .doc = "plane: a point of it; there is no grid then", .dimension = kLength},
       &FlowPlane::point},
      {{.key = "normal",
        .doc = "plane: direction of positive flow",
        .kind = Kind::kDirection,
        .range = "not zero"},
       &FlowPlane::normal},
  };
}

bool IsPlane(const Settings& settings, const std::string& section) {
  for (const KeySpec& spec : SpecsOf(PlaneRows())) {
    if (settings.Given(section, spec.key)) return true;
  }
  return false;
}

AverageConfig ReadAverage(SectionReader& reader, const std::string& section, const Box& domain) {
  AverageConfig average;
  average.name = SectionParts(section)[1];
  if (IsPlane(reader.Given(), section)) {
    reader.Refuse(section, Joined({SpecsOf(GridRows()), SpecsOf(FrameRows())}), {},
                  "the flow through a plane");
    FlowPlane plane;
    reader.Read(section, PlaneRows(), plane);
    average.of = plane;
  } else {
    FieldGrid grid = {.region = domain};
    reader.Read(section, GridRows(), grid);
    average.of = grid;
    reader.Read(section, FrameRows(), average);
  }
  reader.Read(section, WhenRows(), average);
  return average;
}

struct WriteKind {
  const AverageConfig& average;
  Echo& echo;
  void operator()(const FieldGrid& grid) const {
    echo.Write(GridRows(), grid);
    echo.Write(FrameRows(), average);
  }
  void operator()(const FlowPlane& plane) const { echo.Write(PlaneRows(), plane); }
};

}  // namespace

KeyGroup AverageKeys() {
  const KeySpecs specs = Joined(
      {SpecsOf(GridRows()), SpecsOf(FrameRows()), SpecsOf(PlaneRows()), SpecsOf(WhenRows())});
  return {
      {{"average", "average.NAME", 1, 1,
        "Averages taken during the run, over the cells of a grid or of the flow through a plane",
        Never("its sums have begun with it"), specs}},
      [](SectionReader& reader, RunConfig& run) {
        for (const std::string& section : reader.Given().Sections("average")) {
          run.averages.push_back(ReadAverage(reader, section, run.scene.domain.box));
        }
      },
      [](const RunConfig& run, Echo& echo) {
        for (const AverageConfig& average : run.averages) {
          echo.Section("average." + average.name);
          std::visit(WriteKind{average, echo}, average.of);
          echo.Write(WhenRows(), average);
        }
      }};
}

}  // namespace scree

// [average.NAME]: means over a grid, or the flow through a plane.
#include "io/scene/key_groups.hpp"

namespace scree {
namespace {

KeyRows WindowRows(AverageConfig& average) {
  return {{{"from", "grid: time of the first frame; plane: start of counting", kTime,
            Range{"whole steps", 0.0}, Default{"0 s"}},
           average.from},
          // If no end is given, the average also covers a later continuation of the run.
          {{"to", "grid: time of the last frame; plane: end of counting", kTime, kOptional,
            Range{"the end of the run if not given", 0.0, true}, AtAnyRestart()},
           average.to}};
}

KeyRows GridRows(FieldGrid& grid) {
  const Range domain = InWords("the domain's if not given");
  return {{{"lower", "grid: lower corner", kLength, kDerived, domain}, grid.region.lower},
          {{"upper", "grid: upper corner", kLength, kDerived, domain}, grid.region.upper},
          {{"cells", "grid: cells along x, y and z", InWords(">= 1 each"), Default{"1x1x1"}},
           grid.cells},
          {{"by", "grid: groups that have separate means", Default{"all"}}, grid.by}};
}

KeyRows FrameRows(AverageConfig& average) {
  return {{{"every", "grid: time between two frames", kTime, Range{"whole steps", 0.0, true}},
           average.frame_interval}};
}

KeyRows SeriesRows(AverageConfig& average) {
  return {
      {{"interval", "averaging time of each row of a time series", kTime,
        Range{
            "grid: whole multiple of every; plane: whole steps; never: one mean of the whole time",
            0.0, true},
        Default{"never"}},
       average.interval}};
}

KeyRows PlaneRows(FlowPlane& plane) {
  return {{{"plane", "plane: a point on it; replaces the grid", kLength}, plane.point},
          {{"normal", "plane: direction of positive flow", Kind::kDirection, InWords("not zero")},
           plane.normal}};
}

const KeySpecs& GridSpecs() {
  static const KeySpecs specs = Joined({SpecsOf(GridRows), SpecsOf(FrameRows)});
  return specs;
}
const KeySpecs& PlaneSpecs() {
  static const KeySpecs specs = SpecsOf(PlaneRows);
  return specs;
}

void VisitAverageKeys(Section& section, AverageConfig& average, RunConfig& run) {
  if (section.IsListed()) section.List(Joined({GridSpecs(), PlaneSpecs()}));
  if (section.IsRead()) {
    average.geometry = FieldGrid{.region = run.scene.domain.box};
    if (section.IsAnyGiven(PlaneSpecs())) {
      section.Refuse(GridSpecs(), {}, "the flow through a plane");
      average.geometry = FlowPlane();
    }
  }
  if (auto* const plane = std::get_if<FlowPlane>(&average.geometry)) {
    section.VisitKeys(PlaneRows(*plane));
  } else {
    section.VisitKeys(GridRows(std::get<FieldGrid>(average.geometry)) + FrameRows(average));
  }
  section.VisitKeys(SeriesRows(average));
  section.VisitKeys(WindowRows(average));
  if (section.IsRead() && average.to) section.CheckSpan("to", *average.to, "from", average.from);
}

}  // namespace

KeyGroup AverageKeys() {
  return RepeatedSection<AverageConfig>(
      {"average",
       "average.NAME",
       1,
       1,
       "Averages during the run: over the cells of a grid, or of the flow through a plane",
       Never("the sums since the start depend on it"),
       {}},
      [](RunConfig & run) -> auto& { return run.averages; }, VisitAverageKeys);
}

}  // namespace scree

// [scene] and [domain].
#include "io/configuration/key_groups.hpp"

namespace scree {

std::vector<KeyGroup> SceneKeys() {
  const Keys<Scene> scene = {
      {{.key = "seed",
        .doc = "seed of all random numbers",
        .initial = "1",
        .range = ">= 0",
        .lower = 0.0},
       &Scene::seed},
      {{.key = "gravity",
        .doc = "gravity",
        .initial = "0 0 -9.81 m/s^2",
        .dimension = kAcceleration},
       &Scene::gravity},
  };
  const KeySpec lower = {.key = "lower", .doc = "lower corner", .dimension = kLength};
  const KeySpec upper = {
      .key = "upper", .doc = "upper corner", .range = "above lower", .dimension = kLength};
  const Keys<Box> corners = {{lower, &Box::lower}, {upper, &Box::upper}};
  const Keys<Domain> domain =
      Within<Domain>(&Domain::box, corners) +
      Keys<Domain>{
          {{.key = "periodic", .doc = "axes along which the box repeats", .initial = "none"},
           &Domain::periodic}};
  return {
      Once({"scene", "scene", 0, 0, "What holds for the whole scene", RestartRule::kIfAllowed, {}},
           Within<RunConfig>(&RunConfig::scene, scene)),
      Once(
          {"domain", "domain", 0, 0, "The simulated box", RestartRule::kIfAllowed, {}},
          Within<RunConfig>([](auto& run) -> decltype(auto) { return (run.scene.domain); }, domain),
          [=](SectionReader& reader, RunConfig& run) {
            reader.CheckBox("domain", run.scene.domain.box, lower, upper);
          }),
  };
}

}  // namespace scree

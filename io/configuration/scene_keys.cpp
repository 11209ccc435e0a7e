// [scene] and [domain].
#include "io/configuration/key_groups.hpp"

namespace scree {

namespace {

ChangeRule ShearStays() { return Never("where the images stand follows from it since the start"); }

}  // namespace

std::vector<KeyGroup> SceneKeys() {
  const Keys<Scene> scene = {
      {{.key = "seed",
        .doc = "seed of all random numbers",
        .initial = "1",
        .range = ">= 0",
        .lower = 0.0,
        .change = Never("the random numbers of the whole run come from it")},
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
  const auto sheared = [](const Domain& of) { return of.shear.Acts(); };
  const Keys<Domain> shear = {
      {{.key = "shear_rate",
        .doc = "gradient of the mean velocity, kept up by periodic images that move (Lees-Edwards)",
        .initial = "0 /s",
        .dimension = kFrequency,
        .change = ShearStays()},
       [](auto& of) -> decltype(auto) { return (of.shear.rate); }},
      Key<Domain>({.key = "shear_flow",
                   .doc = "axis along which the sheared images move",
                   .initial = "x",
                   .change = ShearStays()},
                  [](auto& of) -> decltype(auto) { return (of.shear.flow); })
          .OnlyIf(sheared),
      Key<Domain>({.key = "shear_gradient",
                   .doc = "axis along which the mean velocity grows",
                   .initial = "z",
                   .change = ShearStays()},
                  [](auto& of) -> decltype(auto) { return (of.shear.gradient); })
          .OnlyIf(sheared)};
  const Keys<Domain> domain =
      Within<Domain>(&Domain::box, corners) +
      Keys<Domain>{
          {{.key = "periodic", .doc = "axes along which the box repeats", .initial = "none"},
           &Domain::periodic}} +
      shear;
  return {
      Once({"scene", "scene", 0, 0, "What holds for the whole scene", OnTheWay(), {}},
           Within<RunConfig>(&RunConfig::scene, scene)),
      Once(
          {"domain",
           "domain",
           0,
           0,
           "The simulated box",
           Never("particles and their images have their places in it"),
           {}},
          Within<RunConfig>([](auto& run) -> decltype(auto) { return (run.scene.domain); }, domain),
          [=](SectionReader& reader, RunConfig& run) {
            reader.CheckBox("domain", run.scene.domain.box, lower, upper);
          }),
  };
}

}  // namespace scree

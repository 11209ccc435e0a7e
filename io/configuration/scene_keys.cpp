// [scene] and [domain].
#include "io/configuration/key_groups.hpp"

namespace scree {
namespace {

KeyRows SceneRows(RunConfig& run) {
  return {{{"seed", "seed of all random numbers", NotNegative(), Default{"1"},
            Never("the random numbers of the whole run come from it")},
           run.scene.seed},
          {{"gravity", "gravity", kAcceleration, Default{"0 0 -9.81 m/s^2"}}, run.scene.gravity}};
}

KeyRows DomainRows(RunConfig& run) {
  Domain& domain = run.scene.domain;
  Shear& shear = domain.shear;
  const ChangeRule stays = Never("where the images stand follows from it since the start");
  return {
      {{"lower", "lower corner", kLength}, domain.box.lower},
      {{"upper", "upper corner", kLength, InWords("above lower")}, domain.box.upper},
      {{"periodic", "axes along which the box repeats", Default{"none"}}, domain.periodic},
      {{"shear_rate",
        "gradient of the mean velocity, kept up by periodic images that move (Lees-Edwards)",
        kFrequency, Default{"0 /s"}, stays},
       shear.rate},
      KeyRow({"shear_flow", "axis along which the sheared images move", Default{"x"}, stays},
             shear.flow)
          .OnlyIf(shear.Acts()),
      KeyRow({"shear_gradient", "axis along which the mean velocity grows", Default{"z"}, stays},
             shear.gradient)
          .OnlyIf(shear.Acts()),
  };
}

void CheckDomain(SectionReader& reader, RunConfig& run) {
  reader.CheckBox("domain", run.scene.domain.box);
}

}  // namespace

std::vector<KeyGroup> SceneKeys() {
  return {
      Once("scene", "What holds for the whole scene", OnTheWay(), SceneRows),
      Once("domain", "The simulated box",
           Never("particles and their images have their places in it"), DomainRows, CheckDomain)};
}

}  // namespace scree

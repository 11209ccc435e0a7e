#include "io/configuration/section_reader.hpp"

#include <algorithm>
#include <cmath>

namespace scree {

Vec3 SectionReader::NeedVector(const std::string& section, const std::string& key) {
  const std::optional<Vec3> value = settings_.Get<Vec3>(section, key);
  return value ? *value : (Need<Vec3>(section, key), Vec3(Vec3::Zero()));
}

Vec3 SectionReader::TakeVector(const std::string& section, const std::string& key) const {
  return settings_.Get<Vec3>(section, key).value_or(Vec3(Vec3::Zero()));
}

double SectionReader::Radius(const std::string& section) {
  const bool radius = settings_.Given(section, "radius");
  const bool diameter = settings_.Given(section, "diameter");
  if (radius && diameter) {
    errors_.Add(settings_.Where(section, "radius"),
                "both radius and diameter are given; expected one of them");
  } else if (!settings_.Intended(section, "radius") && !settings_.Intended(section, "diameter")) {
    errors_.Add(settings_.Where(section, "radius"), "lacks the key \"radius\" or \"diameter\" [m]");
  }
  return diameter ? 0.5 * Take<double>(section, "diameter") : Take<double>(section, "radius");
}

Vec3 SectionReader::Normal(const std::string& section) {
  const Vec3 given = NeedVector(section, "normal");
  const double length = given.stableNorm();
  if (length == 0.0) {
    if (settings_.Get<Vec3>(section, "normal")) {
      errors_.Add(settings_.Where(section, "normal"),
                  "is the zero vector; expected a direction such as 0 0 1");
    }
    return Vec3::UnitZ();
  }
  constexpr double kRounding = 1e-15;
  return std::abs(length - 1.0) <= kRounding ? given : given.stableNormalized();
}

Box SectionReader::BoxOf(const std::string& section) {
  const Box box{NeedVector(section, "lower"), NeedVector(section, "upper")};
  const bool both = settings_.Get<Vec3>(section, "lower") && settings_.Get<Vec3>(section, "upper");
  for (int axis = 0; both && axis < 3; ++axis) {
    if (box.upper[axis] > box.lower[axis]) continue;
    errors_.Add(settings_.Where(section, "upper"),
                Text("is ", box.upper[axis], " m along ", "xyz"[axis], "; expected more than ",
                     "the lower corner's ", box.lower[axis], " m"));
  }
  return box;
}

MaterialId SectionReader::MaterialNamed(const std::string& name, const MaterialTable& materials,
                                        const std::string& where) {
  std::vector<std::string> known;
  for (std::size_t m = 0; m < materials.Size(); ++m) {
    known.push_back(materials[static_cast<MaterialId>(m)].name);
    if (known.back() == name) return static_cast<MaterialId>(m);
  }
  if (!settings_.Intended("material." + name, "density")) {
    errors_.Add(where, Text("there is no [material.", name, "]", DidYouMean(name, known)));
  }
  return 0;
}

MaterialId SectionReader::MaterialOf(const std::string& section, const MaterialTable& materials) {
  const auto name = settings_.Get<std::string>(section, "material");
  return name ? MaterialNamed(*name, materials, settings_.Where(section, "material")) : 0;
}

void SectionReader::RefuseKeys(const std::string& section, const std::vector<std::string>& allowed,
                               const std::string& what) {
  for (const std::string& key : KeysOf(section)) {
    const bool good = std::find(allowed.begin(), allowed.end(), key) != allowed.end();
    if (!good && settings_.Given(section, key)) {
      errors_.Add(settings_.Where(section, key), "does not belong to " + what);
    }
  }
}

}  // namespace scree

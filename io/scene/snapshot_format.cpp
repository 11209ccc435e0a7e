#include "io/scene/snapshot_format.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "io/scene/ini_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

bool IsAlwaysIncluded(std::string_view field) { return field == "position" || field == "id"; }

std::vector<std::string> FieldNames() {
  std::vector<std::string> names;
  const Particles particles;
  ForEachField(particles, [&](const Field& field, const auto&) { names.emplace_back(field.name); });
  return names;
}

}  // namespace

bool SnapshotFormat::Has(std::string_view field) const {
  if (fields == "all" || IsAlwaysIncluded(field)) return true;
  const std::vector<std::string> words = Words(fields);
  return std::find(words.begin(), words.end(), field) != words.end();
}

void RequirePositionPrecision(const SnapshotFormat& format, const Box& domain,
                              double smallest_radius) {
  constexpr double kMax = 0.01;  // of the smallest radius
  const double farthest =
      std::max(domain.lower.lpNorm<Eigen::Infinity>(), domain.upper.lpNorm<Eigen::Infinity>());
  const double rounding_error = 0.5 * std::numeric_limits<float>::epsilon() * farthest;
  if (!format.is_single_precision || !(smallest_radius > 0.0) ||
      rounding_error <= kMax * smallest_radius)
    return;
  throw InputError(Text("output.precision is single, which rounds positions ", farthest,
                        " m from the origin by up to ", rounding_error, " m, ",
                        rounding_error / smallest_radius,
                        " of the smallest radius; expected at most ", kMax,
                        "; use double, or a domain nearer to the origin"));
}

std::string ReadFields(const std::string& text) {
  if (text == "all") return text;
  const std::vector<std::string> names = FieldNames();
  for (const std::string& word : Words(text)) {
    if (std::find(names.begin(), names.end(), word) != names.end()) continue;
    std::string known;
    for (const std::string& name : names) known += " " + name;
    throw InputError(Text("\"", word, "\" is not a field", DidYouMean(word, names),
                          "; expected all or any of", known));
  }
  const SnapshotFormat format{text, false};
  std::string fields;
  for (const std::string& name : names) {
    if (format.Has(name)) fields += (fields.empty() ? "" : " ") + name;
  }
  return Words(fields).size() == names.size() ? "all" : fields;
}

std::int64_t CodeOf(const SnapshotFormat& format) {
  std::int64_t code = format.is_single_precision ? 1 : 0;
  const Particles particles;
  ForEachField(particles, [&](const Field& field, const auto&) {
    if (format.Has(field.name)) code |= std::int64_t{1} << field.code;
  });
  return code;
}

SnapshotFormat FormatOf(std::int64_t code) {
  std::string fields;
  const Particles particles;
  ForEachField(particles, [&](const Field& field, const auto&) {
    if ((code >> field.code & 1) != 0) fields += std::string(" ") + field.name;
  });
  return {ReadFields(fields), (code & 1) != 0};
}

}  // namespace scree

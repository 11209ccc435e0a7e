#include "io/output/xdmf.hpp"

#include "io/files/csv_table.hpp"
#include "io/files/field_layout.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// A reference to a dataset of the snapshot.
/// @param shape    shape in the file, for example "1 20 3"
/// @param number   XDMF's words for the type, for example "Float" and 8 bytes
std::string DataItem(const XdmfStep& step, const std::string& dataset, const std::string& shape,
                     const char* number, int bytes) {
  return Text("<DataItem Format=\"HDF\" Dimensions=\"", shape, "\" NumberType=\"", number,
              "\" Precision=\"", bytes, "\">", step.file, ":/particles/grains/", dataset,
              "</DataItem>");
}

std::string Attribute(const char* name, const char* kind, const std::string& item) {
  return Text("        <Attribute Name=\"", name, "\" AttributeType=\"", kind,
              "\" Center=\"Node\">", item, "</Attribute>\n");
}

int FloatBytes(const XdmfStep& step) { return step.format.is_single_precision ? 4 : 8; }

/// A field as numbers or vectors at the points; nothing for types that do not exist in XDMF.
template <class Element>
std::string FieldAttribute(const XdmfStep& step, const Field& field) {
  using Value = typename Layout<Element>::Value;
  const RowShape shape = ShapeOf<Element>(field);
  const bool is_vector = shape.columns == 3, is_scalar = shape.columns == 0;
  const bool is_position = std::string_view(field.name) == "position";  // part of the geometry
  if (is_position || !(is_vector || is_scalar)) return {};
  // The frame of the H5MD series is a leading dimension of length 1. Programs that read XDMF accept
  // it, because they only count entries.
  const std::string rows = Text(shape.frame ? "1 " : "", step.particles, is_vector ? " 3" : "");
  const bool is_float = std::is_floating_point_v<Value>;
  return Attribute(field.name, is_vector ? "Vector" : "Scalar",
                   DataItem(step, DatasetOf(field), rows, is_float ? "Float" : "Int",
                            is_float ? FloatBytes(step) : static_cast<int>(sizeof(Value))));
}

std::string Grid(const XdmfStep& step) {
  const std::string list = std::to_string(step.particles);
  const std::string vectors = Text("1 ", list, " 3");
  std::string text =
      Text("      <Grid Name=\"grains\" GridType=\"Uniform\">\n        <Time Value=\"",
           ToText(step.time),
           "\"/>\n        <Topology TopologyType=\"Polyvertex\" "
           "NumberOfElements=\"",
           list,
           "\" NodesPerElement=\"1\"/>\n"
           "        <Geometry GeometryType=\"XYZ\">",
           DataItem(step, "position/value", vectors, "Float", FloatBytes(step)), "</Geometry>\n");
  const Particles no_particles;
  ForEachField(no_particles, [&](const Field& field, const auto& array) {
    if (step.format.Has(field.name))
      text += FieldAttribute<ElementOf<decltype(array)>>(step, field);
  });
  for (const char* name : {"cluster", "cluster_size"}) {
    if (!step.has_clusters) continue;
    text +=
        Attribute(name, "Scalar", DataItem(step, Text(name, "/value"), Text("1 ", list), "Int", 8));
  }
  return text + "      </Grid>\n";
}

}  // namespace

std::string XdmfText(std::span<const XdmfStep> steps) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n  <Domain>\n"
      "    <Grid Name=\"snapshots\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  for (const XdmfStep& step : steps) {
    if (step.particles > 0) text += Grid(step);
  }
  return text + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

}  // namespace scree

#include "io/output/xdmf.hpp"

#include "io/files/csv_table.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

/// A reference to a dataset of the snapshot.
/// @param shape    as in the file, for example "1 20 3"
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

std::string Grid(const XdmfStep& step) {
  const std::string list = std::to_string(step.particles);
  // The frame of the H5MD series is a leading dimension of length 1; readers only count entries.
  const std::string vectors = Text("1 ", list, " 3");
  const int float_bytes = step.format.single ? 4 : 8;
  std::string text =
      Text("      <Grid Name=\"grains\" GridType=\"Uniform\">\n        <Time Value=\"",
           ToText(step.time),
           "\"/>\n        <Topology TopologyType=\"Polyvertex\" "
           "NumberOfElements=\"",
           list,
           "\" NodesPerElement=\"1\"/>\n"
           "        <Geometry GeometryType=\"XYZ\">",
           DataItem(step, "position/value", vectors, "Float", float_bytes), "</Geometry>\n");
  for (const char* name : {"velocity", "angular_velocity"}) {
    if (!step.format.Has(name)) continue;
    const std::string dataset = std::string(name) + "/value";
    text += Attribute(name, "Vector", DataItem(step, dataset, vectors, "Float", float_bytes));
  }
  const auto add_scalar = [&](const char* name, const char* number, int bytes) {
    if (!step.format.Has(name)) return;
    text += Attribute(name, "Scalar", DataItem(step, name, list, number, bytes));
  };
  add_scalar("radius", "Float", float_bytes);
  add_scalar("id", "Int", 8);
  add_scalar("material", "Int", 4);
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

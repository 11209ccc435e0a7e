#include "io/xdmf.hpp"

#include "io/csv_table.hpp"
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
  return Text(
      "      <Grid Name=\"grains\" GridType=\"Uniform\">\n        <Time Value=\"",
      ToText(step.time),
      "\"/>\n        <Topology TopologyType=\"Polyvertex\" "
      "NumberOfElements=\"",
      list,
      "\" NodesPerElement=\"1\"/>\n"
      "        <Geometry GeometryType=\"XYZ\">",
      DataItem(step, "position/value", vectors, "Float", 8), "</Geometry>\n",
      Attribute("velocity", "Vector", DataItem(step, "velocity/value", vectors, "Float", 8)),
      Attribute("angular_velocity", "Vector",
                DataItem(step, "angular_velocity/value", vectors, "Float", 8)),
      Attribute("radius", "Scalar", DataItem(step, "radius", list, "Float", 8)),
      Attribute("id", "Scalar", DataItem(step, "id", list, "Int", 8)),
      Attribute("material", "Scalar", DataItem(step, "material", list, "Int", 4)),
      "      </Grid>\n");
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

#include <hdf5.h>

#include <cstring>
#include <filesystem>

#include "io/files/file_exists.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/files/hdf5_objects.hpp"
#include "io/files/regular_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {

using namespace hdf5;

namespace {

std::string Describe(RowShape shape) {
  return Text(shape.frame ? "[1]" : "", "[N]",
              shape.columns > 0 ? Text("[", shape.columns, "]") : "");
}

template <class Value>
bool HasType(hid_t stored) {
  if (std::is_same_v<Value, double> && H5Tget_class(stored) == H5T_FLOAT) {
    return H5Tget_size(stored) == sizeof(double) || H5Tget_size(stored) == sizeof(float);
  }
  return H5Tget_class(stored) == TypeOf<Value>::kClass && H5Tget_size(stored) == sizeof(Value) &&
         (TypeOf<Value>::kClass != H5T_INTEGER ||
          H5Tget_sign(stored) == (std::unsigned_integral<Value> ? H5T_SGN_NONE : H5T_SGN_2));
}

/// Access properties for reading. With them, links to other files fail. The handle closes itself.
class NoExternalLinks : public Handle {
 public:
  /// @param list_class  H5P_LINK_ACCESS or H5P_DATASET_ACCESS
  explicit NoExternalLinks(hid_t list_class) : Handle(H5Pcreate(list_class), H5Pclose) {
    const auto refuse = [](const char*, const char*, const char*, const char*, unsigned*, hid_t,
                           void*) -> herr_t { return -1; };
    H5Pset_elink_cb(*this, refuse, nullptr);
  }
};

/// Describes the storage of a virtual, external or compressed dataset; empty for other datasets.
std::string DescribeStorage(hid_t dataset) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(creation) == H5D_VIRTUAL) return "is a virtual dataset";
  if (H5Pget_layout(creation) != H5D_CHUNKED && H5Pget_external_count(creation) > 0) {
    return "is in another file (external storage)";
  }
  return H5Pget_nfilters(creation) > 0 ? "is packed by a filter" : "";
}

bool IsFixedText(hid_t stored) {
  return H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0;
}

}  // namespace

Hdf5Reader::Hdf5Reader(const std::string& path) : path_(path) {
  PrepareHdf5();
  if (IsRegularFile(path)) {
    std::error_code failed;
    bytes_ = std::filesystem::file_size(path, failed);
  } else if (FileExists(path)) {
    throw FileError(scree::Text("'", path, "' is not a regular file; expected an HDF5 file"));
  }
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0) {
    throw FileError(scree::Text("cannot open '", path, "' as an HDF5 file", Reason(),
                                "; expected a whole file, such as a snapshot written by Scree"));
  }
}

Hdf5Reader::~Hdf5Reader() {
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5Reader::Fail(const std::string& object, const std::string& expected) const {
  throw FileError(scree::Text("'", path_, "': cannot read ", object, ": expected ", expected));
}

bool Hdf5Reader::Has(const std::string& path) const {
  // Tests one level at a time, because H5Lexists requires that all earlier parts of a path exist. A
  // broken link counts as existing: reading it reports the error.
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (H5Lexists(file_, part.c_str(), NoExternalLinks(H5P_LINK_ACCESS)) <= 0) return false;
    if (end == path.npos) return true;
  }
}

bool Hdf5Reader::HasAttribute(const std::string& object, const std::string& name) const {
  return H5Aexists_by_name(file_, object.c_str(), name.c_str(), NoExternalLinks(H5P_LINK_ACCESS)) >
         0;
}

/// Requires that an object is stored completely and fits into the file.
void Hdf5Reader::RequireStored(const std::string& object, std::int64_t space, std::int64_t type,
                               std::uint64_t stored_bytes) const {
  const hssize_t entries = H5Sget_simple_extent_npoints(space);
  const std::size_t size = H5Tget_size(type);
  if (entries < 0 || size == 0) Fail(object, "a simple extent of a fixed type");
  const auto count = static_cast<std::uint64_t>(entries);
  if (count <= bytes_ / size && count * size <= stored_bytes) return;
  Fail(object, scree::Text("all of its ", count, " entries of ", size,
                           " bytes to be stored in the file, which has ", bytes_, " bytes"));
}

/// @returns the dataset, which the caller closes
std::int64_t Hdf5Reader::OpenDataset(const std::string& path, const std::string& expected) const {
  const hid_t dataset = H5Dopen2(file_, path.c_str(), NoExternalLinks(H5P_DATASET_ACCESS));
  if (dataset < 0) Fail(path, expected);
  try {
    const std::string storage = DescribeStorage(dataset);
    if (!storage.empty()) Fail(path, "uncompressed data in the file itself, but it " + storage);
    const Handle space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
    RequireStored(path, space, type, H5Dget_storage_size(dataset));
  } catch (...) {
    H5Dclose(dataset);
    throw;
  }
  return dataset;
}

/// @returns the attribute, which the caller closes
std::int64_t Hdf5Reader::OpenAttribute(const std::string& object, const std::string& name,
                                       const std::string& expected) const {
  const hid_t attribute = H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT,
                                          NoExternalLinks(H5P_LINK_ACCESS));
  const std::string object_name = "attribute '" + name + "' of " + object;
  if (attribute < 0) Fail(object_name, expected);
  try {
    const Handle space(H5Aget_space(attribute), H5Sclose), type(H5Aget_type(attribute), H5Tclose);
    RequireStored(object_name, space, type, H5Aget_storage_size(attribute));
  } catch (...) {
    H5Aclose(attribute);
    throw;
  }
  return attribute;
}

std::string Hdf5Reader::DescribeDataset(const std::string& path) const {
  const Handle dataset(OpenDataset(path, "a dataset"), H5Dclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  std::string text;
  for (const hsize_t size : sizes) text += scree::Text(text.empty() ? "" : " x ", size);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const bool is_float = H5Tget_class(type) == H5T_FLOAT;
  return text + scree::Text(", ", 8 * H5Tget_size(type),
                            is_float ? "-bit floating-point numbers" : "-bit integers");
}

std::size_t Hdf5Reader::CountRows(const std::string& path, RowShape shape) const {
  const std::string expected = "a dataset of shape " + Describe(shape);
  const Handle dataset(OpenDataset(path, expected), H5Dclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const Extent wanted = MakeExtent(shape, 1, 0, shape.columns);
  if (H5Sget_simple_extent_ndims(space) != wanted.rank) Fail(path, expected);
  Extent stored;
  H5Sget_simple_extent_dims(space, stored.sizes.data(), nullptr);
  const std::size_t row_axis = shape.frame ? 1 : 0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(wanted.rank); ++axis) {
    if (axis != row_axis && stored.sizes[axis] != wanted.sizes[axis]) Fail(path, expected);
  }
  return stored.sizes[row_axis];
}

template <class Value>
std::vector<Value> Hdf5Reader::Rows(const std::string& path, RowShape shape, std::size_t first,
                                    std::size_t count) const {
  const std::size_t rows = CountRows(path, shape);
  if (first > rows || count > rows - first) {
    Fail(path, scree::Text("at least ", first + count, " rows, found ", rows));
  }
  const Handle dataset(OpenDataset(path, "a dataset"), H5Dclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  if (!HasType<Value>(type)) Fail(path, TypeOf<Value>::kName);
  std::vector<Value> values(count * shape.EntriesPerRow());
  if (values.empty()) return values;
  const Handle in_file(H5Dget_space(dataset), H5Sclose);
  const hsize_t entries = values.size();
  const Handle in_memory(H5Screate_simple(1, &entries, nullptr), H5Sclose);
  if (!SelectRows(in_file, shape, first, count) ||
      H5Dread(dataset, TypeOf<Value>::MemoryType(), in_memory, in_file, H5P_DEFAULT,
              values.data()) < 0) {
    Fail(path, "readable data" + Reason());
  }
  return values;
}

template <class Value>
std::vector<Value> Hdf5Reader::ListAttribute(const std::string& object,
                                             const std::string& name) const {
  const std::string object_name = "attribute '" + name + "' of " + object;
  const Handle attribute(OpenAttribute(object, name, TypeOf<Value>::kName), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (!HasType<Value>(type)) Fail(object_name, TypeOf<Value>::kName);
  std::vector<Value> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  if (!values.empty() && H5Aread(attribute, TypeOf<Value>::MemoryType(), values.data()) < 0) {
    Fail(object_name, "readable data" + Reason());
  }
  return values;
}

template <class Value>
Value Hdf5Reader::Attribute(const std::string& object, const std::string& name) const {
  const std::vector<Value> values = ListAttribute<Value>(object, name);
  if (values.size() != 1) {
    Fail("attribute '" + name + "' of " + object, scree::Text("one value, found ", values.size()));
  }
  return values.front();
}

std::vector<std::string> Hdf5Reader::TextListAttribute(const std::string& object,
                                                       const std::string& name) const {
  const std::string object_name = "attribute '" + name + "' of " + object;
  const Handle attribute(OpenAttribute(object, name, "fixed-length text"), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (!IsFixedText(type)) Fail(object_name, "fixed-length text");
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  const std::size_t size = H5Tget_size(type);
  std::string padded(count * size, '\0');
  if (!padded.empty() && H5Aread(attribute, type, padded.data()) < 0) {
    Fail(object_name, "readable data" + Reason());
  }
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < count; ++k) {
    const char* start = padded.data() + k * size;
    texts.emplace_back(start, strnlen(start, size));
  }
  return texts;
}

std::string Hdf5Reader::TextAttribute(const std::string& object, const std::string& name) const {
  const std::vector<std::string> texts = TextListAttribute(object, name);
  if (texts.size() != 1) Fail("attribute '" + name + "' of " + object, "one text");
  return texts.front();
}

std::string Hdf5Reader::Text(const std::string& path) const {
  const Handle dataset(OpenDataset(path, "a text"), H5Dclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (!IsFixedText(type) || H5Sget_simple_extent_npoints(space) != 1) {
    Fail(path, "one fixed-length text");
  }
  std::string text(H5Tget_size(type), '\0');
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) {
    Fail(path, "readable data" + Reason());
  }
  text.resize(strnlen(text.data(), text.size()));
  return text;
}

// ---- the types that files hold

#define SCREE_INSTANTIATE_ATTRIBUTES(Value)                                                     \
  template Value Hdf5Reader::Attribute(const std::string&, const std::string&) const;           \
  template std::vector<Value> Hdf5Reader::ListAttribute(const std::string&, const std::string&) \
      const;
#define SCREE_INSTANTIATE_ROWS(Value)                                                     \
  template std::vector<Value> Hdf5Reader::Rows(const std::string&, RowShape, std::size_t, \
                                               std::size_t) const;
SCREE_INSTANTIATE_ATTRIBUTES(double)
SCREE_INSTANTIATE_ATTRIBUTES(std::int64_t)
SCREE_INSTANTIATE_ATTRIBUTES(std::int32_t)
SCREE_INSTANTIATE_ATTRIBUTES(std::uint64_t)
SCREE_INSTANTIATE_ROWS(double)
SCREE_INSTANTIATE_ROWS(std::int64_t)
SCREE_INSTANTIATE_ROWS(std::int32_t)
#undef SCREE_INSTANTIATE_ATTRIBUTES
#undef SCREE_INSTANTIATE_ROWS

}  // namespace scree

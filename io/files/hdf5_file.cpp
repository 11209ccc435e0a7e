#include "io/files/hdf5_file.hpp"

#include <hdf5.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <sstream>
#include <type_traits>

#include "io/files/collective_call.hpp"
#include "io/files/file_exists.hpp"
#include "io/files/held_folder.hpp"
#include "io/files/joined_rows.hpp"
#include "io/files/regular_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Hints for MPI-IO, which belong to the machine and so come from its environment (hdf5_file.hpp).
class IoHints {
 public:
  /// Those of root on all ranks. @throws OutputError if one is no name=value
  explicit IoHints(const Communicator& communicator) {
    const char* here = std::getenv(kIoHintsVariable);
    const std::string given = communicator.Broadcast(here == nullptr ? "" : here);
    MPI_Info_create(&info_);
    std::istringstream hints(given);
    for (std::string hint; std::getline(hints, hint, ';');) {
      const std::size_t equals = hint.find('=');
      if (equals == 0 || equals == hint.npos || equals + 1 == hint.size()) {
        MPI_Info_free(&info_);
        throw OutputError(Text(kIoHintsVariable, "='", given, "': '", hint,
                               "' is no hint for MPI-IO; expected name=value, with ; between "
                               "several, such as striping_factor=16;striping_unit=4194304"));
      }
      MPI_Info_set(info_, hint.substr(0, equals).c_str(), hint.substr(equals + 1).c_str());
    }
  }
  ~IoHints() { MPI_Info_free(&info_); }
  IoHints(const IoHints&) = delete;
  IoHints& operator=(const IoHints&) = delete;

  operator MPI_Info() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

/// An HDF5 object that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  operator hid_t() const { return id_; }
  bool Good() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

template <class Value>
struct TypeOf;
template <>
struct TypeOf<double> {
  static hid_t InFile() { return H5T_IEEE_F64LE; }
  static hid_t InMemory() { return H5T_NATIVE_DOUBLE; }
  static constexpr H5T_class_t kClass = H5T_FLOAT;
  static constexpr const char* kName = "floating-point numbers";
};
template <>
struct TypeOf<std::int64_t> {
  static hid_t InFile() { return H5T_STD_I64LE; }
  static hid_t InMemory() { return H5T_NATIVE_INT64; }
  static constexpr H5T_class_t kClass = H5T_INTEGER;
  static constexpr const char* kName = "64-bit integers";
};
template <>
struct TypeOf<std::uint64_t> {
  static hid_t InFile() { return H5T_STD_U64LE; }
  static hid_t InMemory() { return H5T_NATIVE_UINT64; }
  static constexpr H5T_class_t kClass = H5T_INTEGER;
  static constexpr const char* kName = "64-bit unsigned integers";
};
template <>
struct TypeOf<std::int32_t> {
  static hid_t InFile() { return H5T_STD_I32LE; }
  static hid_t InMemory() { return H5T_NATIVE_INT32; }
  static constexpr H5T_class_t kClass = H5T_INTEGER;
  static constexpr const char* kName = "32-bit integers";
};

/// HDF5 prints its error stack on its own unless told not to; our exceptions say it in one line. At
/// exit it would close files that failed to close, when MPI is gone already, and crash.
void PrepareHdf5() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// The innermost reason that HDF5 gives for its last failure, as " (reason)"; empty if none.
std::string Reason() {
  std::string reason;
  const auto take = [](unsigned depth, const H5E_error2_t* error, void* text) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &reason);
  return reason.empty() ? reason : Text(" (", reason, ")");
}

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr double kPatience = 30.0;  // of a rank whose write has failed [s]

hid_t WithoutTimes(hid_t properties) {
  H5Pset_obj_track_times(properties, false);
  return properties;
}

struct Extent {
  std::array<hsize_t, 3> sizes = {};
  int rank = 0;

  void Append(std::size_t size) { sizes[static_cast<std::size_t>(rank++)] = size; }
};

/// `lead` entries along the frame, `rows` along the rows and `columns` along the columns, where the
/// shape has them.
Extent Along(RowShape shape, std::size_t lead, std::size_t rows, std::size_t columns) {
  Extent extent;
  if (shape.frame) extent.Append(lead);
  extent.Append(rows);
  if (shape.columns > 0) extent.Append(columns);
  return extent;
}

/// Selects rows first .. first + count - 1.
bool SelectRows(hid_t space, RowShape shape, std::size_t first, std::size_t count) {
  if (count == 0) return H5Sselect_none(space) >= 0;
  const Extent start = Along(shape, 0, first, 0);
  const Extent size = Along(shape, 1, count, shape.columns);
  return H5Sselect_hyperslab(space, H5S_SELECT_SET, start.sizes.data(), nullptr, size.sizes.data(),
                             nullptr) >= 0;
}

std::string Describe(RowShape shape) {
  return Text(shape.frame ? "[1]" : "", "[N]",
              shape.columns > 0 ? Text("[", shape.columns, "]") : "");
}

hid_t FixedText(std::size_t size) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, std::max<std::size_t>(size, 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
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

/// How objects are looked up when reading: links that lead to another file fail. Closes itself as
/// all properties do.
class LinksWithin : public Handle {
 public:
  /// @param of  H5P_LINK_ACCESS or H5P_DATASET_ACCESS
  explicit LinksWithin(hid_t of) : Handle(H5Pcreate(of), H5Pclose) {
    const auto refuse = [](const char*, const char*, const char*, const char*, unsigned*, hid_t,
                           void*) -> herr_t { return -1; };
    H5Pset_elink_cb(*this, refuse, nullptr);
  }
};

/// What a dataset is that does not lie in the file as it is; empty if it does.
std::string HowStoredElsewhere(hid_t dataset) {
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

// ---- writing

Hdf5Writer::Hdf5Writer(const Communicator& communicator, const std::string& path)
    : communicator_(communicator), path_(path), exceptions_(std::uncaught_exceptions()) {
  PrepareHdf5();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const Handle creation(WithoutTimes(H5Pcreate(H5P_FILE_CREATE)), H5Pclose);
  H5Pset_fapl_mpio(access, MPI_Comm_f2c(static_cast<MPI_Fint>(communicator.FortranHandle())),
                   IoHints(communicator));
  // MPI libraries hang if only some ranks can open the file: a folder was renamed at this moment,
  // or is not shared by all nodes. So the ranks agree first, on a name that holds.
  std::optional<HeldFolder> folder;
  CallOnAll<OutputError>(communicator_, [&] { folder.emplace(path); });
  CallOnRoot<OutputError>(communicator_, [&] { folder->MakeFile(); });
  CallOnAll<OutputError>(communicator_, [&] { folder->DemandFile(); });
  file_ = H5Fcreate(folder->PathOfFile().c_str(), H5F_ACC_TRUNC, creation, access);
  CallOnAll<OutputError>(communicator_, [&] {
    if (file_ < 0) throw OutputError(scree::Text("cannot write '", path_, "'", Reason()));
  });
}

Hdf5Writer::~Hdf5Writer() {
  if (file_ >= 0 && std::uncaught_exceptions() == exceptions_) H5Fclose(file_);
}

void Hdf5Writer::CheckAll(bool good, const std::string& object) const {
  const std::string failure =
      good ? "" : scree::Text("cannot write ", object, " of '", path_, "'", Reason());
  // Others wait for the slowest disk, a rank that has failed only for those that can still come.
  if (!communicator_.BarrierWithin(good ? kForever : kPatience)) throw LoneFailure(failure);
  CallOnAll<UnclosedFile>(communicator_, [&] {
    if (!good) throw OutputError(failure);
  });
}

void Hdf5Writer::Close() {
  const hid_t file = file_;
  file_ = -1;
  CheckAll(H5Fclose(file) >= 0, "the end");
}

void Hdf5Writer::Group(const std::string& path) {
  const Handle creation(WithoutTimes(H5Pcreate(H5P_GROUP_CREATE)), H5Pclose);
  const Handle group(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
  CheckAll(group.Good(), path);
}

void Hdf5Writer::WriteAttribute(const std::string& object, const std::string& name,
                                std::int64_t type, std::int64_t space, const void* data) {
  const Handle attribute(H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space,
                                           H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  const bool empty = H5Sget_simple_extent_npoints(space) == 0;
  CheckAll(attribute.Good() && (empty || H5Awrite(attribute, type, data) >= 0),
           "attribute '" + name + "' of " + object);
}

template <class Value>
void Hdf5Writer::Attribute(const std::string& object, const std::string& name, Value value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  WriteAttribute(object, name, TypeOf<Value>::InMemory(), space, &value);
}

template <class Value>
void Hdf5Writer::ListAttribute(const std::string& object, const std::string& name,
                               std::span<const Value> values) {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  WriteAttribute(object, name, TypeOf<Value>::InMemory(), space, values.data());
}

void Hdf5Writer::TextAttribute(const std::string& object, const std::string& name,
                               const std::string& text) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle type(FixedText(text.size()), H5Tclose);
  WriteAttribute(object, name, type, space, text.c_str());
}

void Hdf5Writer::TextListAttribute(const std::string& object, const std::string& name,
                                   std::span<const std::string> texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  std::string padded;
  for (const std::string& text : texts) {
    padded += text;
    padded.append(longest - text.size(), '\0');
  }
  const hsize_t size = texts.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle type(FixedText(longest), H5Tclose);
  WriteAttribute(object, name, type, space, padded.data());
}

void Hdf5Writer::Text(const std::string& path, const std::string& text) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle type(FixedText(text.size()), H5Tclose);
  const Handle creation(WithoutTimes(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
  const Handle dataset(
      H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  if (!communicator_.IsRoot()) H5Sselect_none(space);
  CheckAll(dataset.Good() && H5Dwrite(dataset, type, space, space, H5P_DEFAULT, text.c_str()) >= 0,
           path);
}

template <class Value>
void Hdf5Writer::Rows(const std::string& path, std::span<const Value> values, RowShape shape) {
  SCREE_DEMAND(values.size() % shape.EntriesPerRow() == 0);
  const std::size_t row = shape.EntriesPerRow();
  const auto total =
      static_cast<std::size_t>(communicator_.Sum(static_cast<std::int64_t>(values.size() / row)));
  const JoinedRows joined(communicator_, std::as_bytes(values), total * row * sizeof(Value));
  const std::size_t here = joined.Bytes().size() / (row * sizeof(Value));
  const auto first =
      static_cast<std::size_t>(communicator_.ExclusiveSum(static_cast<std::int64_t>(here)));

  const Extent extent = Along(shape, 1, total, shape.columns);
  const Handle in_file(H5Screate_simple(extent.rank, extent.sizes.data(), nullptr), H5Sclose);
  const hsize_t entries = here * row;
  const Handle in_memory(H5Screate_simple(1, &entries, nullptr), H5Sclose);
  const Handle creation(WithoutTimes(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  const bool single = shape.single && std::is_same_v<Value, double>;
  const hid_t stored = single ? H5T_IEEE_F32LE : TypeOf<Value>::InFile();
  const Handle dataset(
      H5Dcreate2(file_, path.c_str(), stored, in_file, H5P_DEFAULT, creation, H5P_DEFAULT),
      H5Dclose);
  bool good = dataset.Good() && SelectRows(in_file, shape, first, here);
  if (here == 0) good = H5Sselect_none(in_memory) >= 0 && good;
  CheckAll(good, path);
  if (total == 0) return;
  CheckAll(H5Dwrite(dataset, TypeOf<Value>::InMemory(), in_memory, in_file, H5P_DEFAULT,
                    joined.Bytes().data()) >= 0,
           path);
}

void Hdf5Writer::Link(const std::string& existing, const std::string& path) {
  CheckAll(
      H5Lcreate_hard(file_, existing.c_str(), file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0,
      path);
}

// ---- reading

Hdf5Reader::Hdf5Reader(const std::string& path) : path_(path) {
  PrepareHdf5();
  if (IsRegularFile(path)) {
    std::error_code failed;
    bytes_ = std::filesystem::file_size(path, failed);
  } else if (FileExists(path)) {
    throw FileError(scree::Text("'", path, "' is no regular file; expected an HDF5 file"));
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
  // By steps, as no part of a path may be missing in H5Lexists. A link that leads nowhere is there:
  // who reads it then says so.
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (H5Lexists(file_, part.c_str(), LinksWithin(H5P_LINK_ACCESS)) <= 0) return false;
    if (end == path.npos) return true;
  }
}

bool Hdf5Reader::HasAttribute(const std::string& object, const std::string& name) const {
  return H5Aexists_by_name(file_, object.c_str(), name.c_str(), LinksWithin(H5P_LINK_ACCESS)) > 0;
}

/// What is stored of an object must be all of it, and fit into the file.
void Hdf5Reader::DemandStored(const std::string& object, std::int64_t space, std::int64_t type,
                              std::uint64_t stored) const {
  const hssize_t entries = H5Sget_simple_extent_npoints(space);
  const std::size_t size = H5Tget_size(type);
  if (entries < 0 || size == 0) Fail(object, "a simple extent of a fixed type");
  const auto count = static_cast<std::uint64_t>(entries);
  if (count <= bytes_ / size && count * size <= stored) return;
  Fail(object, scree::Text("all of its ", count, " entries of ", size,
                           " bytes to be stored in the file, which has ", bytes_, " bytes"));
}

/// @returns the dataset, which the caller closes
std::int64_t Hdf5Reader::OpenDataset(const std::string& path, const std::string& expected) const {
  const hid_t dataset = H5Dopen2(file_, path.c_str(), LinksWithin(H5P_DATASET_ACCESS));
  if (dataset < 0) Fail(path, expected);
  try {
    const std::string elsewhere = HowStoredElsewhere(dataset);
    if (!elsewhere.empty())
      Fail(path, "data that are in the file as they are, but it " + elsewhere);
    const Handle space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
    DemandStored(path, space, type, H5Dget_storage_size(dataset));
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
                                          LinksWithin(H5P_LINK_ACCESS));
  const std::string what = "attribute '" + name + "' of " + object;
  if (attribute < 0) Fail(what, expected);
  try {
    const Handle space(H5Aget_space(attribute), H5Sclose), type(H5Aget_type(attribute), H5Tclose);
    DemandStored(what, space, type, H5Aget_storage_size(attribute));
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
  const Extent wanted = Along(shape, 1, 0, shape.columns);
  if (H5Sget_simple_extent_ndims(space) != wanted.rank) Fail(path, expected);
  Extent found;
  H5Sget_simple_extent_dims(space, found.sizes.data(), nullptr);
  const std::size_t row_axis = shape.frame ? 1 : 0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(wanted.rank); ++axis) {
    if (axis != row_axis && found.sizes[axis] != wanted.sizes[axis]) Fail(path, expected);
  }
  return found.sizes[row_axis];
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
      H5Dread(dataset, TypeOf<Value>::InMemory(), in_memory, in_file, H5P_DEFAULT, values.data()) <
          0) {
    Fail(path, "readable data" + Reason());
  }
  return values;
}

template <class Value>
std::vector<Value> Hdf5Reader::ListAttribute(const std::string& object,
                                             const std::string& name) const {
  const std::string what = "attribute '" + name + "' of " + object;
  const Handle attribute(OpenAttribute(object, name, TypeOf<Value>::kName), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (!HasType<Value>(type)) Fail(what, TypeOf<Value>::kName);
  std::vector<Value> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  if (!values.empty() && H5Aread(attribute, TypeOf<Value>::InMemory(), values.data()) < 0) {
    Fail(what, "readable data" + Reason());
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
  const std::string what = "attribute '" + name + "' of " + object;
  const Handle attribute(OpenAttribute(object, name, "fixed-length text"), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (!IsFixedText(type)) Fail(what, "fixed-length text");
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  const std::size_t size = H5Tget_size(type);
  std::string padded(count * size, '\0');
  if (!padded.empty() && H5Aread(attribute, type, padded.data()) < 0) {
    Fail(what, "readable data" + Reason());
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
  template void Hdf5Writer::Attribute(const std::string&, const std::string&, Value);           \
  template void Hdf5Writer::ListAttribute(const std::string&, const std::string&,               \
                                          std::span<const Value>);                              \
  template Value Hdf5Reader::Attribute(const std::string&, const std::string&) const;           \
  template std::vector<Value> Hdf5Reader::ListAttribute(const std::string&, const std::string&) \
      const;
#define SCREE_INSTANTIATE_ROWS(Value)                                                     \
  template void Hdf5Writer::Rows(const std::string&, std::span<const Value>, RowShape);   \
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

std::string Hdf5LibraryVersion() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return Text(major, ".", minor, ".", release);
}

}  // namespace scree

// Writing; hdf5_reader.cpp reads.
#include "io/files/hdf5_file.hpp"

#include <hdf5.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <limits>
#include <sstream>

#include "io/files/collective_call.hpp"
#include "io/files/hdf5_objects.hpp"
#include "io/files/held_folder.hpp"
#include "io/files/joined_rows.hpp"
#include "solvers/base/check.hpp"

namespace scree {

using namespace hdf5;

namespace {

/// Hints for MPI-IO. They depend on the machine, so they come from the environment (hdf5_file.hpp).
class IoHints {
 public:
  /// The hints of root, on all ranks. @throws OutputError if one is not name=value
  explicit IoHints(const Communicator& communicator) {
    const char* own_text = std::getenv(kIoHintsVariable);
    const std::string hint_texts = communicator.Broadcast(own_text == nullptr ? "" : own_text);
    MPI_Info_create(&info_);
    std::istringstream hints(hint_texts);
    for (std::string hint; std::getline(hints, hint, ';');) {
      const std::size_t equals = hint.find('=');
      if (equals == 0 || equals == hint.npos || equals + 1 == hint.size()) {
        MPI_Info_free(&info_);
        throw OutputError(Text(kIoHintsVariable, "='", hint_texts, "': '", hint,
                               "' is not a hint for MPI-IO; expected name=value, with ; between "
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

/// Open MPI guards the shared file pointer of MPI-IO, which HDF5 never uses, by a system-wide
/// semaphore that is named after the file. A program that is killed while it holds the semaphore
/// leaves it locked, and then all programs that write a file of this name wait for ever. Other
/// components of Open MPI lock a separate file instead. Open MPI reads the environment when the
/// first file is opened. The setting is here, not in apps/common/open_mpi_settings.cpp, because
/// Python and other programs that use this library also write files.
void DisableSharedfpSm() { setenv("OMPI_MCA_sharedfp", "^sm", 0); }

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr double kPatience = 30.0;  // longest wait of a rank whose write has failed [s]

hid_t WithoutTimes(hid_t properties) {
  H5Pset_obj_track_times(properties, false);
  return properties;
}

hid_t FixedTextType(std::size_t size) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, std::max<std::size_t>(size, 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

}  // namespace

Hdf5Writer::Hdf5Writer(const Communicator& communicator, const std::string& path)
    : communicator_(communicator), path_(path), exceptions_(std::uncaught_exceptions()) {
  PrepareHdf5();
  DisableSharedfpSm();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const Handle creation(WithoutTimes(H5Pcreate(H5P_FILE_CREATE)), H5Pclose);
  H5Pset_fapl_mpio(access, MPI_Comm_f2c(static_cast<MPI_Fint>(communicator.FortranHandle())),
                   IoHints(communicator));
  // If only some ranks can open the file (a folder was just renamed, or is not shared by all
  // nodes), MPI libraries hang. The ranks therefore first agree on a name that stays valid.
  CallOnAll<OutputError>(communicator_, [&] { folder_ = std::make_unique<DirectoryHandle>(path); });
  CallOnRoot<OutputError>(communicator_, [&] { folder_->MakeFile(); });
  CallOnAll<OutputError>(communicator_, [&] { folder_->RequireFile(); });
  file_ = H5Fcreate(folder_->PathOfFile().c_str(), H5F_ACC_TRUNC, creation, access);
  CallOnAll<OutputError>(communicator_, [&] {
    if (file_ < 0) throw OutputError(scree::Text("cannot write '", path_, "'", Reason()));
  });
}

Hdf5Writer::~Hdf5Writer() {
  if (file_ >= 0 && std::uncaught_exceptions() == exceptions_) H5Fclose(file_);
}

void Hdf5Writer::CheckAll(bool succeeded, const std::string& object) const {
  const std::string failure =
      succeeded ? "" : scree::Text("cannot write ", object, " of '", path_, "'", Reason());
  // A rank that has not failed waits for the slowest disk. A rank that has failed waits only for a
  // limited time.
  if (!communicator_.BarrierWithin(succeeded ? kForever : kPatience))
    throw LocalWriteError(failure);
  CallOnAll<UnclosedFile>(communicator_, [&] {
    if (!succeeded) throw OutputError(failure);
  });
}

void Hdf5Writer::Close() {
  const hid_t file = file_;
  file_ = -1;
  CheckAll(H5Fclose(file) >= 0, "the end");
}

void Hdf5Writer::MakeGroup(const std::string& path) {
  const Handle creation(WithoutTimes(H5Pcreate(H5P_GROUP_CREATE)), H5Pclose);
  // An attribute above 64 KiB, such as the names of thousands of walls, requires an object header
  // that tracks the order of attributes. Smaller ones stay in the header, however many there are.
  const bool is_set = H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED) >= 0 &&
                      H5Pset_attr_phase_change(creation, 65535, 0) >= 0;
  const Handle group(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
  CheckAll(is_set && group.IsValid(), path);
}

void Hdf5Writer::WriteAttribute(const std::string& object, const std::string& name,
                                std::int64_t type, std::int64_t space, const void* data) {
  const Handle attribute(H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space,
                                           H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  const bool is_empty = H5Sget_simple_extent_npoints(space) == 0;
  CheckAll(attribute.IsValid() && (is_empty || H5Awrite(attribute, type, data) >= 0),
           "attribute '" + name + "' of " + object);
}

template <class Value>
void Hdf5Writer::Attribute(const std::string& object, const std::string& name, Value value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  WriteAttribute(object, name, TypeOf<Value>::MemoryType(), space, &value);
}

template <class Value>
void Hdf5Writer::ListAttribute(const std::string& object, const std::string& name,
                               std::span<const Value> values) {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  WriteAttribute(object, name, TypeOf<Value>::MemoryType(), space, values.data());
}

void Hdf5Writer::TextAttribute(const std::string& object, const std::string& name,
                               const std::string& text) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle type(FixedTextType(text.size()), H5Tclose);
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
  const Handle type(FixedTextType(longest), H5Tclose);
  WriteAttribute(object, name, type, space, padded.data());
}

void Hdf5Writer::Text(const std::string& path, const std::string& text) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle type(FixedTextType(text.size()), H5Tclose);
  const Handle creation(WithoutTimes(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
  const Handle dataset(
      H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  if (!communicator_.IsRoot()) H5Sselect_none(space);
  CheckAll(
      dataset.IsValid() && H5Dwrite(dataset, type, space, space, H5P_DEFAULT, text.c_str()) >= 0,
      path);
}

template <class Value>
void Hdf5Writer::Rows(const std::string& path, std::span<const Value> values, RowShape shape) {
  SCREE_DEMAND(values.size() % shape.EntriesPerRow() == 0);
  const std::size_t row = shape.EntriesPerRow();
  const auto total =
      static_cast<std::size_t>(communicator_.Sum(static_cast<std::int64_t>(values.size() / row)));
  const JoinedRows joined(communicator_, std::as_bytes(values), total * row * sizeof(Value));
  const std::size_t own_rows = joined.Bytes().size() / (row * sizeof(Value));
  const auto first =
      static_cast<std::size_t>(communicator_.ExclusiveSum(static_cast<std::int64_t>(own_rows)));

  const Extent extent = MakeExtent(shape, 1, total, shape.columns);
  const Handle in_file(H5Screate_simple(extent.rank, extent.sizes.data(), nullptr), H5Sclose);
  const hsize_t entries = own_rows * row;
  const Handle in_memory(H5Screate_simple(1, &entries, nullptr), H5Sclose);
  const Handle creation(WithoutTimes(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  const bool is_single_precision = shape.single && std::is_same_v<Value, double>;
  const hid_t stored_type = is_single_precision ? H5T_IEEE_F32LE : TypeOf<Value>::FileType();
  const Handle dataset(
      H5Dcreate2(file_, path.c_str(), stored_type, in_file, H5P_DEFAULT, creation, H5P_DEFAULT),
      H5Dclose);
  bool succeeded = dataset.IsValid() && SelectRows(in_file, shape, first, own_rows);
  if (own_rows == 0) succeeded = H5Sselect_none(in_memory) >= 0 && succeeded;
  CheckAll(succeeded, path);
  if (total == 0) return;
  CheckAll(H5Dwrite(dataset, TypeOf<Value>::MemoryType(), in_memory, in_file, H5P_DEFAULT,
                    joined.Bytes().data()) >= 0,
           path);
}

void Hdf5Writer::Link(const std::string& existing, const std::string& path) {
  CheckAll(
      H5Lcreate_hard(file_, existing.c_str(), file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0,
      path);
}

// ---- the types that files hold

#define SCREE_INSTANTIATE_ATTRIBUTES(Value)                                           \
  template void Hdf5Writer::Attribute(const std::string&, const std::string&, Value); \
  template void Hdf5Writer::ListAttribute(const std::string&, const std::string&,     \
                                          std::span<const Value>);
#define SCREE_INSTANTIATE_ROWS(Value) \
  template void Hdf5Writer::Rows(const std::string&, std::span<const Value>, RowShape);
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

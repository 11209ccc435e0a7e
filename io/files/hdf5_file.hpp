/// \file  HDF5 files, written by all ranks together and read by each rank separately. Only this
///        code calls HDF5.
///
/// Equal calls give equal bytes: no times are stored, and text is padded with zeros. An HDF5 error
/// becomes one exception that names the file and the object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "solvers/base/check.hpp"

namespace scree {

class DirectoryHandle;

/// Version of the HDF5 library, "1.10.8".
std::string Hdf5LibraryVersion();

/// The shape of a dataset with N rows.
///
///     columns 0  [N]          columns 3  [N][3]
///     frame      [1][N]       frame      [1][N][3]     a time series of H5MD with one frame
struct RowShape {
  std::size_t columns = 0;  // entries of a row; 0: a row is a single value
  bool frame = false;       // whether there is a first axis, of one frame
  bool single = false;  // whether doubles are written in 32 bits; reading accepts both precisions

  std::size_t EntriesPerRow() const { return columns == 0 ? 1 : columns; }
};

/// Environment variable with hints for MPI-IO, "striping_factor=16;striping_unit=4194304". They
/// depend on the file system of a machine, so they are not keys of a scene. The MPI library defines
/// their names.
inline constexpr const char* kIoHintsVariable = "SCREE_MPI_IO_HINTS";

/// A file could not be written and is still open. Closing it would write again, and HDF5 and MPI
/// libraries can then hang or crash, even in MPI_Finalize. The program must therefore exit without
/// MPI_Finalize.
class UnclosedFile : public OutputError {
  using OutputError::OutputError;
};

/// An UnclosedFile on this rank only, while the other ranks wait for this rank inside HDF5. This
/// happens with MPICH's MPI-IO (ROMIO). The rank must abort the run.
class LocalWriteError : public UnclosedFile {
  using UnclosedFile::UnclosedFile;
};

/// A new file. All calls are collective, with the same arguments on all ranks unless noted. A
/// failure on one rank becomes an UnclosedFile on all ranks, or an OutputError if the file does not
/// exist yet. It becomes a LocalWriteError if the other ranks do not learn of it within half a
/// minute. Each rank writes independently, after small pieces have been joined (joined_rows),
/// because collective writes do not always report a full disk.
///
/// Value is double, std::int64_t or std::int32_t; in attributes also std::uint64_t.
class Hdf5Writer {
 public:
  /// Replaces an existing file.
  Hdf5Writer(const Communicator& communicator, const std::string& path);
  /// Closes the file; collective. While an exception is in flight, leaves the file open instead.
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  /// Makes a group; its parent must exist.
  void MakeGroup(const std::string& path);

  /// Attributes of a group or dataset: one value, or a list.
  template <class Value>
  void Attribute(const std::string& object, const std::string& name, Value value);
  template <class Value>
  void ListAttribute(const std::string& object, const std::string& name,
                     std::span<const Value> values);
  void TextAttribute(const std::string& object, const std::string& name, const std::string& text);
  void TextListAttribute(const std::string& object, const std::string& name,
                         std::span<const std::string> texts);

  /// Writes a text of any length as a dataset. (An attribute of a dataset is limited to 64 KiB.)
  void Text(const std::string& path, const std::string& text);

  /// Writes a dataset of the rows of all ranks, in rank order.
  /// @param values  any number of rows of this rank
  template <class Value>
  void Rows(const std::string& path, std::span<const Value> values, RowShape shape);

  /// Gives an existing object the second name `path`.
  void Link(const std::string& existing, const std::string& path);

  /// Writes the remaining data. On return the file is on disk; if it cannot be written, throws
  /// OutputError.
  void Close();

 private:
  void CheckAll(bool succeeded, const std::string& object) const;
  void WriteAttribute(const std::string& object, const std::string& name, std::int64_t type,
                      std::int64_t space, const void* data);

  const Communicator communicator_;
  std::string path_;
  int exceptions_;  // number in flight at construction
  std::unique_ptr<DirectoryHandle>
      folder_;  // open until the file is closed, because MPI-IO then removes a lock file from it
  std::int64_t file_ = -1;
};

/// A file opened for reading by this rank alone. All errors are FileErrors. All data must be in the
/// file itself: links to other files, external and virtual datasets are errors. Compressed
/// datasets and datasets that were never written are errors too, because their declared size could
/// exceed any memory.
class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::string& path);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  /// Whether a group or dataset of this name exists.
  bool Has(const std::string& path) const;

  bool HasAttribute(const std::string& object, const std::string& name) const;

  /// Describes sizes and type of a dataset: "1 x 300 x 3, 64-bit floating-point numbers".
  std::string DescribeDataset(const std::string& path) const;

  /// Number of rows N of a dataset, which must have this shape.
  std::size_t CountRows(const std::string& path, RowShape shape) const;

  /// Rows first .. first + count - 1 of a dataset of this shape and type, as one array.
  template <class Value>
  std::vector<Value> Rows(const std::string& path, RowShape shape, std::size_t first,
                          std::size_t count) const;

  template <class Value>
  Value Attribute(const std::string& object, const std::string& name) const;
  template <class Value>
  std::vector<Value> ListAttribute(const std::string& object, const std::string& name) const;
  std::string TextAttribute(const std::string& object, const std::string& name) const;
  std::vector<std::string> TextListAttribute(const std::string& object,
                                             const std::string& name) const;
  std::string Text(const std::string& path) const;

  const std::string& Path() const { return path_; }

 private:
  [[noreturn]] void Fail(const std::string& object, const std::string& expected) const;
  std::int64_t OpenDataset(const std::string& path, const std::string& expected) const;
  std::int64_t OpenAttribute(const std::string& object, const std::string& name,
                             const std::string& expected) const;
  void RequireStored(const std::string& object, std::int64_t space, std::int64_t type,
                     std::uint64_t stored_bytes) const;

  std::string path_;
  std::uint64_t bytes_ = 0;  // of the file
  std::int64_t file_ = -1;
};

}  // namespace scree

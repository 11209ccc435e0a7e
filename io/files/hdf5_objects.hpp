/// \file  What writers and readers of HDF5 files share: objects that close themselves, types, rows.
#pragma once

#include <hdf5.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "io/files/hdf5_file.hpp"

namespace scree::hdf5 {

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
  bool IsValid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The HDF5 types of a Value in memory and in the file, and its name in error messages. HDF5's type
/// names are function calls, so these are functions too.
template <class Value>
struct TypeOf {
  static constexpr bool kIsFloat = std::same_as<Value, double>;
  static constexpr bool kIsWide = sizeof(Value) == 8, kIsSigned = std::is_signed_v<Value>;
  static_assert(kIsFloat ||
                (kIsSigned ? std::integral<Value> : std::same_as<Value, std::uint64_t>));
  static constexpr H5T_class_t kClass = kIsFloat ? H5T_FLOAT : H5T_INTEGER;
  static constexpr const char* kName = kIsFloat     ? "floating-point numbers"
                                       : !kIsSigned ? "64-bit unsigned integers"
                                       : kIsWide    ? "64-bit integers"
                                                    : "32-bit integers";
  static hid_t FileType() {
    if (kIsFloat) return H5T_IEEE_F64LE;
    if (!kIsSigned) return H5T_STD_U64LE;
    return kIsWide ? H5T_STD_I64LE : H5T_STD_I32LE;
  }
  static hid_t MemoryType() {
    if (kIsFloat) return H5T_NATIVE_DOUBLE;
    if (!kIsSigned) return H5T_NATIVE_UINT64;
    return kIsWide ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32;
  }
};

/// Turns off two defaults of HDF5. It would print its error stack, which our exceptions report in
/// one line. At exit it would close files that failed to close, which crashes because MPI has
/// ended.
inline void PrepareHdf5() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// The innermost reason that HDF5 gives for its last failure, as " (reason)"; empty if none.
inline std::string Reason() {
  std::string reason;
  const auto copy_reason = [](unsigned depth, const H5E_error2_t* error, void* text) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, copy_reason, &reason);
  return reason.empty() ? reason : Text(" (", reason, ")");
}

struct Extent {
  std::array<hsize_t, 3> sizes = {};
  int rank = 0;

  void Append(std::size_t size) { sizes[static_cast<std::size_t>(rank++)] = size; }
};

/// Sizes or offsets along the axes that the shape has: `lead` along the frame, `rows` along the
/// rows, `columns` along the columns.
inline Extent MakeExtent(RowShape shape, std::size_t lead, std::size_t rows, std::size_t columns) {
  Extent extent;
  if (shape.frame) extent.Append(lead);
  extent.Append(rows);
  if (shape.columns > 0) extent.Append(columns);
  return extent;
}

/// Selects rows first .. first + count - 1.
inline bool SelectRows(hid_t space, RowShape shape, std::size_t first, std::size_t count) {
  if (count == 0) return H5Sselect_none(space) >= 0;
  const Extent start = MakeExtent(shape, 0, first, 0);
  const Extent size = MakeExtent(shape, 1, count, shape.columns);
  return H5Sselect_hyperslab(space, H5S_SELECT_SET, start.sizes.data(), nullptr, size.sizes.data(),
                             nullptr) >= 0;
}

}  // namespace scree::hdf5

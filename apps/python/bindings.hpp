/// \file  The parts of the Python module scree._native. The package in scripts/scree wraps them.
///
/// The package checks and shapes the arguments. It passes contiguous arrays only.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "solvers/base/check.hpp"

namespace scree::python {

namespace py = pybind11;

/// A contiguous array; other arguments are converted to one.
template <class Number>
using Array = py::array_t<Number, py::array::c_style | py::array::forcecast>;

/// @throws InputError unless the array has these numbers of rows and columns
template <class Number>
void RequireShape(const Array<Number>& array, py::ssize_t rows, py::ssize_t columns,
                  const std::string& name) {
  if (array.ndim() == 2 && array.shape(0) == rows && array.shape(1) == columns) return;
  throw InputError(Text(name, " has ", array.ndim() == 2 ? array.shape(0) : array.size(),
                        " rows, or rows of another length; expected ", rows, " rows of ", columns));
}

/// Forbids __new__ for a class, so that only functions of the module make its objects. An object
/// made by __new__ would have no C++ object, and its methods would crash.
inline void ForbidNew(const py::handle& bound) {
  auto* const type = reinterpret_cast<PyTypeObject*>(bound.ptr());
  type->tp_new = nullptr;
  PyType_Modified(type);
}

void BindEngine(py::module_& module);
void BindSolvers(py::module_& module);
void BindImpact(py::module_& module);

}  // namespace scree::python

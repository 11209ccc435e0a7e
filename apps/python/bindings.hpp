/// \file  The parts of the Python module scree._native, which scripts/scree puts its own words
/// around.
///
/// Arguments are checked and given their shapes there; what comes here are contiguous arrays.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "solvers/base/check.hpp"

namespace scree::python {

namespace py = pybind11;

/// Contiguous, converted if need be.
template <class Number>
using Array = py::array_t<Number, py::array::c_style | py::array::forcecast>;

/// @throws InputError unless the array has so many rows of so many numbers
template <class Number>
void RequireShape(const Array<Number>& array, py::ssize_t rows, py::ssize_t columns,
                  const std::string& name) {
  if (array.ndim() == 2 && array.shape(0) == rows && array.shape(1) == columns) return;
  throw InputError(Text(name, " has ", array.ndim() == 2 ? array.shape(0) : array.size(),
                        " rows or another shape; expected ", rows, " rows of ", columns));
}

/// Makes functions of the module the only source of a class's objects: pybind11 gives methods of an
/// object that was never initialised, as __new__ makes it, memory with nothing in it.
inline void ForbidNew(const py::handle& bound) {
  auto* const type = reinterpret_cast<PyTypeObject*>(bound.ptr());
  type->tp_new = nullptr;
  PyType_Modified(type);
}

void BindEngine(py::module_& module);
void BindSolvers(py::module_& module);
void BindImpact(py::module_& module);

}  // namespace scree::python

// The module scree._native: the compiled part of the Python package scree (scripts/scree). The
// package's modules engine, solvers and impact use it.
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <vector>

#include "apps/python/agreement.hpp"
#include "apps/python/bindings.hpp"
#include "apps/single/models/hysteresis_damping.hpp"
#include "apps/single/models/routh.hpp"
#include "engine/ranks/communicator.hpp"
#include "io/files/build_info.hpp"
#include "io/files/hdf5_file.hpp"
#include "solvers/one_contact/contact_restitution.hpp"
#include "solvers/simd/simd_level.hpp"

namespace scree::python {
namespace {

void Raise(const char* name, const std::exception& error) {
  const py::object type = py::module_::import("scree.errors").attr(name);
  PyErr_SetString(type.ptr(), error.what());
}

/// Translates an error of the engine to an exception of the package with the same message.
void Translate(std::exception_ptr caught) {
  try {
    if (caught) std::rethrow_exception(caught);
  } catch (const std::bad_alloc& error) {
    AbortOnLocalError(error);
    throw;  // pybind11 makes it a MemoryError
  } catch (const LocalWriteError& error) {
    AbortOnLocalError(error);
    Raise("OutputError", error);
  } catch (const InputError& error) {
    Raise("UsageError", error);
  } catch (const FileError& error) {
    Raise("FileError", error);
  } catch (const SimulationError& error) {
    Raise("SimulationError", error);
  } catch (const OutputError& error) {
    Raise("OutputError", error);
  }
}

/// The names of an enumeration's values, in numerical order, up to `last`.
template <class Enumeration>
std::vector<std::string> NamesUpTo(Enumeration last) {
  std::vector<std::string> names;
  for (int k = 0; k <= static_cast<int>(last); ++k) names.emplace_back(Name(Enumeration{k}));
  return names;
}

/// The names of all values that are numbers in this module and words in the package.
std::map<std::string, std::vector<std::string>> Names() {
  return {{"laws", NamesUpTo(ContactLaw::kCoulomb)},
          {"hypotheses", NamesUpTo(RestitutionHypothesis::kEnergetic)},
          {"states", NamesUpTo(ContactState::kZero)},
          {"formulas", NamesUpTo(impact::HysteresisFormula::kExact)},
          {"routh_modes", NamesUpTo(impact::RouthMode::kSlipFromStart)}};
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  py::register_exception_translator(Translate);
  module.def("version", &ProgramVersion);
  module.def("build_description", &BuildDescription);
  module.def("simd_level", &SimdLevel);
  module.def("mpi_library", &MpiLibraryVersion);
  module.def("names", &Names);
  BindEngine(module);
  BindSolvers(module);
  BindImpact(module);
}

}  // namespace scree::python

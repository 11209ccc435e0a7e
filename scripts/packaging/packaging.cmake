# cpack: a tarball of the installed tree, and packages for Debian (see scripts/packaging/README.md).
set(CPACK_PACKAGE_NAME scree)
set(CPACK_PACKAGE_CONTACT "The Scree developers <developers@scree.example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME scree-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL programs development)
if(SCREE_HAS_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

# ---- scree: programs, libraries, scripts, scenes; libscree-dev: headers and CMake files; python3-scree: the package for
# `import scree`, with its compiled part
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME scree)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS "openmpi-bin, python3")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS
  "python3-scree, python3-numpy, python3-scipy, python3-h5py, python3-xxhash, python3-matplotlib, python3-pandas, python3-pil, libjs-three")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "libscree-dev, paraview")
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION
"Scree computes the motion of many rigid spheres and clumps of spheres that
touch, slide and roll, with hard contacts and Coulomb friction. It runs on one
core or, over MPI, on many nodes, writes HDF5 snapshots that ParaView and the
enclosed scripts read, and models single impacts.

scree-run --self-test tries the installation.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libscree-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libeigen3-dev, libopenmpi-dev, libhdf5-openmpi-dev, libboost-dev, libboost-program-options-dev, libxxhash-dev, zlib1g-dev, scree (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS cmake)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"Headers of the granular dynamics engine Scree, for find_package(Scree) in
CMake, with an example program.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-scree)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
# The compiled part is for one version of Python; the rest of the package is with the scripts.
if(SCREE_HAS_PYTHON)
  math(EXPR scree_next_python "${SCREE_PYTHON_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${SCREE_PYTHON_MINOR}~), python3 (<< 3.${scree_next_python}), python3-numpy, scree (= ${PROJECT_VERSION}-1)")
endif()
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS
  "python3-mpi4py, python3-scipy, python3-h5py, python3-xxhash, python3-matplotlib, python3-pandas")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
"Python package of the granular dynamics engine Scree: scenes that are stepped
from Python, on arrays of NumPy and with your own forces; single contacts
and impacts; runs of scree-run as tables and arrays.")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/scripts/packaging/debian_files.cmake)
set(CPACK_SCREE_PACKAGING ${PROJECT_SOURCE_DIR}/scripts/packaging)
include(CPack)

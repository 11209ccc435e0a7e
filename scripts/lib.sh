# shellcheck shell=bash
# Common parts of the shell scripts: packages, the build, the environment of mpirun. They source this file after
# `set -euo pipefail`.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
readonly root

PrintError() { printf '%s\n' "$*" >&2; }

Fail() {
  PrintError "error: $*"
  exit 2
}

# Names in scripts/packages.txt, one per line.
ListedPackages() {
  sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$root/scripts/packages.txt" | cut -d' ' -f1
}

# Listed Debian packages that are not installed, one per line.
MissingPackages() {
  local names
  mapfile -t names < <(ListedPackages)
  comm -23 <(printf '%s\n' "${names[@]}" | sort -u) \
    <(dpkg-query -W -f='${Package} ${Status}\n' "${names[@]}" 2>/dev/null | sed -n 's/ install ok installed$//p' | sort -u)
}

# Prints how to get the packages on systems other than Debian.
PrintOtherSystems() {
  cat >&2 <<'TEXT'
On a cluster, where modules have other names (module avail):
  module load gcc cmake openmpi hdf5 boost eigen
With Spack:
  spack install cmake openmpi hdf5+mpi eigen boost+program_options+math xxhash googletest
  spack load cmake openmpi hdf5 eigen boost xxhash googletest
With conda:
  conda create -n scree -c conda-forge cxx-compiler make cmake openmpi "hdf5=*=mpi_openmpi*" eigen libboost-devel zlib \
    xxhash gtest numpy scipy h5py python-xxhash matplotlib pandas pillow pybind11 mpi4py && conda activate scree
Then start again with SCREE_PACKAGES=own, so that Debian's packages are not required; CMAKE_PREFIX_PATH and HDF5_ROOT name the folders of
libraries that CMake does not find by itself. scripts/cluster/README.md has more.
TEXT
}

# Exits with 2 if a program or Python module is missing. Packages cannot be checked, because other distributions give
# them other names. CMake searches for libraries.
CheckForeignSystem() {
  local missing=() program
  for program in c++ make cmake mpirun python3; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  if command -v python3 >/dev/null && ! "$root/scripts/render.py" --help >/dev/null 2>&1; then
    missing+=("Python modules numpy, scipy, h5py, matplotlib")
  fi
  if ((${#missing[@]})); then
    PrintError "Not found:"
    printf '  %s\n' "${missing[@]}" >&2
    PrintError "Without Debian's packages Scree needs these, under the names your system has for them:"
    sed '/^#/d; s/^/  /' "$root/scripts/packages.txt" >&2
    PrintOtherSystems
    exit 2
  fi
}

# Installs the listed packages that are missing. This needs root, or sudo without a password; otherwise it exits with 2
# and prints the command that installs them.
EnsurePackages() {
  if [[ ${SCREE_PACKAGES-} == own ]] || ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    CheckForeignSystem
    return
  fi
  local missing as_root=()
  mapfile -t missing < <(MissingPackages)
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
      PrintError "These Debian packages are missing:"
      printf '  %s\n' "${missing[@]}" >&2
      PrintError "Install them as root, then start again:"
      PrintError "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
      PrintError "Without root:"
      PrintOtherSystems
      exit 2
    fi
    as_root=(sudo -n)
  fi
  PrintError "Installing missing packages: ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
             apt-get -q -o DPkg::Lock::Timeout=300)
  # After a failed update the lists may still be usable, so only the install may fail.
  "${apt[@]}" update >&2 || PrintError "apt-get update failed; trying with the existing package lists."
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 ||
    Fail "apt-get could not install: ${missing[*]} (see the messages above)"
}

# Build [CMake target ...]: configures the release preset and builds the targets, all by default.
Build() {
  local target=()
  (($#)) && target=(--target "$@")
  (cd -- "$root" && cmake --preset release >&2) ||
    Fail "CMake could not configure the build (see the messages above)"
  (cd -- "$root" && cmake --build --preset release --parallel "$(nproc)" "${target[@]}" >&2) || {
    PrintError "error: the build failed (see the messages above)"
    exit 1
  }
}

# Processor cores that this process may use; hardware threads of one core count once.
Cores() {
  local threads cores
  threads=$(nproc)
  cores=$(lscpu -p=CORE,SOCKET 2>/dev/null | grep -v '^#' | sort -u | wc -l || true)
  if ((cores > 0 && cores < threads)); then printf '%d\n' "$cores"; else printf '%d\n' "$threads"; fi
}

# PrepareMpirun RANKS: lifts restrictions of Open MPI's mpirun that may prevent the run.
PrepareMpirun() {
  local ranks=$1
  if ((EUID == 0)); then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  # mpirun counts whole cores, nproc the cores that a container allows, so mpirun might refuse ranks that nproc allows.
  export OMPI_MCA_rmaps_base_oversubscribe=1
  if ((ranks > $(nproc))); then
    export OMPI_MCA_hwloc_base_binding_policy=none
  fi
  # A program that fails has printed the reason; mpirun's own messages would bury it.
  export OMPI_MCA_orte_execute_quiet=1
  # Containers often forbid a process to read the memory of another, which Open MPI detects too late.
  if [[ -e /.dockerenv || -e /run/.containerenv ]]; then
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
  fi
}

# RunMpi PROGRAM [argument ...]: runs on $ranks processes. Converts signals that end a program to SIGUSR1, which mpirun
# forwards, so that a run writes a checkpoint and exits with 75. After most other signals mpirun would end the ranks within
# a second.
RunMpi() {
  local child code=0
  setsid mpirun -n "$ranks" "$@" &
  child=$!
  trap 'kill -USR1 "$child" 2>/dev/null || true' INT TERM HUP USR1 USR2 XCPU
  # A signal interrupts `wait` but does not end the run. `wait` then returns the code of the signal, so the exit code of
  # the run is read after its end.
  while kill -0 "$child" 2>/dev/null; do wait "$child" || true; done
  wait "$child" || code=$?
  trap - INT TERM HUP USR1 USR2 XCPU
  return "$code"
}

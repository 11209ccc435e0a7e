"""Spack's recipe: copy this folder as packages/scree into a repository of yours (spack repo create), then

    spack install scree

scripts/release writes the digest of the tarball, which `manual_download` wants beside the recipe or in a mirror.
"""

from spack.package import CMakePackage, depends_on, license, variant, version


class Scree(CMakePackage):
    """MPI-parallel granular dynamics with hard contacts and Coulomb friction."""

    manual_download = True
    license("BSD-3-Clause")

    version("0.1.0")

    variant("tests", default=False, description="Build the tests")
    variant("bindings", default=False, description="Build the engine for Python: scree.engine")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi")
    depends_on("hdf5@1.10: +mpi")
    depends_on("eigen@3.4:3")
    depends_on("boost@1.74: +program_options +math")
    depends_on("libsndfile")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("googletest@1.12:", when="+tests")
    depends_on("python@3.10:", type="run")
    depends_on("python@3.10:", type=("build", "link"), when="+bindings")
    depends_on("py-pybind11@2.10:", type="build", when="+bindings")
    depends_on("py-numpy", type="build", when="+bindings")
    depends_on("py-mpi4py", type="run", when="+bindings")
    for module in ("numpy", "scipy", "h5py", "xxhash", "matplotlib", "pandas", "pillow"):
        depends_on(f"py-{module}", type="run")

    def cmake_args(self):
        # Spack's compiler wrapper chooses the instruction set of the target.
        return [
            self.define("SCREE_MARCH", ""),
            self.define_from_variant("SCREE_TESTS", "tests"),
            self.define("SCREE_PYTHON", "ON" if self.spec.satisfies("+bindings") else "OFF"),
        ]

    def url_for_version(self, version):
        return f"file:///nowhere/scree-{version}.tar.gz"

"""scripts/check_includes.py turns red for each kind of violation, and only then."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_includes.py"

ALLOWED = {
    "solvers/sweep.hpp": "#include <Eigen/Core>\n#include <vector>\n#include <immintrin.h>\n",
    "solvers/sweep.cpp": '#include "solvers/sweep.hpp"\n#include <boost/math/tools/roots.hpp>\n',
    "solvers/check.hpp": "#include <cstdio>\n",
    "engine/communicator.cpp": '#include <mpi.h>\n#include "solvers/sweep.hpp"\n',
    "engine/step.cpp": '// #include "io/config.hpp"\n/*\n#include "apps/loop.hpp"\n*/\n',
    "io/hdf5_file.cpp": '#include <hdf5.h>\n#include <mpi.h>\n#include "engine/step.hpp"\n',
    "io/split_arguments.cpp": "#include <boost/program_options.hpp>\n#include <iostream>\n",
    "apps/run.cpp": '#include <unistd.h>\n#include "io/config.hpp"\n',
    "tests/any_test.cpp": '#include "../engine/step.hpp"\n#include <mpi.h>\n',
}

FORBIDDEN = {  # file, line that breaks the rule, words of the reason
    "solvers include engine": ("solvers/a.cpp", '#include "engine/step.hpp"', "above solvers"),
    "engine includes io": ("engine/a.cpp", '#include "io/config.hpp"', "above engine"),
    "io includes apps": ("io/a.hpp", '#include "apps/loop.hpp"', "above io"),
    "angle brackets": ("solvers/a.cpp", "#include <engine/step.hpp>", "above solvers"),
    "space before": ("solvers/a.cpp", '  #  include "engine/step.hpp"', "above solvers"),
    "subfolder": ("solvers/impact/a.cpp", '#include "io/config.hpp"', "above solvers"),
    "relative": ("engine/a.cpp", '#include "step.hpp"', "path from the root"),
    "upwards": ("engine/a.cpp", '#include "engine/../io/config.hpp"', "path from the root"),
    "tests": ("apps/a.cpp", '#include "tests/support/a.hpp"', "path from the root"),
    "MPI in engine": ("engine/halo.cpp", "#include <mpi.h>", "MPI is known only"),
    "MPI in solvers": ("solvers/a.cpp", "#include <mpi.h>", "MPI is known only"),
    "MPI in quotes": ("apps/a.cpp", '#include "mpi.h"', "MPI is known only"),
    "HDF5 in io": ("io/snapshot.cpp", "#include <hdf5.h>", "HDF5 is known only"),
    "part of HDF5": ("apps/a.cpp", "#include <H5Fpublic.h>", "HDF5 is known only"),
    "options": ("apps/a.cpp", "#include <boost/program_options.hpp>", "Program_options is known"),
    "other Boost": ("io/a.cpp", "#include <boost/mpi.hpp>", "of Boost only"),
    "Boost in engine": ("engine/a.cpp", "#include <boost/math/tools/roots.hpp>", "no Boost"),
    "printing": ("solvers/a.cpp", "#include <iostream>", "prints nothing"),
    "files": ("engine/a.cpp", "#include <fstream>", "knows no files"),
    "system": ("engine/a.cpp", "#include <unistd.h>", "standard library and Eigen only"),
    "macro": ("engine/a.cpp", "#include HEADER", "cannot be checked"),
}


def write_tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def check(root):
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)
        write_tree(self.root, ALLOWED)

    def test_allowed_tree_is_green(self):
        result = check(self.root)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_each_violation_is_red(self):
        for kind, (name, line, reason) in FORBIDDEN.items():
            with self.subTest(kind), tempfile.TemporaryDirectory() as directory:
                root = pathlib.Path(directory)
                write_tree(root, {**ALLOWED, name: f"// first\n{line}\n"})
                result = check(root)
                self.assertEqual(result.returncode, 1, kind)
                self.assertEqual(len(result.stdout.splitlines()), 1, result.stdout)
                self.assertTrue(result.stdout.startswith(f"{name}:2: "), result.stdout)
                self.assertIn(reason, result.stdout)

    def test_several_violations_are_all_reported(self):
        write_tree(self.root, {"engine/a.cpp": '#include "io/x.hpp"\n\n#include <mpi.h>\n'})
        lines = check(self.root).stdout.splitlines()
        places = [line.split(": ")[0] for line in lines]
        self.assertEqual(places, ["engine/a.cpp:1", "engine/a.cpp:3"])

    def test_wrong_directory_is_not_green(self):
        result = check(self.root / "engine")
        self.assertEqual(result.returncode, 2)
        self.assertIn("it lacks solvers", result.stderr)


if __name__ == "__main__":
    unittest.main()

"""scripts/check_includes.py reports each kind of violation and nothing else."""

import subprocess
import sys
import unittest

from made_snapshot import SCRIPTS
from script_test import new_folder

SCRIPT = SCRIPTS / "check_includes.py"

ALLOWED = {
    "solvers/sweeps/sweep.hpp": "#include <Eigen/Core>\n#include <vector>\n#include <immintrin.h>\n",
    "solvers/sweeps/sweep.cpp": '#include "solvers/sweeps/sweep.hpp"\n#include <boost/math/tools/roots.hpp>\n',
    "solvers/base/check.hpp": "#include <cstdio>\n",
    "solvers/restitution/a.cpp": '#include "solvers/base/check.hpp"\n#include "solvers/restitution/a.hpp"\n',
    "engine/contacts/restitution.hpp": '#include "solvers/restitution/a.hpp"\n',
    "engine/ranks/communicator.cpp": '#include <mpi.h>\n#include "solvers/sweeps/sweep.hpp"\n',
    "engine/step/step.cpp": '// #include "io/scene/config.hpp"\n/*\n#include "apps/run/loop.hpp"\n*/\n',
    "io/files/hdf5_file.cpp": '#include <hdf5.h>\n#include <mpi.h>\n#include "engine/step/step.hpp"\n',
    "io/command_line/split_arguments.cpp": "#include <boost/program_options.hpp>\n#include <iostream>\n",
    "apps/run/run.cpp": '#include <unistd.h>\n#include "apps/common/a.hpp"\n#include "io/scene/config.hpp"\n',
    "tests/any_test.cpp": '#include "../engine/step/step.hpp"\n#include <mpi.h>\n',
}

FORBIDDEN = {  # file, line that breaks the rule, words of the error message
    "solvers include engine": ("solvers/sweeps/a.cpp", '#include "engine/step/step.hpp"', "to the right of solvers"),
    "engine includes io": ("engine/step/a.cpp", '#include "io/scene/config.hpp"', "to the right of engine"),
    "io includes apps": ("io/state/a.hpp", '#include "apps/run/loop.hpp"', "to the right of io"),
    "angle brackets": ("solvers/sweeps/a.cpp", "#include <engine/step/step.hpp>", "to the right of solvers"),
    "space before": ("solvers/sweeps/a.cpp", '  #  include "engine/step/step.hpp"', "to the right of solvers"),
    "subfolder": ("solvers/restitution/a.cpp", '#include "io/scene/config.hpp"', "to the right of solvers"),
    "another product": ("apps/bench/a.cpp", '#include "apps/run/a.hpp"', "another product than apps/bench"),
    "product in common": ("apps/common/a.cpp", '#include "apps/run/a.hpp"', "another product than apps/common"),
    "later folder of engine": (
        "engine/ranks/a.cpp",
        '#include "engine/step/step.hpp"',
        "to the right of engine/ranks",
    ),
    "later folder of solvers": (
        "solvers/batches/a.hpp",
        '#include "solvers/sweeps/sweep.hpp"',
        "to the right of solvers/batches",
    ),
    "later folder of io": (
        "io/files/a.hpp",
        '#include "io/state/snapshot.hpp"',
        "to the right of io/files",
    ),
    "unknown folder": ("io/state/a.cpp", '#include "io/attic/a.hpp"', "in no folder of io"),
    "relative": ("engine/step/a.cpp", '#include "step.hpp"', "path from the root"),
    "upwards": ("engine/step/a.cpp", '#include "engine/../io/scene/config.hpp"', "path from the root"),
    "tests": ("apps/run/a.cpp", '#include "tests/support/a.hpp"', "path from the root"),
    "MPI in engine": ("engine/ranks/halo.cpp", "#include <mpi.h>", "MPI may be included only"),
    "MPI in solvers": ("solvers/sweeps/a.cpp", "#include <mpi.h>", "MPI may be included only"),
    "MPI in quotes": ("apps/run/a.cpp", '#include "mpi.h"', "MPI may be included only"),
    "HDF5 in io": ("io/state/snapshot.cpp", "#include <hdf5.h>", "HDF5 may be included only"),
    "part of HDF5": ("apps/run/a.cpp", "#include <H5Fpublic.h>", "HDF5 may be included only"),
    "xxHash in apps": ("apps/run/a.cpp", "#include <xxhash.h>", "xxHash may be included only"),
    "options": ("apps/run/a.cpp", "#include <boost/program_options.hpp>", "Program_options may be"),
    "other Boost": ("io/state/a.cpp", "#include <boost/mpi.hpp>", "of Boost only"),
    "Boost in engine": ("engine/step/a.cpp", "#include <boost/math/tools/roots.hpp>", "no Boost"),
    "printing": ("solvers/sweeps/a.cpp", "#include <iostream>", "prints nothing"),
    "files": ("engine/step/a.cpp", "#include <fstream>", "has no files"),
    "system": ("engine/step/a.cpp", "#include <unistd.h>", "standard library and Eigen only"),
    "macro": ("engine/step/a.cpp", "#include HEADER", "cannot be checked"),
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
        self.root = new_folder(self.addCleanup)
        write_tree(self.root, ALLOWED)

    def test_allowed_tree_passes(self):
        result = check(self.root)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_each_violation_is_reported(self):
        for kind, (name, line, reason) in FORBIDDEN.items():
            with self.subTest(kind):
                root = new_folder(self.addCleanup)
                write_tree(root, {**ALLOWED, name: f"// first\n{line}\n"})
                result = check(root)
                self.assertEqual(result.returncode, 1, kind)
                self.assertEqual(len(result.stdout.splitlines()), 1, result.stdout)
                self.assertTrue(result.stdout.startswith(f"{name}:2: "), result.stdout)
                self.assertIn(reason, result.stdout)

    def test_several_violations_are_all_reported(self):
        write_tree(self.root, {"engine/step/a.cpp": '#include "io/state/x.hpp"\n\n#include <mpi.h>\n'})
        lines = check(self.root).stdout.splitlines()
        positions = [line.split(": ")[0] for line in lines]
        self.assertEqual(positions, ["engine/step/a.cpp:1", "engine/step/a.cpp:3"])

    def test_file_outside_the_folders_is_reported(self):
        write_tree(self.root, {"engine/a.cpp": "\n"})
        self.assertEqual(check(self.root).stdout, "engine/a.cpp:1: in no folder of engine\n")

    def test_wrong_directory_is_an_error(self):
        result = check(self.root / "engine")
        self.assertEqual(result.returncode, 2)
        self.assertIn("it lacks solvers", result.stderr)


if __name__ == "__main__":
    unittest.main()

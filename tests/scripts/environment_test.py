"""Scripts that continue, restart with another interpreter or name missing packages; lost output; whole files."""

import ast
import os
import subprocess
import sys
import unittest

from made_snapshot import SCRIPTS
from script_test import ScriptTest

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import _environment
_environment.SYSTEM_PYTHON = sys.argv[2]
_environment.require(*sys.argv[3:])
print("reached", sys.argv[3])
"""

# Replaces an interpreter that has every module: any import succeeds, and instead of running a script it prints its
# arguments.
COMPLETE_PYTHON = 'case "$1" in -c) exit 0 ;; esac\necho "restarted:" "$@"'
BARE_PYTHON = "exit 1"


class Environment(ScriptTest):
    def setUp(self):
        super().setUp()
        self.program = self.folder / "a program.py"
        self.program.write_text(PROGRAM)

    def run_with(self, system_python, *modules):
        interpreter = self.put_program("python3", system_python) if system_python else self.folder / "none"
        command = [sys.executable, self.program, SCRIPTS, interpreter, *modules]
        return subprocess.run(command, capture_output=True, text=True)

    def test_script_continues_if_all_modules_are_installed(self):
        result = self.run_with(BARE_PYTHON, "json", "math")
        self.assertEqual((result.returncode, result.stdout), (0, "reached json\n"))

    def test_script_restarts_under_the_interpreter_that_has_the_modules(self):
        result = self.run_with(COMPLETE_PYTHON, "no_such_module")
        self.assertEqual(result.returncode, 0)
        self.assertTrue(result.stdout.startswith(f"restarted: {self.program}"), result.stdout)
        self.assertTrue(result.stdout.endswith("no_such_module\n"), result.stdout)

    def test_other_interpreter_imports_a_module_once(self):
        packages = self.folder / "packages"
        packages.mkdir()
        (packages / "only_there.py").write_text(f"open({str(self.folder / 'imports')!r}, 'a').write('x')\n")
        other_interpreter = f'export PYTHONPATH="{packages}"\nexec "{sys.executable}" "$@"'
        result = self.run_with(other_interpreter, "only_there", "json")
        self.assertEqual((result.returncode, result.stdout), (0, "reached only_there\n"), result.stderr)
        self.assertEqual((self.folder / "imports").read_text(), "x")
        result = self.run_with(other_interpreter, "only_there", "no_such_module")
        self.assertEqual(result.returncode, 2)
        self.assertIn("apt-get install python3-only_there python3-no_such_module\n", result.stderr)
        self.assertEqual((self.folder / "imports").read_text(), "x")

    def test_missing_package_is_named_if_no_interpreter_has_it(self):
        for system_python in (BARE_PYTHON, None):
            result = self.run_with(system_python, "json", "no_such_module")
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("apt-get install python3-no_such_module\n", result.stderr)


class FullDisk(ScriptTest):
    def test_lost_output_is_an_error(self):
        """Results, help, or output before a usage error are lost; a script that prints nothing loses nothing."""
        program = self.folder / "printing.py"
        begin = f"import sys\nsys.path.insert(0, {str(SCRIPTS)!r})\nimport _environment, _command_line\n"
        for main, code in (("print('a result')\n  return 0", 5), ("return 0", 0), ("print('a')\n  sys.exit(0)", 5),
                           ("_command_line.parser('a').parse_args(['--help'])", 5),
                           ("print('a')\n  raise _command_line.UsageError('b')", 5)):  # fmt: skip
            program.write_text(f"{begin}def main():\n  {main}\n_command_line.run(main)\n")
            with self.subTest(main), open("/dev/full", "w") as full:
                process = subprocess.run([sys.executable, program], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(process.returncode, code, process.stderr)
                self.assertEqual("cannot be written" in process.stderr, code == 5)
                self.assertNotIn("Traceback", process.stderr)

    def test_program_without_a_main_function_reports_lost_output(self):
        """The tutorial is such a script, because it is also a notebook."""
        program = self.folder / "notebook.py"
        program.write_text(f"import sys\nsys.path.insert(0, {str(SCRIPTS)!r})\nimport _environment\nprint('a', flush=True)\n")
        with open("/dev/full", "w") as full:
            process = subprocess.run([sys.executable, program], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.returncode, 5, process.stderr)
        self.assertNotIn("Traceback", process.stderr)


# Functions that may write files without scree.whole_file, or within its path_of: {script: (functions, reason)}.
DIRECT = {
    "scree/whole_file.py": ("opened", "the module that the others use"),
    "manual.py": ("write lay_out lay_out_python", "pages for Sphinx, in a folder that the next manual empties"),
    "_study/running.py": ("_run", "a mark, which counts only if it is complete"),
    "scree/environment.py": ("_make", "into memory"), "scree/engine.py": ("save", "into memory"),
    "scree/figure.py": ("save", "within path_of"), "tutorial.py": ("save", "within path_of"),
    "release": ("make_tarball", "within path_of"),
    "_manual/gallery.py": ("make_card", "within path_of"), "scree/html.py": ("picture _compressed_png", "into memory"),
    "_release/binaries.py": ("make_tarball make_wheel write_programs", "within path_of, or in a folder that is removed"),
    "_release/trial.py": ("use_as_user", "in a root that is removed"),
    "scree/export/gns.py": ("write", "within path_of"), "scree/export/gltf.py": ("write", "within path_of"),
    "scree/film.py": ("draw", "within path_of"), "terrain.py": ("write_stl", "within path_of"),
    "urdf.py": ("write_stl write", "within path_of"),
}  # fmt: skip
WRITES = ("write_text", "write_bytes", "savefig", "imsave", "to_csv", "save")


def writers(node, function="", names=None):
    """Names of the functions of a program that write a file; "" stands for code outside all functions."""
    names = set() if names is None else names
    if isinstance(node, ast.FunctionDef):
        function = node.name
    if isinstance(node, ast.Call) and writes_directly(node):
        names.add(function)
    for child in ast.iter_child_nodes(node):
        writers(child, function, names)
    return names


def writes_directly(call):
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    modes = [constant.value for constant in [*call.args, *(word.value for word in call.keywords)] if isinstance(constant, ast.Constant)]
    is_atomic = name == "save" and ast.unparse(call.func) in ("scree.figure.save", "_study.page.save", "save")
    return (name in WRITES and not is_atomic) or (name == "open" and {"w", "wb", "a", "ab", "x"} & {*map(str, modes)})


class WholeFiles(unittest.TestCase):
    def test_scripts_write_whole_files_or_none(self):
        functions_of_scripts = {}
        for path in SCRIPTS.rglob("*"):
            if path.suffix == ".py" or path.name in ("release", "python", "reproduce_channel"):
                text = path.read_text(encoding="utf-8")
                if (path.suffix == ".py" or "python" in text.partition("\n")[0]) and (functions := writers(ast.parse(text))):
                    functions_of_scripts[str(path.relative_to(SCRIPTS))] = functions
        self.assertEqual(functions_of_scripts, {script: set(functions.split()) for script, (functions, _) in DIRECT.items()})


class PythonOfScree(ScriptTest):
    """Tests of scripts/python."""

    def test_python_of_scree_has_the_package(self):
        program = self.folder / "mine.py"
        program.write_text("import scree, sys\nprint(scree.__version__, *sys.argv[1:])\nsys.exit(3)\n")
        result = subprocess.run([SCRIPTS / "python", program, "a", "b"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout.split()[1:], result.stderr), (3, ["a", "b"], ""))


class ClosedPipe(unittest.TestCase):
    """Scripts that print into a pipe whose other end is closed, as after `| head`."""

    def run_with_closed_pipe(self, *command):
        reading, writing = os.pipe()
        os.close(reading)
        process = subprocess.run([sys.executable, *command], stdout=writing, stderr=subprocess.PIPE, text=True)
        os.close(writing)
        return process.returncode, process.stderr

    def test_closed_pipe_is_no_error_during_or_at_the_end_of_a_script(self):
        head = f"import sys\nsys.path.insert(0, {str(SCRIPTS)!r})\nimport _environment\n"
        for body in ("for k in range(10**5): print(k)", "print('little')"):
            self.assertEqual(self.run_with_closed_pipe("-c", head + body), (0, ""))

    def test_errors_of_a_script_with_a_closed_pipe_are_printed(self):
        program = f"import sys\nsys.path.insert(0, {str(SCRIPTS)!r})\nimport _environment\n1 / 0"
        code, printed = self.run_with_closed_pipe("-c", program)
        self.assertEqual(code, 1)
        self.assertIn("ZeroDivisionError", printed)

    def test_closed_pipe_is_no_error_in_a_script_without_packages(self):
        self.assertEqual(self.run_with_closed_pipe(SCRIPTS / "check_includes.py"), (0, ""))


if __name__ == "__main__":
    unittest.main()

"""Runs a small app, the first argument of the test's command line, as a user does."""

import csv
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PROGRAM = sys.argv.pop(1)


def run(*arguments):
    """Runs the app with all digits, because tests compare values to within rounding."""
    digits = ["--digits", "17"] if arguments and "--help" not in arguments and "--digits" not in arguments else []
    return subprocess.run([PROGRAM, *map(str, arguments), *digits], capture_output=True, text=True, timeout=60)


def without_unit(title):
    """Returns `time` for `time [s]`."""
    return re.sub(r" \[[^]]+\]$", "", title)


def output(*arguments):
    """Returns the output of a command, which must succeed."""
    process = run(*arguments)
    assert process.returncode == 0, process.stderr
    return process.stdout


def rows_of(text):
    """The rows of a table, {column without its unit: text} each."""
    rows = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
    return [dict(zip(map(without_unit, rows[0]), row)) for row in rows[1:]]


def notes_of(text):
    """The `# name [unit]: value` lines above a table, {name: value}."""
    lines = (line[2:].split(": ", 1) for line in text.splitlines() if line.startswith("# "))
    return {without_unit(line[0]): line[1] for line in lines if len(line) == 2}


def table(*arguments):
    return rows_of(output(*arguments))


def check_refused(test, command, refused):
    """Checks that the command refuses each of these arguments: a message that contains the word, and no table.
    @param refused: {arguments: word}
    """
    for arguments, word in refused.items():
        process = run(command, *shlex.split(arguments))
        test.assertEqual((process.returncode, process.stdout), (2, ""), f"{command} {arguments}")
        test.assertIn(word, process.stderr, f"{command} {arguments}")


def check_program(test, commands, *example):
    """Checks the help of all commands, and the output file of an example."""
    check_help(test, *commands)
    check_special_files(test, *example)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "out.csv"
        test.assertEqual(output(*example, "--output", path), "")
        test.assertIn(f"# command: {pathlib.Path(PROGRAM).name} {example[0]}", path.read_text())
    test.assertEqual(run(*example, "--output", "/dev/null/x.csv").returncode, 5)


def check_special_files(test, *arguments):
    """Checks that --output writes into links, pipes and standard output instead of replacing them."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        target, link, pipe = folder / "target.csv", folder / "link.csv", folder / "pipe"
        link.symlink_to(target)
        test.assertEqual(run(*arguments, "--output", link).returncode, 0)
        test.assertTrue(link.is_symlink())
        rows = rows_of(target.read_text())
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
        test.assertEqual(run(*arguments, "--output", pipe).returncode, 0)
        try:
            test.assertEqual(rows_of(reader.communicate(timeout=60)[0]), rows)
        finally:
            reader.kill()
        test.assertTrue(pipe.is_fifo())
        # The link leads to a descriptor, like /dev/stdout, which would be lost if the program replaced it.
        link_to_stdout = folder / "stdout"
        link_to_stdout.symlink_to("/proc/self/fd/1")
        test.assertEqual(rows_of(output(*arguments, "--output", link_to_stdout)), rows)
        test.assertTrue(link_to_stdout.is_symlink())


def check_help(test, *commands):
    """Checks the help of the program and of each command, and that an unknown command is refused with the known names."""
    for arguments in ((), ("--help",), *((command, "--help") for command in commands)):
        process = run(*arguments)
        test.assertEqual(process.returncode, 0)
        words = f"usage: {pathlib.Path(PROGRAM).name} {arguments[0] if len(arguments) == 2 else ''}"
        test.assertIn(words, process.stdout)
    process = run("no-command")
    test.assertEqual(process.returncode, 2)
    test.assertIn(", ".join(commands), process.stderr)

"""Scripts give the same results for particles outside a periodic domain as for their images inside."""

import csv
import pathlib
import unittest

import made_snapshot
import script_process
from script_test import ScriptTest

import numpy as np

D = 4e-3  # diameter [m]
EXTENT = np.array([0.1, 0.06, 0.02])
CONFIGURATION = "[time]\nstep = 1e-05 s\n"
REGION = ("--lower", "1", "0", "0", "cm", "--upper", "9", "6", "2", "cm")
# For each script: the arguments after snapshot and prefix, and the suffix of the output file.
SCRIPTS = (
    ("profiles.py", ("--axis", "x"), ".csv"),
    ("profiles.py", ("--plane", "xz"), ".csv"),
    ("rdf.py", (), ".csv"),
    ("contacts.py", (), "_coordination.csv"),
    ("contacts.py", REGION, "_tensors.csv"),
    ("fields.py", ("--axis", "y", "--width", "1", "mm", *REGION), ".csv"),
    ("mixing.py", (), ".csv"),
    ("export.py", ("--format", "csv"), ".csv"),
    ("export.py", ("--format", "lammps"), ".dump"),
)  # fmt: skip


def lattice(jitter=0.0):
    """Fields of spheres of two materials that fill the domain.  jitter: largest displacement per axis from a site [m]"""
    counts = np.round(EXTENT / D).astype(int)
    positions = (np.indices(counts).reshape(3, -1).T + 0.5) * D
    positions += np.random.default_rng(1).uniform(-jitter, jitter, positions.shape)
    material = (positions[:, 0] > 0.05).astype(np.int32)
    return made_snapshot.fields_at(positions, D / 2, material=material)


class Drifted(ScriptTest):
    def write(self, name, periods, jitter=0.0):
        """Writes the lattice, with a contact along x at each sphere.

        periods: displacements of the first spheres along x, in periods; repeated for the other spheres
        """
        path = self.folder / name
        fields = lattice(jitter)
        drift = np.resize(periods, len(fields["id"])) * EXTENT[0]
        fields["position"][:, 0] += drift
        per_row = len(drift) // round(EXTENT[0] / D)
        ids = np.stack([fields["id"], np.roll(fields["id"], -per_row)], axis=1)
        normal = np.tile([-1.0, 0.0, 0.0], (len(ids), 1))
        contacts = {"id": ids, "position": fields["position"] + [D / 2, 0.0, 0.0], "normal": normal,
                    "gap": np.zeros(len(ids)), "impulse": 1e-7 * normal}  # fmt: skip
        made_snapshot.write(path, fields, periodic=(True, True, True), configuration=CONFIGURATION, walls=[],
                            materials=2, contacts=contacts)  # fmt: skip
        return path

    def run_and_read(self, path, script, options, end):
        """Runs a script on a snapshot and returns the columns of the resulting table."""
        prefix = f"{path}_{script}"
        process = script_process.run_in_fork(made_snapshot.SCRIPTS / script, path, *options, "--output", prefix)
        self.assertEqual(process.returncode, 0, process.stderr)
        lines = pathlib.Path(f"{prefix}{end}").read_text().splitlines()
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
        return [tuple(row) for row in rows]

    def test_tables_do_not_depend_on_the_drift(self):
        # Without jitter, rounding would decide in which cell or bin a sphere is.
        inside, drifted = self.write("inside.h5", [0], 0.2 * D), self.write("away.h5", [1, 0, -2, 3], 0.2 * D)
        for script, options, end in SCRIPTS:
            with self.subTest(script=script, options=options):
                expected, result = self.run_and_read(inside, script, options, end), self.run_and_read(drifted, script, options, end)
                self.assertEqual(result[0], expected[0])
                for row, expected_row in zip(result[1:], expected[1:], strict=True):
                    for value, expected_value in zip(row, expected_row, strict=True):
                        # Positions are rounded, so sums differ slightly. Empty fields stay empty.
                        self.assertEqual(value == "", expected_value == "")
                        if value.strip("-+.0123456789e") == "" and value:
                            self.assertAlmostEqual(float(value), float(expected_value),
                                                   delta=1e-9 + 1e-9 * abs(float(expected_value)))


if __name__ == "__main__":
    unittest.main()

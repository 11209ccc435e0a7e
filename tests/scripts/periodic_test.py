"""Scripts give the same results for particles that have drifted out of a periodic domain as for those inside."""

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
    """Spheres of two materials that fill the domain; each is off its site by up to `jitter` per axis [m]."""
    counts = np.round(EXTENT / D).astype(int)
    positions = (np.indices(counts).reshape(3, -1).T + 0.5) * D
    positions += np.random.default_rng(1).uniform(-jitter, jitter, positions.shape)
    material = (positions[:, 0] > 0.05).astype(np.int32)
    return made_snapshot.at(positions, D / 2, material=material)


class Drifted(ScriptTest):
    def write(self, name, periods, jitter=0.0):
        """The lattice with a contact along x at each sphere; each contact is a different number of periods away."""
        path = self.folder / name
        fields = lattice(jitter)
        drifted = np.resize(periods, len(fields["id"])) * EXTENT[0]
        fields["position"][:, 0] += drifted
        per_row = len(drifted) // round(EXTENT[0] / D)
        ids = np.stack([fields["id"], np.roll(fields["id"], -per_row)], axis=1)
        normal = np.tile([-1.0, 0.0, 0.0], (len(ids), 1))
        contacts = {"id": ids, "position": fields["position"] + [D / 2, 0.0, 0.0], "normal": normal,
                    "gap": np.zeros(len(ids)), "impulse": 1e-7 * normal}  # fmt: skip
        made_snapshot.write(path, fields, periodic=(True, True, True), configuration=CONFIGURATION, walls=[],
                            materials=2, contacts=contacts)  # fmt: skip
        return path

    def made(self, path, script, options, end):
        """Runs a script on a snapshot and returns the columns of the resulting table."""
        prefix = f"{path}_{script}"
        process = script_process.forked(made_snapshot.SCRIPTS / script, path, *options, "--output", prefix)
        self.assertEqual(process.returncode, 0, process.stderr)
        lines = pathlib.Path(f"{prefix}{end}").read_text().splitlines()
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
        return [tuple(row) for row in rows]

    def test_tables_equal_those_of_particles_inside(self):
        # Without jitter, rounding would decide which cell or which bin a sphere falls into.
        not_drifted, drifted = self.write("inside.h5", [0], 0.2 * D), self.write("away.h5", [1, 0, -2, 3], 0.2 * D)
        for script, options, end in SCRIPTS:
            with self.subTest(script=script, options=options):
                expected, result = self.made(not_drifted, script, options, end), self.made(drifted, script, options, end)
                self.assertEqual(result[0], expected[0])
                for row, expected_row in zip(result[1:], expected[1:], strict=True):
                    for value, expected_value in zip(row, expected_row, strict=True):
                        # Sums of rounded positions; empty fields stay empty.
                        self.assertEqual(value == "", expected_value == "")
                        if value.strip("-+.0123456789e") == "" and value:
                            self.assertAlmostEqual(float(value), float(expected_value),
                                                   delta=1e-9 + 1e-9 * abs(float(expected_value)))


if __name__ == "__main__":
    unittest.main()

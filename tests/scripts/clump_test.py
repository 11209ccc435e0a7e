"""clump.py on meshes with known volume and moments of inertia."""

import unittest

import numpy as np
from script_test import ScriptTest

import scree.units

SIDES = (4.0, 2.0, 2.0)  # sides of a brick [mm]
FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def brick(faces=FACES, sides=SIDES):
    """The text of an ASCII STL file of a brick, away from the origin."""
    corners = [np.array([k >> 2 & 1, k >> 1 & 1, k & 1]) * np.array(sides) + 7 for k in range(8)]
    text = "solid brick\n"
    for a, b, c, d in faces:
        for triangle in ((a, b, c), (a, c, d)):
            text += "facet normal 0 0 0\nouter loop\n"
            text += "".join("vertex " + " ".join(map(str, corners[k])) + "\n" for k in triangle)
            text += "endloop\nendfacet\n"
    return text + "endsolid\n"


class Clump(ScriptTest):
    script = "clump.py"

    def write_mesh(self, text):
        path = self.folder / "mesh.stl"
        path.write_text(text)
        return path

    def printed_by(self, process):
        """The keys of the shape {key: text}, and its spheres [S, 4], x y z radius [m]."""
        printed = dict(line.split(" = ") for line in process.stdout.splitlines()[1:])
        return printed, np.array([list(map(float, sphere.split()[:4])) for sphere in printed["spheres"].split(",")])

    def test_two_spheres_in_a_brick_have_its_mass_properties(self):
        process = self.assert_warns("2 spheres cover ", self.write_mesh(brick()), "--unit", "mm", "--spheres", 2,
                                    "--density", 1000, "--name", "brick")  # fmt: skip
        printed, spheres = self.printed_by(process)
        self.assertEqual(process.stdout.splitlines()[0], "[shape.brick]")
        centres, radii = np.abs(spheres[:, :3]), spheres[:, 3]
        self.assertLess(np.abs(radii - 1e-3).max(), 0.12e-3)
        longest_axis = centres.argmax(axis=1)[0]  # about which the moment is smallest
        self.assertLess(np.abs(centres[:, longest_axis] - 1e-3).max(), 0.2e-3)
        self.assertLess(np.delete(centres, longest_axis, axis=1).max(), 0.1e-3)
        self.assertAlmostEqual(float(printed["mass"].split()[0]) / 16e-6, 1, places=5)
        moments, unit = scree.units.split(printed["inertia"])
        self.assertEqual((unit, moments.argmin()), ("kg m^2", longest_axis))
        np.testing.assert_allclose(sorted(moments), 16e-6 / 12 * 1e-6 * np.array([8, 20, 20]), rtol=1e-5)

    def test_spheres_follow_rods_and_plates(self):
        for sides, count in (((2, 3, 40), 20), ((1, 20, 40), 30)):  # the shortest first, as in the shape
            with self.subTest(sides):
                process = self.assert_warns(f"{count} spheres cover ", self.write_mesh(brick(sides=sides)), "--spheres", count)
                _, spheres = self.printed_by(process)
                self.assertLess(np.abs(spheres[:, 3] / (0.5 * sides[0]) - 1).max(), 0.03)
                self.assertTrue(np.all(np.abs(spheres[:, :3]) + spheres[:, 3:] < 0.5 * np.array(sides) + 0.03))

    def test_name_of_a_solid_may_contain_the_word_vertex(self):
        text = brick(sides=(2, 2, 2))
        process = self.assert_warns("1 spheres cover ", self.write_mesh(text), "--spheres", 1)
        text = text.replace("endsolid", "endsolid brick")
        for written in (text.replace("brick", "one vertex of a brick"), text.replace("\n", " ")):  # the second has one line
            named = self.assert_warns("1 spheres cover ", self.write_mesh(written), "--spheres", 1)
            self.assertEqual(named.stdout, process.stdout)

    def test_bad_meshes_are_refused(self):
        self.assert_refused(3, ["mesh.stl"], self.write_mesh("solid\nvertex 1 2 three\n"))
        self.assert_refused(3, ["has no triangles"], self.write_mesh("solid\nendsolid\n"))
        self.assert_refused(3, ["none.stl"], self.folder / "none.stl")
        for number in (3, 5):
            self.assert_refused(2, ["has a hole; expected a closed surface"], self.write_mesh(brick(FACES[:number])))
        self.assert_refused(2, ["face inwards"], self.write_mesh(brick([face[::-1] for face in FACES])))


if __name__ == "__main__":
    unittest.main()

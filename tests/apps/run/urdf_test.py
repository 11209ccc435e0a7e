"""A robot arm from a URDF falls as predicted by equations of motion that this test derives independently.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import h5py
import numpy as np
from restart_test import finish

ROOT = pathlib.Path(__file__).resolve().parents[3]
ARM = ROOT / "tests" / "data" / "arm6.urdf"
BASE = np.array([0.0, 0.0, 0.1])  # [m]
GRAVITY = np.array([0.0, 0.0, -9.81])
JOINTS = ("turn", "shoulder", "elbow", "roll", "bend", "spin")
START = {"shoulder": 0.4, "elbow": -0.5, "roll": 0.7, "bend": 1.1}  # [rad]
SCENE = """
[initial]
file = one.csv
[output]
every = 100 ms
log_every = 10 ms
energy_book = yes
"""


def rotation(axis, angle):
    """Rotation matrix by the exponential series, which scripts/urdf.py does not use."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis) * angle
    cross, rotation_sum, term = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), np.eye(3), np.eye(3)
    for k in range(1, 30):
        term = term @ cross / k
        rotation_sum = rotation_sum + term
    return rotation_sum


def numbers(element, name, default="0 0 0"):
    return np.array((default if element is None else element.get(name, default)).split(), float)


def origin(element):
    origin_element = element.find("origin")
    roll, pitch, yaw = numbers(origin_element, "rpy")
    rotation_matrix = rotation([0, 0, 1], yaw) @ rotation([0, 1, 0], pitch) @ rotation([1, 0, 0], roll)
    return rotation_matrix, numbers(origin_element, "xyz")


class Arm:
    """The chain of links in the file."""

    def __init__(self):
        tree = xml.etree.ElementTree.parse(ARM)
        elements = {(element.tag, element.get("name")): element for element in tree.getroot()}
        self.joints = [elements["joint", name] for name in JOINTS]
        self.links = [elements["link", joint.find("child").get("link")] for joint in self.joints]
        self.tool = elements["joint", "tool_frame"]

    def frames(self, q):
        """For each of the six moved links: rotation, origin and axis in world coordinates."""
        rotation_so_far, origin_so_far, frames_of_links = np.eye(3), BASE, []
        for joint, angle in zip(self.joints, q):
            local_rotation, offset = origin(joint)
            origin_so_far, rotation_so_far = origin_so_far + rotation_so_far @ offset, rotation_so_far @ local_rotation
            axis = numbers(joint.find("axis"), "xyz")
            rotation_so_far = rotation_so_far @ rotation(axis, angle)
            frames_of_links.append((rotation_so_far, origin_so_far, rotation_so_far @ axis / np.linalg.norm(axis)))
        return frames_of_links

    def tip(self, q):
        rotation_so_far, origin_so_far, _ = self.frames(q)[-1]
        return origin_so_far + rotation_so_far @ origin(self.tool)[1]

    def inertia_and_potential(self, q):
        """Mass matrix M [6, 6] and potential energy V."""
        frames, mass_matrix, potential = self.frames(q), np.zeros((6, 6)), 0.0
        for number, link in enumerate(self.links):
            inertial, (link_rotation, link_origin, _) = link.find("inertial"), frames[number]
            local_rotation, offset = origin(inertial)
            mass, centre = float(inertial.find("mass").get("value")), link_origin + link_rotation @ offset
            i = {key: float(value) for key, value in inertial.find("inertia").items()}
            tensor = np.array([[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]])
            tensor = link_rotation @ local_rotation @ tensor @ local_rotation.T @ link_rotation.T
            spins, translations = np.zeros((3, 6)), np.zeros((3, 6))
            for k, (_, point, axis) in enumerate(frames[: number + 1]):
                spins[:, k], translations[:, k] = axis, np.cross(axis, centre - point)
            mass_matrix += mass * translations.T @ translations + spins.T @ tensor @ spins
            potential -= mass * GRAVITY @ centre
        return mass_matrix, potential

    def acceleration(self, q, speed):
        """Accelerations by Lagrange's equations: d(M q')/dt - d(q' M q' / 2)/dq = -dV/dq."""
        h, d_mass, d_potential = 1e-5, [], []
        for k in range(6):
            step = h * np.eye(6)[k]
            (m1, v1), (m0, v0) = self.inertia_and_potential(q + step), self.inertia_and_potential(q - step)
            d_mass.append((m1 - m0) / (2 * h))
            d_potential.append((v1 - v0) / (2 * h))
        mass_rate = sum(rate * element for rate, element in zip(speed, d_mass))
        centrifugal = np.array([0.5 * speed @ element @ speed for element in d_mass])
        forces = centrifugal - mass_rate @ speed - np.array(d_potential)
        return np.linalg.solve(self.inertia_and_potential(q)[0], forces)

    def fall(self, q, time, steps):
        """Positions and speeds of the joints after a fall from rest for `time`, by Runge and Kutta's method."""
        state, dt = np.concatenate([q, np.zeros(6)]), time / steps
        rate = lambda x: np.concatenate([x[6:], self.acceleration(x[:6], x[6:])])  # noqa: E731
        for _ in range(steps):
            a = rate(state)
            b = rate(state + 0.5 * dt * a)
            c = rate(state + 0.5 * dt * b)
            d = rate(state + dt * c)
            state = state + dt / 6 * (a + 2 * b + 2 * c + d)
        return state[:6], state[6:]


class Urdf(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="scree_urdf_test_")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.q = np.array([START.get(name, 0.0) for name in JOINTS])
        self.arm = Arm()

    def run_arm(self, step, end, *options, robot=ARM):
        scene, output = self.folder / "arm.ini", self.folder / "out"
        starts = [f"--start={name}={value}" for name, value in START.items()]
        subprocess.run([sys.executable, ROOT / "scripts" / "urdf.py", robot, "--output", scene, "--base", "0 0 10 cm",
                        *starts, *options], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        scene.write_text(scene.read_text() + SCENE)
        (self.folder / "one.csv").write_text("x,y,z,radius\n1.5,1.5,1.5,0.001\n")  # a scene needs particles
        process = finish(1, scene, "--time.step", step, "--time.end", end, "--output.directory", output, "--overwrite",
                         "--quiet")  # fmt: skip
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        with open(output / "series.csv", newline="") as file:
            self.last = {name: float(value) for name, value in list(csv.DictReader(file))[-1].items() if value}
        values = [[self.last[f"joint_{name}_{column}"] for name in JOINTS] for column in ("position", "speed")]
        self.out = output
        return np.array(values[0]), np.array(values[1])

    def arm_without_losses(self):
        """The arm without damping and friction."""
        path = self.folder / "loose.urdf"
        path.write_text(ARM.read_text().replace('<dynamics damping="0.4" friction="0.3"/>', ""))
        return path

    def tip(self):
        """Centre of the sphere at the tool, which is a wall."""
        with h5py.File(sorted((self.out / "snapshots").glob("*.h5"))[-1]) as file:
            walls = file["scree/walls"]
            name = [element.decode() if isinstance(element, bytes) else element for element in walls.attrs["name"]]
            number = name.index("tool0")
            w, x, y, z = walls["orientation"][number]
            angle = 2 * np.arctan2(np.linalg.norm([x, y, z]), w)
            rotation_matrix = rotation([x, y, z], angle) if angle else np.eye(3)
            return rotation_matrix @ self.arm.tip(self.q) + walls["displacement"][number]

    def test_arm_starts_to_fall_with_the_acceleration_of_lagranges_equations(self):
        _, speed = self.run_arm("1 us", "1 us", "--drive", "none", robot=self.arm_without_losses())
        expected = self.arm.acceleration(self.q, np.zeros(6))
        self.assertGreater(np.abs(expected).min(), 0.01)
        np.testing.assert_allclose(speed / 1e-6, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())

    def test_arm_falls_as_lagranges_equations_predict_and_the_tool_follows_the_joints(self):
        errors, (expected_q, _) = [], self.arm.fall(self.q, 0.1, 20)
        for step in ("200 us", "100 us"):
            q, speed = self.run_arm(step, "100 ms", "--drive", "none", robot=self.arm_without_losses())
            errors.append(np.abs(self.q + q - expected_q).max())
            np.testing.assert_allclose(self.tip(), self.arm.tip(self.q + q), atol=1e-10)
        self.assertGreater(np.linalg.norm(self.arm.tip(expected_q) - self.arm.tip(self.q)), 0.02)
        self.assertLess(errors[1], 2e-3 * np.abs(expected_q - self.q).max())
        self.assertLess(errors[1], 0.6 * errors[0])  # of first order in the step
        mass_matrix, potential = self.arm.inertia_and_potential(self.q + q)
        kinetic = 0.5 * speed @ mass_matrix @ speed
        self.assertAlmostEqual(self.last["energy_links_kinetic"] / kinetic, 1.0, delta=1e-9)
        released = self.arm.inertia_and_potential(self.q)[1] - potential
        self.assertAlmostEqual(kinetic / released, 1.0, delta=5e-3)

    def test_motors_hold_the_arm(self):
        q, _ = self.run_arm("200 us", "20 ms")
        self.assertLess(np.abs(q).max(), 1e-6)
        slope = np.array([
            (self.arm.inertia_and_potential(self.q + h)[1] - self.arm.inertia_and_potential(self.q - h)[1]) / 2e-5
            for h in 1e-5 * np.eye(6)])  # fmt: skip
        torques = np.array([self.last[f"joint_{name}_motor"] for name in JOINTS])
        is_compared = np.array(JOINTS) != "shoulder"  # the friction of the shoulder helps its motor
        np.testing.assert_allclose(torques[is_compared], slope[is_compared], atol=1e-4)


if __name__ == "__main__":
    unittest.main()

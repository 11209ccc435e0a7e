"""Links, joints and motors in scenes: series, changes during the run, restarts, ranks.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import csv
import math
import pathlib
import tempfile
import unittest

from restart_test import finish

# An arm with a blade on a slider, in a box with particles.
SCENE = """
[domain]
lower = -8 -4 -8 cm
upper = 8 4 12 cm
[time]
step = 200 us
end = 120 ms
[fill]
lower = -76 -36 -76 mm
upper = -6 36 10 mm
spacing = 17 mm
radius = 8 mm
jitter = 1 1 1 cm/s
[wall.floor]
shape = plane
point = 0 0 -8 cm
normal = 0 0 1
[wall.left]
shape = plane
point = -8 0 0 cm
normal = 1 0 0
[wall.right]
shape = plane
point = 8 0 0 cm
normal = -1 0 0
[wall.front]
shape = plane
point = 0 -4 0 cm
normal = 0 1 0
[wall.back]
shape = plane
point = 0 4 0 cm
normal = 0 -1 0
[wall.arm]
shape = cylinder
from = 0 -36 60 mm
to = 0 36 60 mm
radius = 3 mm
[wall.blade]
shape = box
lower = -3 -36 -60 mm
upper = 3 36 0 mm
[link.arm]
walls = arm
mass = 100 g
centre = 0 0 30 mm
inertia = 600 600 100 g cm^2
[link.blade]
walls = blade
mass = 80 g
centre = 0 0 -30 mm
inertia = 300 300 100 g cm^2
[joint.slot]
parent = arm
child = blade
kind = slider
axis = 0 0 1
lower_travel = -5 mm
upper_travel = 20 mm
spring = 2 N/mm
damping = 3 N s/m
[joint.shaft]
child = arm
kind = hinge
point = 0 0 60 mm
axis = 0 1 0
friction_torque = 2 N mm
drive = speed
rate = 60 rpm
largest_torque = 80 N mm
[output]
every = 40 ms
log_every = 5 ms
wall_forces = yes
[checkpoint]
every = 20 ms
"""


WALLS = SCENE[SCENE.index("[wall.floor]"):SCENE.index("[wall.arm]")]
HEAD = SCENE[:SCENE.index("[fill]")]

# A box that falls on grains, tilts, and floats on them.
RAFT = HEAD + WALLS + """
[fill]
lower = -76 -36 -80 mm
upper = 76 36 -30 mm
spacing = 17 mm
radius = 8 mm
jitter = 1 1 1 cm/s
[wall.deck]
shape = box
lower = -30 -20 -22 mm
upper = 30 20 -2 mm
[link.raft]
walls = deck
density = 0.6 g/cm^3
[joint.float]
child = raft
kind = free
[output]
every = 40 ms
log_every = 5 ms
wall_forces = yes
energy_book = yes
[checkpoint]
every = 20 ms
"""

# A crank in the air next to the raft.
CRANK = """
[wall.crank]
shape = box
lower = 0 -10 60 mm
upper = 50 10 70 mm
[link.crank]
walls = crank
density = 1 g/cm^3
[joint.pin]
child = crank
kind = hinge
point = 0 0 65 mm
axis = 0 -1 0
friction_torque = 0.2 N mm
torsion_spring = 1 N mm
drive = torque
table = time_s 0 0.05 0.1, torque_N*mm 0 8 4
"""


# A plate that slides and tilts in a vertical plane, with a ball below it that swings in all directions, on the same grains.
SLED = RAFT.replace("[link.raft]", """[wall.knob]
shape = sphere
point = 5 3 -10 mm
radius = 18 mm
[link.bob]
walls = knob
density = 2 g/cm^3
[joint.eye]
parent = raft
child = bob
kind = ball
point = 0 0 15 mm
torsion_damping = 0.1 N mm s
[link.raft]""").replace("kind = free", "kind = planar\naxis = 0 1 0").replace("-22 mm", "20 mm").replace("-2 mm", "40 mm")

# A crank, to which a flywheel is geared, presses a ram onto the grains by a rod.
PRESS = HEAD + WALLS + """
[fill]
lower = -76 -36 -80 mm
upper = 76 36 -28 mm
spacing = 17 mm
radius = 8 mm
jitter = 1 1 1 cm/s
[wall.ram]
shape = box
lower = -30 -30 -20 mm
upper = 30 30 0 mm
[wall.crank]
shape = box
lower = 0 -2 78 mm
upper = 20 2 82 mm
[wall.rod]
shape = cylinder
from = 20 0 80 mm
to = 0 0 0
radius = 2 mm
[wall.flywheel]
shape = cylinder
from = -50 -10 80 mm
to = -50 10 80 mm
radius = 10 mm
[link.ram]
walls = ram
mass = 200 g
centre = 0 0 -10 mm
inertia = 700 700 1200 g cm^2
[link.crank]
walls = crank
mass = 20 g
centre = 10 0 80 mm
inertia = 1 7 7 g cm^2
[link.rod]
walls = rod
mass = 20 g
centre = 10 0 40 mm
inertia = 120 120 10 g cm^2
[link.flywheel]
walls = flywheel
mass = 50 g
centre = -50 0 80 mm
inertia = 30 25 30 g cm^2
[joint.guide]
child = ram
kind = slider
axis = 0 0 1
[joint.crank]
child = crank
kind = hinge
point = 0 0 80 mm
axis = 0 1 0
drive = speed
rate = 100 rpm
largest_torque = 150 N mm
[joint.big_end]
parent = crank
child = rod
kind = hinge
point = 20 0 80 mm
axis = 0 1 0
[joint.flywheel]
child = flywheel
kind = hinge
point = -50 0 80 mm
axis = 0 1 0
mimic = crank
ratio = -2
[loop.small_end]
parent = rod
child = ram
point = 0 0 0
axis = 0 1 0
[output]
every = 40 ms
log_every = 5 ms
energy_book = yes
[checkpoint]
every = 20 ms
"""


def ram_travel(angle):
    """Travel of the ram of PRESS [m] at an angle of the crank [rad]."""
    x, z = 0.02 * math.cos(angle), 0.08 - 0.02 * math.sin(angle)
    return z - math.sqrt(0.02**2 + 0.08**2 - x**2)


def series(output):
    with open(output / "series.csv", newline="") as file:
        return list(csv.DictReader(file))


class Machines(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="scree_machines_test_")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_scene(self, name, ranks, *options, text=SCENE):
        scene, output = self.folder / "scene.ini", self.folder / name
        scene.write_text(text)
        process = finish(ranks, scene, "--output.directory", output, "--quiet", *options)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return output

    def test_series_have_joints_and_links(self):
        rows = series(self.run_scene("out", 1))
        last_row = {name: float(value) for name, value in rows[-1].items() if value}
        self.assertAlmostEqual(last_row["joint_shaft_motor"], 0.08, delta=1e-9)  # its largest torque
        self.assertGreater(last_row["joint_shaft_position"], 0.02)
        self.assertLess(last_row["joint_shaft_load"], -0.01)
        differences = [last_row[f"wall_blade_force_{axis}"] - last_row[f"link_blade_force_{axis}"] for axis in "xyz"]
        self.assertEqual(differences, [0.0] * 3)
        self.assertGreater(last_row["link_blade_force_x"], 0.1)  # the grains are at its left
        # Motor and grains supply the energy that the hinge loses and that moves the arm.
        energy_gained = sum(
            float(row["joint_shaft_motor_power"]) + float(row["joint_shaft_load_power"])
            - float(row["joint_shaft_lost_power"]) for row in rows[1:]
        )  # fmt: skip
        self.assertLess(abs(energy_gained), sum(abs(float(row["joint_shaft_motor_power"])) for row in rows[1:]))

    def test_restart_has_the_same_bytes(self):
        for ranks in (1, 2):
            uninterrupted = self.run_scene(f"whole{ranks}", ranks)
            output = self.run_scene(f"out{ranks}", ranks, "--time.end", "47 ms")
            process = finish(ranks, "--restart", output, "--time.end", "120 ms", "--quiet")
            self.assertEqual((process.returncode, process.stderr), (0, ""))
            self.assertEqual((output / "series.csv").read_bytes(), (uninterrupted / "series.csv").read_bytes())
            name = sorted((uninterrupted / "snapshots").glob("*.h5"))[-1].name
            is_same = (output / "snapshots" / name).read_bytes() == (uninterrupted / "snapshots" / name).read_bytes()
            self.assertTrue(is_same)

    def test_jacobi_moves_joints_equally_on_any_number_of_ranks(self):
        def joints(ranks):
            rows = series(self.run_scene(f"on{ranks}", ranks, "--solver.scheme", "jacobi"))
            return [[value for name, value in row.items() if name.startswith("joint_")] for row in rows]

        serial = joints(1)
        self.assertEqual(joints(2), serial)
        self.assertEqual(joints(4), serial)

    def test_press_with_a_loop_and_a_gear_restarts_with_the_same_bytes(self):
        uninterrupted = self.run_scene("whole", 2, text=PRESS)
        rows = [{name: float(value) for name, value in row.items() if value} for row in series(uninterrupted)]
        for row in rows:
            angle = row["joint_crank_position"]
            self.assertAlmostEqual(row["joint_guide_position"], ram_travel(angle), delta=1e-12)
            self.assertAlmostEqual(row["joint_flywheel_position"], -2.0 * angle, delta=1e-12)
        self.assertGreater(angle, 0.3)
        self.assertGreater(max(row.get("joint_guide_load", 0.0) for row in rows), 1.0)  # the grains carry it
        output = self.run_scene("out", 2, "--time.end", "47 ms", text=PRESS)
        process = finish(2, "--restart", output, "--time.end", "120 ms", "--quiet")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertEqual((output / "series.csv").read_bytes(), (uninterrupted / "series.csv").read_bytes())

    def test_jacobi_moves_a_press_equally_on_any_number_of_ranks(self):
        last_rows = [series(self.run_scene(f"on{ranks}", ranks, "--solver.scheme", "jacobi", text=PRESS))[-1]
                     for ranks in (1, 4)]  # fmt: skip
        for name in ("joint_crank_position", "joint_crank_speed", "joint_guide_load"):
            self.assertEqual(last_rows[0][name], last_rows[1][name], name)

    def test_torque_of_a_motor_can_change_during_the_run(self):
        text = SCENE + '[at "60 ms"]\njoint.shaft.largest_torque = 3 N m\n'
        rows = series(self.run_scene("more", 1, text=text))
        self.assertAlmostEqual(float(rows[12]["joint_shaft_motor"]), 0.08, delta=1e-9)
        self.assertGreater(max(float(row["joint_shaft_motor"]) for row in rows[13:]), 0.3)

    def test_link_without_mass_is_refused(self):
        scene = self.folder / "scene.ini"
        scene.write_text(SCENE.replace("mass = 80 g\n", ""))
        process = finish(1, scene, "--quiet")
        self.assertEqual(process.returncode, 2)
        self.assertIn('[link.blade]: lacks the key "mass" or "density" [kg]', process.stderr)

    def test_links_that_start_in_walls_are_named_in_the_log(self):
        deeper = RAFT.replace("lower = -30 -20 -22 mm", "lower = -30 -20 -83 mm")
        for text, number in ((deeper, 1), (RAFT, 0)):
            log = (self.run_scene(f"named{number}", 1, "--time.end", "1 ms", text=text) / "run.log").read_text()
            self.assertEqual(log.count("[wall.deck] of [link.raft] starts about 0.003 m inside [wall.floor], at ("), number, log)

    def test_raft_falls_on_grains_and_restarts_with_the_same_bytes(self):
        for ranks in (1, 2):
            uninterrupted = self.run_scene(f"whole{ranks}", ranks, text=RAFT)
            output = self.run_scene(f"out{ranks}", ranks, "--time.end", "47 ms", text=RAFT)
            process = finish(ranks, "--restart", output, "--time.end", "120 ms", "--quiet")
            self.assertEqual((process.returncode, process.stderr), (0, ""))
            self.assertEqual((output / "series.csv").read_bytes(), (uninterrupted / "series.csv").read_bytes())
        last_row = {name: float(value) for name, value in series(uninterrupted)[-1].items() if value}
        self.assertLess(last_row["joint_float_z"], -5e-3)
        weight = 0.6 * 48.0e-3 * 9.81  # g/cm^3 times the volume
        self.assertAlmostEqual(last_row["joint_float_force_z"], weight, delta=0.1 * weight)
        self.assertNotEqual(last_row["joint_float_turn_y"], 0.0)

    def test_sled_with_a_ball_has_the_same_bytes_after_a_restart_and_on_any_number_of_ranks(self):
        uninterrupted = self.run_scene("whole", 2, text=SLED)
        output = self.run_scene("out", 2, "--time.end", "47 ms", text=SLED)
        process = finish(2, "--restart", output, "--time.end", "120 ms", "--quiet")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertEqual((output / "series.csv").read_bytes(), (uninterrupted / "series.csv").read_bytes())
        last_row = {name: float(value) for name, value in series(uninterrupted)[-1].items() if value}
        names = ["turn_x", "turn_y", "turn_z", "rate_x", "rate_y", "rate_z", "torque_x", "torque_y", "torque_z", "load_power",
                 "lost_power"]  # fmt: skip
        self.assertEqual([name[10:] for name in last_row if name.startswith("joint_eye_")], names)
        names = ["x", "y", "turn", "vx", "vy", "rate", "force_x", "force_y", "torque", "load_power"]
        self.assertEqual([name[12:] for name in last_row if name.startswith("joint_float_")], names)
        self.assertGreater(math.hypot(last_row["joint_float_x"], last_row["joint_float_y"]), 5e-3)
        self.assertNotEqual(last_row["joint_eye_torque_x"], 0.0)
        self.assertGreater(last_row["joint_eye_lost_power"], 0.0)
        rows = [series(self.run_scene(f"on{ranks}", ranks, "--solver.scheme", "jacobi", text=SLED))[-1] for ranks in (1, 4)]
        for name in last_row:
            if name.startswith("joint_"):
                self.assertEqual(rows[0][name], rows[1][name], name)

    def test_energies_of_links_are_balanced(self):
        # A raft, and a crank with a motor of given torque, a spring and friction. The error is of order 1 in the step.
        imbalances = []
        for step in ("200 us", "100 us"):
            text = RAFT + CRANK
            output = self.run_scene(step, 1, "--time.step", step, text=text)
            last_row = {name[13:]: float(value) for name, value in series(output)[-1].items()
                        if name.startswith("energy_links_")}  # fmt: skip
            for name in ("motors", "lost"):
                self.assertGreater(last_row[name], 1e-6, name)
            for name in ("load", "springs"):
                self.assertLess(last_row[name], -1e-6, name)
            self.assertGreater(last_row["weight"], 1e-4)
            turnover = last_row["motors"] + last_row["weight"]
            energy_gained = last_row["motors"] + last_row["load"] + last_row["weight"] + last_row["springs"] - last_row["lost"]
            self.assertAlmostEqual(last_row["kinetic"] - energy_gained, last_row["imbalance"], delta=1e-12)
            imbalances.append(abs(last_row["imbalance"]) / turnover)
        self.assertLess(imbalances[0], 0.02)
        self.assertLess(imbalances[1], imbalances[0])


class Gripper(unittest.TestCase):
    def test_gripper_lifts_a_cube_above_the_threshold_force(self):
        """apps/scenes/gripper.ini with forces F that are 0.5 % above and below the threshold mu F = m (g + a)/2.
        The acceleration a is 0.5 m/s^2 from 0.1 to 0.3 s."""
        folder = tempfile.TemporaryDirectory(prefix="scree_gripper_test_")
        self.addCleanup(folder.cleanup)
        scene = pathlib.Path(__file__).resolve().parents[3] / "apps" / "scenes" / "gripper.ini"

        def loads(force, sweeps=50):
            """Downward force of the cube on the hand [N]: rows while it accelerates, and rows at constant speed."""
            output = pathlib.Path(folder.name) / f"{force:.6g}_{sweeps}"
            options = [word for side in ("left", "right") for word in (f"--joint.{side}.force", f"{force:.9g} N")]
            process = finish(1, scene, "--output.directory", output, "--quiet", "--time.end", "0.4 s",
                             "--solver.sweeps", str(sweeps), *options)  # fmt: skip
            self.assertEqual((process.returncode, process.stderr), (0, ""))
            rows = [{name: float(value) for name, value in row.items() if value} for row in series(output)]
            table_loads = [row["wall_table_force_z"] for row in rows if 0.12 < row["time"] < 0.39]
            self.assertEqual(set(table_loads), {0.0})  # the cube is in the air
            return [[-row["joint_hand_load"] for row in rows if begin < row["time"] < end]
                    for begin, end in ((0.12, 0.29), (0.36, 0.39))]  # fmt: skip

        weight = loads(0.25)[1][-1]  # far above the threshold
        self.assertAlmostEqual(weight, 2500.0 * 8e-6 * 9.81, delta=2e-3 * weight)  # its edges are rounded
        needed_force = weight * (1.0 + 0.5 / 9.81)  # of each finger, because 2 mu = 1
        (above_threshold, constant_speed), (below_threshold, constant_speed_after_slip) = (
            loads(1.005 * needed_force), loads(0.995 * needed_force))
        for weight_on_hand in above_threshold:
            self.assertAlmostEqual(weight_on_hand, needed_force, delta=1e-6 * needed_force)
        for weight_on_hand in loads(1.01 * needed_force, "auto")[0]:
            self.assertAlmostEqual(weight_on_hand, needed_force, delta=1e-3 * needed_force)
        for friction_force in below_threshold:  # the cube slips, so the friction has its maximum
            self.assertAlmostEqual(friction_force, 0.995 * needed_force, delta=1e-6 * needed_force)
        for weight_on_hand in constant_speed + constant_speed_after_slip:
            self.assertAlmostEqual(weight_on_hand, weight, delta=1e-6 * weight)


class Mill(unittest.TestCase):
    def test_mill_stalls_where_the_charge_balances_the_torque(self):
        """apps/scenes/mill.ini with a motor of 6 mN m. At rest, the friction of the shaft balances up to 1 mN m."""
        folder = tempfile.TemporaryDirectory(prefix="scree_mill_test_")
        self.addCleanup(folder.cleanup)
        output = pathlib.Path(folder.name) / "out"
        scene = pathlib.Path(__file__).resolve().parents[3] / "apps" / "scenes" / "mill.ini"
        process = finish(1, scene, "--output.directory", output, "--quiet", "--time.end", "1.2 s", "--output.every", "never",
                         "--joint.shaft.largest_torque", "6 mN m")  # fmt: skip
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        last_row = {name: float(value) for name, value in series(output)[-1].items() if value}
        self.assertLess(abs(last_row["joint_shaft_speed"]), 1e-9)
        self.assertAlmostEqual(last_row["joint_shaft_motor"], 0.006, delta=1e-12)
        self.assertLess(abs(last_row["joint_shaft_load"] + 0.006), 0.001)
        self.assertGreater(last_row["joint_shaft_position"], 0.2)


if __name__ == "__main__":
    unittest.main()

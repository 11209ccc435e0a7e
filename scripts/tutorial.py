#!/usr/bin/env python3
# %% [markdown]
# # Analysis in Python
#
# A bed of spheres, from the scene file to numbers that can be checked: the load on the floor, the packing density and the
# forces of contacts. The tutorial takes some seconds on one core and needs the program, which `scripts/run` builds.
# Start it as a script from the top of the checkout; the argument is the folder for files and pictures:
#
#     scripts/tutorial.py output/tutorial
#
# Or run `pip install scripts/` and paste the script piece by piece into a notebook, from `import pathlib` on. There you
# choose `folder` yourself.

# %% [script]
import sys

import _environment

if sys.argv[1:2] and sys.argv[1].startswith("-"):
    print(f"usage: {sys.argv[0]} [FOLDER]")
    sys.exit(0 if sys.argv[1] in ("-h", "--help") else 2)
_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib", "pandas")

# %% A script in `scripts/` finds the package next to it; elsewhere install it by `pip install scripts/`.
import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np

import scree

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "output/tutorial")
folder.mkdir(parents=True, exist_ok=True)


def save(figure, name):
    """Writes a picture; the file appears only when it is complete."""
    with scree.whole_file.path_of(folder / name) as path:
        figure.savefig(path, format="png", dpi=100)


# %% [markdown]
# ## A scene
#
# A scene is a text file. Five hundred spheres fall onto a floor in a box that is periodic in x and y. The domain is the
# space in which spheres may be. It has no walls: wherever a sphere could leave, the scene needs a wall, a periodic axis
# or an `[outflow]`. The spheres start on a lattice of the given spacing, with random velocities (`jitter`). Values have
# units. The time step depends only on the speed of the spheres, because there is no stiffness. All keys are in
# [the list of keys](keys.md) of the manual; `build/release/bin/scree-run --help` prints it too.

# %%
scene = folder / "bed.ini"
scree.whole_file.write(scene, """
[scene]
seed = 1

[domain]
lower    = 0 0 0 mm
upper    = 10 10 20 mm
periodic = x y

[time]
step = 50 us
end  = 150 ms

[contact]
friction = 0.5

[material.glass]
density = 2.5 g/cm^3

[wall.floor]
shape  = plane
point  = 0 0 0 mm
normal = 0 0 1

[fill]
lower   = 0 0 0 mm
upper   = 10 10 10 mm
spacing = 1.25 mm
sizes   = uniform
smallest_radius = 0.5 mm
largest_radius  = 0.6 mm
jitter  = 5 5 5 cm/s

[output]
every       = 25 ms
log_every   = 1 ms
contacts    = yes
wall_forces = yes
""")

# %% [markdown]
# ## A run and its progress
#
# `scree.start` returns at once. `follow` yields each row of the series as soon as it is written, and `wait` returns the
# finished run. `scree.run` does all this in one call, and `scree.open` opens an earlier run. `start` and `run` can change
# values of the scene, as sections: `time={"end": "0.3 s"}`.

# %%
running = scree.start(scene, folder / "bed", overwrite=True)
for row in running.follow():
    if row["step"] % 1000 == 0:
        print(f"{1e3 * row['time']:4.0f} ms: {row['touching_contacts']:5.0f} contacts, up to {row['max_speed']:.2g} m/s")
run = running.wait()

# %% [markdown]
# ## The series: key figures over time
#
# A pandas table, a row for each `output.log_every`, in SI units; `run.series.attrs["units"]` has the units of the
# columns. `wall_floor_force_z` is the force on the wall that the scene calls `floor`. The spheres fall, hit the floor
# and come to rest; then the floor carries their weight.

# %%
series = run.series
frame = run.frames[-1]
weight = frame.masses.sum() * 9.81

figure, axes = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
axes[0].semilogy(1e3 * series.time, series.kinetic_energy)
axes[0].set(xlabel="time [ms]", ylabel="kinetic energy [J]")
axes[1].plot(1e3 * series.time, -series.wall_floor_force_z / weight)
axes[1].axhline(1.0, color="0.5", linestyle=":")
axes[1].set(xlabel="time [ms]", ylabel="load on the floor / weight", ylim=(0, 3))
save(figure, "series.png")

load = -series.wall_floor_force_z[series.time > 0.1].mean()
print(f"load on the floor over the weight, mean after 100 ms: {load / weight:.3f}")

# %% [markdown]
# ## A frame: all particles at one time
#
# `run.frames` is a sequence; a frame is read at first use. Its fields are NumPy arrays with a row for each
# particle, `frame.units` has their units, `frame.table()` has all of them as a pandas table.

# %%
print(f"t = {frame.time} s: {len(frame)} particles")
print(f"velocity: {frame['velocity'].shape} in {frame.units['velocity']}")
height = frame["position"][:, 2]
top = (height + frame["radius"]).max()
print(f"the bed is {1e3 * top:.1f} mm high")

# Colours: the pressure in each sphere, from the forces of its contacts.
scale = scree.colour.scale(scree.colour.of("pressure", frame), [frame])
scree.picture.render(frame, folder / "bed.png", scale=scale, dpi=100)

# %% [markdown]
# ## The packing density
#
# The solid fraction at a height is the area in which a horizontal plane cuts the spheres, divided by the area of the
# plane. This is exact for each plane, whereas counting spheres in cells gives steps as large as the cells.

# %%
planes = np.linspace(0.0, top, 200)
radius = frame["radius"]
area = np.prod((frame.upper - frame.lower)[:2])
cut = np.pi * np.maximum(radius**2 - (planes[:, None] - height) ** 2, 0.0).sum(axis=1)
is_inside = (planes > 1.5e-3) & (planes < top - 2e-3)
print(f"solid fraction inside: {(cut / area)[is_inside].mean():.3f}")

figure, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
axes.plot(cut / area, 1e3 * planes)
axes.set(xlabel="solid fraction", ylabel="height [mm]", xlim=(0, 1))
save(figure, "density.png")

# %% [markdown]
# ## Contacts
#
# With `output.contacts = yes` a frame has the contacts of its step with their impulses: `contacts.a` and
# `contacts.b` are rows of the frame (-1: a wall). The contacts include gaps that might have closed within the step;
# `contacts.touching` marks those whose gap is at most 0.01 r. Forces in a bed differ much from contact to contact, and
# strong ones are rare: their distribution is roughly exponential. An impulse divided by the time step is a force;
# these forces, too, add up to the weight on the floor.

# %%
contacts = frame.contacts
force = contacts.total_impulse / frame.time_step  # on particle a [N]
on_floor = contacts.b < 0
carried = force[on_floor, 2].sum()
print(f"{contacts.touching.sum()} contacts touch; those with the floor carry {carried / weight:.3f} weights")

normal = contacts.normal_impulse[contacts.normal_impulse > 0.0]
figure, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
axes.hist(normal / normal.mean(), bins=np.linspace(0, 6, 31), density=True, log=True)
axes.set(xlabel="normal force / mean", ylabel="probability density")
save(figure, "forces.png")

# %% [markdown]
# ## The same with other values
#
# With less friction the spheres are packed more densely and have more contacts. Without friction, statics requires six
# contacts per sphere far from floor and surface; this thin bed has about as many. Each run has its directory and can be
# opened again later.

# %%
for friction in (0.0, 0.5):
    other = scree.run(scene, folder / f"friction_{friction}", overwrite=True, contact={"friction": friction})
    last = other.frames[-1]
    top = np.quantile(last["position"][:, 2], 0.95)
    touching = last.contacts.taken(last.contacts.touching)
    mean = (len(touching) + (touching.b >= 0).sum()) / len(last)  # a contact between two spheres counts for both
    print(f"friction {friction}: 95 % of the centres lie below {1e3 * top:.2f} mm; {mean:.2f} contacts of a sphere")

# %% [markdown]
# ## From here
#
# - `scree.rdf`, `scree.profiles`, `scree.key_figures` and `scree.contact_statistics` compute what the scripts of
#   these names print, over many frames and with their errors.
# - `scree.export` writes frames for other programs, `scripts/view.py DIR` a page with the run in 3D.
# - `help(scree)` names all parts; each function documents its arguments and results, with units.

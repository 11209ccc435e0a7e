"""Output directories of runs made for the tests of the scripts."""

import made_snapshot

import numpy as np

TIME_STEP = 1e-5  # [s]
SERIES = (
    "step", "time", "particles", "inserted", "deleted", "contacts", "closed_contacts",
    "loaded_contacts", "wall_contacts", "touching_contacts", "touching_per_particle", "max_penetration",
    "max_penetration_interval", "kinetic_energy", "mean_velocity_x", "mean_velocity_y", "mean_velocity_z", "max_speed", "sweeps",
    "residual_max", "residual_rms", "converged",
)  # fmt: skip
PHASES = ("neighbor_list_seconds", "sweeps_seconds")


def write(directory, rows, frames, seed=1, contacts_of=lambda fields: None):
    """Writes config.ini, series.csv, timing.csv, run.log and snapshots.

    rows: [dict], columns of the series that are not 0;  frames: {step: fields};  contacts_of: fields -> contact record
    """
    (directory / "snapshots").mkdir(parents=True)
    configuration = f"[scene]\nseed = {seed}\n[time]\nstep = {TIME_STEP} s\n"
    (directory / "config.ini").write_text(configuration)
    (directory / "run.log").write_text("Scree 0.1.0 (abc), 2 ranks as 2x1x1\n 1.0% t 1ms\n")
    lines = [",".join(SERIES)]
    for row in rows:
        values = {"time": row["step"] * TIME_STEP, "converged": "", **row}
        lines.append(",".join(str(values.get(name, 0)) for name in SERIES))
    (directory / "series.csv").write_text("\n".join(lines) + "\n")
    timing = [",".join(("step", "steps_done", "wall_seconds", *PHASES))]
    timing += [f"{row['step']},{row['step']},{2 + k},{k},{1 + 0.5 * k}" for k, row in enumerate(rows)]
    (directory / "timing.csv").write_text("\n".join(timing) + "\n")
    for step, fields in frames.items():
        path = directory / "snapshots" / f"step_{step:012d}.h5"
        materials = 1 + max(fields["material"], default=0)
        made_snapshot.write(path, fields, time=step * TIME_STEP, configuration=configuration, materials=materials,
                            step=step, contacts=contacts_of(fields))
    return directory


def steady(directory, count=64, seed=1, particles=3000):
    """Writes a run with `count` rows and three snapshots of `particles` random particles."""
    random = np.random.default_rng(seed)
    rows = [
        {
            "step": 100 * k,
            "particles": particles + random.integers(-10, 11),
            "closed_contacts": 4000,
            "contacts": 4500,
            "touching_contacts": 4500,
            "touching_per_particle": 2.5 + 0.1 * random.normal(),
            "max_penetration_interval": 1e-5,
        }
        for k in range(count)
    ]
    frames = {1000 * k: made_snapshot.made_fields(particles, seed + k) for k in range(1, 4)}
    return write(directory, rows, frames, seed=seed)

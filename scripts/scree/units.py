"""Units: quantities in scene files and on command lines, units of H5MD, of columns and of figures."""

import re

import numpy as np

METRES = {"": 1.0, "m": 1.0, "km": 1e3, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "nm": 1e-9}
SECONDS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
SPEEDS = {"": 1.0, "m/s": 1.0, "cm/s": 1e-2, "mm/s": 1e-3, "km/h": 1 / 3.6}
ACCELERATIONS = {"": 1.0, "m/s^2": 1.0}

COHERENT = ("m", "s", "kg", "rad", "K", "A", "mol", "N", "J", "W", "Pa", "Hz")  # SI units without a factor


def _factors(unit):
    """Factors of a unit in the notation of H5MD, `m s-1`: [(symbol, power)]."""
    parts = [re.fullmatch(r"([^\d+-]+)([+-]?\d+)?", word) for word in unit.split()]
    return [(part[1], int(part[2] or 1)) if part else ("", 0) for part in parts]


def is_coherent(unit):
    """Whether a unit in the notation of H5MD is an SI unit without a factor."""
    return all(symbol in COHERENT for symbol, _ in _factors(unit))


def from_h5md(unit):
    """Converts H5MD's `m s-1` to the notation of scenes, `m/s`; `1` for a pure number."""
    numerator = [s if p == 1 else f"{s}^{p}" for s, p in _factors(unit) if p > 0]
    denominator = [s if p == -1 else f"{s}^{-p}" for s, p in _factors(unit) if p < 0]
    return "/".join([" ".join(numerator) or "1", *denominator])


# Labels of quantities in figures of series, maps, averages and pictures: words, symbol and SI unit.
LABELS = {
    "particles": "particles $N$", "touching_per_particle": "touching contacts per particle",
    "max_penetration_interval": "largest penetration $δ$ [m]", "residual_rms": "residual (RMS) $ε$ [m/s]",
    "mean_velocity_x": r"mean velocity $\langle v_x\rangle$ [m/s]", "mean_velocity_y": r"mean velocity $\langle v_y\rangle$ [m/s]",
    "mean_velocity_z": r"mean velocity $\langle v_z\rangle$ [m/s]", "speed": "speed $|v|$ [m/s]", "angular_speed": "spin $|ω|$ [rad/s]",
    "mass_flow": "mass flow $\\dot m$ [kg/s]", "velocity_norm": "mean velocity $|V|$ [m/s]",
    "momentum_density_z": "momentum density $ρV_z$ [kg/(m² s)]", "solid_fraction": "solid fraction $φ$",
    "granular_temperature": "granular temperature $T$ [m²/s²]", "coordination": "coordination $Z$", "pressure": "pressure $p$ [Pa]",
    "force": "force downwards $F$ [N]",
}  # fmt: skip
# Smaller values, in SI units, are rounding errors.
AT_REST = {"speed": 1e-12, "velocity_norm": 1e-12, "spin": 1e-9, "angular_speed": 1e-9, "granular_temperature": 1e-24}
# Units that figures use instead of an SI unit, smallest first.
PREFIXED = {
    unit: [(prefix + unit, 10.0**power) for prefix, power in (("n", -9), ("µ", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6))]
    for unit in ("J", "N", "Pa", "N m")
} | {
    "m": [("nm", 1e-9), ("µm", 1e-6), ("mm", 1e-3), ("m", 1.0)], "m/s": [("µm/s", 1e-6), ("mm/s", 1e-3), ("m/s", 1.0)],
    "kg/s": [("mg/s", 1e-6), ("g/s", 1e-3), ("kg/s", 1.0)], "m²/s²": [("mm²/s²", 1e-6), ("m²/s²", 1.0)],
}  # fmt: skip


def handy(label, largest):
    """Changes the SI unit of a label to one that suits values up to `largest`: (label, size of the new unit)."""
    description, _, unit = label.rstrip("]").rpartition("[")
    if not description or unit not in PREFIXED or not 0.0 < largest < np.inf:
        return label, 1.0
    fitting = [prefixed for prefixed in PREFIXED[unit] if prefixed[1] <= largest * (1.0 + 1e-9)]
    name, size = fitting[-1] if fitting else PREFIXED[unit][0]
    return f"{description}[{name}]", size


# Columns of series.csv, timing.csv and averages without their components (_x, _xy), as far as COLUMN_ENDS and
# PART_COLUMNS do not have them: SI unit -> names.
COLUMNS = {
    "1": "step particles inserted deleted contacts closed_contacts loaded_contacts wall_contacts touching_contacts "
         "touching_per_particle sweeps converged solve_stalled solve_error_step solve_error_impulses solve_error_normal_rms "
         "solve_error_normal_mean strain shear_strain solid_fraction coordination bonds bonds_broken_tension bonds_broken_shear "
         "bonds_waiting clusters largest_cluster "
         "steps_done rebuilds particles_imbalance contacts_imbalance time_imbalance imbalance moves "
         "i j k samples free_share fabric particles_forward particles_backward",
    "m": "x y z cell_length max_penetration max_penetration_interval", "m/s": "residual_max residual_rms velocity_norm",
    "Pa": "target", "s": "time_from time_to", "kg": "mass_forward mass_backward",
}  # fmt: skip
UNIT_OF_COLUMN = {name: unit for unit, names in COLUMNS.items() for name in names.split()}
# End of a column name, without its component -> SI unit; the first match counts.
COLUMN_ENDS = (
    ("per_second", "1/s"), ("seconds", "s"), ("time", "s"), ("duration", "s"),
    ("angular_velocity", "rad/s"), ("angular_speed", "rad/s"), ("velocity", "m/s"), ("speed", "m/s"),
    ("force", "N"), ("torque", "N m"), ("kinetic_energy", "J"), ("stress", "Pa"), ("strain_rate", "1/s"), ("shear_rate", "1/s"),
    ("number_density", "1/m^3"), ("mass_density", "kg/m^3"), ("momentum_density", "kg/m^2/s"), ("force_density", "N/m^3"),
    ("granular_temperature", "m^2/s^2"), ("particle_flow", "1/s"), ("mass_flow", "kg/s"), ("mass", "kg"),
)  # fmt: skip

# Quantities of the columns wall_NAME_..., link_NAME_... and joint_NAME_..., without their components -> SI unit.
PART_COLUMNS = {
    "wall": {"force": "N", "torque": "N m", "solve_error": "1"},
    "link": {"force": "N", "torque": "N m"},
    "joint": {"": "m", "v": "m/s", "turn": "rad", "rate": "rad/s", "force": "N", "torque": "N m",
              "motor_power": "W", "load_power": "W", "lost_power": "W"},
}  # fmt: skip
# Quantities of free walls and of joints whose unit depends on the motion, which a key of their section gives.
MOTION_KEYS = {"wall": ("free", ("travel", "speed", "load")), "joint": ("kind", ("position", "speed", "motor", "load"))}
ALONG = {"travel": "m", "position": "m", "speed": "m/s", "motor": "N", "load": "N"}
ABOUT = {"travel": "rad", "position": "rad", "speed": "rad/s", "motor": "N m", "load": "N m"}
OF_MOTION = {"along": ALONG, "slider": ALONG, "about": ABOUT, "hinge": ABOUT}


def _of_quantity(kind, part, quantity, scene):
    """SI unit of a quantity of the wall, link or joint `part`; "" if it is not known, None if there is no such quantity."""
    key, quantities = MOTION_KEYS.get(kind, ("", ()))
    if quantity in quantities:
        motion = scene.get(f"{kind}.{part}", key, fallback="") if scene is not None else ""
        return OF_MOTION.get(motion, {}).get(quantity, "")
    return PART_COLUMNS[kind].get(re.sub(r"_?[xyz](_deviation)?$", "", quantity))


def _of_part_column(name, scene):
    """SI unit of a column of a wall, a link or a joint; "" if it is not known, None if it is no such column.

    joint_arm_turn_x is the rotation of a joint "arm" or the position of a joint "arm_turn". The scene decides; without
    it the unit is known only if both have the same.
    """
    kind, *words = name.split("_")
    if kind not in PART_COLUMNS:
        return None
    splits = [("_".join(words[:k]), "_".join(words[k:])) for k in range(1, len(words))]
    in_scene = [split for split in splits if scene is not None and f"{kind}.{split[0]}" in scene]
    units = {_of_quantity(kind, *split, scene) for split in in_scene or splits} - {None}
    return None if not units else units.pop() if len(units) == 1 else ""


def of_column(name, scene=None):
    """SI unit of a column in the tables of a run; "1" for a pure number, "" if the unit is not known.

    scene: the parsed config.ini, for the motions of free walls and joints
    """
    if name.startswith("energy_"):
        return "J"
    stem = re.sub(r"_[xyz]{1,2}$", "", name)
    known_unit = UNIT_OF_COLUMN.get(stem) or _of_part_column(name, scene)
    if known_unit is not None:
        return known_unit
    return next((unit for end, unit in COLUMN_ENDS if f"_{stem}".endswith(f"_{end}")), "")


def split(text):
    """Numbers and unit of `1 2 3 cm`: ([...], 'cm')."""
    words = text.split()
    numbers = [word for word in words if re.fullmatch(r"[-+]?[.\d][.\d]*([eE][-+]?\d+)?", word)]
    return np.array(numbers, dtype=float), " ".join(words[len(numbers) :])


def in_si(text, units):
    """Numbers of `1 2 3 cm` in SI, [K]; raises ValueError if the text has another form."""
    numbers, unit = split(text)
    if not len(numbers) or unit not in units:
        known_units = ", ".join(name for name in units if name)
        raise ValueError(f"'{text}' must be numbers and one of the units {known_units}")
    return numbers * units[unit]

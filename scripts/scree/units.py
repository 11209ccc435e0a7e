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


# Ending of a column name -> SI unit, for series.csv, timing.csv and averages; the first match counts.
COLUMN_ENDS = (
    ("_per_second", "1/s"), ("_seconds", "s"), ("time", "s"), ("duration", "s"),
    ("angular_velocity", "rad/s"), ("angular_speed", "rad/s"), ("velocity", "m/s"), ("velocity_norm", "m/s"),
    ("speed", "m/s"), ("residual_max", "m/s"), ("residual_rms", "m/s"),
    ("force", "N"), ("torque", "N m"), ("kinetic_energy", "J"),
    ("max_penetration", "m"), ("max_penetration_interval", "m"), ("x", "m"), ("y", "m"), ("z", "m"),
    ("number_density", "1/m^3"), ("mass_density", "kg/m^3"), ("particle_flow", "1/s"), ("mass_flow", "kg/s"),
    ("mass_forward", "kg"), ("mass_backward", "kg"),
)  # fmt: skip


# Ends of the columns of a joint -> SI unit. OF_KIND has the columns whose unit depends on the kind of joint.
JOINT_ENDS = (
    ("_power", "W"), ("_force", "N"), ("_torque", "N m"), ("_turn", "rad"), ("_rate", "rad/s"), ("_v", "m/s"), ("", "m"),
)  # fmt: skip
OF_KIND = {
    "hinge": {"position": "rad", "speed": "rad/s", "motor": "N m", "load": "N m"},
    "slider": {"position": "m", "speed": "m/s", "motor": "N", "load": "N"},
}


def of_joint_column(name, scene):
    """SI unit of a column joint_NAME_...; "1" if it depends on the kind of the joint and `scene` has no such joint."""
    joint, _, quantity = name.removeprefix("joint_").rpartition("_")
    if quantity in OF_KIND["hinge"]:
        kind = scene.get(f"joint.{joint}", "kind", fallback=None) if scene is not None else None
        return OF_KIND.get(kind, {}).get(quantity, "1")
    stem = re.sub(r"_?[xyz]$", "", name)
    return next(unit for end, unit in JOINT_ENDS if stem.endswith(end))


def of_column(name, scene=None):
    """SI unit of a column in the tables of a run; "1" for a pure number.

    scene: the parsed config.ini, for the kinds of joints
    """
    if name.startswith("energy_"):
        return "J"
    if name.startswith("joint_"):
        return of_joint_column(name, scene)
    stem = re.sub(r"_[xyz]$", "", name)
    return next((unit for end, unit in COLUMN_ENDS if stem == end or stem.endswith(
        end if end.startswith("_") else f"_{end}")), "1")


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

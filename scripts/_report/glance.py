"""Results of the checks of a run, at a glance."""

import numpy as np

import scree.html
from _report.part import title_in
from scree.html import State, Verdict

SMALL, LARGE = 1.0, 10.0  # overlaps [% of the radius]: contacts are practically hard below SMALL, too deep above LARGE
ROUNDING = 1e-6  # largest imbalance that rounding can explain, relative to the largest energy


def _has_failed(part):
    return (part.run.path / "failed.h5").exists()


def _check_end(part):
    time = part.run.columns["time"][-1]
    if _has_failed(part):
        return Verdict(State.OFF, "became invalid"), f"after {scree.html.number(time)} s; run.log has the reason, failed.h5 the state"
    end = part.run.end
    if np.isnan(end):
        return Verdict(State.NONE, "ended"), f"at {scree.html.number(time)} s"
    if time >= end - 0.5 * part.run.time_step:
        return Verdict(State.HELD, "complete"), f"{scree.html.number(time)} s were simulated, as requested"
    return Verdict(State.LOOK, "not at its end"), (
        f"{scree.html.number(time)} of {scree.html.number(end)} s; the run continues or was stopped"
    )


def _check_particles(part):
    series = part.run.columns
    if "inserted" not in series or "deleted" not in series or _has_failed(part):
        return None  # a failed step writes no row, which would show a loss
    initial_count = series["particles"] - series["inserted"] + series["deleted"]  # constant if no particle is lost
    if np.ptp(initial_count) > 0:
        return Verdict(State.OFF, "particles lost"), f"{np.ptp(initial_count):.0f} appeared or vanished without a flow"
    flow = series["inserted"][-1] + series["deleted"][-1]
    words = f"{series['inserted'][-1]:.0f} flowed in, {series['deleted'][-1]:.0f} out, none is missing"
    return Verdict(State.HELD, "particles kept"), words if flow else f"all {series['particles'][-1]:.0f} are there"


def _check_overlap(part):
    penetration = part.figures.get("largest penetration / radius")
    if penetration is None:
        return None
    percent = 100.0 * penetration.value
    words = f"the deepest overlap is {scree.html.number(percent, 2)} % of the smallest radius"
    if percent > LARGE:
        return Verdict(State.OFF, "deep overlaps"), words
    return Verdict(*((State.LOOK, "overlaps") if percent > SMALL else (State.HELD, "hard contacts"))), words


def _check_convergence(part):
    is_converged = part.run.columns.get("converged", np.zeros(0))
    is_converged = is_converged[np.isfinite(is_converged) & (is_converged >= 0)] if is_converged.dtype.kind == "f" else np.zeros(0)
    if len(is_converged):
        words = f"in {100 * is_converged.mean():.3g} % of the logged steps the solver reached its tolerance"
        return Verdict(*((State.HELD, "converged") if is_converged.all() else (State.LOOK, "not always converged"))), words
    residual = float(np.nanmedian(part.run.columns["residual_rms"]))
    words = f"the median residual of the solver is {scree.html.number(residual, 2)} m/s"
    return Verdict(State.NONE, "no tolerance"), words


def _check_energy(part):
    series = part.run.columns
    imbalance = series.get("energy_imbalance")
    if imbalance is None or not np.isfinite(imbalance).any():
        return None
    scale = max(np.nanmax(np.abs(series[name])) for name in series if name.startswith("energy_"))
    relative_imbalance = np.nanmax(np.abs(imbalance)) / scale if scale else 0.0
    words = f"the energy balance, an identity that checks the bookkeeping, closes to {scree.html.number(relative_imbalance, 2)} of the largest energy"
    return Verdict(*((State.HELD, "energy kept") if relative_imbalance < ROUNDING else (State.OFF, "energy off"))), words


def glance(parts):
    """The summary: [(Verdict, text)]."""
    lines = []
    for part in parts:
        checks = [check(part) for check in (_check_end, _check_particles, _check_overlap, _check_convergence, _check_energy)]
        lines += [(verdict, title_in(parts, part, words)) for verdict, words in filter(None, checks)]
    return lines

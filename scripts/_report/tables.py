"""Sections from the tables of a run: key figures, series, loads of the walls, averages.

Each section is a function of the parts that returns pieces of the page or raises NotApplicable.
"""

import re

import numpy as np

import scree.cell
import scree.figure
import scree.grid
import scree.html
import scree.key_figures
import scree.means
import scree.table
import scree.units
import scree.view
from _report import paper
from _report.part import NotApplicable, results_of_parts, title_in

SERIES = ("particles", "touching_per_particle", "max_penetration_interval", "residual_rms")  # columns of series.csv
ENERGIES = re.compile("energy|work|dissipat")
LOAD = re.compile(r"wall_(.+)_(force|torque)_([xyz])")
ROUNDING = 1e-12  # relative rounding error of energies and speeds
REACHED = 0.05  # a stress has reached its target after crossing it or coming closer than this fraction of the target
TRAVEL = re.compile(r"wall_(.+)_travel")


def key_figures(parts, window):
    """The key figures of all runs side by side."""
    with_paper = paper.has_paper(parts)
    header = ["quantity", "unit", *(part.label for part in parts)]
    header += ["paper, Coulomb", "paper, max. dissipation"] if with_paper else []
    rows = []
    # Mass flows, which are not in QUANTITIES, come last.
    for quantity in dict.fromkeys([*scree.key_figures.QUANTITIES, *(name for part in parts for name in part.figures)]):
        figures = [part.figures.get(quantity) for part in parts]
        if not any(figures):
            continue
        figures = [figure and scree.key_figures.shown(figure) for figure in figures]
        unit = next(figure.unit for figure in figures if figure).replace("1", "")
        row = [quantity, unit, *(scree.key_figures.text(figure) if figure else "" for figure in figures)]
        rows.append(row + (list(paper.NUMBERS.get(quantity, ("", ""))) if with_paper else []))
    caption = (
        f"Averages {window}, with standard errors (“>”: the error is larger, because the "
        "window is too short). Contacts are contact points, walls included; a pair of polyhedra may have several. Contacts per "
        "particle are twice the touching contacts divided by the particles. The solid fraction is that of all space within the "
        "walls, also above a bed; the solid fraction amid the particles is that of the bed."
    )
    section = [scree.html.table(header, rows, caption)]
    return section + (list(map(scree.html.paragraph, (paper.TWO_LAWS, paper.DIFFERENCES))) if with_paper else [])


def write_numbers(path, parts):
    """Writes the numbers of the table: run, quantity, unit, value, error."""
    rows = [
        (part.label, figure.quantity, figure.unit, figure.value, figure.error)
        for part in parts
        for figure in part.figures.values()
    ]
    scree.table.write(
        path, ["key figures of the report; SI units"],
        dict(zip(("run", "quantity", "unit", "value", "error"), zip(*rows))),
    )  # fmt: skip


def series_columns(runs):
    """Columns of series.csv to draw, as (name, label): key figures, the largest component of the velocity, energies.

    Columns of the energy balance are empty unless a run recorded the balance. Constant columns are not drawn, nor
    are energies and velocities below the rounding error of the largest energy or velocity.
    """
    columns = {
        name
        for run in runs
        for name, values in run.columns.items()
        if values.dtype.kind == "f" and np.isfinite(values).any()
        and np.nanmax(values) - np.nanmin(values) > ROUNDING * np.nanmax(np.abs(values))
    }
    peak = {name: max(np.nanmax(np.abs(run.columns[name]), initial=0.0) for run in runs if name in run.columns)
            for name in columns}  # fmt: skip
    scale = max((peak[name] for name in columns if ENERGIES.search(name)), default=0.0)
    energies = sorted(name for name in columns if ENERGIES.search(name) and peak[name] > ROUNDING * scale)
    if "energy_kinetic" in energies and "kinetic_energy" in energies:
        energies.remove("energy_kinetic")  # the same energy, as a column of the energy balance
    velocity = f"mean_velocity_{scree.key_figures.main_axis(runs[0].columns)}"
    if peak.get(velocity, 0.0) <= ROUNDING * peak.get("max_speed", 0.0):
        columns.discard(velocity)
    travels = [(name, _label_of_travel(name, runs)) for name in sorted(columns) if TRAVEL.fullmatch(name)]
    return [(name, scree.units.LABELS[name]) for name in (*SERIES, velocity) if name in columns] + travels + [
        (name, f"{name.replace('_', ' ')} $E$ [J]") for name in energies
    ]


def _label_of_travel(name, runs):
    """Label of the travel of a free wall, with the units of its motions in the runs."""
    units = {scree.units.of_column(name, run.scene) for run in runs if name in run.columns} - {""}
    return f"travel of {TRAVEL.fullmatch(name)[1]} $s$" + (f" [{'; '.join(sorted(units))}]" if units else "")


def series(parts, window):
    """Key figures and energies over time."""
    drawn = series_columns([part.run for part in parts])
    if not drawn:
        raise NotApplicable("nothing in series.csv changes")
    figure, panels = scree.figure.panels(len(drawn), 2, sharex=True)
    for axes, (column, label) in zip(panels, drawn):
        for part in parts:
            values = part.run.columns.get(column, np.full(len(part.run.columns["time"]), np.nan))
            axes.plot(part.run.columns["time"], values, linewidth=0.9, label=part.label)
        axes.set(xlabel="time $t$ [s]")
        axes.tick_params(labelbottom=True)
        scree.figure.label(axes.yaxis, label)
    scree.figure.legend(panels[0])
    return [scree.html.picture(figure, "series.csv of each run, without the columns that do not change")]


def _cell(part):
    columns = scree.cell.rows(part.run, part.begin, part.end)
    if columns is None:
        raise NotApplicable("the run has no [cell], a periodic domain whose stress or rates are given")
    return columns


def _mean_text(values):
    mean, error, is_sure = scree.means.mean_error(values)
    has_error = np.isfinite(error) and error > scree.key_figures.ROUNDING * abs(mean)
    return scree.means.with_error(mean, error, not is_sure) if has_error else scree.html.number(mean)


def _target_texts(stress, target):
    """(target of a stress, largest deviation after the target was reached), as texts; empty if all targets are NaN."""
    is_controlled = np.isfinite(target)
    if not is_controlled.any():
        return "", ""
    targets, deviation = target[is_controlled], stress[is_controlled] - target[is_controlled]
    ends = [scree.html.number(end) for end in (targets[0], targets[-1])]
    text = ends[0] if np.ptp(targets) == 0.0 else " to ".join(ends)
    scale = np.abs(targets).max()
    reached = np.flatnonzero((np.abs(deviation) <= REACHED * scale) | (np.sign(deviation) != np.sign(deviation[0])))
    if not len(reached) or scale == 0.0:
        return text, "" if len(reached) else "not reached"
    return text, f"{scree.html.number(100.0 * np.abs(deviation[reached[0] :]).max() / scale, 2)} %"


def _rows_of_cell(part, columns):
    begin, strain = scree.cell.strains(columns)
    columns = scree.cell.last_stage(columns)
    rows = []
    for name in ("xx", "yy", "zz", "shear_stress"):
        stress = columns[name if name == "shear_stress" else f"stress_{name}"]
        target, deviation = _target_texts(stress, columns[f"target_{name}"])
        if target or name != "shear_stress" or scree.cell.is_sheared(columns):
            title = "shear stress τ [Pa]" if name == "shear_stress" else f"stress {name} [Pa]"
            rows.append([title, target, _mean_text(stress), deviation])
    p, q = scree.cell.mean_stress(columns), scree.cell.deviator(columns)
    rows += [["mean stress p [Pa]", "", _mean_text(p), ""], ["deviatoric stress q [Pa]", "", _mean_text(q), ""]]
    if p.mean() > 0.0:
        rows.append(["q/p, of the means", "", scree.html.number(q.mean() / p.mean()), ""])
    for quantity, label in (("shear stress over pressure", "µ = τ over the normal stress along the gradient"),
                            ("inertial number", "inertial number I = shear rate x d √(ρ/the same normal stress)")):  # fmt: skip
        if quantity in part.figures:
            rows.append([label, "", scree.key_figures.text(part.figures[quantity]), ""])
    rows += [[label, "", _mean_text(columns[name]), ""]
             for name, label in (("solid_fraction", "solid fraction φ"),
                                 ("coordination", "loaded contact points per particle, rattlers included"))]  # fmt: skip
    edges = " x ".join(scree.html.number(1e3 * columns[f"cell_length_{axis}"][-1]) for axis in "xyz")
    strains_text = ", ".join(scree.html.number(strain[axis]) for axis in "xyz")
    span = f"from {scree.html.number(begin)} s to the end"
    strains = [("edges at the end [mm]", edges), (f"strains along x, y, z {span}", strains_text),
               (f"strain of the volume {span}", scree.html.number(strain["volume"]))]  # fmt: skip
    if scree.cell.is_sheared(columns):
        strains.append((f"shear strain {span}", scree.html.number(strain["shear"])))
    return rows + [[label, "", value, ""] for label, value in strains]


def _rows_of_rest(columns):
    """Table rows with the time from which a cell is at rest; none if the cell cannot rest.

    columns: from the beginning of the run to the end of the window, because the rest may begin before the window
    """
    stage = scree.cell.last_stage(columns)
    begin = scree.cell.rest_from(stage)
    if begin is None:
        return []
    if np.isfinite(begin):
        return [["at rest", "", f"from {scree.html.number(begin)} s on", ""]]
    if len(stage["time"]) < scree.cell.MIN_ROWS:
        return [["at rest", "", f"not known: since the last change of the targets the series has {len(stage['time'])} rows", ""]]
    is_late = stage["time"] >= stage["time"][-1] - scree.cell.LONG_ENOUGH * np.ptp(stage["time"])
    deviation, strain = (100.0 * values[is_late].max()
                         for values in (scree.cell.deviation_from_target(stage), scree.cell.remaining_strain(stage)))  # fmt: skip
    return [["at rest", "", f"not yet: in the last {100.0 * scree.cell.LONG_ENOUGH:g} % of the time stresses are up to "
             f"{scree.html.number(deviation, 2)} % off their targets, and the cell is strained by {scree.html.number(strain, 2)} %", ""]]  # fmt: skip


def _figure_of_cell(columns):
    """Stresses with their targets, solid fraction, loaded contacts and edges over time."""
    figure, panels = scree.figure.panels(4, 2, (4.2, 2.8), sharex=True)
    time = columns["time"]
    stresses = [(f"stress_{axes}", f"target_{axes}", f"$σ_{{{axes}}}$") for axes in scree.cell.NORMAL]
    if scree.cell.is_sheared(columns):
        stresses.append(("shear_stress", "target_shear_stress", "$τ$"))
    for colour, (stress, target, label) in zip(scree.figure.COLOURS, stresses):
        panels[0].plot(time, columns[stress], color=colour, linewidth=0.9, label=label)
        panels[0].plot(time, columns[target], "--", color=colour, linewidth=1.2)
    panels[1].plot(time, columns["solid_fraction"], linewidth=0.9)
    panels[2].plot(time, columns["coordination"], linewidth=0.9)
    for axis in "xyz":
        panels[3].plot(time, 1e3 * columns[f"cell_length_{axis}"], linewidth=0.9, label=f"$L_{axis}$")
    for axes, label in zip(panels, ("stress [Pa]", "solid fraction $φ$", "loaded contact points\nper particle", "edges [mm]")):
        axes.set(ylabel=label, xlabel="time $t$ [s]")
        axes.tick_params(labelbottom=True)
    for axes in (panels[0], panels[3]):
        scree.figure.legend(axes)
    return figure


def _figure_of_test(tests):
    """q/p and volume strain as functions of the strain.  tests: {label: scree.cell.ShearTest}"""
    figure, panels = scree.figure.panels(2, 2)
    for label, test in tests.items():
        for axes, values in zip(panels, (test.ratio, 100.0 * test.volume)):
            axes.plot(100.0 * test.strain, values, linewidth=0.9, label=label)
    kinds = {test.axis for test in tests.values()}
    strain_label = "shear strain $γ$ [%]" if kinds == {"shear"} else f"axial strain $ε_{{{'/'.join(sorted(kinds))}}}$ [%]"
    for axes, label in zip(panels, ("stress ratio $q/p$", "volume strain $ε_v$ [%]")):
        axes.set(xlabel=strain_label, ylabel=label)
    panels[0].set_ylim(bottom=0.0)
    scree.figure.legend(panels[0])
    return figure


def cell(parts, window):
    """Stress of a periodic cell compared with its target, and the deformation of the cell."""
    section = []
    for part, columns in results_of_parts(parts, _cell):
        rows = _rows_of_cell(part, columns) + _rows_of_rest(scree.cell.rows(part.run, -np.inf, part.end))
        caption = (
            f"{title_in(parts, part, 'Periodic cell')}: means {window}, since the last change of the targets, with standard "
            "errors; pressure is positive. The largest deviation of a controlled stress is that in the rows of "
            "series.csv after the target was first reached, except where max_rate limits the rate. Strains are logarithmic, "
            "positive where the cell gets shorter or smaller. p is the mean of the normal stresses, "
            "q = √(3/2 s:s) of the deviator s, shear included. At rest: from then on all controlled stresses stay within "
            f"{100.0 * scree.cell.AT_REST:g} % of the largest target, and the cell is strained by "
            f"{100.0 * scree.cell.MAX_REST_STRAIN:g} % at most."
        )
        section.append(scree.html.table(["", "target", "mean", "largest deviation"], rows, caption))
        section.append(scree.html.picture(_figure_of_cell(columns), f"{part.label}; dashed: target"))
    tests = {part.label: scree.cell.shear_test(columns) for part, columns in results_of_parts(parts, _cell)}
    tests = {label: test for label, test in tests.items() if test is not None}
    if tests:
        section.append(scree.html.picture(_figure_of_test(tests), "From the last change of the targets on; the packing dilates where "
                                          "its strain falls"))  # fmt: skip
    return section


def _loads(part):
    """Columns of the forces and torques on walls in the window, {wall: {"force_x": [K]}}."""
    walls = {}
    for name, values in part.run.rows(part.begin, part.end).items():
        column = LOAD.fullmatch(name)
        if column and np.isfinite(values).any():
            walls.setdefault(column[1], {})[f"{column[2]}_{column[3]}"] = values
    if not walls:
        raise NotApplicable("the run did not record them; output.wall_forces = yes records them")
    return walls


def _means_of_loads(parts, results, kind, caption):
    """A table with a row for each wall: means of its forces or torques along the axes."""
    rows = []
    for part, walls in results:
        for wall, columns in walls.items():
            means = [scree.means.mean_error(columns.get(f"{kind}_{axis}", np.zeros(2))[1:]) for axis in "xyz"]
            cells = [scree.means.with_error(mean, error, not is_sure) if np.isfinite(error) and error > 0.0
                     else scree.html.number(mean) for mean, error, is_sure in means]  # fmt: skip
            rows.append([title_in(parts, part, wall), *cells])
    return scree.html.table(["wall", "in x", "in y", "in z"], rows, caption)


def loads(parts, window):
    """Means of the forces and torques on the walls, and the vertical forces over time."""
    results = results_of_parts(parts, _loads)
    section = [_means_of_loads(parts, results, "force", f"Force of the particles on each wall [N], mean {window}, standard error"),
               _means_of_loads(parts, results, "torque", "Torque of the particles about each wall's centre [N m], likewise")]
    for part, walls in results:
        if not part.paths:
            continue
        up = scree.view.vertical(part.last)
        down = {wall: -sum(up[k] * columns[f"force_{'xyz'[k]}"] for k in range(3)) for wall, columns in walls.items()}
        drawn = {wall: load for wall, load in down.items() if np.ptp(load) > 0.0}
        if not drawn:
            continue
        figure, (axes,) = scree.figure.panels(1, 1)
        time = part.run.rows(part.begin, part.end)["time"]
        for wall, load in drawn.items():
            axes.plot(time, load, linewidth=0.9, label=wall)
        axes.set(xlabel="time $t$ [s]")
        scree.figure.label(axes.yaxis, scree.units.LABELS["force"])
        axes.legend(fontsize=scree.figure.SMALL)
        section.append(scree.html.picture(figure, f"{part.label}, each value a mean over the steps since the previous row"))
    return section


def _averages(part):
    """Tables of the averages of the run, without an incomplete last interval, {name: columns}."""
    files = sorted((part.run.path / "averages").glob("*.csv"))
    if not files:
        has_average = re.search(r"^\[average\.", part.run.configuration, re.MULTILINE)
        raise NotApplicable("none is written yet; the run writes them at its end" if has_average else
                      "the scene has none; add [average.NAME]")  # fmt: skip
    tables = {file.stem: scree.table.read(file) for file in files}
    return {name: part.run.average_rows(name) if "time_from" in table else table for name, table in tables.items()}


GRID_PANELS = tuple((name, scree.units.LABELS[name]) for name in ("velocity_norm", "solid_fraction"))
AVERAGE_SERIES = ("mass_flow", "velocity_norm", "momentum_density_z", "solid_fraction", "granular_temperature")


def _by_kind(columns):
    """Rows of each material or shape of an average with `by`, {name: columns}; without `by` all rows as {"": columns}."""
    kinds = columns.get("material", columns.get("shape"))
    if kinds is None:
        return {"": columns}
    return {kind: {name: values[kinds == kind] for name, values in columns.items()} for kind in dict.fromkeys(kinds)}


def _figure_over_time(columns):
    """The series of a plane or of a probe of one cell as a figure; None for a grid."""
    if "i" in columns and len(np.unique(np.stack([columns[axis] for axis in "ijk"]), axis=1).T) > 1:
        return None
    drawn = [name for name in AVERAGE_SERIES if name in columns and np.isfinite(columns[name]).any()]
    figure, panels = scree.figure.panels(len(drawn), 2, sharex=True)
    for axes, column in zip(panels, drawn):
        for kind, rows in _by_kind(columns).items():
            middle = 0.5 * (rows["time_from"] + rows["time_to"])
            axes.plot(middle, rows[column], "o-", markersize=2.5, linewidth=1.0, label=kind)
        axes.set(xlabel="time $t$ [s]")
        axes.tick_params(labelbottom=True)
        if np.nanmin(columns[column]) >= 0.0:
            axes.set_ylim(bottom=0.0)
        scree.figure.label(axes.yaxis, scree.units.LABELS[column])
    scree.figure.legend(panels[0])
    return figure


def _last_interval(columns):
    """The cells of the last interval of a series of averages."""
    is_last = columns["time_from"] == columns["time_from"][-1]
    return {name: values[is_last] for name, values in columns.items()}


def _pictures_of_grid(part, columns, title, source):
    """Profiles or maps of an average over a grid, one for each material or shape that has samples; none for one cell."""
    pictures = []
    for kind, rows in _by_kind(columns).items():
        grid = scree.grid.of_table(rows, [column for column, _ in GRID_PANELS]) if np.any(rows["samples"] > 0) else None
        if grid:
            figure = scree.grid.figure_of(grid, GRID_PANELS, part.last)
            pictures.append(scree.html.picture(figure, f"{title}{', ' if kind else ''}{kind}: {source}"))
    return pictures


def averages(parts, window):
    """Flows through planes as a table; series of planes and probes, profiles along one axis, and maps as pictures."""
    flows, section = [], []
    for part, tables in results_of_parts(parts, _averages):
        for name, columns in tables.items():
            title = title_in(parts, part, name)
            if "time_from" in columns:
                figure = _figure_over_time(columns)
                if figure:
                    section.append(scree.html.picture(figure, f"{title}, each the mean of an interval: averages/{name}.csv"))
                    continue
                columns, title = _last_interval(columns), f"{title}, the last interval"
            if "mass_flow" in columns:
                keys = ("duration", "particles_forward", "particles_backward", "particle_flow", "mass_flow")
                flows.append([title, *(scree.html.number(columns[key][0]) for key in keys)])
            elif "samples" in columns:
                section += _pictures_of_grid(part, columns, title, f"averages/{name}.csv")
    if flows:
        header = ["plane", "time [s]", "forward", "backward", "particles [1/s]", "mass [kg/s]"]
        section.insert(0, scree.html.table(header, flows, "Flow through planes"))
    if not section:
        raise NotApplicable("the averages have no samples, or are not a plane, a line or a map")
    return section

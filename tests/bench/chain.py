#!/usr/bin/env python3
"""Times a chain of links in a bed of 1e5 grains: python3 tests/bench/chain.py build/release/bin/scree-run

The chain hangs from the ground. Its hinges alternate between x and y, and all links but the first replace a column
of grains in the bed. A motor at each hinge presses the links against the grains. Prints the processor time per step of
the chain with a single grain. Then, alternately, runs the bed with the links as fixed walls and with the chain, and
prints the ratio of the times. Takes some minutes.

"""

import argparse
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

RADIUS, STEP, LENGTH = 1.0, 100e-6, 4.0  # of a grain [mm], time step [s], of a link [mm]
SPACING = 2.001  # of grains, so that they touch after some steps [mm]


def scene(grains, links, fixed=False):
    """Text of the scene; fixed: links are walls."""
    side = (grains / 1.05) ** (1 / 3) * SPACING  # of the bed, nearly a cube [mm]
    height = max(1.05 * side, 30.0)
    side = max(side, 30.0)
    lower = height - (links - 1) * LENGTH if grains else 5.0
    top = lower + links * LENGTH + 5.0
    x = (int(side / 2 / SPACING) + 0.5) * SPACING  # of a column of grains [mm]
    half = 0.5 * SPACING
    text = (
        f"[domain]\nlower = 0 0 0 mm\nupper = {side} {side} {top} mm\nperiodic = x y\n[time]\nstep = {STEP} s\nend = 1 s\n"
        f"[contact]\nfriction = 0.4\n[wall.floor]\nshape = plane\npoint = 0 0 0\nnormal = 0 0 1\n"
    )
    if grains:
        text += (
            f"[fill]\nlower = 0 0 0 mm\nupper = {side} {side} {height} mm\nspacing = {SPACING} mm\nradius = {RADIUS} mm\n"
            "jitter = 1 1 1 mm/s\n"
        )
    else:
        text += f"[fill]\nlower = 1 1 0 mm\nupper = 3.5 3.5 2.5 mm\nspacing = 2.05 mm\nradius = {RADIUS} mm\n"
    for k in range(links):
        upper = top - 4.0 - k * LENGTH
        text += (
            f"[wall.w{k}]\nshape = box\nlower = {x - half} {x - half} {upper - LENGTH + 0.5} mm\n"
            f"upper = {x + half} {x + half} {upper - 0.5} mm\n"
        )
        if fixed:
            continue
        text += (
            f"[link.l{k}]\nwalls = w{k}\ndensity = 3 g/cm^3\n"
            f"[joint.j{k}]\nparent = {f'l{k - 1}' if k else 'ground'}\nchild = l{k}\nkind = hinge\npoint = {x} {x} {upper} mm\n"
            f"axis = {'1 0 0' if k % 2 else '0 1 0'}\ndrive = speed\nrate = {2 if k % 4 < 2 else -2} 1/s\nlargest_torque = 0.1 mN m\n"
        )
    return text


def processor_time(run, text, steps, folder):
    """Processor time of a run of this number of steps [s]."""
    path = pathlib.Path(folder) / "scene.ini"
    path.write_text(text)
    usage_before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [run, path, "--time.end", f"{steps * STEP} s", "--output.directory", f"{folder}/out", "--output.overwrite", "yes"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    usage_after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage_after.ru_utime + usage_after.ru_stime - usage_before.ru_utime - usage_before.ru_stime


def time_per_step(run, text, steps, folder, warm_up=20):
    """Processor time per step without the start of the program and without the first steps [s]."""
    total = processor_time(run, text, warm_up + steps, folder)
    return (total - processor_time(run, text, warm_up, folder)) / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", help="scree-run")
    parser.add_argument("--grains", type=float, default=1e5)
    parser.add_argument("--links", type=int, default=20)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=3, help="measurements, each with fixed walls and with links")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        chain_alone = time_per_step(args.run, scene(0, args.links), 500, folder)
        print(f"chain alone    {1e3 * chain_alone:.3f} ms per step")
        ratios, fixed = [], []
        for _ in range(args.pairs):
            fixed.append(time_per_step(args.run, scene(args.grains, args.links, fixed=True), args.steps, folder))
            ratios.append(time_per_step(args.run, scene(args.grains, args.links), args.steps, folder) / fixed[-1])
            print(f"fixed walls    {1e3 * fixed[-1]:.1f} ms per step; with links {ratios[-1]:.3f} times as long", flush=True)
        percent = 100 * chain_alone / statistics.median(fixed)
        print(f"median ratio   {statistics.median(ratios):.3f}; chain alone {percent:.2f} %")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Time of a chain of links in a bed of 1e5 grains: python3 tests/bench/chain.py build/release/bin/scree-run

The chain hangs from the ground on hinges that alternate between x and y; its lower quarter is in the bed. Processor time per
step of the bed with and without the chain, in turns, and of the chain with
one grain. No test: it takes some minutes.
"""

import argparse
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

RADIUS, STEP, LONG = 1.0, 100e-6, 7.0  # of grains [mm], [s], of a link [mm]
SPACING = 2.001  # the bed is in contact after some steps [mm]


def scene(grains, links, bare=False):
    """Text of the scene; bare: without the chain."""
    side = (grains / 1.05) ** (1 / 3) * SPACING  # of the bed, nearly a cube [mm]
    height = max(1.05 * side, 30.0)
    side = max(side, 30.0)
    lower = height - 0.25 * links * LONG if grains else 5.0
    top = lower + links * LONG + 5.0
    x = side / 2
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
    for k in range(0 if bare else links):
        upper = top - 4.0 - k * LONG
        text += (
            f"[wall.w{k}]\nshape = box\nlower = {x - 1} {x - 1} {upper - LONG + 0.5} mm\nupper = {x + 1} {x + 1} {upper - 0.5} mm\n"
            f"[link.l{k}]\nwalls = w{k}\ndensity = 3 g/cm^3\n"
            f"[joint.j{k}]\nparent = {f'l{k - 1}' if k else 'ground'}\nchild = l{k}\nkind = hinge\npoint = {x} {x} {upper} mm\n"
            f"axis = {'1 0 0' if k % 2 else '0 1 0'}\n"
        )
    return text


def seconds(run, text, steps, folder):
    """Processor time of a run of some steps."""
    path = pathlib.Path(folder) / "scene.ini"
    path.write_text(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [run, path, "--time.end", f"{steps * STEP} s", "--output.directory", f"{folder}/out", "--output.overwrite", "yes"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def per_step(run, text, steps, folder, after=100):
    """Time of a step, without the start and the steps before [s]."""
    return (seconds(run, text, after + steps, folder) - seconds(run, text, after, folder)) / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", help="scree-run")
    parser.add_argument("--grains", type=float, default=1e5)
    parser.add_argument("--links", type=int, default=20)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        alone = per_step(args.run, scene(0, args.links), 500, folder)
        print(f"chain alone    {1e3 * alone:.3f} ms per step")
        ratios, bare = [], []
        for _ in range(args.pairs):
            bare.append(per_step(args.run, scene(args.grains, args.links, bare=True), args.steps, folder))
            with_chain = per_step(args.run, scene(args.grains, args.links), args.steps, folder)
            ratios.append(with_chain / bare[-1])
            print(f"bed            {1e3 * bare[-1]:.1f} ms per step, with the chain {ratios[-1]:.3f} of it", flush=True)
        print(f"median ratio   {statistics.median(ratios):.3f}; chain alone {100 * alone / statistics.median(bare):.2f} % of the bed")


if __name__ == "__main__":
    sys.exit(main())

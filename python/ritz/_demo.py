"""python -m ritz demo: the stress in a bracket and the temperature of a heat sink, with a picture of each."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import time

from ritz import _programs

CASES = (("bracket", "ritz-elasticity", "von_mises", "displacement"), ("heat_sink", "ritz-heat", "temperature", None))


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m ritz demo", description="Solves a bracket and a heat sink, and draws a picture of each.")
    parser.add_argument("folder", nargs="?", default="ritz-demo", help="new folder for cases, results and pictures; default: ritz-demo")
    target = pathlib.Path(parser.parse_args(arguments).folder)
    begin = time.monotonic()
    try:
        target.mkdir(parents=True)
    except OSError as error:
        print(f"error: the folder '{target}' cannot be made: {error.strerror}\n  fix: name a new one: python -m ritz demo FOLDER", file=sys.stderr)
        return 7
    for name, program, field, warp in CASES:
        shutil.copytree(_programs.examples() / name, target / name)
        print(f"== {program} {name}/{name}.toml", flush=True)
        show = ["--picture", f"{name}.png", "--report", f"{name}.html", "--field", field, *(["--warp", warp] if warp else [])]
        done = subprocess.run([_programs.folder() / "bin" / program, f"{name}/{name}.toml", "--output", f"results/{name}", *show], cwd=target)
        if done.returncode != 0:
            return done.returncode
    print(f"\n{time.monotonic() - begin:.1f} s in total")
    for name, *_ in CASES:
        print(f"{target / name}.png: picture, {target / name}.html: to be turned in a browser, {target / 'results' / name / name}.pvd: for ParaView")
    return 0

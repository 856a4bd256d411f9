#!/usr/bin/env python3
"""Kills a random rank of a job at a random moment, resumes the job, and kills again: all ranks must end within ten seconds
and leave no wrong files, and each job must end with the results of an undisturbed run. An mpirun that stands still when its
ranks have ended is killed and counted: no rank can do anything about it.

    tools/kill_ranks.py build/bin/ritz-heat case.toml --ranks 3 --kills 200 -- --set material.0.density=1000
"""
import argparse
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ENDS_WITHIN = 10  # [s] after a kill


def launch(options, folder, *more):
    words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(options.ranks), options.program, options.case, "--threads", "1",
             "--checkpoint-every", "0.1", "--output", str(folder), *options.rest, *more]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def children(pid):
    return [int(word) for word in subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()]


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def last_file(folder):
    return max(folder.rglob("*.vtu")).read_bytes()


def fail(text):
    sys.exit(f"kill_ranks: {text}")


def wait_for_end(job, ranks):
    """The code of the job, None where mpirun stands still although its ranks have ended."""
    end = time.monotonic() + ENDS_WITHIN
    while left := [pid for pid in ranks if is_alive(pid)]:
        if time.monotonic() > end:
            job.send_signal(signal.SIGTERM)
            fail(f"ranks still run {ENDS_WITHIN} s after one was killed: {left}")
        time.sleep(0.05)
    try:
        return job.wait(timeout=ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        job.kill()
        job.wait()
        return None


def kill_one(job, longest, stuck):
    """Whether a rank was killed before the job ended by itself. `stuck`: the jobs whose mpirun had to be killed."""
    time.sleep(random.uniform(0, longest))
    ranks = children(job.pid)
    if job.poll() is not None or not ranks:
        return False
    try:
        subprocess.run(["kill", "-KILL", str(random.choice(ranks))], check=True, stderr=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        return False
    code = wait_for_end(job, ranks)
    if code is None:
        stuck.append(job.pid)
    return code != 0


def run(options, scratch):
    start = time.monotonic()
    whole = scratch / "whole"
    if launch(options, whole).wait() != 0:
        fail("the undisturbed run failed")
    longest, expected = time.monotonic() - start, last_file(whole)
    verify = pathlib.Path(options.program).parent / "ritz"
    kills, jobs, stuck = 0, 0, []
    while kills < options.kills:
        folder = scratch / f"job{jobs}"
        jobs += 1
        more = []
        while True:
            job = launch(options, folder, *more)
            killed = kills < options.kills and kill_one(job, longest, stuck)
            kills += killed
            if not killed and job.wait() == 0:
                break
            if folder.exists() and any(folder.iterdir()):
                more = ["--resume"]
            if not killed:
                fail(f"job {jobs} ended with code {job.returncode} after {kills} kills")
        if subprocess.run([str(verify), "results", "verify", str(folder)], stdout=subprocess.DEVNULL).returncode != 0:
            fail(f"job {jobs} left results that are not whole")
        if last_file(folder) != expected:
            fail(f"job {jobs} has other results than the undisturbed run")
        print(f"{kills} kills, {jobs} jobs, {len(stuck)} times mpirun stood still after its ranks had ended", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("case")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    here = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:here])
    options.rest = sys.argv[here + 1 :]  # arguments of the program
    random.seed(options.seed)
    with tempfile.TemporaryDirectory(prefix="ritz-kills-") as scratch:
        run(options, pathlib.Path(scratch))


if __name__ == "__main__":
    main()

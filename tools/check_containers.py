#!/usr/bin/env python3
"""Builds containers/Dockerfile without Docker: its steps, read from its text, in clean Debian roots made by debootstrap.

    tools/check_containers.py FOLDER [debootstrap's further arguments, such as a mirror]

Knows FROM, ARG, ENV, COPY, WORKDIR, RUN, USER and CMD, as this Dockerfile uses them. The %post sections of containers/ritz.def must hold the
same commands. At the end it runs CMD and an example as the image's user. What is committed is built (git archive). Needs root and
debootstrap; roots that are there already are used again, the base packages only. CMAKE_BUILD_PARALLEL_LEVEL is handed on. Exit code 0 when
all went well.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]


def instructions(text):
    """(instruction, argument) of a Dockerfile, continued lines joined, comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        if line.strip():
            word, argument = line.strip().split(None, 1)
            yield word, re.sub(r"\s+", " ", argument)


def commands(shell):
    return [part.strip() for part in re.split(r"&&|\n", shell) if part.strip()]


def check_definition():
    """ritz.def does in %post what the Dockerfile does in RUN, but for what each needs alone."""
    definition = (SOURCE / "containers/ritz.def").read_text()
    posts = " \n ".join(re.findall(r"^%post\n(.*?)(?=^\S|\Z)", definition, re.M | re.S))
    ours = set(commands(posts)) - {"export DEBIAN_FRONTEND=noninteractive", "cd /ritz"}
    runs = " && ".join(argument for word, argument in instructions((SOURCE / "containers/Dockerfile").read_text()) if word == "RUN")
    theirs = set(commands(runs)) - {"useradd --create-home ritz", "rm -rf /var/lib/apt/lists/*"}
    if ours - {"rm -rf /var/lib/apt/lists/*"} != theirs:
        sys.exit(f"ritz.def and Dockerfile differ: {sorted(ours ^ theirs)}")


class Stage:
    def __init__(self, base, folder, arguments):
        self.root = folder
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "OMP_WAIT_POLICY": "passive"}
        if "CMAKE_BUILD_PARALLEL_LEVEL" in os.environ:  # on a machine that others use
            self.environment["CMAKE_BUILD_PARALLEL_LEVEL"] = os.environ["CMAKE_BUILD_PARALLEL_LEVEL"]
        self.workdir, self.user, self.command = "/", "root", []
        image, _, tag = base.partition(":")
        if image != "debian" or not tag.startswith("12"):
            sys.exit(f"'{base}' is no Debian 12")
        pristine = folder.with_name("pristine")
        if not pristine.exists():
            subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(pristine), *arguments], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["cp", "-a", str(pristine), str(folder)], check=True)
        for name in ("/etc/resolv.conf", "/etc/hosts"):
            shutil.copy(name, str(folder) + name)

    def run(self, words, check=True):
        inside = ["chroot", *([f"--userspec={self.user}:{self.user}"] if self.user != "root" else []), str(self.root),
                  "/bin/sh", "-c", 'cd "$0" && exec "$@"', self.workdir, *words]
        # A mount namespace of its own: /proc and /dev go away with it.
        script = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && shift && exec "$@"'
        environment = dict(self.environment, HOME=f"/home/{self.user}" if self.user != "root" else "/root")
        return subprocess.run(["unshare", "--mount", "--fork", "--pid", "sh", "-c", script, "sh", str(self.root), *inside], env=environment, check=check)


def build(folder, arguments):
    variables, stages, names = {}, [], {}
    for word, argument in instructions((SOURCE / "containers/Dockerfile").read_text()):
        argument_now = re.sub(r"\$\{(\w+)\}", lambda m: variables.get(m[1], m[0]), argument)
        print(f"== {word} {argument_now}", flush=True)
        if word == "ARG":
            name, value = argument.split("=", 1)
            variables[name] = value
        elif word == "FROM":
            base, _, name = argument_now.partition(" AS ")
            stages.append(Stage(base, folder / f"stage{len(stages)}", arguments))
            names[name or str(len(stages) - 1)] = stages[-1]
        elif word == "ENV":
            name, value = argument.split("=", 1)
            stages[-1].environment[name] = value.replace("$PATH", stages[-1].environment["PATH"])
        elif word == "WORKDIR":
            stages[-1].workdir = argument
            (stages[-1].root / argument.strip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            words = argument.split()
            source = names[words.pop(0).split("=")[1]].root if words[0].startswith("--from=") else None
            target = stages[-1].root / words[1].strip("/")
            if source is None:
                target.mkdir(parents=True)
                archive = subprocess.Popen(["git", "-C", str(SOURCE), "archive", "HEAD"], stdout=subprocess.PIPE)
                subprocess.run(["tar", "-C", str(target), "-xf", "-"], stdin=archive.stdout, check=True)
            else:
                shutil.copytree(source / words[0].strip("/"), target, symlinks=True)
        elif word == "RUN":
            stages[-1].run(["/bin/sh", "-c", argument])
        elif word == "USER":
            stages[-1].user = argument
        elif word == "CMD":
            stages[-1].command = json.loads(argument)
        else:
            sys.exit(f"unknown instruction {word}")
    return stages[-1]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    check_definition()
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    image = build(folder, sys.argv[2:])
    os.chmod(image.root / "work", 0o777)
    print("== the image's command", flush=True)
    image.run(image.command)
    print("== an example", flush=True)
    image.run(["ritz-elasticity", "/opt/ritz/share/ritz/examples/bracket/bracket.toml"])
    size = subprocess.run(["du", "-sm", str(image.root)], capture_output=True, text=True).stdout.split()[0]
    print(f"== well: the image has {size} MB")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Packs a built Ritz with its Python package as a wheel. tools/wheel.sh builds what is missing, then calls this.

    tools/ritz_wheel.py BUILD OUT [LEVEL]     from build folder BUILD to OUT/ritz_fem-....whl; LEVEL: of compression, 1 to 9

One wheel serves every Python for which the build has a module. In it are the package, and in the package bin/, lib/, include/ and
share/ as an installation has them. It is the backend of pyproject.toml, too. Needs Python 3.11, and what tools/graft.py needs."""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "tools"))
import graft  # noqa: E402


def cached(build, name):
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    return found[1] if found else ""


def lay(build, root):
    """The package in `root`, as it lies in site-packages. Returns the folder of licences, and the versions of Python: ["311"]."""
    package = root / "ritz"
    subprocess.run(["cmake", "--install", build, "--prefix", package, "--strip"], check=True, stdout=subprocess.DEVNULL)
    if cached(build, "CMAKE_INSTALL_LIBDIR") != "lib":
        (package / cached(build, "CMAKE_INSTALL_LIBDIR")).rename(package / "lib")
    shutil.rmtree(package / "lib/cmake")               # who builds on Ritz installs it
    licences = root / f"ritz_fem-{cached(build, 'CMAKE_PROJECT_VERSION')}.dist-info" / "licenses"
    licences.mkdir(parents=True)
    for text in ("LICENSE", "docs/licences.md"):
        shutil.copy(SOURCE / text, licences)
    shutil.rmtree(package / "share/doc")
    pages = root / f"ritz_fem-{cached(build, 'CMAKE_PROJECT_VERSION')}.data/data/share/man"  # pip puts them beside bin/, where man looks
    pages.parent.mkdir(parents=True)
    (package / "share/man").rename(pages)
    for path in sorted((build / "python/ritz").iterdir()):
        if path.is_file():
            shutil.copy(path, package / path.name)
    versions = []
    for module in sorted(package.glob("_ritz.cpython-*.so")):
        subprocess.run(["strip", module], check=True)
        versions.append(module.name.split("-")[1])
    if not versions:
        sys.exit(f"error: '{build}' has no module for Python\n  fix: tools/wheel.sh {build}")
    return licences, versions


def metadata(project, version):
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {version}", f"Summary: {project['description']}",
             f"Keywords: {','.join(project['keywords'])}", f"Requires-Python: {project['requires-python']}",
             f"License-Expression: {project['license']}", "License-File: LICENSE"]
    lines += [f"Classifier: {each}" for each in project["classifiers"]]
    lines += [f"Requires-Dist: {each}" for each in project["dependencies"]]
    for extra, needed in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {each}; extra == "{extra}"' for each in needed)]
    lines += ["Description-Content-Type: text/markdown", "", (SOURCE / project["readme"]).read_text()]
    return "\n".join(lines)


def describe(root, version, tag):
    """The files of dist-info but for RECORD."""
    import tomllib
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    about = root / f"ritz_fem-{version}.dist-info"
    (about / "METADATA").write_text(metadata(project, version))
    python, platform = tag
    tags = "".join(f"Tag: {each}-none-{platform}\n" for each in python.split("."))
    (about / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: ritz_wheel\nRoot-Is-Purelib: false\n{tags}")
    programs = sorted(path.name for path in (root / "ritz/bin").iterdir())
    scripts = "".join(f"{name} = ritz._programs:{'ritz' if name == 'ritz' else 'program'}\n" for name in programs)
    (about / "entry_points.txt").write_text(f"[console_scripts]\n{scripts}")
    return about


def zipped(root, about, wheel, level):
    """All files in their order with one date, so that equal builds give equal wheels; RECORD is the last one."""
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        def add(name, data, mode):
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=level)
        for path in sorted(filter(pathlib.Path.is_file, root.rglob("*"))):
            name, data = path.relative_to(root).as_posix(), path.read_bytes()
            add(name, data, 0o755 if os.access(path, os.X_OK) else 0o644)
            checksum = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={checksum},{len(data)}\n")
        name = f"{about.name}/RECORD"
        add(name, "".join([*record, f"{name},,\n"]), 0o644)


def places_of(build):
    """Folders of the machine that built, which nothing in a wheel may name."""
    return {str(SOURCE).encode(), str(build).encode()}


def names_no_sources(path):
    """Kernels for GPUs name their sources, for profilers (nvcc -lineinfo); other files do not."""
    return path.is_file() and not path.name.endswith(".cuda.so")


def pack(build, out, level=6):
    """Returns the path of the wheel."""
    build, out = pathlib.Path(build).resolve(), pathlib.Path(out).resolve()
    version = cached(build, "CMAKE_PROJECT_VERSION")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "wheel")
        licences, versions = lay(build, root)
        copies, needs, newest = graft.graft(root / "ritz", root / "ritz/lib", licences)
        for path in filter(names_no_sources, root.rglob("*")):
            data = path.read_bytes()
            named = [place.decode() for place in places_of(build) if place in data]
            if named:
                sys.exit(f"error: '{path.relative_to(root)}' names '{named[0]}', a folder of this machine")
        tag = ".".join(f"cp{each}" for each in versions), "manylinux_{}_{}_x86_64".format(*newest["GLIBC"])
        about = describe(root, version, tag)
        out.mkdir(parents=True, exist_ok=True)
        wheel = out / f"ritz_fem-{version}-{tag[0]}-none-{tag[1]}.whl"
        zipped(root, about, wheel, level)
        unpacked = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    print(f"from elsewhere: {len(copies)} libraries, {sum(copies.values()) / 1e6:.1f} MB")
    graft.tell(copies, needs, newest)
    print(f"unpacked {unpacked / 1e6:.1f} MB, packed {wheel.stat().st_size / 1e6:.1f} MB: {wheel}")
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook of PEP 517."""
    build = (config_settings or {}).get("build", str(SOURCE / "build-wheel"))
    before = set(pathlib.Path(wheel_directory).glob("*.whl"))
    subprocess.run([SOURCE / "tools/wheel.sh", "--python", sys.executable, build, wheel_directory], check=True)
    return (set(pathlib.Path(wheel_directory).glob("*.whl")) - before).pop().name


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    pack(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))

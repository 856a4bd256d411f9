#!/usr/bin/env python3
"""Makes a folder of executables and libraries independent of this machine: the shared libraries that they need come along, and all
files find each other by where they lie. Used by tools/bundle.sh and tools/wheel.sh.

    tools/graft.py ROOT LIBRARIES LICENCES

ROOT: folder with executables and libraries of its own. LIBRARIES: folder in it for libraries from elsewhere. LICENCES: folder in it for
their licences. The names of libraries from elsewhere get a part of their checksum, so that a process may load others of the same name, as
Python does with the wheels of vtk and h5py. Prints what came along, what the system must have, and the oldest C library with which
all files run. Needs ldd, readelf, patchelf, and a C compiler for the libraries that are left out."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SYSTEM = re.compile(r"ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv|mvec|stdc\+\+|gcc_s)\.so.*")
# The driver's, and large ones of CUDA, without which all but the direct solver runs. They are loaded when first needed.
NVIDIA = re.compile(r"lib(cuda|cublas|cublasLt|cusolver|cusparse|cudss|nv[A-Za-z]+)\.so.*")
# Those of the machine's MPI, which belong to its launcher. They are loaded when several ranks are started.
MPI = re.compile(r"lib(mpi|mpi_[a-z]+|mpich|mpicxx|mpifort)\.so.*")
KEEPS_NAME = re.compile(r"libcudart\.so.*")
# HDF5 of Debian reads files in the cloud, which Ritz does not: functions that end the process take the place of these libraries.
UNUSED = re.compile(r"lib(curl|crypto)\.so.*")
# Where NVIDIA's wheels and its toolkit lie, beside a package and in general.
FOLDERS_OF_CUDA = ["$ORIGIN/../../nvidia/cu13/lib", "/usr/local/cuda/lib64"]


def stays_out(name):
    return any(each.fullmatch(name) for each in (SYSTEM, NVIDIA, MPI))


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def needed_by(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-dW", path))


def found_by(path):
    """{name: path} of the shared libraries behind a file, as the loader of this machine finds them."""
    text = subprocess.run(["ldd", path], capture_output=True, text=True, env=dict(os.environ, LC_ALL="C", LD_LIBRARY_PATH="")).stdout
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", text, re.M))


def undefined_in(path, library):
    """[(symbol, version)] that a file takes from a library, by the versions of symbols that it names."""
    versions = re.search(rf"File: {re.escape(library)}\s.*?\n((?:.*Name: .*\n)*)", output_of("readelf", "-VW", path))
    names = re.findall(r"Name: (\S+)", versions[1]) if versions else []
    undefined = re.findall(r"\bUND (\S+)@(\S+) \(\d+\)", output_of("readelf", "--dyn-syms", "-W", path))
    return [(symbol, version) for symbol, version in undefined if version in names]


def make_stub(path, symbols):
    """A library whose functions end the process."""
    versions = {}
    for symbol, version in symbols:
        versions.setdefault(version, set()).add(symbol)
    with tempfile.TemporaryDirectory() as folder:
        source, script = pathlib.Path(folder, "stub.c"), pathlib.Path(folder, "stub.map")
        everything = sorted({symbol for symbol, _ in symbols})
        source.write_text("#include <stdlib.h>\n" + "".join(f"void {symbol}(void) {{ abort(); }}\n" for symbol in everything))
        script.write_text("".join(f"{version} {{ global: {' '.join(f'{s};' for s in sorted(names))} }};\n" for version, names in versions.items()))
        output_of(os.environ.get("CC", "cc"), "-shared", "-fPIC", "-fno-builtin", "-O1", "-s", f"-Wl,-soname,{path.name}",
                  f"-Wl,--version-script,{script}", "-o", path, source)


class Graft:
    def __init__(self, root, libraries, licences):
        self.root, self.libraries, self.licences = root, libraries, licences
        self.own = sorted(filter(is_elf, root.rglob("*")))
        self.new_names = {}  # of libraries from elsewhere
        self.copies = []

    def collect(self):
        """Copies the libraries that the files need, under their new names."""
        own = {path.name for path in self.own}
        found, queue = {}, list(self.own)
        places = {}
        for path in self.own:
            places.update(found_by(path))
        while queue:
            path = queue.pop()
            for name in needed_by(path):
                if name in own or name in found or stays_out(name):
                    continue
                if name not in places:
                    sys.exit(f"error: '{name}' is missing, which '{path}' needs")
                found[name] = pathlib.Path(places[name]).resolve()
                if not UNUSED.fullmatch(name):
                    queue.append(found[name])
        self.libraries.mkdir(parents=True, exist_ok=True)
        for name, source in sorted(found.items()):
            stub = UNUSED.fullmatch(name)
            takers = [s for s in found.values() if stub and name in needed_by(s)]
            symbols = sorted({each for taker in takers for each in undefined_in(taker, name)})
            checksum = hashlib.sha256(repr(symbols).encode() if stub else source.read_bytes()).hexdigest()[:8]
            new = name if KEEPS_NAME.fullmatch(name) else name.replace(".so", f"-{checksum}.so", 1)
            self.new_names[name] = new
            target = self.libraries / new
            if stub:
                make_stub(target, symbols)
            else:
                shutil.copy(source, target)
                target.chmod(0o755)
                self.copy_licence(source)
            self.copies.append(target)

    def copy_licence(self, source):
        # Debian's lists name some libraries in /lib, which is a link to /usr/lib.
        places = [source, pathlib.Path("/", *source.parts[2:])]
        answer = subprocess.run(["dpkg", "-S", *places], capture_output=True, text=True).stdout.split(":")[0]
        text = pathlib.Path("/usr/share/doc", answer or "-", "copyright")
        if answer and text.is_file():
            self.licences.mkdir(parents=True, exist_ok=True)
            shutil.copy(text.resolve(), self.licences / f"{answer}.txt")

    def connect(self):
        """Names and folders in all files. DT_RPATH, not DT_RUNPATH: it holds for the libraries of libraries, too."""
        folders = sorted({path.parent for path in [*self.own, *self.copies] if ".so" in path.name and not path.name.startswith("_")})
        for path in [*self.own, *self.copies]:
            ways = [os.path.relpath(folder, path.parent) for folder in folders]
            rpath = ["$ORIGIN" if way == "." else f"$ORIGIN/{way}" for way in ways]
            if path.name.endswith(".cuda.so"):
                rpath += FOLDERS_OF_CUDA
            needed = needed_by(path)
            renamed = [each for old, new in self.new_names.items() if old in needed and old != new for each in ("--replace-needed", old, new)]
            # One change a call: patchelf 0.14 mixes up the names of several.
            if renamed:
                output_of("patchelf", *renamed, path)
            if path in self.copies:
                output_of("patchelf", "--set-soname", path.name, path)
            output_of("patchelf", "--force-rpath", "--set-rpath", ":".join(rpath), path)

    def check(self):
        present = {path.name for path in [*self.own, *self.copies]}
        for path in [*self.own, *self.copies]:
            soname = re.findall(r"\(SONAME\).*\[(.*)\]", output_of("readelf", "-dW", path))
            strangers = [name for name in needed_by(path) if name not in present and not stays_out(name)]
            if strangers or soname not in ([], [path.name]):
                sys.exit(f"error: '{path}' is called {soname} and needs {strangers}: patchelf did not change it as asked")
            text = subprocess.run(["ldd", path], capture_output=True, text=True, env=dict(os.environ, LC_ALL="C", LD_LIBRARY_PATH="")).stdout
            lost = [name for name in re.findall(r"^\s*(\S+) => not found", text, re.M) if not stays_out(name)]
            if lost:
                sys.exit(f"error: '{path}' does not find {', '.join(lost)}")

    def demands(self):
        """Names of the system's libraries, and the newest versions of their symbols: {"GLIBC": (2, 35)}."""
        names, newest = set(), {}
        for path in [*self.own, *self.copies]:
            names.update(name for name in needed_by(path) if SYSTEM.fullmatch(name))
            for family, version in re.findall(r"Name: (GLIBC|GLIBCXX|CXXABI)_([\d.]+)", output_of("readelf", "-VW", path)):
                newest[family] = max(newest.get(family, (0,)), tuple(int(part) for part in version.split(".")))
        return sorted(names), newest


def graft(root, libraries, licences):
    """Returns the sizes of what came along {name: bytes}, the system's libraries, and the versions they must have."""
    work = Graft(pathlib.Path(root).resolve(), pathlib.Path(libraries).resolve(), pathlib.Path(licences).resolve())
    work.collect()
    work.connect()
    work.check()
    return ({path.name: path.stat().st_size for path in work.copies}, *work.demands())


def tell(copies, names, newest):
    for name, size in sorted(copies.items(), key=lambda each: -each[1]):
        print(f"  {size / 1e6:7.2f} MB  {name}")
    print("needs of the system:", ", ".join(names))
    print("versions:", ", ".join(f"{family} {'.'.join(map(str, version))}" for family, version in newest.items()))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tell(*graft(*sys.argv[1:]))

"""The programs of Ritz from Python: their executables replace this process; `ritz demo` is Python."""
import os
import pathlib
import sys

PACKAGE = pathlib.Path(__file__).parent


def folder():
    """Where bin/ is: beside this file, or in the build tree."""
    return PACKAGE if (PACKAGE / "bin").is_dir() else PACKAGE.parent.parent


def examples():
    """The folder of the examples: of an installation, or of the sources."""
    for place in ("share/ritz/examples", "include/ritz/examples"):
        if (folder() / place).is_dir():
            return folder() / place
    sys.exit("error: the examples of Ritz are not near\n  fix: build Ritz again")


def become(name, arguments):
    """Replaces this process by an executable of Ritz."""
    path = folder() / "bin" / name
    if not path.is_file():
        sys.exit(f"error: there is no '{path}'\n  fix: build Ritz, or install its wheel, again")
    os.execv(path, [os.fspath(path), *arguments])


def program():
    """The command `ritz-elasticity` and the like of an installed wheel: the executable of the same name."""
    become(os.path.basename(sys.argv[0]), sys.argv[1:])


def ritz():
    """The command `ritz` of an installed wheel, and python -m ritz."""
    command, arguments = sys.argv[1:2], sys.argv[2:]
    if command == ["demo"]:
        from ritz import _demo
        sys.exit(_demo.main(arguments))
    become("ritz", sys.argv[1:])

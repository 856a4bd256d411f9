"""The commands of docs/tutorial.md do what the page says: each is run, and every line shown is in its output, in this order.

`...` in a page stands for any lines, or for the rest of a line. Numbers agree to one per cent. The mesh is that of the example; the steps
on finer meshes are run where there is the version of Gmsh with which the page was written.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

from ritz import BIN, EXAMPLES, CaseTest

PAGE = pathlib.Path(os.environ["RITZ_SOURCE"]) / "docs" / "tutorial.md"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def steps(text):
    """Commands and the lines shown after each."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *lines = part.rstrip("\n").split("\n")
            yield command, lines


def agree(shown, found):
    """Whether a line is the one that is shown: words equal, numbers to one per cent."""
    begin = shown.removesuffix("...").rstrip()
    words, others = NUMBER.sub("#", begin), NUMBER.sub("#", found)
    if not (others == words or (shown.endswith("...") and others.startswith(words))):
        return False
    return all(abs(float(a) - float(b)) <= 0.01 * abs(float(a)) for a, b in zip(NUMBER.findall(begin), NUMBER.findall(found)))


def gmsh_is_that_of_the_page():
    """Other versions make other cells, and other numbers."""
    tool = shutil.which("gmsh")
    return tool is not None and "4.8.4" in subprocess.run([tool, "--version"], capture_output=True, text=True).stderr


class Tutorial(CaseTest):
    def test_every_command_prints_what_the_page_shows(self):
        for file in ("lug.step", "lug.geo", "lug.msh", "lug.toml"):
            shutil.copy(EXAMPLES / "tutorial" / file, self.folder)
        environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "OMP_NUM_THREADS": "2"}
        has_gmsh = gmsh_is_that_of_the_page()
        count = 0
        for command, lines in steps(PAGE.read_text()):
            if not has_gmsh and ("gmsh" in command or "fine" in command):
                continue
            process = subprocess.run(shlex.split(command), cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)
            found = iter((process.stdout + process.stderr).splitlines())
            with self.subTest(command=command):
                self.assertEqual(process.returncode != 0, any(line.startswith("error:") for line in lines), process.stderr)
                if command.startswith("gmsh"):
                    continue
                for line in lines:
                    if line != "...":
                        self.assertTrue(any(agree(line, other) for other in found), f"'{line}' is not in the output:\n{process.stdout}{process.stderr}")
            count += 1
        self.assertGreaterEqual(count, 7 if has_gmsh else 4)

    def test_the_case_of_the_page_is_the_example(self):
        case = re.search(r"^```toml\n(.*?)^```", PAGE.read_text(), re.M | re.S)[1]
        example = (EXAMPLES / "tutorial" / "lug.toml").read_text()
        self.assertEqual(case.strip(), example.split("\n", 1)[1].strip())  # after its title


if __name__ == "__main__":
    unittest.main()

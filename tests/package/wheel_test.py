"""The wheel of this build: packed, installed by pip into an environment of its own, and used where the sources and the build folder
cannot be seen. RITZ_BUILD: the build folder. Exit code 77: skipped, and the reason is printed."""
import base64
import hashlib
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ["RITZ_BUILD"]).resolve()
sys.path.insert(0, str(SOURCE / "tools"))

SOLVE_BESIDE = """
import importlib.util, pathlib, sys
others = [name for name in ("vtk", "h5py") if importlib.util.find_spec(name)]
first, second = (others, ["ritz"]) if sys.argv[1] == "after" else (["ritz"], others)
if first == ["ritz"]:
    import ritz._run
for name in first + second:
    importlib.import_module(name)
import ritz
import numpy as np
points = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
mesh = ritz.Mesh(points, {"hex8": [[0, 1, 3, 2, 4, 5, 7, 6]]}, regions={"low": {"nodes": [0, 1, 2, 3]}, "high": {"nodes": [4, 5, 6, 7]}})
case = {"material": [{"region": "all", "conductivity": 2.0}],
        "temperature": [{"region": "low", "value": 1.0}, {"region": "high", "value": 3.0}], "output": {"format": sys.argv[2]}}
result = ritz.run(case, mesh=mesh, physics="heat", output="beside", overwrite=True)
assert sorted(result.fields["temperature"].tolist()) == [1.0] * 4 + [3.0] * 4
written = [path for path in pathlib.Path("beside").rglob("*") if path.suffix in (".vtu", ".hdf")]
assert len(written) == 1, written
if "vtk" in others and written[0].suffix == ".vtu":
    import vtk
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(written[0]))
    reader.Update()
    assert reader.GetOutput().GetNumberOfPoints() == 8
if "h5py" in others and written[0].suffix == ".hdf":
    import h5py
    with h5py.File(written[0]) as file:
        assert file["VTKHDF/PointData/temperature"].shape[0] == 8
ours = {line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if "ritz" in line or "vtk" in line or "hdf5" in line}
print("\\n".join(sorted(ours)))
"""


def colours_of(png):
    """Different lines of pixels in a picture: 1 where it is empty."""
    data = png.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[at + 8:at + 16])
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    raw = zlib.decompress(packed)
    row = len(raw) // height
    return len({raw[y * row:(y + 1) * row] for y in range(height)})


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import ritz_wheel
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="wheel-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.wheel = ritz_wheel.pack(BUILD, cls.folder, level=1)
        environment = cls.folder / "environment"
        # NumPy, VTK and h5py are those of the system: no network.
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", environment], check=True)
        cls.bin = environment / "bin"
        subprocess.run([sys.executable, "-m", "pip", "--python", cls.bin / "python", "--quiet", "--disable-pip-version-check", "install", "--no-deps",
                        "--no-index", "--no-cache-dir", "--no-compile", cls.wheel], check=True)
        cls.site = next(environment.glob("lib/python*/site-packages"))

    def hidden(self, *command, **variables):
        """A command without the sources and the build: a file system of its own, with empty folders in their place."""
        places = " && ".join(f"mount -t tmpfs none '{place}'" for place in {SOURCE, BUILD} if not (place != SOURCE and SOURCE in place.parents))
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        outer = ["unshare", "--mount", *user, "sh", "-c", f"{places} && exec \"$@\"", "sh"]
        if subprocess.run([*outer, "true"], capture_output=True).returncode != 0:
            outer = []  # a container may forbid it; the paths in the files are looked at all the same
        environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache"),
                       "OMP_WAIT_POLICY": "passive", "PYTHONDONTWRITEBYTECODE": "1", **variables}
        done = subprocess.run([*outer, *map(str, command)], cwd=self.folder, env=environment, text=True, capture_output=True, timeout=200)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        self.assertNotIn("no version information", done.stderr)
        return done.stdout

    def test_metadata_are_valid_and_pip_reads_them(self):
        text = self.hidden("python", "-c", "import importlib.metadata as m; d = m.distribution('ritz-fem');"
                           "print(d.version, d.requires[0], sorted(e.name for e in d.entry_points), d.metadata['License-Expression'])")
        self.assertIn("0.1.0 numpy>=1.22 ['ritz', 'ritz-bench', 'ritz-elasticity', 'ritz-heat', 'ritz-modal', 'ritz-solve', 'ritz-structure']", text)
        with zipfile.ZipFile(self.wheel) as archive:
            about = next(name for name in archive.namelist() if name.endswith("/RECORD"))
            lines = [line.rsplit(",", 2) for line in archive.read(about).decode().splitlines()]
            self.assertEqual([name for name, _, _ in lines], archive.namelist())
            for name, checksum, size in lines[:-1]:
                data = archive.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual((f"sha256={expected}", str(len(data))), (checksum, size), name)

    def test_files_name_no_folder_of_the_sources_or_the_build(self):
        """Kernels for GPUs do, for profilers."""
        looked_at = 0
        for path in (self.site / "ritz").rglob("*"):
            if path.is_file() and not path.name.endswith(".cuda.so"):
                data = path.read_bytes()
                self.assertFalse(str(SOURCE).encode() in data or str(BUILD).encode() in data, path)
                looked_at += 1
        self.assertGreater(looked_at, 300)

    def test_demo_draws_two_pictures(self):
        text = self.hidden("ritz", "demo", "demo")
        self.assertIn("probe peak_von_mises: 1.004824", text)
        self.assertIn("probe hottest: 75.954", text)
        for name in ("bracket", "heat_sink"):
            self.assertGreater(colours_of(self.folder / "demo" / f"{name}.png"), 300)
        self.assertIn("ritz-modal", self.hidden("ritz-modal", "--help"))
        self.assertTrue((self.bin.parent / "share/man/man1/ritz-modal.1").read_text().startswith('.TH "ritz-modal" 1'))
        self.assertIn("cpu", self.hidden("python", "-m", "ritz", "devices"))

    def test_libraries_of_vtk_and_hdf5_live_beside_those_of_other_modules(self):
        for order, form in (("before", "vtkhdf"), ("after", "vtu")):
            with self.subTest(order):
                ours = self.hidden("python", "-c", SOLVE_BESIDE, order, form).splitlines()
                for name in ("libritz_fem", "ritz_hdf5" if form == "vtkhdf" else "ritz_vtk"):
                    self.assertTrue(any(f"/{name}" in path for path in ours), ours)
                for path in ours:
                    self.assertTrue(path.startswith((str(self.folder), "/usr/lib")), path)

    def test_a_plugin_is_compiled_with_the_headers_of_the_wheel(self):
        example = self.site / "ritz/share/ritz/examples/custom_form/varying_conduction.toml"
        quick = shutil.copy(SOURCE / "tests/cases/quick_cxx.sh", self.folder)
        text = self.hidden("ritz-solve", example, "--device", "cpu", "--output", "plugin", CXX=f"{quick} {os.environ.get('CXX', 'g++')}")
        self.assertIn("compiled now", text)
        self.assertIn("probe middle: 1.0000", text)


if __name__ == "__main__":
    missing = [name for name in ("numpy", "pip", "venv", "tomllib") if __import__("importlib.util").util.find_spec(name) is None]
    missing += [name for name in ("patchelf", "readelf") if shutil.which(name) is None]
    if missing or not list(BUILD.glob("python/ritz/_ritz.*.so")):
        print("skipped:", f"{' and '.join(missing)} missing" if missing else "the build has no module for Python")
        sys.exit(77)
    unittest.main(verbosity=2)

"""<case>.resolved.toml beside the results: every key with the value that it had, and run again, the same numbers."""
import os
import pathlib
import shutil
import tomllib
import unittest
import zlib

import boxes
from results_test import verify
from ritz import CaseTest, example

# One of each program and of each kind of branch: axis of revolution, load cases, a band instead of a count, tables that are left out.
CASES = [("ritz-heat", "fin", {}), ("ritz-heat", "heat_sink", {"solver.method": "cg", "solver.preconditioner": "jacobi"}),
         ("ritz-elasticity", "lame/axisymmetric", {}), ("ritz-elasticity", "bracket/load_cases", {"output.format": "vtkhdf"}),
         ("ritz-modal", "modal/free", {}), ("ritz-modal", "modal/cantilever", {"modal.count": 2, "modal.animate": 2}),
         ("ritz-structure", "structure/portal", {}), ("ritz-structure", "structure/roof", {}),
         ("ritz-solve", "custom_energy/neo_hooke", {})]


class Resolved(CaseTest):
    def results_of(self, outcome, stem):
        """Checksums of all files with numbers, by their names without the name of the case."""
        folder = outcome.folder / "results"
        return {str(p.relative_to(folder)).replace(stem, "case"): zlib.crc32(p.read_bytes()) for p in folder.rglob("*") if p.suffix in (".vtu", ".csv")}

    def test_run_again_it_gives_the_same_bytes(self):
        for program, name, keys in CASES:
            with self.subTest(case=name):
                case = example(name)
                first = self.solve(program, case, keys=keys)
                resolved = first.folder / "results" / f"{case.stem}.resolved.toml"
                self.assertIn(str(resolved), first.report["outputs"])
                again = self.solve(program, resolved)
                self.assertEqual(again.report["probes"], first.report["probes"])
                self.assertEqual(again.report["facts"], first.report["facts"])
                self.assertEqual([c["probes"] for c in again.report["load_cases"].values()], [c["probes"] for c in first.report["load_cases"].values()])
                self.assertEqual(self.results_of(again, f"{case.stem}.resolved"), self.results_of(first, case.stem))
                # and resolving changes nothing any more but the folder that names of files start from
                third = self.solve(program, again.folder / "results" / f"{case.stem}.resolved.resolved.toml", "--check")
                values = [tomllib.loads(p.read_text()) for p in (resolved, again.folder / "results" / f"{case.stem}.resolved.resolved.toml")]
                for value in values:
                    value["mesh"]["file"] = pathlib.Path(value["mesh"]["file"]).name
                    value.pop("plugin", None)
                self.assertEqual(values[0], values[1])
                self.assertIn("nothing was solved", third.log)

    def test_it_holds_overrides_and_defaults_and_nothing_that_was_not_used(self):
        outcome = self.solve("ritz-heat", example("fin"), keys={"material.0.conductivity": 150})
        path = outcome.folder / "results" / "fin.resolved.toml"
        case = tomllib.loads(path.read_text())
        self.assertEqual(case["material"][0]["conductivity"], 150)
        self.assertEqual(case["solver"]["tolerance"], 1e-8)
        self.assertEqual(case["mesh"]["scale"], tomllib.loads(example("fin").read_text())["mesh"].get("scale", 1))
        self.assertNotIn("restart", case["solver"])
        self.assertRegex(path.read_text(), r"as ritz-heat \d\S* .*solved it")
        case = tomllib.loads((self.solve("ritz-elasticity", example("le1")).folder / "results" / "le1.resolved.toml").read_text())
        self.assertNotIn("density", case["material"][0])  # nothing weighs

    def test_it_holds_what_the_library_of_materials_gave(self):
        """A later library may have other numbers: density and specific heat decide transient heat, the density modes."""
        self.write("mesh.msh", boxes.cubes(["a"]))
        head = '[mesh]\nfile = "mesh.msh"\n[[material]]\nregion = "a"\nname = "steel S235"\n'
        heat = head + '[initial]\ntemperature = 1\n[time]\nend = 1\nstep = 0.5\n'
        modal = head + "[modal]\ncount = 1\n" + '[[displacement]]\nregion = "a.x0"\nfixed = true\n'
        for program, text, keys in (("ritz-heat", heat, ("conductivity", "density", "specific_heat")), ("ritz-modal", modal, ("young", "poisson", "density"))):
            outcome = self.solve(program, self.write("case.toml", text))
            material = tomllib.loads((outcome.folder / "results" / "case.resolved.toml").read_text())["material"][0]
            for key in keys:
                self.assertGreater(material[key], 0, program)
            self.assertEqual(self.solve(program, outcome.folder / "results" / "case.resolved.toml").report["probes"], outcome.report["probes"])

    def test_thickness_stays_out_of_bodies_of_revolution(self):
        self.assertNotIn("thickness", tomllib.loads((self.solve("ritz-elasticity", example("lame/axisymmetric")).folder / "results" / "axisymmetric.resolved.toml").read_text())["model"])

    def test_files_are_found_from_where_it_lies(self):
        """Tables, a mesh behind a link of another name, a folder behind a link, blanks and umlauts."""
        place = self.folder / "Fälle von heute" / "a"
        place.mkdir(parents=True)
        (place / "data").mkdir()
        (place / "data" / "stored-1").write_text(boxes.cubes(["a"]))
        (place / "mesh.msh").symlink_to("data/stored-1")
        (place / "k.csv").write_text("x,k\n0,200\n1,100\n")
        (place / "case.toml").write_text('[mesh]\nfile = "./mesh.msh"\n[[table]]\nname = "k"\nfile = "../a/k.csv"\ninterpolation = "linear"\n'
                                         '[[material]]\nregion = "a"\nconductivity = "k(x)"\n[[temperature]]\nregion = "a.x0"\nvalue = 0\n'
                                         '[[flux]]\nregion = "a.x1"\nvalue = 5\n[[probe]]\nname = "t"\nfield = "temperature"\npoint = [1, 0, 0]\n')
        (self.folder / "elsewhere" / "deep").mkdir(parents=True)
        (self.folder / "link").symlink_to(self.folder / "elsewhere" / "deep")
        first = self.solve("ritz-heat", place / "case.toml", output=self.folder / "link" / "out put")
        again = self.solve("ritz-heat", self.folder / "elsewhere" / "deep" / "out put" / "case.resolved.toml")
        self.assertEqual(again.probes, first.probes)
        os.rename(self.folder / "Fälle von heute", self.folder / "moved")
        self.assertEqual(self.run_case("ritz-heat", self.folder / "link" / "out put" / "case.resolved.toml").exit, 2)

    def test_it_is_a_committed_file(self):
        outcome = self.solve("ritz-heat", example("fin"))
        results = outcome.folder / "results"
        resolved = results / "fin.resolved.toml"
        self.assertEqual(verify(results)[1]["fin.resolved.toml"], "ok")
        before = resolved.read_bytes()
        self.assertEqual(self.run_case("ritz-heat", example("fin"), output=results, keys={"solver.tolerance": 1e-3}).exit, 7)
        self.assertEqual(resolved.read_bytes(), before)
        self.solve("ritz-heat", example("fin"), "--overwrite", output=results, keys={"solver.tolerance": 1e-3})
        self.assertEqual(tomllib.loads(resolved.read_text())["solver"]["tolerance"], 1e-3)
        self.assertFalse((results / "replaced").exists())
        resolved.write_bytes(before)
        self.assertEqual((verify(results)[0], verify(results)[1]["fin.resolved.toml"]), (9, "damaged"))
        # The rerun of a resolved case may lie in the same folder: they are two cases.
        shutil.rmtree(results)
        self.solve("ritz-heat", example("fin"), output=results)
        self.solve("ritz-heat", resolved, output=results)
        self.assertEqual(verify(results)[0], 0)


if __name__ == "__main__":
    unittest.main()

"""The log speaks an engineer's words: numbers have units, and names that only the sources use are not in it."""
import contextlib
import os
import pty
import re
import subprocess
import unittest

from ritz import BIN, CaseTest, example

# A word of the sources, and what the log says.
WORDS = {
    r"certificate": "relative residual",
    r"p-multigrid": "multigrid over element orders",
    r"device peak": "matrices and vectors, where there is no GPU",
    r"\b0 iterations": "nothing: a superposition or a zero load has none",
    r"columns? at once": "right-hand sides at once",
    r"turns? to the|fell through|slab|chunk": "a term of docs/glossary.md",
    r"TODO|FIXME|nullptr|std::": "words for users",
}
RUNS = [("ritz-heat", "fin"), ("ritz-heat", "heat_sink"), ("ritz-elasticity", "bracket/load_cases"), ("ritz-elasticity", "le1"),
        ("ritz-structure", "structure/portal"), ("ritz-modal", "modal/fv16"), ("ritz-solve", "custom_energy/neo_hooke")]


class LogWords(CaseTest):
    def test_logs_hold_no_words_of_the_sources(self):
        for program, name in RUNS:
            outcome = self.solve(program, example(name))
            for word, better in WORDS.items():
                with self.subTest(case=name, word=word):
                    found = [line for line in outcome.log.splitlines() if re.search(word, line)]
                    self.assertEqual(found, [], f"say {better}")

    def test_sizes_loads_peaks_and_probes_have_units(self):
        outcome = self.solve("ritz-elasticity", example("bracket/load_cases"))
        self.assertRegex(outcome.log, r"part: 0\.08 x 0\.06 x 0\.07 m, \S+ m\^3, 0\.616\d kg")
        for line in outcome.log.splitlines():
            if line.startswith("peak displacement") or line.startswith("probe eye_displacement"):
                self.assertRegex(line, r" m\b")
            if line.startswith("peak von Mises") or line.startswith("probe peak_von_mises"):
                self.assertRegex(line, r" Pa\b")
            if line.startswith("loads") or line.startswith("probe bolt_force"):
                self.assertRegex(line, r" N\b")
        self.assertEqual(outcome.report["probe_units"], {"eye_displacement": "m", "peak_von_mises": "Pa", "bolt_force": "N"})
        heat = self.solve("ritz-heat", example("fin"))
        self.assertRegex(heat.log, r"temperature: from \S+ degrees at \(0\.05, \S+\) m to \S+ degrees at \(0, \S+\) m")  # tip and base
        frame = self.solve("ritz-structure", example("structure/portal"))
        self.assertRegex(frame.log, r"largest beam_force: N_1 \S+ N, .* Mz_1 \S+ N m, N_2 \S+ N, ")
        self.assertEqual(frame.report["probe_units"]["moment"], "N m")
        self.assertRegex(self.solve("ritz-modal", example("modal/cantilever")).log, r"mass: \S+ kg; ")
        self.assertRegex(self.solve("ritz-heat", example("transient/nafems_t3")).log, r"balance: stored \S+ J = ")

    def test_the_screen_keeps_what_was_read(self):
        """The live line is written over; when its work ends, it stays as a line of its own."""
        screen, program = pty.openpty()
        subprocess.run([BIN / "ritz-heat", example("fin"), "--output", self.folder / "results"], stdout=program, check=True)
        os.close(program)
        text = b""
        with contextlib.suppress(OSError):  # the end of a terminal nobody holds
            while part := os.read(screen, 4096):
                text += part
        os.close(screen)
        lines = [line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.decode().split("\n")]
        self.assertTrue(any(line.startswith("reading ") and line.endswith("fin.msh") for line in lines), lines)

    def test_sums_show_no_rounding(self):
        log = self.solve("ritz-structure", example("structure/portal")).log
        self.assertIn("loads: (0, 0, -120000) N, reactions: (0, 0, 120000) N", log)


class Doubtful(CaseTest):
    """Numbers beyond belief get a notice that says what they probably mean."""

    def notices(self, **keys):
        outcome = self.run_case("ritz-elasticity", example("bracket"), keys=keys)
        self.assertEqual(outcome.exit, 0, outcome.errors)
        return "\n".join(outcome.report["notices"])

    def test_each_has_its_notice(self):
        usual = self.notices()
        for words in ("young", "density", "measures", "strains", "displacements differ"):
            self.assertNotIn(words, usual)
        self.assertIn("is its mesh in mm?", self.notices(**{"mesh.scale": 1, "material.0.young": 210e15}))
        soft = self.notices(**{"material.0.young": 210000})
        self.assertIn("210000 MPa", soft)
        self.assertIn("strains reach", soft)
        self.assertIn("displacements differ", soft)
        self.assertIn("7.85e-9 t/mm^3", self.notices(**{"material.0.density": 7.85e-9}))
        self.assertIn("leave out the scale", self.notices(**{"mesh.scale": 1e-6}))


if __name__ == "__main__":
    unittest.main()

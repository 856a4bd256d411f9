"""`ritz doctor`: findings with remedies."""
import json
import subprocess
import unittest

import ritz


class DoctorTest(ritz.CaseTest):
    def doctor(self, *arguments):
        return subprocess.run([str(ritz.BIN / "ritz"), "doctor", "--json", *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=self.folder)

    def test_it_has_a_remedy_for_whatever_is_not_good(self):
        outcome = self.doctor()
        findings = json.loads(outcome.stdout)
        subjects = {finding["subject"] for finding in findings}
        self.assertLessEqual({"processor", "threads", "memory", "disk", "libraries", "ParaView"}, subjects)
        faults = [finding for finding in findings if finding["state"] == "fault"]
        self.assertEqual(outcome.returncode, 8 if faults else 0)
        for finding in findings:
            self.assertEqual(finding["state"] == "good", finding["remedy"] == "", finding)
        self.assertEqual(list(self.folder.glob(".ritz-doctor*")), [])

    def test_it_knows_the_libraries_of_the_direct_solver_of_gpus(self):
        if not list((ritz.BIN.parent / "lib").glob("ritz_direct.cuda.so")):
            self.skipTest("no GPU code")
        found = [finding for finding in json.loads(self.doctor().stdout) if finding["subject"] == "GPU direct"]
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0]["value"], "its libraries are here|libcu")

    def test_it_tries_the_disk_of_the_folder_it_is_given(self):
        def disk(folder):
            findings = json.loads(self.doctor("--folder", folder).stdout)
            return next(finding for finding in findings if finding["subject"] == "disk")

        there = self.folder / "there"
        there.mkdir()
        self.assertRegex(disk(there)["value"], r"^[0-9]+ MB/s to '.*there', flushed$")
        self.assertEqual(list(there.iterdir()), [])
        missing = disk(self.folder / "missing")
        self.assertEqual(missing["state"], "advice")
        self.assertIn("cannot be written", missing["value"])


if __name__ == "__main__":
    unittest.main()

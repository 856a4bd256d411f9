"""Runs the tests of a file, or every PARTS-th of them from the PART-th on: run.py GROUP [PART PARTS]. Names those that take longest, by the time
of processors: the clock says little on a busy machine."""
import os
import sys
import unittest


def seconds():
    return sum(os.times()[:4])


class Timed(unittest.TextTestResult):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.taken = {}

    def startTest(self, test):
        self.taken[test.id()] = -seconds()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        self.taken[test.id()] += seconds()


def tests_in(suite):
    return [test for part in suite for test in (tests_in(part) if isinstance(part, unittest.TestSuite) else [part])]


group = sys.argv[1]
part, parts = map(int, sys.argv[2:] or (1, 1))
tests = tests_in(unittest.defaultTestLoader.loadTestsFromName(f"{group}_test"))[part - 1::parts]
result = unittest.TextTestRunner(resultclass=Timed, verbosity=2).run(unittest.TestSuite(tests))
for name, taken in sorted(result.taken.items(), key=lambda pair: -pair[1])[:10]:
    print(f"{taken:8.2f} s of processors: {name}")
sys.exit(not result.wasSuccessful())

"""The summaries of every runner, as the runners print them."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import tally


class TallyTest(unittest.TestCase):
    def test_nextest_counts_failures_of_every_kind(self):
        log = (
            "        PASS [   0.004s] store ledger::a_test\n"
            "     Summary [   4.567s] 20 tests run: 14 passed (1 slow, 2 flaky), 3 failed, 2 timed out, 1 exec failed, 5 skipped\n"
        )
        self.assertEqual(tally.nextest(log), (14, 6))

    def test_nextest_reads_a_run_that_was_cut_short(self):
        log = "     Summary [   0.010s] 1/3 tests run: 0 passed, 1 failed, 0 skipped\n"
        self.assertEqual(tally.nextest(log), (0, 1))

    def test_nextest_reads_a_single_test(self):
        self.assertEqual(tally.nextest("     Summary [   0.010s] 1 test run: 1 passed, 0 skipped\n"), (1, 0))

    def test_cargo_sums_over_binaries(self):
        log = (
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
            "test result: FAILED. 2 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
        )
        self.assertEqual(tally.cargo(log), (5, 4))

    def test_vitest_counts_tests_and_not_files(self):
        log = " Test Files  1 failed | 7 passed (8)\n      Tests  2 failed | 31 passed | 1 skipped (34)\n"
        self.assertEqual(tally.vitest(log), (31, 2))

    def test_playwright_counts_flaky_as_passed_and_not_run_as_failed(self):
        log = "  1 failed\n    [chromium] › a.spec.ts:3:1 › 7 passed\n  1 flaky\n  2 did not run\n  3 skipped\n  9 passed (12.3s)\n"
        self.assertEqual(tally.playwright(log), (10, 3))

    def test_playwright_reads_minutes(self):
        self.assertEqual(tally.playwright("  12 passed (1.2m)\n"), (12, 0))

    def test_pytest_counts_errors_as_failures(self):
        log = "=========== 1 failed, 3 passed, 2 skipped, 2 errors in 0.12s ===========\n"
        self.assertEqual(tally.pytest(log), (3, 3))

    def test_pytest_reads_its_quiet_form(self):
        self.assertEqual(tally.pytest("4 passed, 1 warning in 61.02s (0:01:01)\n"), (4, 0))

    def test_node_counts_what_was_cancelled_as_failed(self):
        log = "✔ a test (1.5ms)\nℹ tests 9\nℹ suites 0\nℹ pass 6\nℹ fail 2\nℹ cancelled 1\nℹ skipped 0\n"
        self.assertEqual(tally.node(log), (6, 3))

    def test_a_log_without_a_summary_counts_nothing(self):
        for name, runner in tally.RUNNERS.items():
            with self.subTest(name):
                self.assertEqual(runner("error: could not compile `server`\n"), (0, 0))


if __name__ == "__main__":
    unittest.main()

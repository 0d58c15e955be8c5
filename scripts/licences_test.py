"""SPDX expressions, as crates and npm packages write them."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from licences import Expression

ALLOWED = {"MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"}


class ExpressionTest(unittest.TestCase):
    def test_what_is_allowed(self):
        for text in (
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0 OR MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "MIT/Apache-2.0",
            "Apache-2.0 WITH LLVM-exception",
        ):
            with self.subTest(text):
                self.assertTrue(Expression(text).is_allowed(ALLOWED))

    def test_what_is_refused(self):
        for text in ("GPL-3.0", "MIT AND GPL-3.0", "MIT AND (GPL-3.0 OR GPL-2.0)", "MIT WITH x"):
            with self.subTest(text):
                self.assertFalse(Expression(text).is_allowed(ALLOWED))

    def test_what_cannot_be_read(self):
        for text in ("", "(MIT", "MIT Apache-2.0", "MIT OR"):
            with self.subTest(text), self.assertRaises(ValueError):
                Expression(text).is_allowed(ALLOWED)


if __name__ == "__main__":
    unittest.main()

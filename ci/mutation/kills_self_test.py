#!/usr/bin/env python3
"""Sees that a replay which says nothing of a case is not taken for a kill."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from mutation import kills  # noqa: E402
from mutation.self_test import Folder  # noqa: E402


class KillsTest(Folder):
    REPLAY = ('pass  op/a.case (host, path tiny)\n'
              'FAIL  op/b.case (host)\n      crashed\n      replay bytegate replay op/b.case\n'
              'skip  op/c.case: for cuda only\n2 passed\n')

    def test_what_does_not_pass_kills(self):
        self.assertEqual(kills.read_replay(self.REPLAY, ['op/a.case', 'op/b.case', 'op/c.case']),
                         {'op/a.case': True, 'op/b.case': False, 'op/c.case': False})

    def test_a_case_that_was_not_replayed_is_no_kill(self):
        with self.assertRaisesRegex(ValueError, '1 cases were not replayed, op/d.case first'):
            kills.read_replay(self.REPLAY, ['op/a.case', 'op/d.case'])

    def test_cases_that_need_more_than_a_host_are_left_out(self):
        self.write('corpus/op/seed/a.case', 'op x\n')
        self.write('corpus/op/seed/b.case', 'op x\nbackend cuda\n')
        self.write('corpus/op/large/c.case', 'op x\n')
        self.assertEqual(kills.cases_of(self.root / 'corpus'), ['op/seed/a.case'])

    def test_the_file_is_written_whole(self):
        kills.write(self.root / 'kills.json', {'format': kills.FORMAT})
        self.assertEqual([path.name for path in self.root.iterdir()], ['kills.json'])


if __name__ == '__main__':
    unittest.main()

#!/usr/bin/env python3
"""Sees that what reads coverage and holds it against the list says so when something is wrong."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from reach.branches import (Branch, CoverageError, condition_text, read_export,  # noqa: E402
                            sides_taken)
from reach.judgement import judge, text_of  # noqa: E402
from reach.unreachable import ListError, parse  # noqa: E402

SOURCE = ('int f(int a) {\n  if (a > 0 &&\n      a < 9) return 1;\n  return a ? 2 : 3;\n'
          '  if constexpr (kB) return 4;\n  return kMode == Mode::kA ? 5 : 6;\n'
          '  if (auto error = check("a",\n                         f(a))) return 7;\n  return a ? 8 : 9;\n}\n')
LIST = '''# A comment.
sources kernels/*.h kernels/b.cc

unreachable kernels/a.h
  false a > 0 && a < 9
    no caller
    passes it
'''
WHOLE = [2, 7, 3, 12]
CHOICE = [4, 10, 4, 11]


def export_of(*branches, file='kernels/a.h'):
    return json.dumps({'data': [{'files': [{'filename': str(ROOT / file),
                                            'branches': [[*b, 0, 0, 4] for b in branches]}]}]})


class Reach(unittest.TestCase):

    def counts(self, *branches):
        return read_export(export_of(*branches), ROOT, lambda name: name.endswith('.h'))

    def judged(self, *branches, text=LIST):
        return judge(self.counts(*branches), parse(text, 'list').entries, ROOT)

    def test_a_condition_over_two_lines_is_one_text(self):
        self.assertEqual(condition_text(ROOT, Branch('kernels/a.h', *WHOLE)), 'a > 0 && a < 9')

    def test_instances_of_a_template_add_up(self):
        counts = self.counts([*CHOICE, 1, 0], [*CHOICE, 0, 2])
        self.assertEqual(counts, {Branch('kernels/a.h', *CHOICE): [1, 2]})

    def test_a_side_that_is_taken_has_a_name(self):
        self.assertEqual(sides_taken(self.counts([*CHOICE, 1, 0])), {'kernels/a.h:4:10 true'})
        self.assertEqual(sides_taken(self.counts([*CHOICE, 2, 9])),
                         {'kernels/a.h:4:10 true', 'kernels/a.h:4:10 false'})
        self.assertEqual(sides_taken(self.counts([*CHOICE, 0, 0])), set())

    def test_a_variable_of_a_condition_is_its_declaration(self):
        self.assertEqual(condition_text(ROOT, Branch('kernels/a.h', 7, 12, 7, 17)),
                         'error = check("a", f(a))')

    def test_what_a_compiler_decides_is_no_branch(self):
        self.assertEqual(self.counts([5, 17, 5, 19, 0, 0]), {})
        self.assertEqual(self.counts([6, 10, 6, 27, 0, 0]), {})

    def test_files_that_are_not_wanted_are_left_out(self):
        text = export_of([*CHOICE, 1, 0], file='kernels/a.cc')
        self.assertEqual(read_export(text, ROOT, lambda name: name.endswith('.h')), {})

    def test_a_side_that_is_neither_taken_nor_listed_is_missing(self):
        judgement = self.judged([*WHOLE, 1, 0], [*CHOICE, 0, 4])
        self.assertFalse(judgement.passed)
        self.assertEqual([(b.line, c, s) for b, c, s in judgement.missing], [(4, 'a', 'true')])
        self.assertIn('MISSING kernels/a.h:4: never true: a', text_of(judgement, []))

    def test_a_listed_side_is_excused(self):
        judgement = self.judged([*WHOLE, 1, 0], [*CHOICE, 1, 4])
        self.assertTrue(judgement.passed)
        self.assertEqual(judgement.scores['kernels/a.h'].num_unreachable, 1)

    def test_a_listed_side_that_is_taken_is_refuted(self):
        judgement = self.judged([*WHOLE, 1, 1], [*CHOICE, 1, 4])
        self.assertFalse(judgement.passed)
        self.assertEqual([entry.side for entry in judgement.refuted], ['false'])

    def test_a_condition_that_stands_twice_is_counted(self):
        twice = ([*CHOICE, 1, 4], [9, 10, 9, 11, 1, 0])
        judgement = self.judged(*twice)
        self.assertEqual([c for _, c, _ in judgement.missing], ['2 of 2: a'])
        text = LIST + '  false 2 of 2: a\n    of another call\n'
        self.assertEqual(self.judged(*twice, text=text).missing, [])
        self.assertEqual(len(self.judged(*twice, text=text.replace('2 of 2: ', '')).stale), 2)

    def test_an_entry_without_its_condition_is_stale(self):
        judgement = self.judged([*CHOICE, 1, 4])
        self.assertFalse(judgement.passed)
        self.assertEqual(len(judgement.stale), 1)

    def test_no_branch_at_all_is_no_pass(self):
        self.assertFalse(judge({}, [], ROOT).passed)

    def test_the_list_keeps_its_reasons_and_sources(self):
        listing = parse(LIST, 'list')
        self.assertEqual(listing.entries[0].reason, 'no caller passes it')
        self.assertTrue(listing.is_wanted('kernels/b.cc'))
        self.assertFalse(listing.is_wanted('kernels/c.cc'))

    def test_a_broken_list_is_refused_with_its_line(self):
        for text, line in ((LIST.replace('    no caller\n    passes it\n', ''), 5),
                           (LIST.replace('  false', '  never'), 5),
                           (LIST.replace('unreachable ', ''), 4),
                           (LIST + LIST.split('\n\n')[1], 5),
                           ('# nothing\n', 1)):
            with self.assertRaises(ListError) as caught:
                parse(text, 'list')
            self.assertIn(f'list:{line}:', str(caught.exception))

    def test_what_is_no_export_is_refused(self):
        for text in ('', '{}', '{"data": []}', '[1]'):
            with self.assertRaises(CoverageError):
                read_export(text, ROOT, lambda name: True)


with tempfile.TemporaryDirectory() as folder:
    ROOT = pathlib.Path(folder).resolve()
    (ROOT / 'kernels').mkdir()
    (ROOT / 'kernels/a.h').write_text(SOURCE, encoding='utf-8')
    unittest.main(argv=[sys.argv[0], '--quiet'])

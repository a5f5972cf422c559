#!/usr/bin/env python3
"""Sees that what reads, applies, builds and judges seeded faults says so when something is wrong."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from mutation import score  # noqa: E402
from mutation.build_tree import BuildError, BuildTree  # noqa: E402
from mutation.catalogue import CatalogueError, Fault, read_catalogue  # noqa: E402
from mutation.fault_build import FaultBuild  # noqa: E402
from mutation.gate_run import GateResult, read_report  # noqa: E402
from mutation.patching import patched_files  # noqa: E402
from mutation.trial import Laboratory, Outcome, is_expected, names_of_failed  # noqa: E402

FAULT = '''# A comment.
fault one
  class bound
  bank 64 C
  expect mismatch:table overrun
  file kernels/a.h
@@
   keep
-  old
+  new
end
'''


class Folder(unittest.TestCase):
    """A folder that is gone after the test."""

    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.root = pathlib.Path(held.name).resolve()

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding='utf-8')


class CatalogueTest(Folder):
    def read(self, text, name='my_op_kernels'):
        (self.root / 'corpus/my_op').mkdir(parents=True, exist_ok=True)
        self.write(f'properties/faults/{name}.faults', text)
        return read_catalogue(self.root, self.root / 'properties/faults')

    def expect_error(self, message, text, name='my_op_kernels', beside=None):
        shutil.rmtree(self.root / 'properties', ignore_errors=True)
        if beside:
            self.read(beside)
        with self.assertRaisesRegex(CatalogueError, message):
            self.read(text, name)

    def test_a_fault_is_read_whole(self):
        fault, = self.read(FAULT)
        self.assertEqual((fault.name, fault.operator, fault.bank, fault.ops, fault.expect),
                         ('one', 'bound', ['64', 'C'], ['my_op'], ['mismatch:table', 'overrun']))
        hunk, = fault.hunks
        self.assertEqual((hunk.path, hunk.old, hunk.new),
                         ('kernels/a.h', ['  keep', '  old'], ['  keep', '  new']))

    def test_several_files_and_hunks_are_read(self):
        more = '@@\n-x\n+y\n  file kernels/b.h\n@@\n-z\n+  class\nend\n'
        fault, = self.read(FAULT.replace('end\n', more))
        self.assertEqual([(hunk.path, hunk.new) for hunk in fault.hunks],
                         [('kernels/a.h', ['  keep', '  new']), ('kernels/a.h', ['y']),
                          ('kernels/b.h', ['  class'])])

    def test_what_is_not_of_the_format_is_named_by_its_line(self):
        self.expect_error(r'my_op_kernels\.faults:3: neither a field', FAULT.replace(
            '  class bound', '  klass bound'))
        self.expect_error(r':12: expected "fault NAME"', FAULT + 'faults two\n')
        self.expect_error(r':11: fault one has no end', FAULT.replace('end\n', '\n'))
        self.expect_error(r':4: "class" stands twice', FAULT.replace(
            '  class bound\n', '  class bound\n  class bound\n'))
        self.expect_error(r':3: "class" without a value', FAULT.replace('  class bound', '  class'))
        self.expect_error(r':6: a hunk before any "file"', FAULT.replace(
            '  file kernels/a.h\n', ''))
        self.expect_error(r':9: a line of a hunk begins with', FAULT.replace('-  old', '*  old'))

    def test_values_outside_the_format_are_named(self):
        self.expect_error('a class is one word', FAULT.replace('bound', 'off by one'))
        self.expect_error('"bank" takes', FAULT.replace('64 C', 'C64'))
        self.expect_error('no such verdict: wrong', FAULT.replace('mismatch:table', 'wrong:table'))
        self.expect_error('no such operation: other', FAULT.replace(
            '  class bound', '  class bound\n  op other'))
        self.expect_error('"by" takes', FAULT.replace('  class bound', '  class bound\n  by eye'))
        self.expect_error('"flagged-by" takes', FAULT.replace(
            '  class bound', '  class bound\n  flagged-by eye'))
        self.expect_error('unterminated', FAULT.replace(
            '  class bound', '  class bound\n  flagged-by test a(b'))

    def test_a_fault_that_lacks_something_is_named(self):
        self.expect_error('fault one: no "class"', FAULT.replace('  class bound\n', ''))
        self.expect_error('no "expect"', FAULT.replace('  expect mismatch:table overrun\n', ''))
        self.expect_error('no "op"', FAULT, name='elsewhere')
        self.expect_error('changes nothing', FAULT.replace('+  new', '+  old'))
        self.expect_error('no old text', FAULT.replace('   keep\n-  old\n', ''))
        self.expect_error('"gpu" and "by"', FAULT.replace('  bank 64 C', '  gpu because'))
        self.expect_error('without "oracle"', FAULT.replace('kernels/a.h', 'oracles/a.h'))
        self.expect_error('planted below', FAULT.replace(
            '  bank 64 C', '  oracle\n  flagged-by gate'))
        self.expect_error('"oracle" and "flagged-by"', FAULT.replace('  bank 64 C', '  oracle'))
        self.expect_error('"expect" is of a fault', FAULT.replace(
            '  bank 64 C', '  equivalent because'))

    def test_a_name_stands_once_in_all_files(self):
        self.expect_error('fault one stands at .*my_op_kernels.faults:2 already', FAULT,
                          name='my_op_launcher', beside=FAULT)

    def test_an_empty_catalogue_is_an_error(self):
        self.expect_error('holds no fault', '# nothing\n')


class PatchingTest(Folder):
    def patched(self, text):
        self.write('corpus/my_op/README', '')
        self.write('properties/faults/my_op.faults', FAULT)
        self.write('kernels/a.h', text)
        fault, = read_catalogue(self.root, self.root / 'properties/faults')
        return patched_files(self.root, fault)

    def test_a_patch_changes_its_lines_alone(self):
        self.assertEqual(self.patched('a\n  keep\n  old\nb\n'),
                         {'kernels/a.h': 'a\n  keep\n  new\nb\n'})

    def test_a_patch_that_no_longer_applies_is_an_error(self):
        with self.assertRaisesRegex(CatalogueError, r'\.faults:7: fault one no longer applies'):
            self.patched('  keep\n  older\n')

    def test_a_patch_that_applies_twice_is_an_error(self):
        with self.assertRaisesRegex(CatalogueError, 'is ambiguous: .* 2 times in kernels/a.h'):
            self.patched('  keep\n  old\n  keep\n  old\n')

    def test_a_file_that_is_gone_is_an_error(self):
        self.write('corpus/my_op/README', '')
        self.write('properties/faults/my_op.faults', FAULT)
        fault, = read_catalogue(self.root, self.root / 'properties/faults')
        with self.assertRaisesRegex(CatalogueError, 'no file kernels/a.h'):
            patched_files(self.root, fault)


class FaultBuildTest(Folder):
    """On a project of one library, whose header two of its three files see, and one program."""

    def setUp(self):
        super().setUp()
        self.write('CMakeLists.txt', '''cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
include_directories(${PROJECT_SOURCE_DIR})
add_library(parts STATIC parts/one.cc parts/two.cc parts/other.cc)
add_executable(small main.cc)
target_link_libraries(small PRIVATE parts)
''')
        self.write('parts/value.h', '#pragma once\ninline int value() { return 1; }\n')
        self.write('parts/one.cc', '#include "parts/value.h"\nint one() { return value(); }\n')
        self.write('parts/two.cc', '#include "parts/value.h"\nint two() { return value(); }\n')
        self.write('parts/other.cc', 'int other() { return 0; }\n')
        self.write('main.cc', 'int one();\nint two();\nint other();\n'
                              'int main() { return 10 * one() + two() + other(); }\n')
        subprocess.run(['cmake', '-S', self.root, '-B', self.root / 'build', '-G', 'Ninja'],
                       check=True, capture_output=True)
        self.tree = BuildTree(self.root / 'build', self.root)
        self.tree.build(['small'], 2)
        self.program = self.tree.program('small')

    def exit_code(self, **texts):
        paths = {'value': 'parts/value.h', 'other': 'parts/other.cc'}
        self.build = FaultBuild(self.tree, self.root / 'build/seeded/one',
                                {paths[name]: text for name, text in texts.items()})
        return subprocess.run([self.build.build(self.program)], check=False).returncode

    def test_every_part_that_sees_a_patched_header_is_compiled_again(self):
        self.assertEqual(self.exit_code(value='#pragma once\ninline int value() { return 2; }\n'),
                         22)
        self.assertEqual(self.build.num_made, 3)
        self.assertEqual((self.root / 'parts/value.h').read_text('utf-8').count('return 1'), 1)

    def test_a_patched_source_is_compiled_in_the_place_of_the_first(self):
        self.assertEqual(self.exit_code(other='int other() { return 5; }\n'), 16)
        self.assertEqual(self.build.num_made, 2)

    def test_nothing_is_made_twice(self):
        self.exit_code(other='int other() { return 5; }\n')
        self.assertEqual(self.exit_code(other='int other() { return 5; }\n'), 16)
        self.assertEqual(self.build.num_made, 0)

    def test_another_fault_or_a_changed_source_is_made_anew(self):
        self.exit_code(other='int other() { return 5; }\n')
        self.assertEqual(self.exit_code(other='int other() { return 6; }\n'), 17)
        self.write('parts/value.h', '#pragma once\ninline int value() { return 2; }\n')
        self.tree.build(['small'], 2)
        self.assertEqual(self.exit_code(other='int other() { return 6; }\n'), 28)

    def test_what_does_not_compile_is_an_error_that_says_why(self):
        with self.assertRaisesRegex(BuildError, 'static assertion failed'):
            self.exit_code(value='static_assert(false);\ninline int value() { return 2; }\n')

    def test_a_file_of_no_part_is_an_error(self):
        with self.assertRaisesRegex(BuildError, 'no part of small'):
            FaultBuild(self.tree, self.root / 'build/seeded/one',
                       {'unused.h': ''}).build(self.program)

    def test_a_folder_that_was_not_configured_is_an_error(self):
        with self.assertRaisesRegex(BuildError, 'not a configured build folder'):
            BuildTree(self.root / 'parts', self.root)


def report(**changes):
    made = {'errors': [], 'unmet': [],
            'runs': [{'error': '', 'seconds': 1.0, 'passed': 7, 'failed': 0, 'findings': []}]}
    return {**made, **changes}


def finding(origin, after_cases):
    return {'origin': origin, 'source': 'generated', 'after_cases': after_cases,
            'after_seconds': 0.5, 'case': 'B=1', 'minimal': True, 'minimize_seconds': 0.25}


class ReportTest(unittest.TestCase):
    def test_the_first_failure_is_the_verdict(self):
        runs = [{'error': '', 'findings': [finding('crashed', 9), finding('mismatch:a@again', 4)]}]
        result = read_report(report(runs=runs), 1)
        self.assertEqual((result.caught, result.origin, result.flaw, result.after_cases),
                         (True, 'mismatch:a@again', 'mismatch:a', 5))

    def test_a_pass_catches_nothing(self):
        result = read_report(report(), 0)
        self.assertEqual((result.caught, result.problem), (False, ''))

    def test_a_promise_alone_is_a_verdict(self):
        result = read_report(report(unmet=['only 0 cases passed on path tiny']), 1)
        self.assertEqual((result.caught, result.flaw), (True, 'unmet'))

    def test_an_exit_code_without_a_failure_is_a_problem(self):
        self.assertNotEqual(read_report(report(), 1).problem, '')
        self.assertEqual(read_report(report(errors=['no file']), 2).problem, 'no file')


def judged(fault, result):
    outcome = Outcome(fault, gates={'my_op': result})
    Laboratory.judge(outcome)
    return outcome.problems


class JudgeTest(unittest.TestCase):
    caught = GateResult(True, 'mismatch:a@again', case='B=1', minimal=True)

    def fault(self, **fields):
        return Fault('one', 'a:1', ops=['my_op'], **fields)

    def test_an_expected_verdict_is_one_of_those_named(self):
        self.assertTrue(is_expected(self.caught, ['mismatch']))
        self.assertTrue(is_expected(self.caught, ['crashed', 'mismatch:a']))
        self.assertTrue(is_expected(self.caught, ['mismatch:a@again']))
        self.assertFalse(is_expected(self.caught, ['mismatch:ab', 'crashed', 'mismatch:a@graph']))

    def test_a_fault_that_is_caught_as_expected_is_no_problem(self):
        self.assertEqual(judged(self.fault(expect=['mismatch']), self.caught), [])

    def test_what_is_not_as_expected_is_a_problem(self):
        expecting = self.fault(expect=['crashed'])
        self.assertIn('was expected', judged(expecting, self.caught)[0])
        self.assertIn('not caught', judged(expecting, GateResult())[0])
        self.assertIn('no gate', judged(expecting, GateResult(problem='no gate'))[0])
        other = self.fault(expect=['mismatch'], minimal='B=2')
        self.assertIn('shrank to B=1', judged(other, self.caught)[0])

    def test_an_equivalent_fault_that_is_caught_is_a_problem(self):
        equivalent = self.fault(equivalent='because')
        self.assertIn('declared equivalent', judged(equivalent, self.caught)[0])
        self.assertEqual(judged(equivalent, GateResult()), [])
        gpu = self.fault(gpu='because', seen_by=['racecheck'])
        self.assertIn('for a GPU alone', judged(gpu, self.caught)[0])


class FakeGate:
    def __init__(self, **caught):
        self.caught = caught
        self.asked = []

    def generated(self, op, seconds):
        self.asked.append('generated')
        return GateResult('generated' in self.caught)

    def kept(self, op):
        self.asked.append('kept')
        return GateResult('kept' in self.caught)


class SearchTest(unittest.TestCase):
    def asked(self, expect, **caught):
        gate = FakeGate(**caught)
        Laboratory(None, {}, None, 10, []).search(gate, 'my_op', Fault('one', 'a:1', expect=expect))
        return gate.asked

    def test_drawn_cases_come_first_and_kept_ones_only_for_what_those_miss(self):
        self.assertEqual(self.asked(['mismatch'], generated=True), ['generated'])
        self.assertEqual(self.asked(['mismatch'], kept=True), ['generated', 'kept'])

    def test_a_call_that_must_be_refused_is_sought_where_such_calls_are(self):
        self.assertEqual(self.asked(['accepted'], kept=True), ['kept'])
        self.assertEqual(self.asked(['crashed', 'accepted'], generated=True),
                         ['kept', 'generated'])
        self.assertEqual(self.asked(['accepted:workspace'], generated=True), ['generated'])


class TestProgramTest(unittest.TestCase):
    def test_each_failed_test_is_named_once(self):
        text = '''[       OK ] Walker.Walks (0 ms)
[  FAILED  ] Walker.NamesAGap (0 ms)
[  PASSED  ] 1 test.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Walker.NamesAGap, where GetParam() = 3
'''
        self.assertEqual(names_of_failed(text), ['Walker.NamesAGap'])


class ScoreTest(unittest.TestCase):
    def test_scores_count_what_a_host_can_see(self):
        seen, missed = GateResult(True, 'mismatch:a', 'generated', 3, 0.1, 'B=1', True), GateResult()
        outcomes = [
            Outcome(Fault('one', '', 'bound', ops=['my_op']), True, {'my_op': seen}, 'mismatch:a',
                    seen, missed),
            Outcome(Fault('two', '', 'bound', ops=['my_op']), False, {'my_op': missed}, '',
                    missed, missed),
            Outcome(Fault('three', '', 'lane', equivalent='because'))]
        text = score.markdown(outcomes, 'it')
        self.assertIn('1 of 2 seeded faults', text)
        self.assertIn('| bound | 1 of 2 | 1 of 2 | 0 of 2 |', text)
        self.assertIn('| mismatch | 1 | 1 of 1 | 0 of 1 |', text)
        self.assertIn('Not counted: 1 equivalent, 0 that', text)
        self.assertNotIn('| lane | 0', text)
        place = f'before\n{score.README_BEGIN}\nold\n{score.README_END}\nafter\n'
        readme = score.in_readme(place, outcomes)
        self.assertTrue(readme.startswith('before\n') and readme.endswith('after\n'))
        self.assertIn('| all | 1 of 2 | 1 of 2 | 0 of 2 |', readme)
        self.assertNotIn('old', readme)
        self.assertEqual(score.in_readme(readme, outcomes), readme)
        with self.assertRaises(ValueError):
            score.in_readme('no place', outcomes)


class ReportsTest(unittest.TestCase):
    """Of the project's own catalogue: what stands for which report."""

    root = pathlib.Path(__file__).resolve().parents[2]

    def setUp(self):
        self.faults = read_catalogue(self.root, self.root / 'properties/faults')
        text = (self.root / 'properties/faults/REPORTS.md').read_text(encoding='utf-8')
        self.lines = dict(re.findall(r'^\| ([0-9]+) \| (.*) \|$', text, re.MULTILINE))

    def test_every_report_that_a_fault_names_has_a_line(self):
        numbers = {number for fault in self.faults for number in fault.bank if number.isdigit()}
        self.assertEqual(sorted(numbers - set(self.lines)), [])

    def test_no_fault_is_planted_twice(self):
        names = {}
        for fault in self.faults:
            texts = tuple(sorted(patched_files(self.root, fault).items()))
            self.assertNotIn(texts, names, f'{fault.name} is {names.get(texts)}')
            names[texts] = fault.name

    def test_every_fault_that_a_line_names_follows_that_report(self):
        follows = {fault.name: fault.bank for fault in self.faults if not fault.equivalent}
        for number, line in self.lines.items():
            for name in re.findall(r'`([a-z0-9-]+-[a-z0-9-]+)`', line):
                self.assertIn(number, follows.get(name, []), f'report {number}: {name}')


if __name__ == '__main__':
    unittest.main(buffer=True)

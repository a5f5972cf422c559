"""Tries one fault: builds it, lets the gate look for it, and says whether that is as expected."""

import dataclasses
import re
import subprocess

from mutation.build_tree import BuildError
from mutation.fault_build import FaultBuild
from mutation.gate_run import Gate, GateResult
from mutation.patching import patched_files

INVARIANT_SECONDS = 3
BASELINE_SECONDS = 2
TEST_SECONDS = 120


@dataclasses.dataclass
class Outcome:
    """What became of one fault."""

    fault: object
    caught: bool = False
    gates: dict = dataclasses.field(default_factory=dict)  # of each operation
    caught_by: str = ''  # the origin, "build", or the names of tests
    invariants_alone: GateResult = None  # None: not run
    upstream_lists: GateResult = None
    problems: list = dataclasses.field(default_factory=list)  # not as expected
    seconds: float = 0.0

    @property
    def counts(self):
        """Whether it is part of the score: a fault that a host can see."""
        return not self.fault.equivalent and not self.fault.gpu

    @property
    def tried(self):
        """Whether anything was run: not so of device code that no host program has."""
        return bool(self.caught or self.gates or self.problems)

    @property
    def first(self):
        """The gate that the table shows."""
        caught = [gate for gate in self.gates.values() if gate.caught]
        return caught[0] if caught else next(iter(self.gates.values()), GateResult())


class Laboratory:
    """All that trials share."""

    def __init__(self, tree, programs, folder, seconds, columns):
        self.tree = tree
        self.programs = programs  # of each target
        self.folder = folder
        self.seconds = seconds
        self.columns = columns  # of the optional gates: those that the program has
        self._tests = {}

    def tests_of(self, target):
        """Names of all tests of a built test program."""
        if target not in self._tests:
            listed = subprocess.run(
                [str(self.tree.folder / self.programs[target].output), '--gtest_list_tests'],
                capture_output=True, text=True, check=True).stdout
            names, suite = [], ''
            for line in listed.splitlines():
                word = line.split('#')[0].strip()
                if line.startswith('  '):
                    names.append(suite + word)
                elif word.endswith('.'):
                    suite = word
            self._tests[target] = names
        return self._tests[target]

    def try_fault(self, fault):
        outcome = Outcome(fault)
        build = FaultBuild(self.tree, self.folder / fault.name,
                           patched_files(self.tree.root, fault))
        if fault.tests:
            self._try_tests(outcome, build)
        else:
            self._try_gates(outcome, build)
        return outcome

    def _try_tests(self, outcome, build):
        pattern = re.compile(outcome.fault.tests)
        failed, found = [], False
        for target in self.programs:
            if target == 'bytegate':
                continue
            names = [name for name in self.tests_of(target) if pattern.search(name)]
            if not names:
                continue
            found = True
            try:
                program = build.build(self.programs[target])
            except BuildError as error:
                outcome.problems.append(f'it does not build: {error}')
                return
            failed += _failed_tests(program, names)
        if not found:
            outcome.problems.append(f'no test matches {outcome.fault.tests}')
        elif not failed:
            outcome.problems.append(f'no test that matches {outcome.fault.tests} fails')
        outcome.caught = bool(failed)
        outcome.caught_by = 'test ' + ', '.join(failed[:2]) if failed else ''

    def _try_gates(self, outcome, build):
        fault = outcome.fault
        if fault.gpu and all(path.endswith('.cu') for path in fault.paths):
            return  # no part of a program for the host
        try:
            program = build.build(self.programs['bytegate'])
        except BuildError as error:
            # By what a compiler says of a line, and by nothing else that may go wrong.
            blamed = re.search(r'^\S+:[0-9]+:[0-9]+: error: ', str(error), re.MULTILINE)
            outcome.caught = fault.expects_no_build and blamed is not None
            outcome.caught_by = 'build' if outcome.caught else ''
            if not outcome.caught:
                outcome.problems.append(f'it does not build: {error}')
            return
        if fault.expects_no_build:
            outcome.problems.append('it builds, and was expected not to')
            return
        gate = Gate(program, self.tree.root / 'corpus', build.folder / 'run')
        for op in fault.ops:
            outcome.gates[op] = self.search(gate, op, fault)
        outcome.caught = all(result.caught and is_expected(result, fault.expect)
                             for result in outcome.gates.values())
        outcome.caught_by = outcome.first.origin if outcome.first.caught else ''
        self.judge(outcome)
        if outcome.counts and not fault.oracle:
            self._fill_columns(outcome, gate)

    def search(self, gate, op, fault):
        """Drawn cases first, which say more of a gate than kept ones do. Calls to be refused are
        not drawn, so that a search for one that is not would only take its time."""
        searches = [lambda: gate.generated(op, self.seconds), lambda: gate.kept(op)]
        if fault.is_of_refusals:
            searches.reverse()
        for search in searches:
            result = search()
            if result.caught or result.problem:
                break
        return result

    @staticmethod
    def judge(outcome):
        """Notes what is not as the catalogue says."""
        fault = outcome.fault
        for op, result in outcome.gates.items():
            if result.problem:
                outcome.problems.append(f'{op}: {result.problem}')
            elif fault.equivalent or fault.gpu:
                if result.caught:
                    kind = 'equivalent' if fault.equivalent else 'for a GPU alone'
                    outcome.problems.append(
                        f'{op}: declared {kind}, but caught: {result.origin}, {result.case}')
            elif not result.caught:
                outcome.problems.append(f'{op}: not caught')
            elif not is_expected(result, fault.expect):
                outcome.problems.append(
                    f'{op}: {result.origin}, and {" or ".join(fault.expect)} was expected')
            elif fault.minimal and op == fault.ops[0] and result.case != fault.minimal:
                outcome.problems.append(
                    f'{op}: shrank to {result.case}, and {fault.minimal} was expected')

    def require_green(self, faults, pool):
        """BuildError where something that is to catch faults is red without any."""
        plain = self.tree.folder / self.programs['bytegate'].output
        corpus = self.tree.root / 'corpus'

        def of_op(op):
            gate = Gate(plain, corpus, self.folder / 'without' / op)
            yield gate.generated(op, BASELINE_SECONDS)
            yield gate.kept(op)
            if '--without-oracle' in self.columns:
                yield gate.generated(op, BASELINE_SECONDS, '--without-oracle')

        def red(op):
            return [f'{op}: {result.origin or result.problem}' for result in of_op(op)
                    if result.caught or result.problem]

        ops = sorted({op for fault in faults if not fault.tests for op in fault.ops})
        found = [line for lines in pool.map(red, ops) for line in lines]
        patterns = [re.compile(fault.tests) for fault in faults if fault.tests]
        for target in [name for name in self.programs if name != 'bytegate']:
            names = [name for name in self.tests_of(target)
                     if any(pattern.search(name) for pattern in patterns)]
            if names:
                found += _failed_tests(self.tree.folder / self.programs[target].output, names)
        if found:
            raise BuildError('red without a fault: ' + '; '.join(found))

    def _fill_columns(self, outcome, gate):
        op = outcome.fault.ops[0]
        if '--without-oracle' in self.columns:
            outcome.invariants_alone = gate.generated(op, INVARIANT_SECONDS, '--without-oracle')
        if '--list' in self.columns:
            outcome.upstream_lists = gate.listed()
        for result in (outcome.invariants_alone, outcome.upstream_lists):
            if result is None:
                continue
            if result.problem:
                outcome.problems.append(result.problem)
            # A promise that so short a search does not keep says nothing of the fault.
            result.caught = result.caught and result.origin != 'unmet'


def is_expected(result, expected):
    """Whether the first verdict has one of the flaws: whole, without its mode, or its kind."""
    return any(flaw in (result.origin, result.flaw, result.flaw.split(':')[0])
               for flaw in expected)


def _failed_tests(program, names):
    """Those of the tests that fail; all of them when the program dies or does not end."""
    try:
        done = subprocess.run([str(program), '--gtest_filter=' + ':'.join(names)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors='replace', timeout=TEST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return names
    if done.returncode == 0:
        return []
    return names_of_failed(done.stdout) or names


def names_of_failed(text):
    """Of what a test program prints: the tests that failed, each once."""
    named = re.findall(r'^\[  FAILED  \] ([^\s,]+[.][^\s,]+)', text, re.MULTILINE)
    return list(dict.fromkeys(named))

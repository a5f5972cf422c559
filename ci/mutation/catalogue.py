"""Reads the catalogue of seeded faults; properties/faults/README.md describes its format."""

import dataclasses
import pathlib
import re


class CatalogueError(Exception):
    """What is wrong with the catalogue, beginning with FILE:LINE where there is one."""


@dataclasses.dataclass
class Hunk:
    """Lines that stand in a file, and the lines that take their place."""

    path: str  # from the root of the project
    old: list = dataclasses.field(default_factory=list)
    new: list = dataclasses.field(default_factory=list)
    where: str = ''


@dataclasses.dataclass
class Fault:
    """One seeded fault."""

    name: str
    where: str  # FILE:LINE of its first line
    operator: str = ''  # its class
    bank: list = dataclasses.field(default_factory=list)
    ops: list = dataclasses.field(default_factory=list)  # whose gates must see it
    expect: list = dataclasses.field(default_factory=list)  # flaws that the first verdict may have
    hunks: list = dataclasses.field(default_factory=list)
    why: str = ''
    equivalent: str = ''  # the argument; empty: it is none
    gpu: str = ''  # why a host cannot see it; empty: it can
    seen_by: list = dataclasses.field(default_factory=list)  # on a GPU: cuda, racecheck, ..
    oracle: bool = False
    flagged_by: str = ''  # of an oracle fault: gate or test
    tests: str = ''  # with flagged_by test: a regular expression of test names
    minimal: str = ''

    @property
    def paths(self):
        return list(dict.fromkeys(hunk.path for hunk in self.hunks))

    @property
    def expects_no_build(self):
        return self.expect == ['build']

    @property
    def is_of_refusals(self):
        """Whether it shows in a call that must be refused, other than one without its workspace:
        those are drawn."""
        return 'accepted' in self.expect


FIELDS = ('class', 'bank', 'op', 'expect', 'file', 'why', 'equivalent', 'gpu', 'by', 'oracle',
          'flagged-by', 'minimal')
ONCE = frozenset(FIELDS) - {'file', 'why'}
SEEN_BY = ('cuda', 'memcheck', 'racecheck', 'initcheck', 'synccheck')
ORACLE_FOLDERS = ('oracles/', 'properties/', 'fuzz/')
VERDICTS = ('untested', 'mismatch', 'unwritten', 'overrun', 'overread', 'unstable', 'race',
            'invariant', 'refused', 'accepted', 'crashed', 'exited', 'hung', 'exhausted', 'noisy',
            'unloadable', 'unsupported', 'vacuous', 'unmet', 'build')


class _FileReader:
    def __init__(self, path, shown, known_ops):
        self.shown = shown
        self.known_ops = known_ops
        self.default_ops = self.ops_of_stem(path.stem)
        self.faults = []
        self.fault = None
        self.path = None  # of the hunks that follow
        self.hunk = None
        self.seen = set()
        self.number = 0
        for line in path.read_text(encoding='utf-8').splitlines():
            self.number += 1
            self.read(line)
        if self.fault is not None:
            self.fail(f'fault {self.fault.name} has no end')

    def ops_of_stem(self, stem):
        named = [op for op in self.known_ops if stem == op or stem.startswith(op + '_')]
        return [max(named, key=len)] if named else []

    def where(self):
        return f'{self.shown}:{self.number}'

    def fail(self, message):
        raise CatalogueError(f'{self.where()}: {message}')

    def read(self, line):
        if self.fault is None:
            self.read_outside(line)
        elif line == 'end':
            self.finish()
        elif line == '@@':
            self.begin_hunk()
        elif (field := re.match(r'  ([a-z-]+)(?: +(\S.*?))? *$', line)) and field[1] in FIELDS:
            self.hunk = None
            self.read_field(field[1], field[2] or '')
        elif self.hunk is not None:
            self.read_hunk(line)
        else:
            self.fail(f'neither a field, nor @@, nor end: {line!r}')

    def read_outside(self, line):
        if not line.strip() or line.startswith('#'):
            return
        first = re.fullmatch(r'fault ([a-z0-9][a-z0-9-]*)', line)
        if not first:
            self.fail(f'expected "fault NAME", a comment or a blank line, not {line!r}')
        self.fault = Fault(first[1], self.where())
        self.path = None
        self.hunk = None
        self.seen = set()

    def begin_hunk(self):
        if self.path is None:
            self.fail('a hunk before any "file" line')
        self.hunk = Hunk(self.path, where=self.where())
        self.fault.hunks.append(self.hunk)

    def read_hunk(self, line):
        kind, text = line[:1] or ' ', line[1:]
        if kind not in ' +-':
            self.fail(f'a line of a hunk begins with a blank, - or +, not {line!r}')
        if kind != '+':
            self.hunk.old.append(text)
        if kind != '-':
            self.hunk.new.append(text)

    def read_field(self, name, value):
        if name in ONCE and name in self.seen:
            self.fail(f'"{name}" stands twice')
        self.seen.add(name)
        if name == 'oracle':
            if value:
                self.fail('"oracle" takes no value')
            self.fault.oracle = True
            return
        if not value:
            self.fail(f'"{name}" without a value')
        reader = getattr(self, 'read_' + name.replace('-', '_'), None)
        if reader:
            reader(value)
        else:
            setattr(self.fault, name, value)

    def read_class(self, value):
        if not re.fullmatch(r'[a-z][a-z0-9-]*', value):
            self.fail(f'a class is one word, not {value!r}')
        self.fault.operator = value

    def read_bank(self, value):
        for entry in value.split():
            if not re.fullmatch(r'[0-9]+|[A-Z]', entry):
                self.fail(f'"bank" takes numbers of entries or letters of classes, not {entry!r}')
        self.fault.bank = value.split()

    def read_op(self, value):
        for op in value.split():
            if op not in self.known_ops:
                self.fail(f'no such operation: {op}; there are: {", ".join(self.known_ops)}')
        self.fault.ops = value.split()

    def read_expect(self, value):
        for flaw in value.split():
            if re.split('[:@]', flaw)[0] not in VERDICTS:
                self.fail(f'no such verdict: {flaw}; there are: {", ".join(VERDICTS)}')
        self.fault.expect = value.split()

    def read_file(self, value):
        self.path = value

    def read_by(self, value):
        for checker in re.split(r'[|\s]+', value):
            if checker not in SEEN_BY:
                self.fail(f'"by" takes some of {", ".join(SEEN_BY)}, not {checker!r}')
        self.fault.seen_by = re.split(r'[|\s]+', value)

    def read_flagged_by(self, value):
        if value == 'gate':
            self.fault.flagged_by = 'gate'
            return
        test = re.fullmatch(r'test (\S+)', value)
        if not test:
            self.fail(f'"flagged-by" takes gate or test REGEX, not {value!r}')
        try:
            re.compile(test[1])
        except re.error as error:
            self.fail(f'{test[1]}: {error}')
        self.fault.flagged_by, self.fault.tests = 'test', test[1]

    def finish(self):
        fault = self.fault
        if not fault.ops:
            fault.ops = self.default_ops
        if error := _incomplete(fault):
            raise CatalogueError(f'{fault.where}: fault {fault.name}: {error}')
        self.faults.append(fault)
        self.fault = None


def _incomplete(fault):
    for hunk in fault.hunks:
        if hunk.old == hunk.new:
            return f'the hunk at {hunk.where} changes nothing'
        if not any(line.strip() for line in hunk.old):
            return f'the hunk at {hunk.where} has no old text that it could be found by'
    if not fault.hunks:
        return 'no hunk'
    if not fault.operator:
        return 'no "class"'
    if fault.equivalent and (fault.gpu or fault.oracle):
        return '"equivalent" stands beside "gpu" or "oracle"'
    if bool(fault.gpu) != bool(fault.seen_by):
        return '"gpu" and "by" go together'
    if fault.oracle != bool(fault.flagged_by):
        return '"oracle" and "flagged-by" go together'
    if fault.oracle and not all(path.startswith(ORACLE_FOLDERS) for path in fault.paths):
        return f'an oracle fault is planted below {", ".join(ORACLE_FOLDERS)}'
    if not fault.oracle and any(path.startswith(ORACLE_FOLDERS) for path in fault.paths):
        return 'planted in an oracle, but without "oracle"'
    by_gate = not fault.tests and not fault.equivalent
    if by_gate and not fault.expect:
        return 'no "expect"'
    if not by_gate and fault.expect:
        return '"expect" is of a fault that a gate catches'
    if not fault.tests and not fault.ops:
        return 'no "op", and the name of the file does not begin with one'
    return None


def known_ops(root):
    """The operations that there are: each has a folder of cases."""
    return sorted(entry.name for entry in (root / 'corpus').iterdir() if entry.is_dir())


def read_catalogue(root, folder):
    """All faults below `folder`, in the order of file names and lines."""
    root, folder = pathlib.Path(root), pathlib.Path(folder)
    files = sorted(folder.rglob('*.faults'))
    if not files:
        raise CatalogueError(f'{folder}: holds no catalogue (*.faults)')
    ops = known_ops(root)
    faults = {}
    for path in files:
        shown = path.relative_to(root) if path.is_relative_to(root) else path
        for fault in _FileReader(path, shown, ops).faults:
            if fault.name in faults:
                first = faults[fault.name].where
                raise CatalogueError(f'{fault.where}: fault {fault.name} stands at {first} already')
            faults[fault.name] = fault
    if not faults:
        raise CatalogueError(f'{folder}: holds no fault')
    return list(faults.values())

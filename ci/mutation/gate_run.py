"""Runs `bytegate gate` on a faulty program and reads what it reports."""

import dataclasses
import json
import shutil
import subprocess

# What a case that never ends may take: it must be seen to hang within a gate's time.
CASE_SECONDS = 3
# Beyond the time of the search: start, the cases on their way, and to make the failure small.
SLACK_SECONDS = 60


@dataclasses.dataclass
class GateResult:
    """What one gate saw."""

    caught: bool = False
    origin: str = ''  # of the first failing verdict; "unmet" where only a promise was broken
    source: str = ''  # generated, corpus, trace
    after_cases: int = 0
    after_seconds: float = 0.0
    case: str = ''  # the minimal case
    minimal: bool = False
    minimize_seconds: float = 0.0
    exit_code: int = 0
    problem: str = ''  # why there is no result
    timed_out: bool = False

    @property
    def flaw(self):
        return self.origin.split('@')[0]


def read_report(report, exit_code):
    """The result that a report.json states."""
    findings = [finding for row in report['runs'] for finding in row['findings']]
    if findings:
        first = min(findings, key=lambda finding: finding['after_cases'])
        return GateResult(True, first['origin'], first['source'], first['after_cases'] + 1,
                          first['after_seconds'], first['case'], first['minimal'],
                          first['minimize_seconds'], exit_code)
    problems = report['errors'] + [row['error'] for row in report['runs'] if row['error']]
    if problems:
        return GateResult(problem='; '.join(problems), exit_code=exit_code)
    if report['unmet']:
        seconds = sum(row['seconds'] for row in report['runs'])
        cases = sum(row['passed'] + row['failed'] for row in report['runs'])
        return GateResult(True, 'unmet', 'all', cases, seconds, '; '.join(report['unmet']),
                          exit_code=exit_code)
    if exit_code != 0:
        return GateResult(problem=f'exit code {exit_code} without a failure', exit_code=exit_code)
    return GateResult()


class Gate:
    """Gates of one program, in a folder for what they leave."""

    def __init__(self, program, corpus, folder):
        self.program = program
        self.corpus = corpus
        self.folder = folder

    def generated(self, op, seconds, *more):
        """Over cases that a generator draws, for so many seconds."""
        return self._run(seconds, '--op', op, '--no-corpus', *more)

    def kept(self, op):
        """Over the corpus."""
        return self._run(0, '--op', op, '--corpus', str(self.corpus), '--cases', '0')

    def listed(self):
        """Over the case lists of other suites; they run in the gate's own process, which a fault
        may end."""
        result = self._run(0, '--list', 'all')
        if result.problem and (result.exit_code < 0 or result.timed_out):
            origin = 'hung' if result.timed_out else 'crashed'
            return GateResult(True, origin, 'list', exit_code=result.exit_code)
        return result

    def _run(self, seconds, *more):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        command = [str(self.program), 'gate', '--backend', 'host', '--jobs', '1',
                   '--fail-fast', '--case-seconds', str(CASE_SECONDS), '--seconds', str(seconds),
                   '--findings', str(self.folder / 'found'),
                   '--report', str(self.folder / 'report'), *more]
        with (self.folder / 'output').open('wb') as output:
            try:
                code = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL,
                                      stdout=output, stderr=subprocess.STDOUT, check=False,
                                      timeout=seconds + SLACK_SECONDS).returncode
            except subprocess.TimeoutExpired:
                return GateResult(problem=f'the gate did not end: {" ".join(command)}',
                                  timed_out=True)
        try:
            report = json.loads((self.folder / 'report/report.json').read_text(encoding='utf-8'))
        except (OSError, ValueError):
            said = (self.folder / 'output').read_text(encoding='utf-8', errors='replace').strip()
            return GateResult(problem=f'no report, exit code {code}: {said[-400:]}',
                              exit_code=code)
        return read_report(report, code)


def understands(program, option):
    """Whether the program's gate has an option."""
    text = subprocess.run([str(program), 'gate', '--help'], capture_output=True, text=True,
                          check=False).stdout
    return option in text.split()

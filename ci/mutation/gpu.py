"""Faults that only a GPU shows: their programs are built here and run where there is one."""

import json
import shutil

from mutation.catalogue import CatalogueError
from mutation.fault_build import FaultBuild
from mutation.gate_run import GateResult, read_report
from mutation.patching import patched_files
from mutation.trial import is_expected

SECONDS = 30
CHECKER_CASES = 200
PLAIN = 'plain'  # the program without a fault

SCRIPT = '''#!/bin/sh
# Runs the gates of seeded faults on the GPU of this machine; their reports go below a folder.
#
# usage: ./run FOLDER
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && cd "$1" || exit 2
gate() {
  report=$1 program=$2
  shift 2
  rm -rf "$report"
  "$here/$program" gate --no-corpus --fail-fast --findings "found/$report" --report "$report" \\
    "$@" >"$report.log" 2>&1
  echo "$report: exit code $?"
}
'''


def _report_name(name, op, checker):
    return f'{name}--{op}--{checker}'


def _gates_of(faults):
    """What must be green without a fault: each operation and checker that one of them names."""
    return sorted({(op, checker) for fault in faults for op in fault.ops
                   for checker in fault.seen_by})


def _gate_line(name, op, checker):
    words = ['gate', _report_name(name, op, checker), name, '--op', op]
    if checker == 'cuda':
        words += ['--backend', 'cuda', '--require-gpu', '--jobs', '2', '--seconds', str(SECONDS),
                  '--case-seconds', '5']
    else:
        words += ['--sanitizer', checker, '--cases', str(CHECKER_CASES)]
    return ' '.join(words)


def build_programs(tree, program, faults, folder):
    """Builds each fault's program with its device code into `folder`, and a script that runs them."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [SCRIPT]
    shutil.copy2(tree.folder / program.output, folder / PLAIN)
    lines += [_gate_line(PLAIN, op, checker) + '\n' for op, checker in _gates_of(faults)]
    for fault in faults:
        build = FaultBuild(tree, tree.folder / 'seeded' / fault.name,
                           patched_files(tree.root, fault), with_cuda=True)
        shutil.copy2(build.build(program), folder / fault.name)
        lines += [_gate_line(fault.name, op, checker) + '\n'
                  for op in fault.ops for checker in fault.seen_by]
        print(f'faults: built {fault.name}', flush=True)
    script = folder / 'run'
    script.write_text(''.join(lines), encoding='utf-8')
    script.chmod(0o755)


def _read(folder, name):
    path = folder / name / 'report.json'
    if not path.is_file():
        return GateResult(problem=f'no report {path}')
    report = json.loads(path.read_text(encoding='utf-8'))
    return read_report(report, report['exit_code'])


def judge_reports(faults, folder):
    """Prints what each fault's gates saw on a GPU; whether all of them saw what was expected."""
    if not folder.is_dir():
        raise CatalogueError(f'{folder}: no folder of reports')
    all_seen = True
    for op, checker in _gates_of(faults):
        result = _read(folder, _report_name(PLAIN, op, checker))
        if result.caught or result.problem:
            print(f'FAIL {op} by {checker} without a fault: {result.problem or result.origin}')
            all_seen = False
    for fault in faults:
        for op in fault.ops:
            results = {checker: _read(folder, _report_name(fault.name, op, checker))
                       for checker in fault.seen_by}
            seen = [f'{result.origin} by {checker} after {result.after_cases} cases'
                    for checker, result in results.items()
                    if result.caught and is_expected(result, fault.expect)]
            all_seen = all_seen and bool(seen)
            said = '; '.join(seen) or '; '.join(
                f'{checker}: {result.problem or result.origin or "not caught"}'
                for checker, result in results.items())
            print(f'{"ok" if seen else "FAIL":<5}{fault.name} ({op}): {said}')
    return all_seen

"""Which cases of a corpus kill which faults: every case by itself, against every seeded fault."""

import concurrent.futures
import json
import os
import re
import subprocess
import tempfile

from mutation.build_tree import BuildError
from mutation.fault_build import FaultBuild
from mutation.gate_run import CASE_SECONDS
from mutation.patching import patched_files

FORMAT = 'bytegate-kills 1'
FAULT_SECONDS = 600
_LINE = re.compile(r'^(pass|FAIL|skip)  (.*\.case)(?: \(host[^)]*\)|: for \w+ only)', re.MULTILINE)


def cases_of(corpus):
    """Paths of the cases that run anywhere, from the corpus."""
    names = sorted(str(path.relative_to(corpus)) for path in corpus.rglob('*.case')
                   if path.parent.name != 'large')
    return [name for name in names
            if not re.search(r'^backend cuda', (corpus / name).read_text('utf-8'), re.MULTILINE)]


def read_replay(text, names):
    """Whether each case passed, by its name; ValueError unless all of them were replayed."""
    passed = {match[2]: match[1] == 'pass' for match in _LINE.finditer(text)}
    missing = [name for name in names if name not in passed]
    if missing:
        raise ValueError(f'{len(missing)} cases were not replayed, {missing[0]} first: '
                         f'{text.strip()[-300:]}')
    return {name: passed[name] for name in names}


def replay(program, corpus, names):
    """One process for all of them; each case runs by itself in a worker of that."""
    command = [str(program), 'replay', '--backend', 'host', '--case-seconds', str(CASE_SECONDS),
               *names]
    with tempfile.TemporaryFile() as output:
        try:
            subprocess.run(command, cwd=corpus, stdin=subprocess.DEVNULL, stdout=output,
                           stderr=subprocess.STDOUT, check=False, timeout=FAULT_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise ValueError(f'the replay took more than {FAULT_SECONDS} s') from error
        output.seek(0)
        return read_replay(output.read().decode(errors='replace'), names)


def is_tried(fault):
    """Whether a replay on a host can show it."""
    return not (fault.equivalent or fault.gpu or fault.tests or fault.expects_no_build)


def of_fault(tree, program, folder, fault, corpus, names):
    """The cases that do not pass with the fault; the error where there is no telling."""
    try:
        build = FaultBuild(tree, folder / fault.name, patched_files(tree.root, fault))
        passed = replay(build.build(program), corpus, names)
    except (BuildError, ValueError) as error:
        return [], str(error)
    return [name for name in names if not passed[name]], ''


def measure(tree, program, faults, corpus, num_jobs):
    """The matrix, and what went wrong by fault."""
    names = cases_of(corpus)
    if not names:
        raise BuildError(f'{corpus} holds no case that runs here')
    plain = replay(tree.folder / program.output, corpus, names)
    failing = [name for name in names if not plain[name]]
    if failing:
        raise BuildError(f'{failing[0]} fails without a fault')
    faults = [fault for fault in faults if is_tried(fault)]
    kills, problems = {}, {}
    with concurrent.futures.ThreadPoolExecutor(num_jobs) as pool:
        trials = {pool.submit(of_fault, tree, program, tree.folder / 'seeded', fault, corpus, names):
                  fault.name for fault in faults}
        for done, trial in enumerate(concurrent.futures.as_completed(trials), 1):
            name = trials[trial]
            kills[name], problem = trial.result()
            if problem:
                problems[name] = problem
            print(f'{done:>4}/{len(faults)} {name}: '
                  f'{problem or f"killed by {len(kills[name])} of {len(names)} cases"}', flush=True)
    return {'format': FORMAT, 'cases': names, 'faults': dict(sorted(kills.items()))}, problems


def write(path, matrix):
    """Whole or not at all."""
    new = path.with_name(path.name + '.new')
    with new.open('w', encoding='utf-8') as file:
        json.dump(matrix, file, indent=1)
        file.write('\n')
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)

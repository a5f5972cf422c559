"""Lets a coverage-guided target look for the fault that it was built with."""

import dataclasses
import os
import re
import shutil
import subprocess
import time

SLACK_SECONDS = 30


@dataclasses.dataclass
class Search:
    """How long something was looked for, and whether it was found."""

    found: bool = False
    num_cases: int = 0
    seconds: float = 0.0
    origin: str = ''
    problem: str = ''  # why it says nothing


def guided_search(program, folder, seconds, seed):
    """From an empty corpus, in one process, until the target aborts or the time is over."""
    shutil.rmtree(folder, ignore_errors=True)
    corpus = folder / 'corpus'
    corpus.mkdir(parents=True)
    command = [str(program), f'-max_total_time={seconds}', f'-seed={seed}', '-print_final_stats=1',
               '-max_len=65536', '-detect_leaks=0', '-timeout=10', '-reload=0',
               f'-artifact_prefix={folder}/', str(corpus)]
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith('BYTEGATE_FUZZ_')}
    begin = time.monotonic()
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors='replace', check=False,
                              timeout=seconds + SLACK_SECONDS)
    except subprocess.TimeoutExpired:
        return Search(problem=f'the target did not end: {" ".join(command)}')
    return read_search(done.stdout + done.stderr, done.returncode, time.monotonic() - begin)


def read_search(text, exit_code, seconds):
    """What the engine printed, as a result."""
    counted = re.search(r'^stat::number_of_executed_units: *([0-9]+)', text, re.MULTILINE)
    if counted is None:
        return Search(problem=f'no statistics, exit code {exit_code}: {text.strip()[-400:]}')
    origin = re.search(r'^origin ([^\n]+)$', text, re.MULTILINE)
    return Search(exit_code != 0, int(counted[1]), seconds, origin[1] if origin else '')

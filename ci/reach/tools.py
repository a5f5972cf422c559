"""The build of the fuzz targets that counts what they reach, and the tools that read its counts."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / 'build/coverage'
# Of what llvm-cov shows; which files of kernels/ count the list says.
NOT_KERNELS = '-ignore-filename-regex=^/usr/|/(oracles|properties|fuzz|ci|simt)/'


class ToolError(Exception):
    """A tool that is missing or failed, in its own words."""


def run(command, **options):
    done = subprocess.run([str(word) for word in command], check=False, capture_output=True,
                          text=True, **options)
    if done.returncode != 0:
        raise ToolError(f'{" ".join(map(str, command))}: exit {done.returncode}\n'
                        f'{done.stdout[-2000:]}{done.stderr[-2000:]}'.rstrip())
    return done.stdout


def tool(name):
    found = shutil.which(f'{name}-14')
    if not found:
        raise ToolError(f'{name}-14 is missing: ci/setup coverage')
    return found


def build():
    """Whether it is there now."""
    steps = (['ci/setup', 'gate', 'coverage'], ['ci/build', 'coverage', 'op_fuzz_targets'])
    return all(subprocess.run(step, cwd=ROOT, check=False).returncode == 0 for step in steps)


def binary_of(op):
    return BUILD / f'fuzz/guided/{op}_fuzzer'


def inputs_of(cases, folder):
    """Makes a folder of a case file, or of a folder of them, with the digest of each as its name."""
    run([BUILD / 'ci/fuzzing/case_inputs', cases, '--to', folder],
        env={**os.environ, 'LLVM_PROFILE_FILE': '/dev/null'})


def count(binary, inputs, profile):
    """Runs a target over inputs, and writes its counts."""
    run([binary, inputs], env={**os.environ, 'LLVM_PROFILE_FILE': str(profile)})

"""What OSS-Fuzz and ClusterFuzzLite ask of a folder of fuzz targets, each as a list of violations."""

import configparser
import os
import pathlib
import re
import subprocess
import tempfile
import zipfile

NAME = re.compile(r'[A-Za-z0-9_-]+')
ENTRY_POINT = b'LLVMFuzzerTestOneInput'
SUFFIXES = ('.dict', '.options', '_seed_corpus.zip')
# The C library and what belongs to it; the machines that run targets have nothing else for sure.
LIBRARIES = {'libc.so.6', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2', 'librt.so.1', 'libresolv.so.2',
             'ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1'}
# Symbols that show which sanitizer a target was built with; the first of them counts, since its
# runtime may bring those of the next.
SYMBOLS = {'address': '__asan_init', 'coverage': '__llvm_profile_runtime',
           'undefined': '__ubsan_handle'}
OPTIONS = {'max_len', 'timeout', 'rss_limit_mb'}
MAX_SECONDS = 300
EXIT_TIMEOUT = 124


def run(command, environment=None):
    """The exit code, and all that was printed."""
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=MAX_SECONDS,
                              env={**os.environ, **(environment or {})}, check=False)
    except subprocess.TimeoutExpired as late:
        return EXIT_TIMEOUT, (late.stdout or b'').decode(errors='replace')
    except OSError as problem:
        return EXIT_TIMEOUT, str(problem)
    return done.returncode, done.stdout.decode(errors='replace')


def targets_in(out):
    """Executables that hold the entry point, as a runner would find them."""
    return [path for path in sorted(out.iterdir())
            if path.is_file() and os.access(path, os.X_OK) and ENTRY_POINT in path.read_bytes()]


def stray_files(out, targets):
    """What no runner would look at, which is a misspelt name more often than not."""
    known = {target.name + suffix for target in targets for suffix in ('', *SUFFIXES)}
    return [f'{path.name}: belongs to no target' for path in sorted(out.iterdir())
            if path.name not in known]


def libraries(target):
    result, output = run(['readelf', '--dynamic', '--wide', target])
    if result != 0:
        return [f'{target.name}: readelf cannot read it']
    needed = re.findall(r'\(NEEDED\).*\[(.*)\]', output)
    return [f'{target.name}: needs {library}' for library in needed if library not in LIBRARIES]


def sanitizer(target, wanted):
    result, output = run(['nm', target])
    if result != 0:
        return [f'{target.name}: nm cannot read it']
    symbols = [line.split()[-1] for line in output.splitlines() if line.split()]
    found = [name for name, start in SYMBOLS.items()
             if any(symbol.startswith(start) for symbol in symbols)]
    found = found[0] if found else 'none'
    return [] if found == wanted else [f'{target.name}: its sanitizer is {found}, not {wanted}']


def options(target):
    path = target.with_name(target.name + '.options')
    if not path.is_file():
        return [f'{target.name}: has no .options']
    parser = configparser.ConfigParser()
    try:
        parser.read_string(path.read_text())
        values = dict(parser['libfuzzer'])
        wrong = [key for key, value in values.items() if key not in OPTIONS or int(value) <= 0]
    except (configparser.Error, KeyError, ValueError) as problem:
        return [f'{path.name}: {problem}']
    return [f'{path.name}: {key}: not an option that is known, with a number' for key in wrong]


def extracted(archive, folder):
    """What is wrong with a seed archive, whose files are then in the folder."""
    if not archive.is_file():
        return [f'{archive.name}: missing']
    try:
        with zipfile.ZipFile(archive) as seeds:
            if any(name.startswith('/') or '..' in name for name in seeds.namelist()):
                return [f'{archive.name}: names a file outside of itself']
            seeds.extractall(folder)
    except (zipfile.BadZipFile, OSError) as problem:
        return [f'{archive.name}: {problem}']
    if not any(path.is_file() for path in pathlib.Path(folder).rglob('*')):
        return [f'{archive.name}: holds no seeds']
    return []


def covered_by_profile(target, profile):
    """Whether the raw profile shows a function of the target that was run."""
    merged = profile.with_suffix('.profdata')
    result, _ = run(['llvm-profdata-14', 'merge', '-sparse', profile, '-o', merged])
    if result != 0:
        return False
    result, output = run(['llvm-cov-14', 'report', target, f'-instr-profile={merged}', '-summary-only'])
    total = re.search(r'^TOTAL\s+(\d+)\s+(\d+)', output, re.M)
    return result == 0 and total is not None and int(total[2]) < int(total[1])


def seeds_run(target, kind):
    """Starts the target, has it read its dictionary, and runs its seeds once each."""
    archive = target.with_name(target.name + '_seed_corpus.zip')
    dictionary = target.with_name(target.name + '.dict')
    with tempfile.TemporaryDirectory() as folder:
        seeds, profile = pathlib.Path(folder, 'seeds'), pathlib.Path(folder, 'raw.profraw')
        seeds.mkdir()
        violations = extracted(archive, seeds)
        command = [target, '-runs=0', f'-artifact_prefix={folder}/']
        if dictionary.is_file():
            command.append(f'-dict={dictionary}')
        result, output = run([*command, seeds], {'LLVM_PROFILE_FILE': str(profile)})
        if result != 0:
            tail = '\n'.join(output.splitlines()[-30:])
            return [*violations, f'{target.name}: exits with {result} over its seeds:\n{tail}']
        if kind == 'coverage':
            covered = covered_by_profile(target, profile)
        else:
            covers = re.findall(r'\bcov: (\d+)', output)
            covered = bool(covers) and int(covers[-1]) > 0
        if not violations and not covered:
            violations.append(f'{target.name}: its seeds cover nothing')
        return violations


def violations_in(out, kind, expected=()):
    """Everything that is wrong with the folder, for a build with the sanitizer `kind`."""
    targets = targets_in(out)
    names = {target.name for target in targets}
    found = [f'{name}: missing' for name in sorted(set(expected) - names)]
    if not targets:
        found.append(f'{out}: no fuzz target')
    found += stray_files(out, targets)
    for target in targets:
        if not NAME.fullmatch(target.name):
            found.append(f'{target.name}: a name must be of letters, digits, _ and - alone')
        found += libraries(target) + sanitizer(target, kind) + options(target) + seeds_run(target, kind)
    return found

"""Branches of the sources, and which sides of each were taken, as llvm-cov exports them."""

import dataclasses
import json
import os.path
import pathlib
import re

SIDES = ('true', 'false')
# `kMode == DsaMode::kDecode`: names that begin with a k, and operators.
CONSTANTS = re.compile(r'[!( ]*(\w+::)*k[A-Z]\w*([!=<>&|() ]+(\w+::)*k[A-Z]\w*)*[) ]*')


class CoverageError(Exception):
    """Why an export cannot be used."""


@dataclasses.dataclass(frozen=True, order=True)
class Branch:
    """A condition in the sources."""

    file: str  # from the root of the project
    line: int
    column: int
    end_line: int
    end_column: int


def declaration_text(lines, branch):
    """Of a variable declared in a condition the whole declaration: a name alone says nothing."""
    if not lines[branch.line - 1][:branch.column - 1].endswith('(auto '):
        return None
    text = ' '.join([lines[branch.line - 1][branch.column - 1:], *lines[branch.line:branch.line + 9]])
    depth = 0
    for i, letter in enumerate(text):
        depth += {'(': 1, ')': -1}.get(letter, 0)
        if depth < 0:
            return ' '.join(text[:i].split())
    return None


def condition_text(root, branch):
    """What stands in the source for a branch, with its blanks made single."""
    lines = (pathlib.Path(root) / branch.file).read_text(encoding='utf-8').splitlines()
    if branch.end_line > len(lines):
        raise CoverageError(f'{branch.file}: the export is of another version of this file')
    declaration = declaration_text(lines, branch)
    if declaration:
        return declaration
    rows = lines[branch.line - 1:branch.end_line]
    if len(rows) == 1:
        rows = [rows[0][branch.column - 1:branch.end_column - 1]]
    else:
        rows = [rows[0][branch.column - 1:], *rows[1:-1], rows[-1][:branch.end_column - 1]]
    return ' '.join(' '.join(rows).split())


def is_decided_by_compiler(root, branch):
    """Whether no instance has two sides: an `if constexpr`, or a condition of constants alone."""
    lines = (pathlib.Path(root) / branch.file).read_text(encoding='utf-8').splitlines()
    if lines[branch.line - 1][:branch.column - 1].rstrip().endswith('if constexpr ('):
        return True
    return CONSTANTS.fullmatch(condition_text(root, branch)) is not None


def read_export(text, root, is_wanted):
    """How often each side was taken, of every branch of the wanted files: {Branch: [true, false]}.

    A branch of a template counts once: a side is taken when it is in any of its instances.
    """
    try:
        files = json.loads(text)['data'][0]['files']
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise CoverageError(f'not an export of llvm-cov: {error}') from error
    root = pathlib.Path(root).resolve()
    counts = {}
    for entry in files:
        # A compiler cache may have made it relative to the build folder.
        path = pathlib.Path(os.path.normpath(entry['filename']))
        if not path.is_relative_to(root):
            continue
        name = str(path.relative_to(root))
        if not is_wanted(name):
            continue
        for line, column, end_line, end_column, num_true, num_false, *_ in entry['branches']:
            branch = Branch(name, line, column, end_line, end_column)
            if is_decided_by_compiler(root, branch):
                continue
            sides = counts.setdefault(branch, [0, 0])
            sides[0] += num_true
            sides[1] += num_false
    return counts


def sides_taken(counts):
    """Names of the sides that were taken at least once, of counts that read_export() gave."""
    return {f'{branch.file}:{branch.line}:{branch.column} {side}'
            for branch, sides in counts.items() for side, num in zip(SIDES, sides) if num > 0}

"""The list of branch sides that no case can take, each with the reason."""

import dataclasses
import fnmatch


class ListError(Exception):
    """What is wrong with the list, with its line."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One side of a condition, wherever it stands in a file."""

    file: str
    condition: str
    side: str  # 'true' or 'false'
    reason: str
    line: int

    @property
    def key(self):
        return self.file, self.condition, self.side


@dataclasses.dataclass(frozen=True)
class Listing:
    """What is looked at, and what is excused."""

    sources: tuple  # patterns of files
    entries: tuple

    def is_wanted(self, file):
        return any(fnmatch.fnmatch(file, pattern) for pattern in self.sources)


def parse(text, name):
    """Lines `sources PATTERN..`, then blocks `unreachable FILE`, `  SIDE CONDITION`, `    reason`."""
    entries, sources = [], []
    file, pending = None, None

    def fail(number, message):
        raise ListError(f'{name}:{number}: {message}')

    def finish(number):
        if pending is not None:
            if not pending['reason']:
                fail(number, f'no reason for "{pending["side"]} {pending["condition"]}"')
            entries.append(Entry(**{**pending, 'reason': ' '.join(pending['reason'])}))

    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith('#'):
            continue
        depth = len(line) - len(line.lstrip(' '))
        if depth == 0:
            finish(number)
            pending = None
            word, _, file = stripped.partition(' ')
            if word == 'sources' and file:
                sources += file.split()
                file = None
                continue
            if word != 'unreachable' or not file:
                fail(number, 'must be: sources PATTERN.., or unreachable FILE')
        elif depth == 2:
            finish(number)
            side, _, condition = stripped.partition(' ')
            if file is None or side not in ('true', 'false') or not condition:
                fail(number, 'must be, below a file: true CONDITION, or false CONDITION')
            pending = {'file': file, 'condition': ' '.join(condition.split()), 'side': side,
                       'reason': [], 'line': number}
        elif pending is None:
            fail(number, 'a reason without a condition')
        else:
            pending['reason'].append(stripped)
    finish(len(text.splitlines()))
    keys = [entry.key for entry in entries]
    for entry in entries:
        if keys.count(entry.key) > 1:
            fail(entry.line, 'stands there twice')
    if not sources:
        fail(1, 'names no sources')
    return Listing(tuple(sources), tuple(entries))

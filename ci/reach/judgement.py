"""Holds what was reached against the list of what cannot be."""

import collections
import dataclasses

from reach.branches import SIDES, condition_text


@dataclasses.dataclass
class FileScore:
    num_sides: int = 0
    num_reached: int = 0
    num_unreachable: int = 0


@dataclasses.dataclass
class Judgement:
    scores: dict  # of each file
    missing: list  # (Branch, condition, side): not taken, and not said to be unreachable
    refuted: list  # entries that are said to be unreachable, and were taken
    stale: list  # entries without such a condition

    @property
    def passed(self):
        return bool(self.scores) and not (self.missing or self.refuted or self.stale)


def names_of(branches, root):
    """What each branch is called in the list: its condition, counted where a file has it more than once."""
    texts = {branch: condition_text(root, branch) for branch in branches}
    alike = collections.defaultdict(list)
    for branch in sorted(branches):
        alike[branch.file, texts[branch]].append(branch)
    return {branch: text if len(same) == 1 else f'{same.index(branch) + 1} of {len(same)}: {text}'
            for branch, text in texts.items() for same in [alike[branch.file, text]]}


def judge(counts, entries, root):
    listed = {entry.key: entry for entry in entries}
    scores = collections.defaultdict(FileScore)
    missing, met, taken = [], set(), set()
    names = names_of(counts, root)
    for branch, sides in sorted(counts.items()):
        score = scores[branch.file]
        for side, count in zip(SIDES, sides):
            key = (branch.file, names[branch], side)
            score.num_sides += 1
            met.add(key)
            if count > 0:
                score.num_reached += 1
                taken.add(key)
            elif key in listed:
                score.num_unreachable += 1
            else:
                missing.append((branch, names[branch], side))
    refuted = [entry for entry in entries if entry.key in taken]
    stale = [entry for entry in entries if entry.key not in met]
    return Judgement(dict(scores), missing, refuted, stale)


def text_of(judgement, entries):
    """The report, as plain text."""
    width = max((len(name) for name in judgement.scores), default=4)
    lines = [f'{"file":<{width}}  {"sides":>6} {"reached":>8} {"unreachable":>12} {"missing":>8}']
    total = FileScore()
    for name, score in sorted(judgement.scores.items()):
        left = score.num_sides - score.num_reached - score.num_unreachable
        lines.append(f'{name:<{width}}  {score.num_sides:>6} {score.num_reached:>8} '
                     f'{score.num_unreachable:>12} {left:>8}')
        total.num_sides += score.num_sides
        total.num_reached += score.num_reached
        total.num_unreachable += score.num_unreachable
    left = total.num_sides - total.num_reached - total.num_unreachable
    lines.append(f'{"all":<{width}}  {total.num_sides:>6} {total.num_reached:>8} '
                 f'{total.num_unreachable:>12} {left:>8}')
    for branch, condition, side in judgement.missing:
        lines.append(f'MISSING {branch.file}:{branch.line}: never {side}: {condition}')
    for entry in judgement.refuted:
        lines.append(f'REFUTED {entry.file}: was {entry.side}, though line {entry.line} of the list '
                     f'says that it cannot be: {entry.condition}')
    for entry in judgement.stale:
        lines.append(f'STALE {entry.file}: no such condition (line {entry.line} of the list): '
                     f'{entry.condition}')
    if entries:
        lines.append('')
        lines.append('Unreachable, and why:')
    for entry in entries:
        lines.append(f'  {entry.file}: never {entry.side}: {entry.condition}')
        lines.append(f'    {entry.reason}')
    return '\n'.join(lines) + '\n'

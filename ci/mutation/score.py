"""Counts outcomes, and writes them as tables and as JSON."""

import collections
import json


def _cell(text):
    return str(text).replace('|', '\\|').replace('\n', ' ') or '–'


def _row(*cells):
    return '| ' + ' | '.join(_cell(cell) for cell in cells) + ' |'


def _table(heads, rows, right=()):
    marks = ['---:' if head in right else '---' for head in heads]
    return '\n'.join([_row(*heads), '|' + '|'.join(marks) + '|', *(_row(*row) for row in rows)])


def _caught_by(result):
    if result is None:
        return '–'
    return f'`{result.origin}`' if result.caught else 'no'


def _remark(outcome):
    fault = outcome.fault
    if fault.equivalent:
        return f'equivalent: {fault.equivalent}'
    if fault.gpu:
        return f'on a GPU alone ({", ".join(fault.seen_by)}): {fault.gpu}'
    return ''


def fault_table(outcomes):
    """A line for each fault of the production sources."""
    heads = ('fault', 'class', 'bank', 'op', 'caught by', 'in', 'cases', 'seconds', 'minimal case',
             'invariants alone', 'upstream lists')
    rows = []
    for outcome in outcomes:
        fault, first = outcome.fault, outcome.first
        caught = f'`{outcome.caught_by}`' if outcome.caught else _remark(outcome) or '**no**'
        ran = outcome.caught and first.caught
        rows.append((fault.name, fault.operator, ' '.join(fault.bank), ', '.join(fault.ops), caught,
                     first.source if ran else '', first.after_cases if ran else '',
                     f'{first.after_seconds:.2f}' if ran else '',
                     f'`{first.case}`' if ran and first.minimal else '',
                     _caught_by(outcome.invariants_alone), _caught_by(outcome.upstream_lists)))
    return _table(heads, rows, ('cases', 'seconds'))


def oracle_table(outcomes):
    """A line for each fault of an oracle, a walker or the compare."""
    rows = [(outcome.fault.name, outcome.fault.operator, ', '.join(outcome.fault.paths),
             f'`{outcome.caught_by}`' if outcome.caught else '**no**') for outcome in outcomes]
    return _table(('fault', 'class', 'in', 'flagged by'), rows)


def _share(caught, of):
    return f'{caught} of {of}' if of else '–'


def _column_share(outcomes, column):
    results = [getattr(outcome, column) for outcome in outcomes]
    ran = [result for result in results if result is not None]
    return _share(sum(result.caught for result in ran), len(ran))


def _scores(outcomes):
    return (_share(sum(outcome.caught for outcome in outcomes), len(outcomes)),
            _column_share(outcomes, 'invariants_alone'), _column_share(outcomes, 'upstream_lists'))


SCORES = ('gate', 'invariants alone', 'upstream lists')


def class_table(outcomes):
    """How many of each class are caught, by whom."""
    classes = collections.defaultdict(list)
    for outcome in outcomes:
        classes[outcome.fault.operator].append(outcome)
    rows = [(name, *_scores(classes[name])) for name in sorted(classes)]
    return _table(('class', *SCORES), [*rows, ('all', *_scores(outcomes))], SCORES)


def check_table(outcomes):
    """By which check the gate caught faults first."""
    checks = collections.defaultdict(list)
    for outcome in outcomes:
        if outcome.caught:
            checks[outcome.caught_by.split('@')[0].split(':')[0]].append(outcome)
    order = sorted(checks, key=lambda check: (-len(checks[check]), check))
    rows = [(check, len(checks[check]), *_scores(checks[check])[1:]) for check in order]
    return _table(('first verdict', *SCORES), rows, SCORES)


def _parts(outcomes):
    scored = [o for o in outcomes if o.counts and not o.fault.oracle]
    oracle = [o for o in outcomes if o.fault.oracle]
    apart = [o for o in outcomes if not o.counts and not o.fault.oracle]
    return scored, oracle, apart


def _shrinking(outcomes):
    """How many first failures were made minimal, and how fast."""
    lines = []
    for what, stem in (('schedule', 'paged_mqa'), ('metadata', 'dsa')):
        results = [o.first for o in outcomes if o.first.caught and o.first.case
                   and o.fault.ops[0].startswith(stem)]
        seconds = sorted(result.minimize_seconds for result in results if result.minimal)
        if seconds:
            lines.append(f'{_share(len(seconds), len(results))} failures of {what} cases are shrunk '
                         f'to a minimum, nine in ten of them within '
                         f'{seconds[len(seconds) * 9 // 10]:.1f} s.')
    return lines


def summary_lines(outcomes):
    """The score in a few lines."""
    scored, oracle, apart = _parts(outcomes)
    gate, invariants, lists = _scores(scored)
    num_built = sum(o.caught_by == 'build' for o in scored)
    by_compiler = f' ({num_built} of them by the compiler)' if num_built else ''
    lines = [f'{gate} seeded faults of the kernels and their launchers are caught by the gate'
             f'{by_compiler}, {invariants} by invariants and relations alone, {lists} by the case lists of '
             'upstream suites.']
    lines += _shrinking(scored)
    if oracle:
        lines.append(f'{_share(sum(o.caught for o in oracle), len(oracle))} faults planted in the '
                     'oracles, the walkers and the compare are flagged.')
    if apart:
        num_gpu = sum(bool(o.fault.gpu) for o in apart)
        lines.append(f'Not counted: {len(apart) - num_gpu} equivalent, {num_gpu} that only a GPU '
                     'can show.')
    return lines


def markdown(outcomes, command):
    """All tables."""
    scored, oracle, apart = _parts(outcomes)
    parts = ['# Seeded faults', f'Written by `{command}`.', ' '.join(summary_lines(outcomes)),
             '## By class', class_table(scored), '## By check', check_table(scored),
             '## Each fault', fault_table(scored)]
    if apart:
        parts += ['## Not counted', fault_table(apart)]
    if oracle:
        parts += ['## Planted in the oracles', oracle_table(oracle)]
    return '\n\n'.join(parts) + '\n'


README_BEGIN = '<!-- written by ci/faults --readme -->'
README_END = '<!-- until here -->'


def in_readme(readme, outcomes):
    """The text with the score in its place."""
    begin, end = readme.find(README_BEGIN), readme.find(README_END)
    if begin < 0 or end < begin:
        raise ValueError(f'no {README_BEGIN} .. {README_END}')
    scored, _, _ = _parts(outcomes)
    parts = [README_BEGIN, '\n'.join(summary_lines(outcomes)), class_table(scored),
             check_table(scored)]
    return readme[:begin] + '\n\n'.join(parts) + '\n' + readme[end:]


def _json_of_gate(result):
    if result is None:
        return None
    return {'caught': result.caught, 'origin': result.origin, 'source': result.source,
            'after_cases': result.after_cases, 'after_seconds': result.after_seconds,
            'case': result.case, 'minimal': result.minimal,
            'minimize_seconds': result.minimize_seconds, 'exit_code': result.exit_code,
            'problem': result.problem}


def as_json(outcomes):
    """All outcomes, for programs."""
    faults = []
    for outcome in outcomes:
        fault = outcome.fault
        faults.append({
            'name': fault.name, 'class': fault.operator, 'bank': fault.bank, 'ops': fault.ops,
            'files': fault.paths, 'equivalent': fault.equivalent, 'gpu': fault.gpu,
            'oracle': fault.oracle, 'caught': outcome.caught, 'caught_by': outcome.caught_by,
            'gates': {op: _json_of_gate(gate) for op, gate in outcome.gates.items()},
            'invariants_alone': _json_of_gate(outcome.invariants_alone),
            'upstream_lists': _json_of_gate(outcome.upstream_lists),
            'seconds': round(outcome.seconds, 2),
            'problems': outcome.problems})
    return json.dumps({'faults': faults}, indent=1, ensure_ascii=False) + '\n'

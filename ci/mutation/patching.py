"""Applies the hunks of a fault to the sources as they are."""

from mutation.catalogue import CatalogueError


def _places(lines, wanted):
    last = len(lines) - len(wanted)
    return [i for i in range(last + 1) if lines[i:i + len(wanted)] == wanted]


def patched_files(root, fault):
    """The text of each file that the fault changes, by its path from `root`."""
    texts = {}
    for hunk in fault.hunks:
        if hunk.path not in texts:
            path = root / hunk.path
            if not path.is_file():
                raise CatalogueError(f'{hunk.where}: fault {fault.name}: no file {hunk.path}')
            texts[hunk.path] = path.read_text(encoding='utf-8').split('\n')
        lines = texts[hunk.path]
        places = _places(lines, hunk.old)
        if len(places) != 1:
            what = (f'is ambiguous: its old text stands {len(places)} times in {hunk.path}'
                    if places else f'no longer applies: its old text is not in {hunk.path}')
            raise CatalogueError(f'{hunk.where}: fault {fault.name} {what}')
        lines[places[0]:places[0] + len(hunk.old)] = hunk.new
    return {path: '\n'.join(lines) for path, lines in texts.items()}

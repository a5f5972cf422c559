"""Builds programs with a fault in them; nothing is compiled or linked twice.

Patched files lie in a folder of their own, which stands before the root among the folders of
includes. What was compiled from one of them is compiled again, everything else is taken from the
build folder as it is. Device code is compiled again only where the program is to run on a GPU: a gate
on the host does not call it.
"""

import hashlib
import json

from mutation.build_tree import BuildError, run

# Behind the build's own flags: half of the time to compile. Faults are not debugged.
QUICK = ('-O1', '-g0')


def _digest(*parts):
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        digest.update(str(len(data)).encode() + b':' + data)
    return digest.hexdigest()


class FaultBuild:
    """One fault's folder: its patched files, its objects and its programs."""

    def __init__(self, tree, folder, texts, with_cuda=False):
        self.tree = tree
        self.folder = folder
        self.texts = texts  # of each patched file, by its path from the root
        self.overlay = folder / 'patched'
        self.with_cuda = with_cuda
        self.num_made = 0
        self._keys_file = folder / 'keys.json'
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self._keys = json.loads(self._keys_file.read_text(encoding='utf-8'))
        except (OSError, ValueError):
            self._keys = {}

    def build(self, program):
        """The path of the program with the fault; BuildError when it does not compile."""
        self._write_overlay()
        names = [name for name in self.tree.compiled_from(self.texts, program.objects)
                 if self.with_cuda or not self._is_cuda(name)]
        if not names:
            raise BuildError(f'{", ".join(self.texts)}: no part of {program.output}')
        keys = [self._compile(name) for name in names]
        return self._link(program, names, keys)

    def _is_cuda(self, name):
        return self.tree.source_of(name).endswith('.cu')

    def _write_overlay(self):
        for path, text in self.texts.items():
            patched = self.overlay / path
            patched.parent.mkdir(parents=True, exist_ok=True)
            if not patched.is_file() or patched.read_text(encoding='utf-8') != text:
                patched.write_text(text, encoding='utf-8')
        for old in self.overlay.rglob('*'):
            if old.is_file() and str(old.relative_to(self.overlay)) not in self.texts:
                old.unlink()

    def _object(self, name):
        return self.folder / 'objects' / name.replace('/', '-')

    def _compile(self, name):
        words = list(self.tree.commands[name])
        source = self.tree.source_of(name)
        if source in self.texts:
            words[words.index('-c') + 1] = str(self.overlay / source)
        words[words.index('-o') + 1] = str(self._object(name))
        place = next((i for i, word in enumerate(words) if word.startswith('-I')), 1)
        words[place:place] = ['-I' + str(self.overlay)]
        if not self._is_cuda(name):
            words += QUICK
        key = _digest(self.tree.compiler_version(words[0]), *words, *self._contents(name))
        self._make(key, self._object(name), words)
        return key

    def _contents(self, name):
        for path in sorted(self.tree.dependencies().get(name, set()) | set(self.texts)):
            yield path
            text = self.texts.get(path)
            yield text if text is not None else (self.tree.root / path).read_bytes()

    def _link(self, program, names, keys):
        output = self.folder / program.output.replace('/', '-')
        # Those with the fault first: of an inline function the linker takes the first that it sees.
        objects = [str(self._object(name)) for name in names]
        stamps = []
        for name in program.objects:
            if name not in names:
                status = (self.tree.folder / name).stat()
                objects.append(name)
                stamps.append(f'{name} {status.st_size} {status.st_mtime_ns}')
        words = []
        for word in program.link:
            words += objects if word is None else [word]
        words += ['-o', str(output), '-Wl,--strip-debug']
        self._make(_digest(*words, *stamps, *keys), output, words)
        return output

    def _make(self, key, output, words):
        name = output.name
        if self._keys.get(name) == key and output.is_file():
            return
        output.parent.mkdir(parents=True, exist_ok=True)
        self._keys.pop(name, None)
        run(words, self.tree.folder)
        self.num_made += 1
        self._keys[name] = key
        self._keys_file.write_text(json.dumps(self._keys, indent=1), encoding='utf-8')

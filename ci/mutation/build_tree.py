"""What a build folder of cmake and ninja knows: how things are compiled, of what, and linked."""

import json
import pathlib
import shlex
import subprocess


class BuildError(Exception):
    """Why something could not be built."""


def run(command, folder):
    """The output of a command; an error with what it said when it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f'{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}'.rstrip())
    return done.stdout


class Program:
    """An executable: the objects that it is linked of, each named, and the line that links it."""

    def __init__(self, output, link, objects):
        self.output = output  # from the build folder
        self.link = link  # words; None stands where the objects are to be
        self.objects = objects


class BuildTree:
    """A configured build folder, of which what is asked for has been built."""

    def __init__(self, folder, root):
        self.folder = pathlib.Path(folder).resolve()
        self.root = pathlib.Path(root).resolve()
        commands = self.folder / 'compile_commands.json'
        if not commands.is_file():
            raise BuildError(f'{folder}: not a configured build folder (no compile_commands.json)')
        self.commands = {}  # of each object: the words that compile it
        for entry in json.loads(commands.read_text(encoding='utf-8')):
            words = shlex.split(entry['command'])
            # What ccache could find it would find by our own key.
            if pathlib.Path(words[0]).name == 'ccache':
                del words[0]
            self.commands[words[words.index('-o') + 1]] = words
        self._dependencies = None
        self._versions = {}

    def build(self, targets, num_jobs):
        """Brings `targets` up to date."""
        run(['ninja', '-j', str(num_jobs), *targets], self.folder)
        self._dependencies = None

    def source_of(self, name):
        words = self.commands[name]
        return self.relative(words[words.index('-c') + 1])

    def relative(self, path):
        """The path from the root of the project; None for what is not of the project."""
        absolute = (self.folder / path).resolve()
        if not absolute.is_relative_to(self.root) or absolute.is_relative_to(self.folder):
            return None
        return str(absolute.relative_to(self.root))

    def dependencies(self):
        """Of each object, the project's files that it was compiled from."""
        if self._dependencies is None:
            self._dependencies = {}
            relative = {}
            files = None
            for line in run(['ninja', '-t', 'deps'], self.folder).splitlines():
                if line.startswith('    '):
                    path = line.strip()
                    if path not in relative:
                        relative[path] = self.relative(path)
                    if files is not None and relative[path] is not None:
                        files.add(relative[path])
                elif line.strip():
                    name = line.split(':')[0]
                    files = self._dependencies.setdefault(name, set())
        return self._dependencies

    def compiled_from(self, paths, names):
        """Those of the objects that were compiled from one of the files."""
        wanted = set(paths)
        known = self.dependencies()
        return [name for name in names
                if name in self.commands and wanted & (known.get(name, set())
                                                       | {self.source_of(name)})]

    def program(self, target):
        """How an executable is linked, every library of ours taken apart."""
        lines = run(['ninja', '-t', 'commands', target], self.folder).splitlines()
        archives = {}
        link = None
        for line in lines:
            for part in line.split(' && '):
                words = shlex.split(part)
                if 'qc' in words[:3]:
                    place = words.index('qc')
                    archives[words[place + 1]] = words[place + 2:]
                elif '-o' in words and '-c' not in words:
                    if pathlib.Path(words[words.index('-o') + 1]).name == target:
                        link = words
        if link is None:
            raise BuildError(f'{self.folder}: ninja knows no line that links {target}')
        return self._taken_apart(link, archives)

    @staticmethod
    def _taken_apart(link, archives):
        place = link.index('-o')
        output = link[place + 1]
        words, objects = [], {}
        for word in link[:place] + link[place + 2:]:
            parts = archives.get(word, [word] if word.endswith('.o') else None)
            if parts is None:
                words.append(word)
                continue
            if not objects:
                words.append(None)
            objects.update(dict.fromkeys(parts))
        return Program(output, words, list(objects))

    def compiler_version(self, compiler):
        if compiler not in self._versions:
            self._versions[compiler] = run([compiler, '--version'], self.folder)
        return self._versions[compiler]

#!/usr/bin/env python3
"""Sees that a folder of fuzz targets with something wrong in it is not taken for a good one."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from contract import checks  # noqa: E402

TARGET = '''#include <cstddef>
#include <cstdint>
#include <cstdlib>
int beside();
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 1 && data[0] == 'x' && data[1] == 'y') std::abort();
  return BESIDE;
}
'''
ADDRESS = '-fsanitize=address'
GUIDED = '-fsanitize=fuzzer-no-link'


def compiled(folder, name, *flags, beside='0', libraries=()):
    source, target = folder / f'{name}.cc', folder / name
    source.write_text(TARGET)
    compiler = ['clang++-14', '-O1', f'-DBESIDE={beside}']
    subprocess.run([*compiler, *flags, '-c', source, '-o', f'{target}.o'], check=True)
    sanitizers = [flag for flag in flags if flag != GUIDED]
    subprocess.run([*compiler, *sanitizers, '-fsanitize=fuzzer', '-static-libstdc++', '-static-libgcc',
                    f'{target}.o', *libraries, '-o', target], check=True)
    return target


class Contract(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.store = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.store.name)
        cls.good = compiled(folder, 'good', ADDRESS, GUIDED)
        cls.unguided = compiled(folder, 'unguided', ADDRESS)
        cls.unsanitized = compiled(folder, 'unsanitized', GUIDED)
        library = folder / 'libbeside.so'
        (folder / 'beside.cc').write_text('int beside() { return 0; }\n')
        subprocess.run(['clang++-14', '-shared', '-fPIC', folder / 'beside.cc', '-o', library], check=True)
        cls.linked = compiled(folder, 'linked', ADDRESS, GUIDED, beside='beside()',
                              libraries=[library, f'-Wl,-rpath,{folder}'])

    @classmethod
    def tearDownClass(cls):
        cls.store.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = pathlib.Path(self.folder.name)
        self.put(self.good)

    def put(self, target, name='a_fuzzer', seeds=('x', '')):
        shutil.copy(target, self.out / name)
        (self.out / f'{name}.options').write_text('[libfuzzer]\nmax_len = 10\n')
        (self.out / f'{name}.dict').write_text('"word"\n')
        with zipfile.ZipFile(self.out / f'{name}_seed_corpus.zip', 'w') as archive:
            for idx, seed in enumerate(seeds):
                archive.writestr(f'seed{idx}', seed)

    def caught(self, named, kind='address', expected=('a_fuzzer',)):
        found = checks.violations_in(self.out, kind, expected)
        self.assertTrue(any(named in violation for violation in found), (named, found))

    def test_a_good_folder_is_not_blamed(self):
        self.assertEqual(checks.violations_in(self.out, 'address', ['a_fuzzer']), [])

    def test_a_missing_target(self):
        self.caught('b_fuzzer: missing', expected=('a_fuzzer', 'b_fuzzer'))
        for path in self.out.iterdir():
            path.unlink()
        self.caught('no fuzz target', expected=())

    def test_a_name_that_no_runner_takes(self):
        self.put(self.good, 'a.fuzzer')
        self.caught('a.fuzzer: a name')

    def test_a_file_of_no_target(self):
        (self.out / 'b_fuzzer.dict').write_text('"word"\n')
        self.caught('b_fuzzer.dict: belongs to no target')
        (self.out / 'a_fuzzer').chmod(0o644)
        self.caught('a_fuzzer: missing')

    def test_a_target_that_crashes_on_a_seed(self):
        self.put(self.good, seeds=('xyz',))
        self.caught('over its seeds')

    def test_a_target_that_does_not_start(self):
        program = bytearray((self.out / 'a_fuzzer').read_bytes())
        program[0x18:0x20] = bytes(8)  # where an ELF file begins to run
        (self.out / 'a_fuzzer').write_bytes(program)
        self.caught('a_fuzzer: exits with')

    def test_a_target_without_guidance(self):
        self.put(self.unguided)
        self.caught('cover nothing')

    def test_the_wrong_sanitizer(self):
        self.put(self.unsanitized)
        self.caught('its sanitizer is')
        self.put(self.good)
        self.caught('is address, not undefined', kind='undefined')

    def test_a_library_that_runners_lack(self):
        self.put(self.linked)
        self.caught('needs ')

    def test_seeds_that_are_missing_or_empty_or_no_archive(self):
        archive = self.out / 'a_fuzzer_seed_corpus.zip'
        self.put(self.good, seeds=())
        self.caught('holds no seeds')
        archive.write_bytes(b'no archive')
        self.caught('not a zip file')
        archive.unlink()
        self.caught('a_fuzzer_seed_corpus.zip: missing')

    def test_a_dictionary_that_the_engine_refuses(self):
        (self.out / 'a_fuzzer.dict').write_text('"word"\n"open\n')
        self.caught('a_fuzzer: exits with 1')

    def test_options_that_are_none(self):
        options = self.out / 'a_fuzzer.options'
        for text in ('max_len = 10\n', '[other]\n', '[libfuzzer]\nmax_len = long\n',
                     '[libfuzzer]\nmaxlen = 10\n', '[libfuzzer]\nmax_len = 0\n'):
            options.write_text(text)
            self.caught('a_fuzzer.options')
        options.unlink()
        self.caught('has no .options')


if __name__ == '__main__':
    unittest.main()

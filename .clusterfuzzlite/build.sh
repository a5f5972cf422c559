#!/usr/bin/env bash
# Builds the fuzz targets as OSS-Fuzz and ClusterFuzzLite ask for: with the compiler, flags and engine of
# the environment (CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE), below $WORK, into $OUT.
#
# ci/fuzz_contract runs this with such an environment and checks what comes of it.
set -euo pipefail
source_dir=${SRC:?}/bytegate
build_dir=${WORK:?}/build

# Boost and RapidCheck come from the distribution, which builds them with libstdc++.
CXXFLAGS=${CXXFLAGS//-stdlib=libc++/}
# The machines that run the targets have a C library, and no more.
link_flags='-static-libstdc++ -static-libgcc'

cmake -S "$source_dir" -B "$build_dir" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER="${CXX:?}" \
  -DCMAKE_CXX_FLAGS="$CXXFLAGS" -DCMAKE_EXE_LINKER_FLAGS="$link_flags" -DBYTEGATE_CUDA=OFF \
  -DBYTEGATE_TESTS=OFF -DBYTEGATE_WARNINGS_ARE_ERRORS=OFF \
  -DBYTEGATE_FUZZ_ENGINE="${LIB_FUZZING_ENGINE:?}"
cmake --build "$build_dir" --target fuzz_targets fuzz_assets

# Assets of an earlier build may be of a target that is no more.
rm -rf "$WORK/assets"
# What leaks when a help text is written is of no interest to the build.
ASAN_OPTIONS=detect_leaks=0 "$build_dir/ci/fuzzing/fuzz_assets" "$WORK/assets" --source "$source_dir"
for target in "$build_dir"/fuzz/guided/*_fuzzer; do
  name=$(basename "$target")
  cp "$target" "${OUT:?}/"
  cp "$source_dir/fuzz/guided/target.options" "$OUT/$name.options"
  if [[ -f $WORK/assets/$name.dict ]]; then cp "$WORK/assets/$name.dict" "$OUT/"; fi
  (cd "$WORK/assets/${name}_seed_corpus" && zip -q -X -r "$OUT/${name}_seed_corpus.zip" .)
done

#!/usr/bin/env bash
# Fuzzes our own parsers with libFuzzer, address and undefined-behaviour sanitizers; needs clang (Debian: clang, libomp-dev).
# The corpora are small files of tests/fuzz/corpus and tests/data. Usage: tools/fuzz.sh [SECONDS per parser, 60] [parsers...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
readers=("$@")
[ ${#readers[@]} -gt 0 ] || readers=(gmsh inp nastran medit medit_binary mfem exodus case override formula table journal)
build=build-fuzz
mkdir -p "$build/objects"
flags=(-std=c++20 -O1 -g -I. -I/usr/include/hdf5/serial -fopenmp -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined)
sources=(device/error.cpp mesh/*.cpp
         io/{text_file,mapped_file,raw_mesh,flat_mesh,token_index,gmsh_kinds,gmsh_cursor,gmsh_msh2,gmsh_msh4,gmsh_reader,gmsh_regions}.cpp
         io/{inp_types,inp_records,inp_deck,inp_mesh,inp_reader,medit_reader,nastran_reader,mfem_reader}.cpp
         io/{exodus_reader,netcdf_file,foreign_cells,hdf5_tree,hdf5_handle}.cpp
         io/{case,case_data,case_formula,case_parse,case_question,case_region,case_text,data_table,expression,formula}.cpp
         io/{journal,checksum,atomic_file}.cpp device/stop_request.cpp)
compile() { # source
  local object="$build/objects/${1//\//_}.o"
  if [ ! -e "$object" ] || [ -n "$(find device mesh io "$1" -newer "$object" \( -name '*.hpp' -o -path "$1" \) -print -quit)" ]; then
    clang++ "${flags[@]}" -fsanitize=fuzzer-no-link -c "$1" -o "$object"
  fi
}
export build
running=0
for source in "${sources[@]}"; do
  compile "$source" &
  running=$((running + 1))
  if [ $((running % $(nproc))) -eq 0 ]; then wait; fi
done
wait
objects=()
for source in "${sources[@]}"; do objects+=("$build/objects/${source//\//_}.o"); done
export OMP_NUM_THREADS=1 ASAN_OPTIONS=allocator_may_return_null=0:detect_leaks=1
failed=0
for reader in "${readers[@]}"; do
  case $reader in
    case | override | formula | table | journal) target=fuzz_text ;;
    *) target=fuzz_mesh ;;
  esac
  clang++ "${flags[@]}" -fsanitize=fuzzer "-DRITZ_FUZZ_READER=\"$reader\"" "tests/fuzz/$target.cpp" "${objects[@]}" -lfmt -lhdf5_serial -lmuparser -lz -o "$build/fuzz_$reader"
  corpus="$build/corpus_$reader"
  mkdir -p "$corpus"
  case $reader in
    gmsh) cp tests/data/gmsh/{periodic,two_boxes,plate}*.msh "$corpus" ;;
    inp) cp tests/data/inp/*.inp "$corpus" ;;
    mfem) cp tests/data/mfem/{tinyzoo-3d,star-mixed-p2}.mesh "$corpus" ;;
    exodus) cp tests/data/foreign/bar.exo "$corpus" ;;
    medit_binary) cp tests/data/meshb/*.meshb "$corpus" ;;
  esac
  [ -d "tests/fuzz/corpus/$reader" ] && cp tests/fuzz/corpus/"$reader"/* "$corpus"
  if "$build/fuzz_$reader" -max_total_time="$seconds" -max_len=8192 -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
       "-artifact_prefix=$build/$reader-" "$corpus" >"$build/$reader.log" 2>&1; then
    echo "$reader: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$reader.log") executions in $seconds s, $(find "$corpus" -type f | wc -l) files of corpus, no crash"
  else
    echo "$reader: FAILED, see $build/$reader.log"
    failed=1
  fi
done
exit $failed

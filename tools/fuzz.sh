#!/usr/bin/env bash
# Fuzzes our own parsers with libFuzzer, sanitizers (below); needs clang (Debian: clang, libclang-rt-14-dev,
# libomp-dev). The corpora are small files of tests/fuzz/corpus and tests/data.
#   tools/fuzz.sh [SECONDS] [TARGETS...]      new inputs for so long (60) with each target; what crashes one lies in the folder
#   tools/fuzz.sh --smoke [TARGETS...]        the same inputs each time: a fixed seed, for half a minute or less
#   tools/fuzz.sh --build                     builds only
#   tools/fuzz.sh --in FOLDER ...             builds and works there (build-fuzz)
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build-fuzz seconds=60 smoke=
if [ "${1:-}" = --in ]; then folder=$2; shift 2; fi
targets=(gmsh=10000 inp=16000 nastran=80000 medit=160000 medit_binary=48000 mfem=16000 exodus=60000 vtk=60000
         case=100000 override=40000 formula=60000 table=100000 journal=80000 checkpoint=1000)  # and executions of --smoke
declare -A executions
for target in "${targets[@]}"; do executions[${target%%=*}]=${target##*=}; done
order=("${targets[@]%%=*}")
# Of undefined behaviour what no other sanitizer finds and a parser may do: a third less to compile.
sanitizers=address,bool,bounds,enum,integer-divide-by-zero,return,shift,signed-integer-overflow,unreachable
if [ "${1:-}" != --smoke ] || [ ! -x "$folder/bin/fuzz_checkpoint" ]; then
  tools/configure.sh "$folder" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang -DRITZ_CUDA=OFF -DRITZ_TESTS=OFF -DRITZ_UNITY=ON -DRITZ_FUZZ=ON \
    "-DRITZ_FOLDERS=mesh;io" "-DRITZ_SANITIZE=$sanitizers,fuzzer-no-link" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" >/dev/null
  cmake --build "$folder" --target "${order[@]/#/fuzz_}" >"$folder/build.log" || { cat "$folder/build.log"; exit 1; }
fi
case ${1:-} in
  --build) exit ;;
  --smoke) smoke=yes; shift ;;
  [0-9]*) seconds=$1; shift ;;
esac
[ $# -gt 0 ] || set -- "${order[@]}"
export OMP_NUM_THREADS=1 ASAN_OPTIONS=allocator_may_return_null=0:detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
same=()  # entropic scheduling looks at the clock, and addresses enter the tables of compared values
if [ -n "$smoke" ] && setarch -R true 2>/dev/null; then same=(setarch -R); fi
failed=0
for target in "$@"; do
  corpus="$folder/corpus_$target"
  if [ -n "$smoke" ]; then rm -rf "$corpus"; fi
  mkdir -p "$corpus"
  case $target in
    gmsh) cp tests/data/gmsh/{periodic,two_boxes,plate,order3,shapes}*.msh "$corpus" ;;
    inp) cp tests/data/inp/*.inp "$corpus" ;;
    mfem) cp tests/data/mfem/{tinyzoo-3d,star-mixed-p2,bent-tri-p5,bent-wedge-cubic}.mesh "$corpus" ;;
    exodus) cp tests/data/foreign/bar.exo "$corpus" ;;
    medit_binary) cp tests/data/meshb/*.meshb "$corpus" ;;
  esac
  [ -d "tests/fuzz/corpus/$target" ] && cp tests/fuzz/corpus/"$target"/* "$corpus"
  if [ -n "$smoke" ]; then amount=(-entropic=0 -seed=1 "-runs=${executions[$target]}" -timeout=120); else amount=("-max_total_time=$seconds" -timeout=10); fi
  if "${same[@]}" "$folder/bin/fuzz_$target" "${amount[@]}" -max_len=8192 -rss_limit_mb=2048 -print_final_stats=1 "-artifact_prefix=$folder/$target-" \
       "$corpus" >"$folder/$target.log" 2>&1; then
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$target.log") executions, $(sed -n 's/^stat::average_exec_per_sec: *//p' "$folder/$target.log") a second, $(find "$corpus" -type f | wc -l) files of corpus, no crash"
  else
    echo "$target: FAILED, see $folder/$target.log"
    tail -n 30 "$folder/$target.log"
    failed=1
  fi
done
exit $failed

# Installs Ritz, moves the installation, runs an executable of it from elsewhere, and builds and runs a project that
# finds it there.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${work}/first ${work}/moved ${work}/build ${work}/cache ${work}/examples ${work}/plugin)
run(${CMAKE_COMMAND} --install ${ritz_build} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/moved)  # whatever still points to the first place breaks now

file(GLOB_RECURSE stray ${work}/moved/*test*)
if(stray)
  message(FATAL_ERROR "tests were installed: ${stray}")
endif()
run(${CMAKE_COMMAND} -E chdir / ${work}/moved/${bin}/ritz-heat --help)
if(NOT output MATCHES "ritz-heat")
  message(FATAL_ERROR "ritz-heat --help does not name itself:\n${output}")
endif()
run(${CMAKE_COMMAND} -E chdir / ${work}/moved/${bin}/ritz devices)

# A form of one's own in a case file: compiled with the headers of the moved installation.
run(${CMAKE_COMMAND} -E env XDG_CACHE_HOME=${work}/cache "CXX=${CMAKE_CURRENT_LIST_DIR}/../cases/quick_cxx.sh ${compiler}" ${work}/moved/${bin}/ritz-solve
    ${work}/moved/share/ritz/examples/custom_form/varying_conduction.toml --device cpu --output ${work}/plugin)
if(NOT output MATCHES "compiled now" OR NOT output MATCHES "probe middle: 1\\.0000")
  message(FATAL_ERROR "the plugin of the installation gave:\n${output}")
endif()

set(options -D CMAKE_PREFIX_PATH=${work}/moved -D CMAKE_CXX_COMPILER=${compiler} -D RITZ_CUDA=${cuda})
# What is compiled here runs for a moment.
set(quick ${CMAKE_CURRENT_LIST_DIR}/../cases/quick_cxx.sh ${launcher})
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${quick}")
set(ENV{CMAKE_CUDA_COMPILER_LAUNCHER} "${launcher}")
if(cuda)
  list(APPEND options -D CMAKE_CUDA_COMPILER=${cuda_compiler})
endif()
if(sanitize)
  list(APPEND options -D CMAKE_CXX_FLAGS=-fsanitize=${sanitize})
endif()
run(${CMAKE_COMMAND} -S ${outside} -B ${work}/build -G ${generator} ${options})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/solve_diffusion)
message("${output}")

# The examples have kernels for this processor, and with RITZ_ALL_BACK_ENDS for all and for GPUs (tools/long_checks.sh).
if(NOT "$ENV{RITZ_ALL_BACK_ENDS}")
  list(APPEND options -D RITZ_CUDA=OFF -D RITZ_CPU_BACKENDS=native)
endif()

# Programs with the libraries: each returns 1 where its number is not the one it knows.
file(COPY ${work}/moved/share/ritz/examples/programs DESTINATION ${work}/examples)
run(${CMAKE_COMMAND} -S ${work}/examples/programs -B ${work}/examples/programs/build -G ${generator} ${options})
run(${CMAKE_COMMAND} --build ${work}/examples/programs/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${work}/examples/programs/build --output-on-failure --no-tests=error)

# The example of a plugin that is compiled ahead of time; no compiler where the case runs.
file(COPY ${work}/moved/share/ritz/examples/custom_plugin ${work}/moved/share/ritz/examples/custom_form DESTINATION ${work}/examples)
run(${CMAKE_COMMAND} -S ${work}/examples/custom_plugin -B ${work}/examples/custom_plugin/build -G ${generator} ${options})
run(${CMAKE_COMMAND} --build ${work}/examples/custom_plugin/build)
run(${CMAKE_COMMAND} -E env CXX=no-compiler ${work}/moved/${bin}/ritz-solve ${work}/examples/custom_plugin/reacting_rod.toml
    --device cpu --output ${work}/plugin)
if(NOT output MATCHES "probe closed_end: 0\\.42509")
  message(FATAL_ERROR "the plugin made ahead of time gave:\n${output}")
endif()

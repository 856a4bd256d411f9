# How kernel sources are built, in Ritz itself and, through find_package(ritz), in projects that use it:
#   ritz_kernels(my_forms a.cpp b.cpp)    compiled once per back end into loadable modules (see device/kernels.hpp):
#                                         my_forms.v3.so, my_forms.v4.so and, with CUDA, my_forms.cuda.so;
#                                         the target my_forms stands for all of them
#   ritz_kernels(my_forms NO_INSTALL a.cpp)   the same, left out of `cmake --install` (tests); GPU_ON_DEMAND: my_forms.cuda.so is made by
#                                         the target my_forms alone
#   ritz_kernel_family(my_forms rare c.cpp)   before it: sources of my_forms in files of their own, my_forms.rare.v3.so, which are loaded
#                                         with it if they were built (RITZ_KERNEL_FAMILIES, RITZ_CUDA_FAMILIES)
#   ritz_add_plugin(my_forms a.cpp)       the same for sources that case files may name as `plugin` (fem/add_form.hpp);
#                                         then `plugin = "build/my_forms"` needs no compiler where the case runs
# RITZ_CUDA = AUTO, ON or OFF says whether there are GPU modules, RITZ_CUDA_ARCHITECTURES for which GPUs.
include(GNUInstallDirs)
find_package(OpenMP REQUIRED COMPONENTS CXX)

if(NOT RITZ_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "RITZ_CUDA is '${RITZ_CUDA}'. It is one of AUTO (GPU code when a CUDA compiler is found), ON, OFF.")
endif()
set(RITZ_WITH_CUDA OFF)
if(RITZ_CUDA STREQUAL OFF)
  set(ritz_why "RITZ_CUDA is OFF")
else()
  include(CheckLanguage)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${RITZ_CUDA_ARCHITECTURES})
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(RITZ_WITH_CUDA ON)
    set(ritz_why "nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${RITZ_CUDA_ARCHITECTURES}")
  elseif(RITZ_CUDA STREQUAL ON)
    unset(CMAKE_CUDA_COMPILER CACHE)  # so that the next run looks again
    message(FATAL_ERROR "RITZ_CUDA is ON, but no CUDA compiler was found. Put nvcc on the PATH or set CUDACXX, "
                        "or build without GPU code: RITZ_CUDA=OFF.")
  else()
    unset(CMAKE_CUDA_COMPILER CACHE)
    set(ritz_why "no CUDA compiler found: put nvcc on the PATH or set CUDACXX to have it")
  endif()
endif()
if(NOT ritz_FIND_QUIETLY)
  message(STATUS "Ritz: GPU code ${RITZ_WITH_CUDA} (${ritz_why})")
endif()

# Instruction sets of the CPU kernels: "v3;v4" runs everywhere; "native" is the better one of this machine's two, for builds
# that stay on it.
set(RITZ_CPU_BACKENDS "v3;v4" CACHE STRING "Instruction sets of CPU kernels: v3 (AVX2), v4 (AVX-512), both or native")
set(RITZ_BUILT_CPU_BACKENDS ${RITZ_CPU_BACKENDS})
if(RITZ_CPU_BACKENDS STREQUAL native)
  set(RITZ_BUILT_CPU_BACKENDS v3)
  file(STRINGS /proc/cpuinfo ritz_avx512 REGEX "avx512f .*avx512dq .*avx512cd .*avx512bw .*avx512vl" LIMIT_COUNT 1)
  if(ritz_avx512)
    set(RITZ_BUILT_CPU_BACKENDS v4)
  endif()
endif()
if(NOT RITZ_BUILT_CPU_BACKENDS MATCHES "^v[34](;v[34])?$")
  message(FATAL_ERROR "RITZ_CPU_BACKENDS is '${RITZ_CPU_BACKENDS}'. It is v3, v4, \"v3;v4\" or native.")
endif()
if(NOT ritz_FIND_QUIETLY)
  message(STATUS "Ritz: CPU kernels for ${RITZ_BUILT_CPU_BACKENDS}")
endif()

# All modules; executables that run kernels depend on it.
if(NOT TARGET ritz_modules)
  add_custom_target(ritz_modules)
endif()

# The flags of kernels, also of those that are compiled at run time (fem/modules/plugin_compiler.cpp). Scratch of registers is not
# initialised on purpose, and g++ 12 does not see through the loops that fill it.
set(RITZ_KERNEL_OPTIONS -O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast -fvisibility=hidden
    -fvisibility-inlines-hidden -Wno-psabi -Wno-maybe-uninitialized CACHE INTERNAL "")
set(RITZ_KERNEL_OPTIONS_V4 -mprefer-vector-width=512 CACHE INTERNAL "")
# Modules to pass on are compressed, and without the lines of their sources, which profilers read: four architectures fit
# where one was.
set(RITZ_CUDA_COMPACT OFF CACHE BOOL "GPU code compressed, and without the lines of its sources: to pass on")
set(ritz_of_code -lineinfo)
if(RITZ_CUDA_COMPACT AND RITZ_WITH_CUDA)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
    message(FATAL_ERROR "RITZ_CUDA_COMPACT needs nvcc 12.8 or newer, and this is ${CMAKE_CUDA_COMPILER_VERSION}.")
  endif()
  set(ritz_of_code --compress-mode=size)
endif()
# CMake 3.25 drops C++20 for nvcc: say it ourselves.
set(RITZ_KERNEL_OPTIONS_CUDA -std=c++20 --expt-relaxed-constexpr -O3 ${ritz_of_code}
    -Xcompiler=-Wall,-Wno-parentheses,-fvisibility=hidden,-fopenmp CACHE INTERNAL "")

# Families of kernels that a build makes; the others are made by the target that has the module's name.
set(RITZ_KERNEL_FAMILIES all CACHE STRING "Families of CPU kernels to build: all, none, or a list")
set(RITZ_CUDA_FAMILIES all CACHE STRING "Families of GPU kernels to build: all, none, or a list")
set(RITZ_QUICK_FAMILIES none CACHE STRING "Families of CPU kernels at -O1, which takes half as long to compile: all, none, or a list")
function(ritz_kernel_family name family)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  set_property(GLOBAL APPEND PROPERTY ritz_families_${name} ${family})
  set_property(GLOBAL PROPERTY ritz_sources_${name}_${family} ${sources})
endfunction()

# One loadable module per back end from the same sources. Inline functions stay hidden in their module, so that
# code compiled for AVX-512 can never be merged into code that runs everywhere.
function(ritz_kernels name)
  cmake_parse_arguments(K "NO_INSTALL;GPU_ON_DEMAND" "" "" ${ARGN})
  set(sources ${K_UNPARSED_ARGUMENTS})
  add_custom_target(${name})
  get_property(families GLOBAL PROPERTY ritz_families_${name})
  set(list_of_families)
  if(families)
    list(JOIN families "\", \"" quoted)
    set(list_of_families ${CMAKE_CURRENT_BINARY_DIR}/${name}.families.cpp)
    file(CONFIGURE OUTPUT ${list_of_families} CONTENT "#include \"device/kernel_families.hpp\"
namespace { [[maybe_unused]] const bool registered = (ritz::register_kernel_families({\"${quoted}\"}), true); }\n")
  endif()
  foreach(backend ${RITZ_BUILT_CPU_BACKENDS})
    _ritz_cpu_module(${name} ${name}.${backend} ${backend} ON ${K_NO_INSTALL} ${sources} ${list_of_families})
    if(RITZ_UNITY)
      foreach(source ${sources})
        _ritz_kernel_batch(batch ${source} ON)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${batch})
      endforeach()
      set_target_properties(${name}.${backend} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
      target_compile_options(${name}.${backend} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
    endif()
    foreach(family ${families})
      get_property(family_sources GLOBAL PROPERTY ritz_sources_${name}_${family})
      _ritz_is_built(built ${family} ${RITZ_KERNEL_FAMILIES})
      _ritz_cpu_module(${name} ${name}.${family}.${backend} ${backend} ${built} ${K_NO_INSTALL} ${family_sources})
      # Multiply-adds are fused there, too.
      _ritz_is_built(quick ${family} ${RITZ_QUICK_FAMILIES})
      if(quick)
        target_compile_options(${name}.${family}.${backend} PRIVATE "$<$<CONFIG:Release>:-O1;-fexpensive-optimizations>")
      endif()
      if(built)
        add_dependencies(${name}.${backend} ${name}.${family}.${backend})
      endif()
    endforeach()
  endforeach()
  if(RITZ_WITH_CUDA)
    _ritz_cuda_sources(cuda_sources ${name} ON ${sources})
    set(built ON)
    if(K_GPU_ON_DEMAND)
      set(built OFF)
    endif()
    _ritz_cuda_module(${name} ${name}.cuda ${built} ${K_NO_INSTALL} ${cuda_sources} ${list_of_families})
    add_dependencies(${name} ${name}.cuda)
    foreach(family ${families})
      get_property(family_sources GLOBAL PROPERTY ritz_sources_${name}_${family})
      _ritz_cuda_sources(cuda_sources ${name} OFF ${family_sources})
      _ritz_is_built(built ${family} ${RITZ_CUDA_FAMILIES})
      _ritz_cuda_module(${name} ${name}.${family}.cuda ${built} ${K_NO_INSTALL} ${cuda_sources})
      add_dependencies(${name} ${name}.${family}.cuda)
      if(built)
        add_dependencies(${name}.cuda ${name}.${family}.cuda)
      endif()
    endforeach()
  endif()
endfunction()

function(_ritz_is_built result family)
  set(${result} OFF PARENT_SCOPE)
  if(family IN_LIST ARGN OR ARGN STREQUAL all)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# The batch of a source: with RITZ_UNITY its folder, as headers are most of what a small one takes; else, and for families, itself.
function(_ritz_kernel_batch result source in_batches)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(batch ${source} NAME_WE)
  if(RITZ_UNITY AND in_batches AND folder)
    get_filename_component(batch ${folder} NAME)
  endif()
  set(${result} ${batch} PARENT_SCOPE)
endfunction()

# A source of nvcc for each batch.
function(_ritz_cuda_sources result name in_batches)
  set(batches)
  foreach(source ${ARGN})
    _ritz_kernel_batch(batch ${source} ${in_batches})
    get_filename_component(path ${source} ABSOLUTE)
    list(APPEND batches ${batch})
    string(APPEND text_${batch} "#include \"${path}\"\n")
    set_property(SOURCE ${CMAKE_CURRENT_BINARY_DIR}/${name}.${batch}.cu APPEND PROPERTY OBJECT_DEPENDS ${path})
  endforeach()
  list(REMOVE_DUPLICATES batches)
  foreach(batch ${batches})
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.${batch}.cu CONTENT "${text_${batch}}")
  endforeach()
  list(TRANSFORM batches REPLACE "(.+)" "${CMAKE_CURRENT_BINARY_DIR}/${name}.\\1.cu" OUTPUT_VARIABLE cuda_sources)
  set(${result} ${cuda_sources} PARENT_SCOPE)
endfunction()

function(_ritz_cpu_module name target backend built no_install)
  add_library(${target} MODULE ${ARGN})
  target_compile_definitions(${target} PRIVATE RITZ_BACKEND=${backend})
  target_compile_options(${target} PRIVATE -march=x86-64-${backend} ${RITZ_KERNEL_OPTIONS}
    $<$<STREQUAL:${backend},v4>:${RITZ_KERNEL_OPTIONS_V4}>)
  target_link_libraries(${target} PRIVATE $<TARGET_NAME_IF_EXISTS:ritz_options> OpenMP::OpenMP_CXX)
  # The same flags in all files of a module: a compiler cache has a source that moves from one to another.
  string(MAKE_C_IDENTIFIER ${name}.${backend}_EXPORTS symbol)
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL ${symbol})
  add_dependencies(${name} ${target})
  _ritz_kernel_module(${target} ${built} ${no_install})
endfunction()

function(ritz_add_plugin name)
  ritz_kernels(${name} NO_INSTALL ${ARGN})
  foreach(backend v3 v4 cuda)
    if(TARGET ${name}.${backend})
      target_link_libraries(${name}.${backend} PRIVATE ritz::fem)
    endif()
  endforeach()
endfunction()

# Sources of a GPU's module that have no twin on the CPU, of a module of their own or of one by ritz_kernels.
function(ritz_cuda_module name)
  cmake_parse_arguments(K "NO_INSTALL" "" "" ${ARGN})
  if(TARGET ${name}.cuda)
    target_sources(${name}.cuda PRIVATE ${K_UNPARSED_ARGUMENTS})
  else()
    _ritz_cuda_module(${name} ${name}.cuda ON ${K_NO_INSTALL} ${K_UNPARSED_ARGUMENTS})
  endif()
endfunction()

function(_ritz_cuda_module name target built no_install)
  add_library(${target} MODULE ${ARGN})
  target_compile_definitions(${target} PRIVATE RITZ_BACKEND=cuda)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${RITZ_KERNEL_OPTIONS_CUDA}> $<$<COMPILE_LANGUAGE:CXX>:-std=c++20>)
  set(install_path ${CMAKE_INSTALL_RPATH} ${CUDAToolkit_LIBRARY_DIR})
  # CMake leaves the toolkit's folder out of the run path, as one that nvcc knows; the loader need not know it.
  set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared
                        CUDA_ARCHITECTURES "${RITZ_CUDA_ARCHITECTURES}"
                        BUILD_RPATH "${CUDAToolkit_LIBRARY_DIR}"
                        INSTALL_RPATH "${install_path}")
  string(MAKE_C_IDENTIFIER ${name}.cuda_EXPORTS symbol)
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL ${symbol})
  _ritz_kernel_module(${target} ${built} ${no_install})
endfunction()

# What is not built with all targets is built with the target of the module's name.
function(_ritz_kernel_module target built no_install)
  set_target_properties(${target} PROPERTIES PREFIX "")
  target_link_libraries(${target} PRIVATE ritz::device)
  if(NOT built)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  add_dependencies(ritz_modules ${target})
  if(NOT no_install)
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endfunction()

# How Ritz builds things:
#   ritz_library(device error.cpp ...)    a shared library libritz_device.so, target ritz::device
#   ritz_kernels(ritz_fem_kernels a.cpp)  kernel sources as loadable modules: see RitzKernels.cmake
# C++20 as a flag of ours: CMake 3.25 does not know it for nvcc and would demand it there too.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
# An installation can be moved: its files find each other by where they lie. Packages from elsewhere are found where
# they were when Ritz was linked.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

find_package(fmt REQUIRED)
include(RitzKernels)

add_library(ritz_options INTERFACE)
target_compile_options(ritz_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-std=c++20 -Wall -Wextra -Wno-missing-field-initializers>)
if(RITZ_SANITIZE)
  set(sanitized $<COMPILE_LANGUAGE:CXX>)
  if(NOT RITZ_SANITIZE_KERNELS)
    set(sanitized $<AND:${sanitized},$<NOT:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>>>)
  endif()
  target_compile_options(ritz_options INTERFACE $<${sanitized}:-fsanitize=${RITZ_SANITIZE} -fno-omit-frame-pointer>)
  target_link_options(ritz_options INTERFACE -fsanitize=${RITZ_SANITIZE})
endif()
if(RITZ_COVERAGE)
  # Libraries and programs; kernels and tests stay as they are in a release. Threads count atomically.
  set(type $<TARGET_PROPERTY:TYPE>)
  set(counted $<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<STREQUAL:${type},MODULE_LIBRARY>>,$<NOT:$<BOOL:$<TARGET_PROPERTY:RITZ_IS_TEST>>>>)
  target_compile_options(ritz_options INTERFACE $<${counted}:--coverage -O1 -fprofile-update=atomic>)
  target_link_options(ritz_options INTERFACE --coverage)
endif()

# Libraries and programs, but no kernels: a damaged stack, a read behind a container or a buffer ends the process at once.
# No program takes more time beyond the scatter of 1 % (23 November 2026).
add_library(ritz_hardened INTERFACE)
if(NOT RITZ_SANITIZE AND NOT RITZ_COVERAGE)
  target_compile_options(ritz_hardened INTERFACE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:
    -fstack-protector-strong -fcf-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -D_GLIBCXX_ASSERTIONS>)
  target_link_options(ritz_hardened INTERFACE -Wl,-z,relro,-z,now)
endif()

# Host sources of a target in batches, which share the headers that are most of what they compile: a batch is a folder, whose sources have no
# names of anonymous namespaces in common. Folders of more than RITZ_BATCH sources have several batches; those of a few sources share one.
# Tests are in batches of sixteen.
function(ritz_batches target)
  if(NOT RITZ_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  # g++ takes an anonymous namespace for a header's where its source is included.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  get_target_property(is_test ${target} RITZ_IS_TEST)
  if(is_test)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 16)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  set(folders)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND ${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(few)
  foreach(folder ${folders} few)
    list(LENGTH ${folder} count)
    if(count LESS 10 AND NOT folder STREQUAL "few")
      list(APPEND few ${${folder}})
    elseif(count GREATER 0)
      math(EXPR batches "(${count} + ${RITZ_BATCH} - 1) / ${RITZ_BATCH}")
      set(at 0)
      foreach(source ${${folder}})
        math(EXPR batch "${at} * ${batches} / ${count}")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
        math(EXPR at "${at} + 1")
      endforeach()
    endif()
  endforeach()
endfunction()

set(RITZ_HOST_LEVEL 2 CACHE STRING "Optimisation of the libraries' host code: 2, or 1, which takes a quarter less to compile")
function(ritz_library folder)
  add_library(ritz_${folder} SHARED ${ARGN})
  ritz_batches(ritz_${folder})
  ritz_optimise(ritz_${folder} ${RITZ_HOST_LEVEL})
  add_library(ritz::${folder} ALIAS ritz_${folder})
  set_target_properties(ritz_${folder} PROPERTIES EXPORT_NAME ${folder})
  target_include_directories(ritz_${folder} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ritz>)
  target_compile_features(ritz_${folder} PUBLIC $<INSTALL_INTERFACE:cxx_std_20>)
  target_link_libraries(ritz_${folder} PRIVATE
    $<BUILD_INTERFACE:ritz_options> $<BUILD_INTERFACE:ritz_hardened> $<BUILD_INTERFACE:OpenMP::OpenMP_CXX>)
  target_link_libraries(ritz_${folder} PUBLIC fmt::fmt)
  install(TARGETS ritz_${folder} EXPORT ritzTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ritz/${folder}
          FILES_MATCHING PATTERN "*.hpp")
endfunction()

# Host code in releases: libraries at -O2 (RITZ_HOST_LEVEL), programs and bindings, which run once through, at -O1. Kernels keep -O3.
function(ritz_optimise target level)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O${level}>)
endfunction()

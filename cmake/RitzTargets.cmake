# How Ritz builds things:
#   ritz_library(device error.cpp ...)    a shared library libritz_device.so, target ritz::device
#   ritz_kernels(ritz_fem_kernels a.cpp)  kernel sources, compiled once per back end into loadable modules
#                                         (see device/kernels.hpp): NAME.v3.so, NAME.v4.so and NAME.cuda.so
# C++20 as a flag of ours: CMake 3.25 does not know it for nvcc and would demand it there too.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN")

find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)

set(RITZ_WITH_CUDA OFF)
if(NOT RITZ_CUDA STREQUAL OFF)
  include(CheckLanguage)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${RITZ_CUDA_ARCHITECTURES})
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(RITZ_WITH_CUDA ON)
  elseif(RITZ_CUDA STREQUAL ON)
    message(FATAL_ERROR "RITZ_CUDA=ON, but no CUDA compiler was found. Put nvcc on the PATH or set CUDACXX.")
  endif()
endif()
message(STATUS "Ritz: GPU code ${RITZ_WITH_CUDA}")

add_library(ritz_options INTERFACE)
target_compile_options(ritz_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-std=c++20 -Wall -Wextra -Wno-missing-field-initializers>)
if(RITZ_SANITIZE)
  target_compile_options(ritz_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${RITZ_SANITIZE} -fno-omit-frame-pointer>)
  target_link_options(ritz_options INTERFACE -fsanitize=${RITZ_SANITIZE})
endif()
if(RITZ_COVERAGE)
  target_compile_options(ritz_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--coverage -O0>)
  target_link_options(ritz_options INTERFACE --coverage)
endif()

function(ritz_library folder)
  add_library(ritz_${folder} SHARED ${ARGN})
  add_library(ritz::${folder} ALIAS ritz_${folder})
  set_target_properties(ritz_${folder} PROPERTIES EXPORT_NAME ${folder})
  target_include_directories(ritz_${folder} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ritz>)
  target_compile_features(ritz_${folder} PUBLIC $<INSTALL_INTERFACE:cxx_std_20>)
  target_link_libraries(ritz_${folder} PRIVATE $<BUILD_INTERFACE:ritz_options> OpenMP::OpenMP_CXX)
  target_link_libraries(ritz_${folder} PUBLIC fmt::fmt)
  install(TARGETS ritz_${folder} EXPORT ritzTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ritz/${folder}
          FILES_MATCHING PATTERN "*.hpp")
endfunction()

# One loadable module per back end from the same sources. Inline functions stay hidden in their module, so that
# code compiled for AVX-512 can never be merged into code that runs everywhere.
function(ritz_kernels name)
  foreach(backend v3 v4)
    add_library(${name}.${backend} MODULE ${ARGN})
    target_compile_definitions(${name}.${backend} PRIVATE RITZ_BACKEND=${backend})
    target_compile_options(${name}.${backend} PRIVATE -march=x86-64-${backend} -O3 -fno-math-errno -fno-trapping-math
      -ffp-contract=fast -fvisibility=hidden -fvisibility-inlines-hidden -Wno-psabi
      $<$<STREQUAL:${backend},v4>:-mprefer-vector-width=512>)
    target_link_libraries(${name}.${backend} PRIVATE ritz_options OpenMP::OpenMP_CXX)
    _ritz_kernel_module(${name}.${backend})
  endforeach()
  if(RITZ_WITH_CUDA)
    set(cuda_sources)
    foreach(source ${ARGN})
      get_filename_component(stem ${source} NAME_WE)
      get_filename_component(path ${source} ABSOLUTE)
      file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.${stem}.cu CONTENT "#include \"${path}\"\n")
      set_property(SOURCE ${CMAKE_CURRENT_BINARY_DIR}/${name}.${stem}.cu APPEND PROPERTY OBJECT_DEPENDS ${path})
      list(APPEND cuda_sources ${CMAKE_CURRENT_BINARY_DIR}/${name}.${stem}.cu)
    endforeach()
    ritz_cuda_module(${name} ${cuda_sources})
  endif()
endfunction()

# The CUDA half of a module; also for .cu files that have no twin on the CPU.
function(ritz_cuda_module name)
  if(NOT TARGET ${name}.cuda)
    add_library(${name}.cuda MODULE ${ARGN})
    target_compile_definitions(${name}.cuda PRIVATE RITZ_BACKEND=cuda)
    # CMake 3.25 drops C++20 for nvcc: say it ourselves.
    target_compile_options(${name}.cuda PRIVATE -std=c++20 --expt-relaxed-constexpr -O3 -lineinfo
      -Xcompiler=-Wall,-fvisibility=hidden,-fopenmp -Xptxas=-v)
    set_target_properties(${name}.cuda PROPERTIES CUDA_RUNTIME_LIBRARY Shared
                          CUDA_ARCHITECTURES "${RITZ_CUDA_ARCHITECTURES}")
    _ritz_kernel_module(${name}.cuda)
  else()
    target_sources(${name}.cuda PRIVATE ${ARGN})
  endif()
endfunction()

# All modules; executables that run kernels depend on it.
add_custom_target(ritz_modules)

function(_ritz_kernel_module target)
  add_dependencies(ritz_modules ${target})
  set_target_properties(${target} PROPERTIES PREFIX "")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ritz_device)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# Installs the files of find_package(ritz), the licence, and the examples. Libraries, modules, headers and executables say in their
# own folders where they go.
include(CMakePackageConfigHelpers)
if(NOT RITZ_KERNEL_FAMILIES STREQUAL all)
  install(CODE "message(FATAL_ERROR \"This build has not all kernels: RITZ_KERNEL_FAMILIES is '${RITZ_KERNEL_FAMILIES}'. Before it is installed: \"
                       \"cmake -B ${PROJECT_BINARY_DIR} -DRITZ_KERNEL_FAMILIES=all && cmake --build ${PROJECT_BINARY_DIR}\")")
endif()
if(RITZ_WITH_CUDA AND NOT RITZ_CUDA_FAMILIES STREQUAL all)
  install(CODE "message(WARNING \"This build has not all kernels of GPUs: RITZ_CUDA_FAMILIES is '${RITZ_CUDA_FAMILIES}'.\")")
endif()
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/ritz)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ritzConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/ritzConfig.cmake
                              INSTALL_DESTINATION ${folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/ritzConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/ritzConfig.cmake ${PROJECT_BINARY_DIR}/cmake/ritzConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/RitzKernels.cmake DESTINATION ${folder})
install(EXPORT ritzTargets NAMESPACE ritz:: DESTINATION ${folder})
install(FILES ritz.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ritz)
# Manual pages, from the programs that were built.
if(NOT RITZ_SANITIZE)
  install(CODE "
    foreach(program ritz ritz-elasticity ritz-heat ritz-modal ritz-solve ritz-structure)
      set(page \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/\${program}.1\")
      file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")
      execute_process(COMMAND \"${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/\${program}\" --man OUTPUT_FILE \"\${page}\" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()")
endif()
install(FILES LICENSE README.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ritz/examples FILES_MATCHING PATTERN "*.toml" PATTERN "*.msh" PATTERN "*.geo" PATTERN "*.step" PATTERN "*.csv"
        PATTERN "*.cpp" PATTERN "*.hpp" PATTERN "CMakeLists.txt" PATTERN "README.md")

# Sets ritz_version_text: the project's version, and the commit where this is a checkout of its own.
set(ritz_version_text ${PROJECT_VERSION})
if(EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND git describe --always --exclude=* --abbrev=8 --dirty=+ WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(failed STREQUAL "0")
    string(APPEND ritz_version_text " (${commit})")
    execute_process(COMMAND git rev-parse --git-path logs/HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                    OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE)
    get_filename_component(log "${log}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
    if(EXISTS "${log}")  # a new commit is asked for again
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${log}")
    endif()
  endif()
endif()

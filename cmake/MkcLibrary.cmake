# mkc_library(NAME SOURCES ... [DEPS ...]): one static library per folder.
#
# The folder decides what a library may depend on; the table below is the layering of
# docs/architecture.md, and an arrow against it stops the configuration. The row of the longest
# prefix of a folder counts, and a row names the folders that may be used, with all below them.
# The test command (test/suites/hygiene.py) holds every #include against the same table.
set(MKC_MAY_USE_runtime/format "runtime/format")
set(MKC_MAY_USE_runtime/verify "runtime/verify;runtime/format")
set(MKC_MAY_USE_runtime/host "runtime/host;runtime/format")
set(MKC_MAY_USE_runtime/io "runtime/io;runtime/format")
set(MKC_MAY_USE_runtime/cli "runtime/cli;runtime/format;runtime/host;runtime/io;runtime/verify")
set(MKC_MAY_USE_runtime/api "runtime/api;runtime/format;runtime/host;runtime/include;runtime/verify")
set(MKC_MAY_USE_runtime/include "runtime/include")
set(MKC_MAY_USE_target "target;runtime/format")
set(MKC_MAY_USE_dialects "dialects")
set(MKC_MAY_USE_passes "passes;dialects;target;runtime/format")
set(MKC_MAY_USE_codegen "codegen;dialects;target;runtime/format")
set(MKC_MAY_USE_compiler "compiler;codegen;passes;dialects;target;runtime")

define_property(TARGET PROPERTY MKC_FOLDER)

function(mkc_check_arrow name folder dep)
  if(NOT TARGET ${dep})
    message(FATAL_ERROR "${name}: dependency ${dep} is not a target defined before it")
  endif()
  get_target_property(dep_folder ${dep} MKC_FOLDER)
  if(NOT dep_folder)
    return() # a library from outside the project
  endif()
  set(row ${folder})
  while(NOT DEFINED MKC_MAY_USE_${row})
    if(NOT row MATCHES "/")
      message(FATAL_ERROR "${name}: the table of cmake/MkcLibrary.cmake has no row for ${folder}/")
    endif()
    string(REGEX REPLACE "/[^/]*$" "" row ${row})
  endwhile()
  foreach(allowed IN LISTS MKC_MAY_USE_${row})
    if(dep_folder STREQUAL allowed OR dep_folder MATCHES "^${allowed}/")
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${name} (${folder}/) must not depend on ${dep} (${dep_folder}/)")
endfunction()

function(mkc_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  add_library(${name} STATIC ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES MKC_FOLDER ${folder})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/runtime/include ${PROJECT_BINARY_DIR})
  foreach(dep IN LISTS ARG_DEPS ARG_PRIVATE_DEPS)
    mkc_check_arrow(${name} ${folder} ${dep})
  endforeach()
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
endfunction()

# mkc_unit_test(NAME SOURCES ... DEPS ...): a GoogleTest binary, registered with CTest as one test.
function(mkc_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest_main GTest::gmock)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

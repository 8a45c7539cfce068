# mkc_library(NAME SOURCES ... [DEPS ...]): one static library per folder.
#
# The folder decides what a library may depend on; the table below is the layering of
# docs/architecture.md, and an arrow against it stops the configuration.
set(MKC_MAY_USE_runtime runtime)
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
  string(REGEX REPLACE "/.*" "" layer ${folder})
  foreach(allowed IN LISTS MKC_MAY_USE_${layer})
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

# Precompiled headers: a header is compiled as if it were a source file, and is named relative to the build tree, in which
# ninja runs the compiler. It is never taken from ccache: inside, clang names the header by its absolute path, and one from
# a clone that is gone cannot be read ("could not find file ... referenced by AST file").
#
#   racecast_precompiled(NAME HEADER LIBRARY...)     the target precompiled_NAME: HEADER, with the flags of the LIBRARYs
#   racecast_use_precompiled(TARGET NAME)            TARGET must be compiled with the same flags as precompiled_NAME
#
# Only clang is known to do it; with another compiler, or another generator, every file reads its headers itself.
set(PRECOMPILED OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_GENERATOR STREQUAL "Ninja")
  set(PRECOMPILED ON)
endif()

function(racecast_precompiled name header)
  if(NOT PRECOMPILED)
    add_library(precompiled_${name} INTERFACE)
    return()
  endif()
  add_library(precompiled_${name} OBJECT ${header})
  set_source_files_properties(${header} PROPERTIES LANGUAGE CXX HEADER_FILE_ONLY OFF)
  target_compile_options(precompiled_${name} PRIVATE "SHELL:-x c++-header" -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp")
  target_link_libraries(precompiled_${name} PRIVATE ${ARGN})
  set_target_properties(precompiled_${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
  file(RELATIVE_PATH folder ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/precompiled_${name}.dir)
  set(PRECOMPILED_${name} ${folder}/${header}.o PARENT_SCOPE)
endfunction()

function(racecast_use_precompiled target name)
  if(NOT PRECOMPILED)
    return()
  endif()
  target_compile_options(${target} PRIVATE "SHELL:-include-pch ${PRECOMPILED_${name}}")
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/${PRECOMPILED_${name}})
endfunction()

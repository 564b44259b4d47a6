# What runs in other people's processes: the plugin in clang, the runtime in the program under test. Neither is ever
# built with sanitizers: their runtimes cannot be loaded into a process that was not built with them. So a tree with
# sanitizers has none of this; it uses that of the release tree (RACECAST_TOOLS).
#
# racecast_plugin  lib/libracecast_plugin.so  src/frontend, with base, program and abi. LLVM is not linked: clang-19 brings it
#                  (Debian's clang links libLLVM dynamically; a second copy would register its options twice and abort).
# racecast_marks   lib/libracecast_marks.so   src/frontend/clang, for clang's front end. clang-19 brings its libraries, too.
# racecast_rt      lib/libracecast_rt.so      src/runtime, and the text of the table of library functions. It needs nothing but libc.
# racecast_std     lib/libracecast_std.a      src/frontend/libstdcxx and libc, compiled with the plugin.
# rc_frontend      src/frontend as an archive, for frontend_tests (which link LLVM themselves).
if(RACECAST_SANITIZE OR RACECAST_FUZZ)
  message(FATAL_ERROR "a tree with sanitizers or fuzz targets needs RACECAST_TOOLS, the path of a tree without")
endif()

# ---- the plugin
file(GLOB_RECURSE frontend_sources CONFIGURE_DEPENDS src/frontend/llvm/*.cpp)
if(frontend_sources)
  find_package(LLVM 19.1 REQUIRED CONFIG)
  add_library(rc_frontend STATIC ${frontend_sources})
  target_include_directories(rc_frontend PUBLIC src)
  target_include_directories(rc_frontend SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  target_compile_options(rc_frontend PRIVATE $<$<NOT:$<BOOL:${LLVM_ENABLE_RTTI}>>:-fno-rtti>)
  target_link_libraries(rc_frontend PUBLIC rc_abi rc_program rc_base)
  set_target_properties(rc_frontend PROPERTIES POSITION_INDEPENDENT_CODE ON)
  racecast_precompiled(frontend src/frontend/llvm/precompiled.h fmt::fmt tsl::robin_map)
  target_include_directories(precompiled_frontend SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_options(precompiled_frontend PRIVATE $<$<NOT:$<BOOL:${LLVM_ENABLE_RTTI}>>:-fno-rtti>)
  set_target_properties(precompiled_frontend PROPERTIES POSITION_INDEPENDENT_CODE ON)
  racecast_use_precompiled(rc_frontend frontend)

  add_library(racecast_plugin MODULE $<TARGET_OBJECTS:rc_frontend>)
  target_link_libraries(racecast_plugin PRIVATE rc_abi rc_program rc_base PkgConfig::ZSTD)
  target_link_options(racecast_plugin PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(racecast_plugin PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib LINKER_LANGUAGE CXX)

  find_path(CLANG_HEADERS clang/Frontend/FrontendPluginRegistry.h PATHS ${LLVM_INCLUDE_DIRS} NO_DEFAULT_PATH)
  if(NOT CLANG_HEADERS)
    message(FATAL_ERROR "the headers of clang 19 are missing: they are in the Debian package libclang-19-dev")
  endif()
  add_library(racecast_marks MODULE src/frontend/clang/marks.cpp)
  target_include_directories(racecast_marks SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_options(racecast_marks PRIVATE $<$<NOT:$<BOOL:${LLVM_ENABLE_RTTI}>>:-fno-rtti>)
  set_target_properties(racecast_marks PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
endif()

# ---- the runtime
file(GLOB_RECURSE runtime_sources CONFIGURE_DEPENDS src/runtime/*.cpp)
if(runtime_sources)
  add_library(racecast_rt SHARED ${runtime_sources} ${CMAKE_BINARY_DIR}/library_text.cpp)
  target_include_directories(racecast_rt PRIVATE src include)
  # Exceptions of the program pass through interceptors, hence unwind tables; -O2 also in a debug build, because the
  # overhead of recording is part of what it does.
  target_compile_options(racecast_rt PRIVATE -O2 -g1 -fno-rtti -fexceptions -ftls-model=initial-exec
    -fno-optimize-sibling-calls)
  # Of libstdc++ only what the unwinding of our own frames needs, and that hidden: the program may have another one or none.
  target_link_options(racecast_rt PRIVATE -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete -Wl,--as-needed)
  target_link_libraries(racecast_rt PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(racecast_rt PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endif()

# ---- code of libstdc++ and libc, with hooks: compiled by racecast itself. Its files claim to lie where
# program/library_file.h knows them to be a library's.
set(STD_LIBRARY ${CMAKE_BINARY_DIR}/lib/libracecast_std.a)
file(GLOB std_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/frontend/libstdcxx/*.cpp ${CMAKE_SOURCE_DIR}/src/frontend/libc/*.c)
set(std_objects "")
foreach(source IN LISTS std_sources)
  get_filename_component(name ${source} NAME_WE)
  get_filename_component(kind ${source} LAST_EXT)
  if(kind STREQUAL .c)
    set(object ${CMAKE_BINARY_DIR}/libc_${name}.o)
    # A function that is written with others must not be made a call of itself; comparisons may throw.
    set(language cc -std=c17 -fno-builtin -fexceptions -ffunction-sections)
  else()
    set(object ${CMAKE_BINARY_DIR}/libstdcxx_${name}.o)
    # The call of a constructor by one of its names is known for a call if that name is no alias.
    set(language c++ -std=c++20 -Xclang -mno-constructor-aliases)
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND racecast ${language} -O2 -fPIC -ffile-prefix-map=${CMAKE_SOURCE_DIR}/src/frontend/=/usr/lib/racecast/
      -ffile-prefix-map=${CMAKE_BINARY_DIR}=/usr/lib/racecast -c ${source} -o ${object}
    DEPENDS ${source} racecast racecast_plugin racecast_rt VERBATIM)
  list(APPEND std_objects ${object})
endforeach()
add_custom_command(OUTPUT ${STD_LIBRARY}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${STD_LIBRARY}
  COMMAND ${CMAKE_AR} rcs ${STD_LIBRARY} ${std_objects}
  DEPENDS ${std_objects} VERBATIM)
add_custom_target(racecast_std ALL DEPENDS ${STD_LIBRARY})

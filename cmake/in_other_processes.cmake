# What runs in other people's processes: the plugin in clang, the runtime in the program under test. Neither is ever
# built with sanitizers: their runtimes cannot be loaded into a process that was not built with them.
#
# racecast_plugin  lib/libracecast_plugin.so  src/frontend, with base, program and abi. LLVM is not linked: clang-19 brings it
#                  (Debian's clang links libLLVM dynamically; a second copy would register its options twice and abort).
# racecast_rt      lib/libracecast_rt.so      src/runtime alone. It needs nothing but libc.
# racecast_std     lib/libracecast_std.a      src/frontend/libstdcxx, compiled with the plugin.
# rc_frontend      src/frontend as an archive, for frontend_tests (which link LLVM themselves).
set(NOT_SANITIZED "")
if(RACECAST_SANITIZE OR RACECAST_FUZZ)
  set(NOT_SANITIZED -fno-sanitize=all)
endif()

# The libraries of the tool that the plugin needs: position-independent and without sanitizers.
function(racecast_plain_copy layer)
  if(NOT_SANITIZED)
    get_target_property(sources rc_${layer} SOURCES)
    add_library(rc_${layer}_plain STATIC ${sources})
    target_include_directories(rc_${layer}_plain PUBLIC src)
    target_link_libraries(rc_${layer}_plain PUBLIC fmt::fmt tsl::robin_map PRIVATE PkgConfig::ZSTD PkgConfig::XXHASH)
    target_compile_options(rc_${layer}_plain PRIVATE ${NOT_SANITIZED})
    set_target_properties(rc_${layer}_plain PROPERTIES POSITION_INDEPENDENT_CODE ON)
  else()
    add_library(rc_${layer}_plain ALIAS rc_${layer})
    set_target_properties(rc_${layer} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()
racecast_plain_copy(base)
racecast_plain_copy(program)
racecast_plain_copy(abi)

# ---- the plugin
file(GLOB_RECURSE frontend_sources CONFIGURE_DEPENDS src/frontend/llvm/*.cpp)
if(frontend_sources)
  find_package(LLVM 19.1 REQUIRED CONFIG)
  add_library(rc_frontend STATIC ${frontend_sources})
  target_include_directories(rc_frontend PUBLIC src)
  target_include_directories(rc_frontend SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  target_compile_options(rc_frontend PRIVATE ${NOT_SANITIZED} $<$<NOT:$<BOOL:${LLVM_ENABLE_RTTI}>>:-fno-rtti>)
  target_link_libraries(rc_frontend PUBLIC rc_abi_plain rc_program_plain rc_base_plain)
  set_target_properties(rc_frontend PROPERTIES POSITION_INDEPENDENT_CODE ON)

  add_library(racecast_plugin MODULE $<TARGET_OBJECTS:rc_frontend>)
  target_link_libraries(racecast_plugin PRIVATE rc_abi_plain rc_program_plain rc_base_plain PkgConfig::ZSTD)
  target_link_options(racecast_plugin PRIVATE ${NOT_SANITIZED} -Wl,--exclude-libs,ALL)
  set_target_properties(racecast_plugin PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib LINKER_LANGUAGE CXX)
endif()

# ---- the runtime
file(GLOB_RECURSE runtime_sources CONFIGURE_DEPENDS src/runtime/*.cpp)
if(runtime_sources)
  add_library(racecast_rt SHARED ${runtime_sources})
  target_include_directories(racecast_rt PRIVATE src include)
  # Exceptions of the program pass through interceptors, hence unwind tables; -O2 also in a debug build, because the
  # overhead of recording is part of what it does.
  target_compile_options(racecast_rt PRIVATE ${NOT_SANITIZED} -O2 -g1 -fno-rtti -fexceptions -ftls-model=initial-exec)
  # Of libstdc++ only what the unwinding of our own frames needs, and that hidden: the program may have another one or none.
  target_link_options(racecast_rt PRIVATE ${NOT_SANITIZED} -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,-z,defs -Wl,-z,nodelete -Wl,--as-needed)
  target_link_libraries(racecast_rt PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(racecast_rt PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endif()

# ---- libstdc++'s containers and strings, with hooks: compiled by racecast itself
set(STD_LIBRARY ${CMAKE_BINARY_DIR}/lib/libracecast_std.a)
file(GLOB std_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/frontend/libstdcxx/*.cpp)
set(std_objects "")
foreach(source IN LISTS std_sources)
  get_filename_component(name ${source} NAME_WE)
  set(object ${CMAKE_BINARY_DIR}/libstdcxx_${name}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND racecast c++ -std=c++20 -O2 -fPIC -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=racecast/ -c ${source} -o ${object}
    DEPENDS ${source} racecast racecast_plugin racecast_rt VERBATIM)
  list(APPEND std_objects ${object})
endforeach()
add_custom_command(OUTPUT ${STD_LIBRARY}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${STD_LIBRARY}
  COMMAND ${CMAKE_AR} rcs ${STD_LIBRARY} ${std_objects}
  DEPENDS ${std_objects} VERBATIM)
add_custom_target(racecast_std ALL DEPENDS ${STD_LIBRARY})

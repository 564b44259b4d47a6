# Builds a CMake project with racecast's compilers:  cmake -DCMAKE_TOOLCHAIN_FILE=.../share/racecast/toolchain.cmake ...
# It does not make the build a cross build: CMAKE_SYSTEM_NAME stays unset.
get_filename_component(RACECAST_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(CMAKE_C_COMPILER "${RACECAST_PREFIX}/bin/racecast-cc")
set(CMAKE_CXX_COMPILER "${RACECAST_PREFIX}/bin/racecast-c++")
# -flto would be dropped with a warning; better not to ask for it.
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF CACHE BOOL "racecast does not work with link-time optimisation")

# Tests that are targets of the project (add_test(COMMAND target), gtest_discover_tests) are recorded, and fail where there are
# findings. What runs while the project is configured or built is not: run-test knows what try_run and gtest_discover_tests run, and
# for add_custom_command CMake heeds the emulator in cross builds only. -DRACECAST_RECORD_TESTS=OFF leaves tests as they are.
if(NOT DEFINED RACECAST_RECORD_TESTS OR RACECAST_RECORD_TESTS)
  if(NOT CMAKE_VERSION VERSION_LESS 3.29)
    if(NOT CMAKE_TEST_LAUNCHER)  # from then on there is a variable of its own for it
      set(CMAKE_TEST_LAUNCHER "${CMAKE_CURRENT_LIST_DIR}/run-test")
    endif()
  elseif(NOT CMAKE_CROSSCOMPILING_EMULATOR)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/run-test")
  endif()
endif()

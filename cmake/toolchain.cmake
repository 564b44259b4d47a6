# Builds a CMake project with racecast's compilers:  cmake -DCMAKE_TOOLCHAIN_FILE=.../share/racecast/toolchain.cmake ...
# It does not make the build a cross build: CMAKE_SYSTEM_NAME stays unset.
get_filename_component(RACECAST_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(CMAKE_C_COMPILER "${RACECAST_PREFIX}/bin/racecast-cc")
set(CMAKE_CXX_COMPILER "${RACECAST_PREFIX}/bin/racecast-c++")
# -flto would be dropped with a warning; better not to ask for it.
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF CACHE BOOL "racecast does not work with link-time optimisation")

# The build tree as the installed tree: headers, the toolchain file with its script, and the compilers' names beside the binary. The folder
# is always called lib, whatever the distribution says: the binary looks for ../lib.
foreach(file toolchain.cmake run-test)
  configure_file(cmake/${file} ${CMAKE_BINARY_DIR}/share/racecast/${file} COPYONLY)
endforeach()
file(GLOB public_headers CONFIGURE_DEPENDS include/racecast/*.h)
foreach(header IN LISTS public_headers)
  get_filename_component(name ${header} NAME)
  configure_file(${header} ${CMAKE_BINARY_DIR}/include/racecast/${name} COPYONLY)
endforeach()

# For build systems that want a compiler of one word.
foreach(name racecast-cc racecast-c++)
  add_custom_command(TARGET racecast POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink racecast ${CMAKE_BINARY_DIR}/bin/${name})
  install(FILES ${CMAKE_BINARY_DIR}/bin/${name} DESTINATION bin)
endforeach()

install(TARGETS racecast RUNTIME DESTINATION bin)
foreach(library racecast_plugin racecast_marks racecast_rt)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION lib)
  endif()
endforeach()
if(STD_LIBRARY)
  install(FILES ${STD_LIBRARY} DESTINATION lib)
endif()
install(FILES cmake/toolchain.cmake DESTINATION share/racecast)
install(PROGRAMS cmake/run-test DESTINATION share/racecast)
if(public_headers)
  install(FILES ${public_headers} DESTINATION include/racecast)
endif()

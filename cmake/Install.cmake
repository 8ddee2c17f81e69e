# SPDX-License-Identifier: Apache-2.0
# What `install` puts in place: the program, the shared library, its headers, and the files by which other builds
# find it (pkg-config and CMake).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS fcps_shared EXPORT fcps-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/fcps DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET fcps)
  install(TARGETS fcps RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(FCPS_LAB)
    # the program looks for them in ../share from where it lies itself
    install(DIRECTORY experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/fcps FILES_MATCHING PATTERN "*.yaml")
  endif()
endif()

# the installed tree may be moved: fcps.pc finds its prefix from its own place
file(RELATIVE_PATH FCPS_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/fcps.pc.in fcps.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fcps.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/fcps)
install(EXPORT fcps-targets NAMESPACE fcps:: DESTINATION ${package})
configure_package_config_file(cmake/fcps-config.cmake.in fcps-config.cmake INSTALL_DESTINATION ${package})
# before 1.0 a minor version may change the API
write_basic_package_version_file(fcps-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fcps-config.cmake ${PROJECT_BINARY_DIR}/fcps-config-version.cmake
        DESTINATION ${package})

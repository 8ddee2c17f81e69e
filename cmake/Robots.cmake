# SPDX-License-Identifier: Apache-2.0
# The simulated robots: a module with MuJoCo, loaded at run time, so that everything else works without it.
#
# scripts/setup-robots puts MuJoCo and the models into .deps/robots. The folder of robots (module, libmujoco, models) is the
# same in the build tree and when installed; lab/sim/sim.c looks for it.
if(SKBUILD) # a Python package: pip builds it in a folder that anybody may make again later, and installs it anywhere
  target_compile_definitions(fcps_lab PRIVATE FCPS_ROBOTS_BESIDE_ONLY)
  return()
endif()
target_compile_definitions(fcps_lab PRIVATE
  FCPS_INSTALL_LIBDIR="${CMAKE_INSTALL_LIBDIR}" FCPS_INSTALL_FULL_LIBDIR="${CMAKE_INSTALL_FULL_LIBDIR}")

# pictures of them, by the program
pkg_check_modules(PNG IMPORTED_TARGET libpng)
if(PNG_FOUND AND TARGET fcps)
  target_compile_definitions(fcps PRIVATE FCPS_HAVE_PNG)
  target_link_libraries(fcps PRIVATE PkgConfig::PNG)
endif()

set(FCPS_ROBOTS_DEPS ${PROJECT_SOURCE_DIR}/.deps/robots CACHE PATH "What scripts/setup-robots fetched")
set(FCPS_MUJOCO libmujoco.so.3.3.7)
find_path(EGL_INCLUDE EGL/egl.h)
if(NOT EXISTS ${FCPS_ROBOTS_DEPS}/${FCPS_MUJOCO})
  message(STATUS "Robot tasks: not built (run scripts/setup-robots first)")
  return()
elseif(NOT EGL_INCLUDE)
  message(STATUS "Robot tasks: not built (EGL/egl.h is missing; Debian: libegl-dev)")
  return()
endif()
message(STATUS "Robot tasks: built with ${FCPS_MUJOCO}")

# base is compiled in: the module must not depend on which form of libfcps loads it
set(FCPS_ROBOTS ${CMAKE_BINARY_DIR}/robots)
find_package(Threads REQUIRED)
add_library(fcps_robots MODULE
  lab/sim/mujoco/module.c lab/sim/mujoco/model.c lab/sim/mujoco/fetch.c
  lab/sim/mujoco/thrower.c lab/sim/mujoco/picture.c src/base/error.c src/base/process.c src/base/memory.c)
target_compile_definitions(fcps_robots PRIVATE FCPS_VERSION="${PROJECT_VERSION}")
target_include_directories(fcps_robots PRIVATE include src ${PROJECT_SOURCE_DIR})
target_include_directories(fcps_robots SYSTEM PRIVATE ${FCPS_ROBOTS_DEPS}/include ${EGL_INCLUDE})
target_link_libraries(fcps_robots PRIVATE fcps_compiler fcps_hardened ${FCPS_ROBOTS_DEPS}/${FCPS_MUJOCO} Threads::Threads m ${CMAKE_DL_LIBS})
if(NOT FCPS_SANITIZE) # whose functions are in the program
  target_link_options(fcps_robots PRIVATE LINKER:--no-undefined)
endif()
set_target_properties(fcps_robots PROPERTIES
  C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${FCPS_ROBOTS}
  INSTALL_RPATH "$ORIGIN")
file(MAKE_DIRECTORY ${FCPS_ROBOTS})
# links that are right are kept, because without them for a moment a test that runs meanwhile would fail
foreach(name ${FCPS_MUJOCO} models)
  set(there "")
  if(IS_SYMLINK ${FCPS_ROBOTS}/${name})
    file(READ_SYMLINK ${FCPS_ROBOTS}/${name} there)
  endif()
  if(NOT there STREQUAL ${FCPS_ROBOTS_DEPS}/${name})
    file(CREATE_LINK ${FCPS_ROBOTS_DEPS}/${name} ${FCPS_ROBOTS}/${name} SYMBOLIC)
  endif()
endforeach()

set(FCPS_ROBOTS_INSTALL ${CMAKE_INSTALL_LIBDIR}/fcps/robots)
install(TARGETS fcps_robots LIBRARY DESTINATION ${FCPS_ROBOTS_INSTALL})
install(FILES ${FCPS_ROBOTS_DEPS}/${FCPS_MUJOCO} DESTINATION ${FCPS_ROBOTS_INSTALL})
install(DIRECTORY ${FCPS_ROBOTS_DEPS}/models ${FCPS_ROBOTS_DEPS}/licenses DESTINATION ${FCPS_ROBOTS_INSTALL})

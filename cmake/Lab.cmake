# SPDX-License-Identifier: Apache-2.0
# The laboratory (lab/): built-in tasks, runs of them, experiments and their reports. It uses the library and is linked into
# the program and the Python package; the installed library does not contain it. Without it, the program and the package
# say that it is missing when a task or an experiment is asked for.
option(FCPS_LAB "Build the built-in tasks and the experiments into the program and the Python package" ON)
if(NOT FCPS_LAB)
  return()
endif()

file(GLOB_RECURSE FCPS_LAB_SOURCES CONFIGURE_DEPENDS lab/*.c)
set(FCPS_LAB_CLI_SOURCES ${FCPS_LAB_SOURCES})
list(FILTER FCPS_LAB_CLI_SOURCES INCLUDE REGEX "/lab/cli/")                    # its commands belong to the program
list(FILTER FCPS_LAB_SOURCES EXCLUDE REGEX "/lab/(cli|sim/mujoco)/") # and that is a module, which is loaded at run time
add_library(fcps_lab STATIC ${FCPS_LAB_SOURCES})
target_include_directories(fcps_lab PUBLIC lab/include ${PROJECT_SOURCE_DIR})
target_link_libraries(fcps_lab PUBLIC fcps_report PRIVATE fcps_compiler fcps_hardened)
set_target_properties(fcps_lab PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)

# SPDX-License-Identifier: Apache-2.0
# The libraries that the core stands on, all from packages (ARCHITECTURE.md says why these).
find_package(PkgConfig REQUIRED)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
find_package(NLopt REQUIRED)
find_package(muparser REQUIRED)
find_package(SQLite3 REQUIRED)
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED) # headers only

add_library(fcps_dependencies INTERFACE)
target_include_directories(fcps_dependencies SYSTEM INTERFACE ${RANDOM123_INCLUDE})
target_link_libraries(fcps_dependencies INTERFACE
  PkgConfig::LAPACKE PkgConfig::OPENBLAS PkgConfig::JANSSON PkgConfig::YAML
  NLopt::nlopt muparser::muparser SQLite::SQLite3 m ${CMAKE_DL_LIBS})

# optional: without it studies cannot be kept in PostgreSQL (src/store/postgresql_absent.c)
pkg_check_modules(LIBPQ IMPORTED_TARGET libpq)
if(LIBPQ_FOUND)
  target_link_libraries(fcps_dependencies INTERFACE PkgConfig::LIBPQ)
endif()

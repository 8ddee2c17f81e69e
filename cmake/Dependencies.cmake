# SPDX-License-Identifier: Apache-2.0
# The libraries that the core needs, all from packages. One error names all missing libraries by their Debian packages,
# because pip shows it to people who have never seen our scripts. The reasons for these libraries:
#
#   OpenBLAS (pthreads), LAPACKE   fast for small matrices on one thread; the OpenMP variant keeps its thread count per
#                                  thread and can hang after a fork
#   NLopt, DIRECT-L                the paper's global optimizer, deterministic
#   L-BFGS-B 3.0                   exact bounds, re-entrant; NLopt's own L-BFGS ended at worse points at active bounds
#   Random123 (Philox)             any draw can be computed again from its index: no state to save
#   glibc's libmvec                a vector exp, several times faster than the scalar one, without fast-math
#   Jansson                        doubles come back with every bit
#   libyaml, document API          keys chosen by users; line and column of every node
#   SQLite                         one file per study, transactions that survive a crash
#   libpq (optional)               PostgreSQL's own client: passwords, services and TLS as everywhere
#   libevent's core (Serve.cmake)  sockets and timers of one thread; its HTTP part is not used (serve/http/head.h)
#   Chart.js (Serve.cmake)         one file of a package; runs under a strict content policy
#   gnuplot (run as a program)     figures without linking anything
#   cmocka, muParser (tests only)  works under every sanitizer; an independent reader of our formulas
set(FCPS_MISSING "")
function(need found package)
  if(NOT ${found})
    set(FCPS_MISSING "${FCPS_MISSING} ${package}" PARENT_SCOPE)
  endif()
endfunction()

find_package(PkgConfig QUIET)
need(PKG_CONFIG_FOUND pkg-config)
if(PKG_CONFIG_FOUND)
  include(cmake/Blas.cmake)
  pkg_check_modules(JANSSON QUIET IMPORTED_TARGET jansson)
  pkg_check_modules(YAML QUIET IMPORTED_TARGET yaml-0.1)
  need(JANSSON_FOUND libjansson-dev)
  need(YAML_FOUND libyaml-dev)
endif()
find_package(NLopt QUIET)
need(NLopt_FOUND libnlopt-dev)
find_package(SQLite3 QUIET)
need(SQLite3_FOUND libsqlite3-dev)
find_path(RANDOM123_INCLUDE Random123/philox.h) # headers only
need(RANDOM123_INCLUDE librandom123-dev)
find_library(LBFGSB_ARCHIVE NAMES liblbfgsb.a) # see Lbfgsb.cmake
need(LBFGSB_ARCHIVE liblbfgsb-dev)
if(FCPS_MISSING)
  message(FATAL_ERROR "Libraries are missing. On Debian, as root: apt-get install${FCPS_MISSING}\n"
    "(or, in a clone of fcps: scripts/setup --core, which installs all that is needed)")
endif()

add_library(fcps_dependencies INTERFACE)
target_include_directories(fcps_dependencies SYSTEM INTERFACE ${RANDOM123_INCLUDE})
target_link_libraries(fcps_dependencies INTERFACE
  fcps_blas PkgConfig::JANSSON PkgConfig::YAML
  NLopt::nlopt SQLite::SQLite3 m ${CMAKE_DL_LIBS})

# optional: without it studies cannot be kept in PostgreSQL (src/store/postgresql/absent.c). The wheel leaves it out: libpq brings
# a third of a wheel's size in other libraries (TLS, Kerberos, LDAP), which read settings of the machine and load modules of it
option(FCPS_POSTGRESQL "Studies in PostgreSQL, where libpq is there" ON)
if(FCPS_POSTGRESQL)
  pkg_check_modules(LIBPQ QUIET IMPORTED_TARGET libpq)
  if(NOT LIBPQ_FOUND)
    message(STATUS "libpq was not found: fcps will say so where a study is in PostgreSQL (package libpq-dev)")
  endif()
else()
  set(LIBPQ_FOUND FALSE)
endif()
if(LIBPQ_FOUND)
  target_link_libraries(fcps_dependencies INTERFACE PkgConfig::LIBPQ)
endif()

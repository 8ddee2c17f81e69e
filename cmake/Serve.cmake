# SPDX-License-Identifier: Apache-2.0
# `fcps serve`: the room src/serve, which uses libevent and belongs only to the program. Without libevent the command says
# how to get it; without the package of the chart library the page shows numbers only as tables.
option(FCPS_SERVE "Build `fcps serve`, where libevent is there" ON)
set(FCPS_CHART_JS /usr/share/javascript/chart.js/chart.min.js CACHE FILEPATH "Chart.js, of the package libjs-chart.js")

if(FCPS_SERVE)
  pkg_check_modules(LIBEVENT IMPORTED_TARGET libevent_core)
  find_package(Threads)
endif()
if(FCPS_SERVE AND NOT LIBEVENT_FOUND)
  message(STATUS "libevent was not found: `fcps serve` will say so (package libevent-dev)")
endif()

if(FCPS_SERVE AND LIBEVENT_FOUND)
  # the parts of the page as a table of bytes
  file(GLOB FCPS_PAGE_PARTS CONFIGURE_DEPENDS src/serve/page/*.html src/serve/page/*.css src/serve/page/*.js
    src/serve/page/*.svg)
  set(page_parts ${FCPS_PAGE_PARTS})
  if(EXISTS ${FCPS_CHART_JS})
    list(APPEND page_parts ${FCPS_CHART_JS})
  else()
    list(APPEND page_parts ${PROJECT_SOURCE_DIR}/src/serve/page/stub/chart.min.js)
    message(STATUS "Chart.js was not found: the page of `fcps serve` will have no charts (package libjs-chart.js)")
  endif()
  set(page_table ${PROJECT_BINARY_DIR}/generated/serve_assets_table.h)
  add_custom_command(OUTPUT ${page_table}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${page_table} "-DFILES=${page_parts}" -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${page_parts} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    COMMENT "Putting the page into the program" VERBATIM)

  add_library(fcps_serve STATIC ${FCPS_SERVE_SOURCES} ${page_table})
  target_include_directories(fcps_serve PRIVATE ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(fcps_serve PUBLIC fcps_static PkgConfig::LIBEVENT Threads::Threads PRIVATE fcps_compiler fcps_hardened)
  target_compile_definitions(fcps_serve PUBLIC FCPS_HAS_SERVE=1)
endif()

# Language, warnings and floating-point rules for every target of ours.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

add_library(fcps_warnings INTERFACE)
target_compile_options(fcps_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  -ffp-contract=off) # no fused multiply-add behind our back: same bits on every compiler
target_compile_definitions(fcps_warnings INTERFACE _POSIX_C_SOURCE=200809L)
option(FCPS_WERROR "Treat warnings as errors" OFF)
if(FCPS_WERROR)
  target_compile_options(fcps_warnings INTERFACE -Werror)
endif()

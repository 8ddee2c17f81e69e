# SPDX-License-Identifier: Apache-2.0
# Language, warnings, floating-point rules and sanitizers for every target of ours.
if(SKBUILD) # pip shows this to people who have never seen our scripts; everybody else has met scripts/setup
  include(CheckLanguage)
  check_language(C)
  if(NOT CMAKE_C_COMPILER)
    message(FATAL_ERROR "A C compiler is missing. On Debian, as root: apt-get install build-essential\n"
      "(or, in a clone of fcps: scripts/setup --core, which installs all that is needed)")
  endif()
endif()
enable_language(C)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()
# -O2 in every optimized build, and asserts stay: an assert that fails is a mistake of ours that should be heard.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

# Binaries in the build tree look for libraries in the system's folders, like installed ones. By default CMake writes the
# folders of the build into a binary, followed by an empty one as room for the installation. The loader takes the empty
# one for the working folder, and would run code from there.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)

add_library(fcps_compiler INTERFACE)
target_compile_options(fcps_compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  -ffp-contract=off) # no fused multiply-add behind our back: the same bits from every compiler
target_compile_definitions(fcps_compiler INTERFACE _POSIX_C_SOURCE=200809L)

if(SKBUILD) # asserts name their file: not the folder in which somebody built a wheel
  target_compile_options(fcps_compiler INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
endif()

option(FCPS_WERROR "Treat warnings as errors" OFF)
if(FCPS_WERROR)
  target_compile_options(fcps_compiler INTERFACE -Werror)
endif()

set(FCPS_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined or thread")
if(FCPS_SANITIZE)
  # -O1 checks as much as -O2 and compiles two and a half times as fast: what is watched is built more often than it runs
  set(CMAKE_C_FLAGS_RELEASE "-O1 -g1")
  # the first finding ends the program, so that a test cannot pass over it
  set(sanitize -fsanitize=${FCPS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(fcps_compiler INTERFACE ${sanitize})
  target_link_options(fcps_compiler INTERFACE ${sanitize})
endif()

option(FCPS_COVERAGE "Count which lines and branches run" OFF)
if(FCPS_COVERAGE)
  target_compile_options(fcps_compiler INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(fcps_compiler INTERFACE --coverage)
endif()

# The program, the libraries and the modules are hardened: if a hostile file reaches a mistake of ours, the program should
# end and do nothing worse. Builds with sanitizers are not: sanitizers check the same and more, and do not know the checked
# functions of the C library. Builds without optimization are not either, because these functions do not exist there.
add_library(fcps_hardened INTERFACE)
if(CMAKE_BUILD_TYPE MATCHES Rel AND NOT FCPS_SANITIZE)
  include(CheckCCompilerFlag)
  include(CheckLinkerFlag)
  foreach(flag -fstack-protector-strong -fcf-protection) # the second is for x86
    string(MAKE_C_IDENTIFIER FCPS_HAS${flag} variable)
    check_c_compiler_flag(${flag} ${variable})
    if(${variable})
      target_compile_options(fcps_hardened INTERFACE ${flag})
    endif()
  endforeach()
  target_compile_options(fcps_hardened INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3) # a compiler may come with another
  check_linker_flag(C LINKER:-z,relro,-z,now FCPS_HAS_RELRO)
  if(FCPS_HAS_RELRO)
    target_link_options(fcps_hardened INTERFACE LINKER:-z,relro,-z,now)
  endif()
endif()

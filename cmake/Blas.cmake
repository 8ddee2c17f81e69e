# SPDX-License-Identifier: Apache-2.0
# OpenBLAS: that of the system, or for a wheel that of the Python package scipy-openblas32.
#
# A wheel brings its own OpenBLAS into a process that has NumPy's. That package has LAPACKE inside, needs no Fortran
# library, and each of its names begins with `scipy_`; so no call of ours can reach another copy, nor the other way round.
# The calls are renamed here, those of L-BFGS-B in Lbfgsb.cmake.
set(FCPS_SCIPY_OPENBLAS "" CACHE PATH "The folder of the Python package scipy_openblas32; empty: the system's OpenBLAS")
add_library(fcps_blas INTERFACE)
if(FCPS_SCIPY_OPENBLAS)
  target_include_directories(fcps_blas SYSTEM INTERFACE ${FCPS_SCIPY_OPENBLAS}/include)
  target_link_libraries(fcps_blas INTERFACE ${FCPS_SCIPY_OPENBLAS}/lib/libscipy_openblas.so)
  file(GLOB sources CONFIGURE_DEPENDS src/linalg/*.c)
  foreach(source ${sources})
    file(STRINGS ${source} lines REGEX "(cblas|LAPACKE|openblas)_[a-z]")
    foreach(line IN LISTS lines)
      string(REGEX MATCHALL "(cblas|LAPACKE|openblas)_[a-z][a-z0-9_]*" names "${line}")
      list(APPEND renamed ${names})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES renamed)
  foreach(name ${renamed})
    target_compile_definitions(fcps_blas INTERFACE ${name}=scipy_${name})
  endforeach()
else()
  pkg_check_modules(OPENBLAS QUIET IMPORTED_TARGET openblas)
  pkg_check_modules(LAPACKE QUIET IMPORTED_TARGET lapacke)
  need(OPENBLAS_FOUND libopenblas-pthread-dev)
  need(LAPACKE_FOUND liblapacke-dev)
  if(OPENBLAS_FOUND AND LAPACKE_FOUND)
    target_link_libraries(fcps_blas INTERFACE PkgConfig::LAPACKE PkgConfig::OPENBLAS)
  endif()
endif()

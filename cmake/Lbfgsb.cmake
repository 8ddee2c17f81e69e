# SPDX-License-Identifier: Apache-2.0
# L-BFGS-B 3.0 from the package's static library, made silent.
#
# Its Fortran writes to standard output if a search direction does not ascend, even if printing is switched off, and asks
# the system for the processor time at every step. A library may do neither. So its calls of the Fortran run-time library
# are renamed to the functions of src/optim/lbfgsb.c, its entry point gets our prefix, and every other name becomes
# local.
set(LBFGSB_OBJECT ${CMAKE_BINARY_DIR}/lbfgsb.o)
foreach(function compare_string cpu_time_4 st_write st_write_done transfer_array_write transfer_character_write
                 transfer_integer_write transfer_real_write)
  list(APPEND LBFGSB_RENAMED --redefine-sym _gfortran_${function}=fcps_fortran_${function})
endforeach()
if(FCPS_SCIPY_OPENBLAS) # see Blas.cmake
  foreach(function daxpy_ dcopy_ ddot_ dpotrf_ dscal_ dtrtrs_)
    list(APPEND LBFGSB_RENAMED --redefine-sym ${function}=scipy_${function})
  endforeach()
endif()
add_custom_command(OUTPUT ${LBFGSB_OBJECT} DEPENDS ${LBFGSB_ARCHIVE}
  COMMAND ${CMAKE_LINKER} -r --whole-archive ${LBFGSB_ARCHIVE} -o ${LBFGSB_OBJECT}
  COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=setulb_ ${LBFGSB_OBJECT}
  COMMAND ${CMAKE_OBJCOPY} --redefine-sym setulb_=fcps_setulb ${LBFGSB_RENAMED} ${LBFGSB_OBJECT}
  COMMENT "Making L-BFGS-B silent" VERBATIM)
set_source_files_properties(${LBFGSB_OBJECT} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
target_sources(fcps_static PRIVATE ${LBFGSB_OBJECT})
target_sources(fcps_shared PRIVATE ${LBFGSB_OBJECT})

/* SPDX-License-Identifier: Apache-2.0 */
/* Replacements for the functions of the Fortran run-time library that L-BFGS-B calls. The comparison of strings works.
 * The functions that print, or measure time for printing, do nothing. The build renames the calls to the names below
 * (cmake/Lbfgsb.cmake).
 */
#include <stddef.h>

int fcps_fortran_compare_string(size_t a_length, const char *a, size_t b_length, const char *b);
void fcps_fortran_cpu_time_4(float *seconds);
void fcps_fortran_st_write(void *statement);
void fcps_fortran_st_write_done(void *statement);
void fcps_fortran_transfer_array_write(void *statement, void *array, int kind, size_t length);
void fcps_fortran_transfer_character_write(void *statement, void *text, size_t length);
void fcps_fortran_transfer_integer_write(void *statement, void *number, int kind);
void fcps_fortran_transfer_real_write(void *statement, void *number, int kind);

/* Fortran compares as if blanks filled the shorter string. */
int fcps_fortran_compare_string(size_t a_length, const char *a, size_t b_length, const char *b)
{
  const size_t length = a_length > b_length ? a_length : b_length;
  for (size_t i = 0; i < length; i++) {
    const unsigned char p = (unsigned char)(i < a_length ? a[i] : ' '), q = (unsigned char)(i < b_length ? b[i] : ' ');
    if (p != q) return p < q ? -1 : 1;
  }
  return 0;
}

void fcps_fortran_cpu_time_4(float *seconds)
{
  *seconds = 0;
}

void fcps_fortran_st_write(void *statement)
{
  (void)statement;
}

void fcps_fortran_st_write_done(void *statement)
{
  (void)statement;
}

void fcps_fortran_transfer_array_write(void *statement, void *array, int kind, size_t length)
{
  (void)statement, (void)array, (void)kind, (void)length;
}

void fcps_fortran_transfer_character_write(void *statement, void *text, size_t length)
{
  (void)statement, (void)text, (void)length;
}

void fcps_fortran_transfer_integer_write(void *statement, void *number, int kind)
{
  (void)statement, (void)number, (void)kind;
}

void fcps_fortran_transfer_real_write(void *statement, void *number, int kind)
{
  (void)statement, (void)number, (void)kind;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What people write who are used to formulas of another language. */
#ifndef FCPS_PROBLEM_FORMULA_HABITS_H
#define FCPS_PROBLEM_FORMULA_HABITS_H

#include <stddef.h>

/* How a habit of another language at text[position] is written here; NULL: it is none. A sentence. */
const char *fcps_formula_habit_at(const char *text, size_t position);

#endif

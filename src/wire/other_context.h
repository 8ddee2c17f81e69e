/* SPDX-License-Identifier: Apache-2.0 */
/* A client gets its unfinished ask again, also if it asks for another context; its program must not take that for
 * the answer (W_OTHER_CONTEXT). Every door says so. */
#ifndef FCPS_WIRE_OTHER_CONTEXT_H
#define FCPS_WIRE_OTHER_CONTEXT_H

#include <fcps/study.h>

/* Whether an ask that is repeated has another context than the one that was given. What is free (NULL: nothing is) is
 * not compared. */
bool fcps_wire_is_other_context(const fcps_problem *problem, const fcps_free_dimensions *free_dims,
                                const double *target, const double *environment, const fcps_ask *ask);

#endif

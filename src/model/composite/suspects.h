/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that nobody believes: an output so far from what all others say that a slip of the pen is likelier than chance.
 *
 * A row is judged by its leave-one-out prediction (gp/leave_one_out.h), which it had no part in: by how many deviations
 * it misses it, for the output that misses most. An output among those of other rows may be a jump of the function: it
 * must miss by more, unless a lost decimal point explains it. What differs by a trifle (scores.h) is no surprise. It must also
 * miss after it was shaped, by a logarithm where the output has one sign: the largest values of a curved function are far from what the others say, and right. Rows that
 * miss by too many become suspects, the worst first, because one wild row spoils the predictions of its neighbours. A
 * suspect stays a row, with an output from a distribution so wide that its own distance is usual: the noise d^2, in units
 * of the kernel, where d is that distance (at most 10^4 d: more would cost digits). That is the maximum-likelihood width
 * of a slab, a tail as heavy as Student's [jylanki2011]: it moves a prediction of variance v by at most v/d. The offset
 * and the scale of the outputs do not look at it at all.
 *
 * Suspicion is not for ever: at each fit a suspect whose output the others now explain, also other suspects beside it,
 * is believed again. Where more than a tenth of the rows would be suspects, the model is wrong and not the rows: there
 * are none. What somebody has confirmed is never one. Beyond 2,000 rows nobody becomes one any more. Rows that a dead sensor told (stuck.h), or that are in a
 * spell (spells.h), are suspects by their shape, as many as there are.
 *
 * Invariants: without suspects a model has the bits of one that never looked for any. Suspects follow from the rows and
 * the hyper-parameters at the last fit; they are saved, because the next bits depend on them. */
#ifndef FCPS_MODEL_COMPOSITE_SUSPECTS_H
#define FCPS_MODEL_COMPOSITE_SUSPECTS_H

#include "base/rng.h"
#include "model/composite/spells.h"

#include <fcps/base.h>

typedef struct fcps_model fcps_model;

/* Fewer rows say nothing about one of them; of more, a look would cost as much as many fits. */
enum { FCPS_LEAST_JUDGED = 5, FCPS_MOST_JUDGED = 2000 };

typedef struct fcps_suspects {
  int count;
  size_t room;
  int *rows;              /* of the training rollouts, in the order in which they were found */
  double *noise;          /* of each: its variance beyond that of other rows, unit scale */
  fcps_row_spell *spells; /* of each: the spell that it is in, as the last review found it */
} fcps_suspects;

/* How far a row is from what the others say, in the output that is furthest. */
typedef struct fcps_surprise {
  int row, output;
  double value, expected, deviation; /* in units of the output; the deviation is that of the prediction */
  double distance;                   /* |value - expected| in deviations; of what is surprising, also when shaped */
  fcps_row_spell spell;              /* that explains it */
} fcps_surprise;

void fcps_suspects_destroy(fcps_model *model);
fcps_status fcps_suspects_copy(const fcps_model *model, fcps_model *copy);

/* Whether this training rollout is one. */
bool fcps_suspects_include(const fcps_model *model, int row);

/* Forgets suspects that are no rows any more. */
void fcps_suspects_truncate(fcps_model *model);

/* Judges all rows by the hyper-parameters as they are; rows from `known` on are new to them. y: training rollouts x
 * outputs. The GPs must be factorized; where suspects change, they are factorized again, and *has_changed is true. */
fcps_status fcps_suspects_review(fcps_model *model, int outputs, const double *y, int known, bool *has_changed);

/* The same where an outlier may have been among the rows of every fit so far, and has bent the hyper-parameters until
 * they explain it: the most surprising row is left out of a fit, and judged by that. */
fcps_status fcps_suspects_unmask(fcps_model *model, int outputs, const double *y, fcps_rng rng, bool *has_changed);

/* How many rows would be suspects if there were no limit to their number: the two fifths that surprise most are left out of
 * fits, again and again, until those that stay agree as well as they can. For whoever wants to know whether the rows that
 * are believed deserve it; costs some fits, and changes nothing. */
fcps_status fcps_suspects_count_hidden(fcps_model *model, int outputs, const double *y, fcps_rng rng, int *count);

/* Whether a row that came since the last fit could be a suspect: cheap, and only as sharp as the hyper-parameters of
 * that fit. The factors must know all rows. */
fcps_status fcps_suspects_screen(const fcps_model *model, int outputs, const double *y, bool *is_worth_a_look);

/* What the others say about each suspect, in their order. */
fcps_status fcps_suspects_describe(fcps_model *model, int outputs, const double *y, fcps_surprise *surprises);

/* Finds the suspects of a saved model again by the noise of its rows (row_noise.h), which is saved. */
fcps_status fcps_suspects_restore(fcps_model *model);

#endif

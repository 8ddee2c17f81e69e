/* SPDX-License-Identifier: Apache-2.0 */
/* Which structures a model believes: the one schedule, the one margin, the one place where a choice is made.
 *
 * Each kind that proposes anything has a contest: the description in force with each of its proposals in place of what it has
 * of that kind, and without any. All are tried on the same rows (evidence.h), with a prior that gives one half to none and
 * the other half to all proposals together. A proposal takes the place of what is believed if it is better by the margin.
 * While that is not decided, those that are close have a say in answers, in proportion to their odds: they are rivals.
 *
 * A review looks at all proposals while rows are few, and later each time that their number passes a multiple; in
 * between, if a contest is close, at those that are not hopeless. A kind that has proposed nothing yet is asked by every
 * review. So the belief follows from the rows and from the last review, which is saved.
 *
 * A structure is claimed (status says so) from odds of twenty to one on; it is used before, because rivals answer
 * with it. */
#ifndef FCPS_MODEL_REVIEW_H
#define FCPS_MODEL_REVIEW_H

#include "model/description.h"

/* A candidate of a contest: a structure of the kind, or no such structure. */
typedef struct fcps_candidate {
  fcps_structure structure;
  int hyper_count; /* of all GPs of the description with it; 0: it was never fitted */
  double *hyper;
  double nats; /* against the best of the last look at it */
} fcps_candidate;

/* The candidates of a kind, none first. */
typedef struct fcps_contest {
  int count; /* 0: there is no contest */
  fcps_candidate *candidates;
  int active; /* the one in force */
  int looked; /* rows at the last look; 0: never */
} fcps_contest;

typedef struct fcps_contests {
  fcps_contest of[FCPS_STRUCTURES];
} fcps_contests;

void fcps_contests_destroy(fcps_contests *contests);
fcps_status fcps_contests_copy(const fcps_contests *contests, fcps_contests *copy);
void fcps_contests_truncate(fcps_contests *contests, int rows);

/* Reviews all contests that are due. If the description is to change, it does (look->description), *has_changed is true, and
 * *hyper has the hyper-parameters of all its GPs, to be freed by the caller (NULL: the prior's centre); the GPs are then to be
 * made anew. */
fcps_status fcps_contests_review(fcps_contests *contests, fcps_look *look, bool *has_changed, double **hyper);

/* Whether a contest has looked at all rows, and the structure in force leads all other candidates beyond doubt. */
bool fcps_contest_is_decided(const fcps_contest *contest, int rows);

/* The rivals of what is believed: descriptions, their hyper-parameters and their weights against it (1). A
 * belief that something rests has no rivals: all models that answer together share one chance that something moves. */
enum { FCPS_RIVALS = 2 };
typedef struct fcps_rival {
  int kind, candidate;
  double weight;
} fcps_rival;
int fcps_contests_rivals(const fcps_contests *contests, const fcps_description *description,
                         fcps_rival rivals[FCPS_RIVALS]);

/* Writes the contest of kind `index` as JSON, NULL if there is no contest; and reads it. */
fcps_json *fcps_contest_write(const fcps_contest *contest, int index, const fcps_layout *layout);
fcps_status fcps_contest_read(fcps_contest *contest, int index, const fcps_look *look, const fcps_json *json);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A review decides which structures a model believes. No other code makes this choice.
 *
 * Each kind that proposes structures has a contest. Its candidate 0 is the present description without a structure of
 * that kind. Each other candidate is the present description with one of the proposals. The evidence of all candidates
 * is computed on the same rows (evidence.h). The prior gives one half to candidate 0, and the other half to all
 * proposals together. The candidate in force is the one that the description follows. Another one replaces it if its
 * evidence is better by a margin. Until a contest is decided, candidates that are close behind are rivals: they join
 * the model's predictions, in proportion to their odds.
 *
 * While rows are few, each review compares all proposals. Later, all proposals are compared each time that the number
 * of rows passes a multiple of a constant. The reviews in between only compare candidates that are not hopelessly
 * behind, and only if the contest is close. A kind that has proposed nothing yet is asked for proposals by every
 * review. So the belief follows from the rows and from the last review, which is saved.
 *
 * Reports name a structure only at odds of twenty to one or more. Predictions use it earlier, as a rival. */
#ifndef FCPS_MODEL_REVIEW_H
#define FCPS_MODEL_REVIEW_H

#include "model/description.h"

/* A candidate of a contest: a structure of the kind, or no structure for candidate 0. */
typedef struct fcps_candidate {
  fcps_structure structure;
  int hyper_count; /* numbers in `hyper`; 0: the candidate was never fitted */
  double *hyper;
  double nats; /* log odds against the best candidate of the comparison that this one last took part in */
} fcps_candidate;

/* The comparison of all candidates of one kind. */
typedef struct fcps_contest {
  int count; /* 0: there is no contest */
  fcps_candidate *candidates;
  int active; /* index of the candidate in force */
  int looked; /* number of rows at the last comparison; 0: never compared */
} fcps_contest;

typedef struct fcps_contests {
  fcps_contest of[FCPS_STRUCTURES];
} fcps_contests;

void fcps_contests_destroy(fcps_contests *contests);
fcps_status fcps_contests_copy(const fcps_contests *contests, fcps_contests *copy);

/* Makes contests due again if they were last compared on more than `rows` rows, because some of these rows are gone. */
void fcps_contests_truncate(fcps_contests *contests, int rows);

/* Reviews all contests that are due. If the description changes, look->description has the new one, *has_changed is
 * true, and *hyper has the hyper-parameters of all its GPs, or is NULL if the GPs are to start at the prior's centre.
 * The caller frees *hyper, and must make the GPs anew. */
fcps_status fcps_contests_review(fcps_contests *contests, fcps_look *look, bool *has_changed, double **hyper);

/* Whether a contest was compared on all `rows` rows, and the structure in force leads clearly. */
bool fcps_contest_is_decided(const fcps_contest *contest, int rows);

/* Finds the rivals of the description in force, the best first, and returns their number. Weights are relative to that
 * description, whose weight is 1. The kind that models rest (nothing moved) has no rivals, because all models that
 * answer together share one classifier of movement. */
enum { FCPS_RIVALS = 2 };
typedef struct fcps_rival {
  int kind, candidate;
  double weight;
} fcps_rival;
int fcps_contests_rivals(const fcps_contests *contests, const fcps_description *description,
                         fcps_rival rivals[FCPS_RIVALS]);

/* Write the contest of kind `index` as JSON, NULL if there is no contest, and read it; `json` may be NULL. */
fcps_json *fcps_contest_write(const fcps_contest *contest, int index, const fcps_layout *layout);
fcps_status fcps_contest_read(fcps_contest *contest, int index, const fcps_look *look, const fcps_json *json);

#endif

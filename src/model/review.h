/* SPDX-License-Identifier: Apache-2.0 */
/* A review decides which structures a model believes. No other code makes this choice.
 *
 * Each kind that proposes structures has a contest. Its candidate 0 is the description in force without a structure of
 * that kind; each other candidate has one of the proposals instead. The evidence of all candidates is computed on the
 * same rows (evidence.h). The prior gives one half to candidate 0, and the other half to all proposals together. A
 * candidate replaces the one in force if it is better by the margin. Until a contest is decided, candidates that are
 * close behind are rivals: they join the model's predictions, in proportion to their odds.
 *
 * While rows are few, each review compares all proposals; later it does so each time that the number of rows passes a
 * multiple of a constant. In between, if a contest is close, it only compares candidates that are not hopelessly
 * behind. A kind that has proposed nothing yet is asked for proposals by every review. So the belief follows from the
 * rows and from the last review, which is saved.
 *
 * A report claims a structure at odds of twenty to one or more. Predictions use it earlier, because rivals join. */
#ifndef FCPS_MODEL_REVIEW_H
#define FCPS_MODEL_REVIEW_H

#include "model/description.h"

/* A candidate of a contest: a structure of the kind, absent in candidate 0. */
typedef struct fcps_candidate {
  fcps_structure structure;
  int hyper_count; /* numbers in `hyper`; 0: the candidate was never fitted */
  double *hyper;
  double nats; /* log odds against the best candidate when this one was last compared */
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

/* Makes every contest due again that was compared on more than `rows` rows. */
void fcps_contests_truncate(fcps_contests *contests, int rows);

/* Reviews all contests that are due. If the description changes, look->description has the new one, *has_changed is
 * true, and *hyper has the hyper-parameters of all its GPs, to be freed by the caller (NULL: the prior's centre). The
 * caller must then make the GPs anew. */
fcps_status fcps_contests_review(fcps_contests *contests, fcps_look *look, bool *has_changed, double **hyper);

/* Whether the candidates of a contest were compared after the last row came, and the structure in force leads clearly. */
bool fcps_contest_is_decided(const fcps_contest *contest, int rows);

/* Finds the rivals of the description in force, the best first, with their weights relative to it, which has 1; returns
 * their number. The kind of structure that models rest has no rivals, because all models that answer together share one
 * classifier of movement. */
enum { FCPS_RIVALS = 2 };
typedef struct fcps_rival {
  int kind, candidate;
  double weight;
} fcps_rival;
int fcps_contests_rivals(const fcps_contests *contests, const fcps_description *description,
                         fcps_rival rivals[FCPS_RIVALS]);

/* Write the contest of kind `index` as JSON, NULL if there is no contest, and read it. */
fcps_json *fcps_contest_write(const fcps_contest *contest, int index, const fcps_layout *layout);
fcps_status fcps_contest_read(fcps_contest *contest, int index, const fcps_look *look, const fcps_json *json);

#endif

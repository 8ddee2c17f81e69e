/* SPDX-License-Identifier: Apache-2.0 */
/* How surprising each row is: what suspects.c judges by. suspects.h says what is surprising and why outputs are shaped. */
#ifndef FCPS_MODEL_COMPOSITE_SCORES_H
#define FCPS_MODEL_COMPOSITE_SCORES_H

#include "model/composite/suspects.h"

typedef struct fcps_row_score {
  fcps_surprise surprise;
  double away;   /* deviations from what the others say, of the output that is furthest, as it is and not shaped */
  double noise;  /* squared distance in units of the kernel */
  double needed; /* deviations of a normal distribution that make it a suspect */
  double excess; /* its distance as a share of that */
} fcps_row_score;

/* What the rows of a model are judged by. */
typedef struct fcps_review {
  fcps_model *model;
  int outputs;
  const double *y;        /* rows x outputs */
  int known;              /* rows that the hyper-parameters know */
  fcps_row_score *scores; /* one per row */
  bool *stuck; /* of each row: a dead sensor told it. These are suspects for that, whatever the model expects */
  fcps_row_spell *spells; /* of each row: the spell that it is in; suspects as well, as many as they are */
  int shaped_count;       /* suspects that are one of both */
  double *trifles;        /* of each output: what is no surprise */
} fcps_review;

/* What is no surprise, however exactly an output is known: a thousandth of its usual distance from its middle, or of that of
 * an output in the same unit. The height of a block that is pushed about differs by micrometres, and nobody has mistyped
 * it. Fills the review's trifles, which follow from what was told alone. */
fcps_status fcps_scores_find_trifles(const fcps_review *r);

/* Scores all rows. Rows from `known` on are not looked at by offset and scale. */
fcps_status fcps_scores_of_rows(const fcps_review *r);

/* Whether a row with nearly the same output, and no less of a surprise, is nearby, and no other row is nearer. */
bool fcps_scores_have_witness(const fcps_model *model, const fcps_row_score *scores, int row);

/* Whether a suspect may be believed again by its score. */
bool fcps_scores_explain(const fcps_review *r, int row);

/* Whether a row is so far away that it may hide behind the hyper-parameters. */
bool fcps_score_is_large(const fcps_row_score *score);

#endif

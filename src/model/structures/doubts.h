/* SPDX-License-Identifier: Apache-2.0 */
/* Outliers: rows (results in the training set) whose outcome is more likely a mistake in the report than chance. Such a
 * row is called doubted, and its influence is reduced.
 *
 * A row is judged by its leave-one-out distance (gp/leave_one_out.h): how far its output is from the prediction by all
 * other rows, in standard deviations of that prediction. If there are several outputs, the largest distance counts. A
 * distance below a small share of the output's usual variation never counts. An output within the range of the others
 * may be a jump of the function, so it needs a larger distance unless a lost decimal point explains it. The largest
 * values of a curved function may be correct although they are far from their predictions. So the distance must also be
 * large after a transformation of the outputs, the logarithm if they have one sign. Rows are doubted one at a time, the
 * worst first, because one outlier spoils the predictions of its neighbours.
 *
 * A doubted row stays in the GP. With d its distance, its noise variance becomes d^2 in units of the kernel, so that
 * the distance becomes an ordinary one. The noise is at most 10^4 d, because more would cost digits. That is the
 * maximum-likelihood width of a slab (a wide normal component for outliers), with a tail as heavy as that of Student's
 * t distribution [jylanki2011]: the row moves a prediction of variance v by at most v/d. Offset and scale of the
 * outputs are computed without doubted rows.
 *
 * The user is not asked about every doubted row, because a correct jump of the function may be doubted as well. The
 * user is only asked about a row that a mistake explains, or whose output is far outside the range of all others.
 *
 * At each fit a doubted row is believed again if the other rows now explain its output; doubted rows near it may help
 * to explain it. If more than a tenth of the rows would be doubted, not the rows but the model is wrong, and no row is
 * doubted. A row that the user has confirmed is never doubted. A model of more than 2,000 rows doubts no further rows.
 *
 * The limit of a tenth does not apply to two kinds of runs of rows: those of a dead sensor (doubt_scores.c), and
 * "spells". A spell is a run of rows whose outputs are a constant factor times their predictions, for instance after a
 * change of unit (spells.c).
 *
 * Invariants: a model without doubts has the same bits as one without this structure. Doubts follow from the rows and
 * the hyper-parameters of the last fit; they are saved, because the next bits depend on them.
 *
 * Only models of outcomes have doubts, because rewards jump where outcomes do not: in correct runs of the task
 * `cannon`, a model of rewards would doubt one result in forty. Doubted rows stay in the GP because one factorization
 * serves all targets. The journal does not record doubts, because later results may explain an early one. It records
 * confirmations, because the user gives them. */
#ifndef FCPS_MODEL_STRUCTURES_DOUBTS_H
#define FCPS_MODEL_STRUCTURES_DOUBTS_H

#include "model/description.h"

/* With fewer rows no row can be judged; with more, a judgement would take as long as many fits. */
enum { FCPS_LEAST_JUDGED = 5, FCPS_MOST_JUDGED = 2000 };

/* So many equal results at different places cannot be chance. A study also reports a dead sensor from this number on
 * (study/remarks/outcomes.c). So the rows that it reports are doubted as soon as the sensor works again. */
enum { FCPS_STUCK_LEAST = 5 };

/* The spell that a row is in: a run of rows whose output is a constant factor times its prediction. */
typedef struct fcps_row_spell {
  double factor;   /* reported output / predicted output; 0 if the row is in no spell */
  double output;   /* index of the output that has the factor */
  double distance; /* |reported - reported/factor|, in spreads of the output */
} fcps_row_spell;

/* A doubted row. The state of the structure is an array of them, in ascending order of rows. */
typedef struct fcps_doubt {
  double row;
  double noise; /* the noise variance that the doubt adds, in unit scale */
  fcps_row_spell spell;
} fcps_doubt;

/* The distance of a row from its leave-one-out prediction, for the output with the largest distance. */
typedef struct fcps_surprise {
  int row, output;
  double value, expected, deviation; /* all in units of the output; `deviation` is that of the prediction */
  double distance;                   /* in deviations; the smaller one of the reported and the shaped output */
  fcps_row_spell spell;              /* the spell that the row is in */
  bool is_mishap; /* the user is asked: a mistake explains the output, or it is far from all others */
} fcps_surprise;

typedef struct fcps_row_score {
  fcps_surprise surprise;
  double away;   /* largest leave-one-out distance of the outputs before they are shaped, in deviations */
  double noise;  /* squared distance in units of the kernel */
  double needed; /* beyond this number of deviations of a normal distribution the row is doubted */
  double excess; /* distance of the surprise, in units of the least distance that is doubted */
} fcps_row_score;

/* -- Questions from outside -- */

/* Returns the doubted rows of a description, *count of them; NULL if there is no doubted row. */
const fcps_doubt *fcps_doubts_of(const fcps_description *description, int *count);

/* Finds whether one of the rows since the last fit may have to be doubted. This is a cheap test with the current
 * hyper-parameters, so it may be wrong either way. The GPs must be factorized with all rows. */
fcps_status fcps_doubts_screen(const fcps_look *look, bool *is_worth_a_look);

/* fcps_doubts_judge judges all rows with the current hyper-parameters, as each fit does. fcps_doubts_describe then
 * writes the prediction for each doubted row, in ascending order of rows; `surprises` has room for one per row. */
fcps_status fcps_doubts_judge(fcps_look *look, bool *has_changed);
fcps_status fcps_doubts_describe(fcps_look *look, fcps_surprise *surprises);

/* Counts the rows that would be doubted if there were no limit to their number. Several fits leave out the two fifths
 * of the rows that are most surprising, until the remaining rows agree. If the count is large, the rows that the model
 * believes cannot be trusted. */
fcps_status fcps_doubts_count_hidden(fcps_look *look, int *count);

/* -- When a number is surprising; also used for results that differ from what their ask expected (study/expectation.c)
 * -- */

/* A number is surprising if it is FCPS_SURPRISING deviations of a normal distribution from its prediction. A number is
 * far from all others if its distance from their range exceeds FCPS_LIKE_NO_OTHER times the width of that range; an
 * example is -999 from a failed sensor. The limit is wide because a function over many decades often leaves its
 * range. */
#define FCPS_SURPRISING    6.0
#define FCPS_LIKE_NO_OTHER 2.0

/* Returns the distance in Student's t distribution that corresponds to `deviations` of a normal distribution, because
 * with few rows the deviation itself is uncertain. Returns NaN for two rows or fewer. */
double fcps_doubt_distance(double deviations, int rows);

/* Whether a value lies within [least, most], extended by `spans` times its width on each side. Returns false if the
 * value has a sign that no number in [least, most] has. */
bool fcps_doubt_is_within(double least, double most, double value, double spans);

/* Whether a shifted decimal point turns a value into its prediction. */
bool fcps_doubt_is_lost_point(double value, double expected, double deviation);

/* -- For the files of doubts -- */

/* The working data while rows are judged (a "hearing" of rows). */
typedef struct fcps_hearing {
  fcps_look *look;
  fcps_gps *gps;          /* the GPs of the look, or a copy of them */
  int known;              /* number of rows that the hyper-parameters were fitted to */
  int count;              /* number of rows that are doubted so far */
  double *noise;          /* one per row; 0 if the row is believed */
  fcps_row_score *scores; /* one per row */
  bool *stuck;            /* one per row: whether it comes from a dead sensor */
  fcps_row_spell *spells; /* one per row */
  double *trifles;        /* one per output: a distance below it is too small to count */
} fcps_hearing;

/* Computes for each output the distance from its prediction that is too small to count, however exact the prediction
 * is: a thousandth of the median distance from the median, of this output or of another in the same unit. For example,
 * the height of a block that is pushed varies by micrometres without any mistake. */
fcps_status fcps_doubt_scores_find_trifles(const fcps_hearing *hearing);

/* Scores all rows. Offset and scale are computed without the rows from `known` on. */
fcps_status fcps_doubt_scores_find(const fcps_hearing *hearing);

/* Makes the normalization of outputs without the rows from `known` on and without doubted rows. The caller frees
 * *aside. */
fcps_status fcps_doubt_scores_norm(const fcps_hearing *hearing, fcps_gp_norm *norm, int **aside);

/* Whether the nearest other row has nearly the same output and is about as surprising. */
bool fcps_doubt_scores_have_witness(const fcps_hearing *hearing, const fcps_row_score *scores, int row);

/* fcps_doubt_scores_explain: whether the score of a doubted row is low enough to believe it again.
 * fcps_doubt_score_is_large: whether a row is so far from its prediction that the hyper-parameters may have been bent
 * to fit an outlier. */
bool fcps_doubt_scores_explain(const fcps_hearing *hearing, int row);
bool fcps_doubt_score_is_large(const fcps_row_score *score);

/* Whether row `row` is surprisingly far from its leave-one-out prediction. This takes two triangular solves for each
 * GP. `line` has room for one number per row. */
bool fcps_doubt_scores_may_surprise(const fcps_look *look, const fcps_gp_outputs *outputs, int row, double *line);

/* Sets for each row whether it comes from a dead sensor. Returns the number of such rows. */
int fcps_stuck_find(const fcps_look *look, bool *stuck);

/* Whether an output is a continuous measurement, that is, no value of it is frequent. Counts and numbers at their bound
 * have one, and other values may be far from it without any mistake. Rows of a dead sensor do not count. */
bool fcps_stuck_is_measured(int rows, const double *y, const bool *stuck);

/* Finds the spell of each row; `spells` has one entry per row. The GPs must be factorized; rows keep the noise that
 * they have now. Confirmed rows are in no spell. Outputs with a frequent value are skipped (fcps_stuck_is_measured). */
fcps_status fcps_spells_find(const fcps_look *look, const bool *stuck, fcps_row_spell *spells);

/* Whether a row of the run first, ..., end - 1 is at least as near to a row outside the run as to the other rows of the
 * run, in the GP's distance. If so, a real effect at its place would also show outside the run. Rows marked in `aside`
 * do not count; if it is NULL, all rows count. */
bool fcps_spells_is_among_others(const fcps_gp *gp, int first, int end, int row, const bool *aside);

#endif

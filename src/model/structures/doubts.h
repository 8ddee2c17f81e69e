/* SPDX-License-Identifier: Apache-2.0 */
/* Results that nobody believes: an output so far from what all others say that a slip of the pen is likelier than chance.
 *
 * A row is judged by its leave-one-out prediction (gp/leave_one_out.h), which it had no part in: by how many deviations it
 * misses it, for the output that misses most. An output among those of other rows may be a jump of the function: it must
 * miss by more, unless a lost decimal point explains it. What differs by a trifle is not a surprise. It must also miss after it
 * was shaped, by a logarithm if the output has one sign: the largest values of a curved function are far from what the others
 * say, and right. Rows that miss by too much are doubted, the worst first, because one wild row spoils the predictions of its
 * neighbours. A doubted row stays a row, with an output from a distribution so wide that its own distance is usual: the
 * noise d^2, in units of the kernel, where d is that distance (at most 10^4 d: more would cost digits). That is the
 * maximum-likelihood width of a slab, a tail as heavy as Student's [jylanki2011]: it moves a prediction of variance v by at
 * most v/d. The offset and the scale of the outputs do not look at it at all.
 *
 * What is doubted counts less. Whether somebody should be asked is another question: a jump of the function looks like that, and
 * is right. So people are told only of rows that a slip explains, or that are like no other.
 *
 * Doubt is not for ever: at each fit a doubted row whose output the others now explain, also other doubted rows beside it, is
 * believed again. If more than a tenth of the rows would be doubted, the model is wrong and not the rows: none is. A row that
 * somebody has confirmed is never doubted. Beyond 2,000 rows no more are.
 *
 * Two kinds of rows are doubted by their shape, as many as there are: those of a dead sensor (stuck.c), and spells, runs of rows
 * that are a constant factor times what the others say, as after a change of unit (spells.c).
 *
 * Invariants: without doubts a model has the bits of one that never looked for any. Doubts follow from the rows and the
 * hyper-parameters at the last fit; they are saved, because the next bits depend on them.
 *
 * Only models of outcomes doubt: rewards jump where outcomes do not, and on clean runs of the cannon one result in
 * forty would be doubted. Doubted rows stay, with more noise, because one factorization serves all targets. Doubts
 * are not records of the journal: later results may explain an early one. A confirmation is a record, because it is
 * somebody's word. */
#ifndef FCPS_MODEL_STRUCTURES_DOUBTS_H
#define FCPS_MODEL_STRUCTURES_DOUBTS_H

#include "model/description.h"

/* Fewer rows say nothing about one of them; of more, a look would cost as much as many fits. */
enum { FCPS_LEAST_JUDGED = 5, FCPS_MOST_JUDGED = 2000 };

/* So many equal results at different places are not chance. A study says so as soon as there are as many
 * (study/remarks/outcomes.c), so that what is said of a dead sensor is also doubted once it lives. */
enum { FCPS_STUCK_LEAST = 5 };

/* The spell that a row is in. */
typedef struct fcps_row_spell {
  double factor;   /* what was told is so many times what the others say; 0: the row is in no spell */
  double output;   /* its index */
  double distance; /* from what the others say, in spreads of the output */
} fcps_row_spell;

/* A doubted row. The state of the structure is an array of them, in the order of the rows. */
typedef struct fcps_doubt {
  double row;
  double noise; /* its variance beyond that of other rows, unit scale */
  fcps_row_spell spell;
} fcps_doubt;

/* How far a row is from what the others say, in the output that is furthest. */
typedef struct fcps_surprise {
  int row, output;
  double value, expected, deviation; /* in units of the output; the deviation is that of the prediction */
  double distance;                   /* |value - expected| in deviations; of what is surprising, also when shaped */
  fcps_row_spell spell;              /* that explains it */
  bool
      is_mishap; /* a slip explains it, or it is like no other; else it may be a jump of the function: nobody need be asked */
} fcps_surprise;

typedef struct fcps_row_score {
  fcps_surprise surprise;
  double away;   /* deviations from what the others say, of the output that is furthest, as it is and not shaped */
  double noise;  /* squared distance in units of the kernel */
  double needed; /* deviations of a normal distribution from which on it is doubted */
  double excess; /* its distance as a share of that */
} fcps_row_score;

/* -- Questions from outside -- */

/* The rows that a description doubts; NULL: none. */
const fcps_doubt *fcps_doubts_of(const fcps_description *description, int *count);

/* Whether a row that the hyper-parameters do not know yet could be doubted: cheap, and only as sharp as they are. The factors
 * must know all rows. */
fcps_status fcps_doubts_screen(const fcps_look *look, bool *is_worth_a_look);

/* Judges all rows as a fit does; and then says what was expected of each doubted row, in their order (`surprises`: one for each
 * row). */
fcps_status fcps_doubts_judge(fcps_look *look, bool *has_changed);
fcps_status fcps_doubts_describe(fcps_look *look, fcps_surprise *surprises);

/* How many rows would be doubted if there were no limit to their number: the two fifths that surprise most are
 * left out of fits, again and again, until those that stay agree as well as they can. To judge whether the
 * believed rows deserve it; costs some fits. */
fcps_status fcps_doubts_count_hidden(fcps_look *look, int *count);

/* -- The rule for one number, also for a result that differs from what its ask expected (study/expectation.h) -- */

/* A number this many deviations of a normal distribution away is surprising. One that is further from all others than so many
 * times what they are from each other is like no other: -999 of a sensor that failed. A function of many decades leaves its
 * range by nature. */
#define FCPS_SURPRISING    6.0
#define FCPS_LIKE_NO_OTHER 2.0

/* With few rows a deviation is itself uncertain: what is `deviations` away for a normal distribution is this for Student's with
 * as many degrees of freedom. NaN of two rows or fewer. */
double fcps_doubt_distance(double deviations, int rows);

/* Whether a value lies among others, which go from `least` to `most`, or no further from them than so many times what they are
 * from each other, and has a sign that they have. */
bool fcps_doubt_is_within(double least, double most, double value, double spans);

/* Whether a lost decimal point explains a value. */
bool fcps_doubt_is_lost_point(double value, double expected, double deviation);

/* -- For the files of doubts -- */

/* What rows are judged by. */
typedef struct fcps_hearing {
  fcps_look *look;
  fcps_gps *gps;          /* those of the look, or a copy */
  int known;              /* rows that the hyper-parameters know */
  int count;              /* rows that are doubted so far */
  double *noise;          /* of each row; 0: it is believed */
  fcps_row_score *scores; /* one per row */
  bool *stuck;            /* of each row: a dead sensor told it */
  fcps_row_spell *spells; /* of each row */
  double *trifles;        /* of each output: what is not a surprise */
} fcps_hearing;

/* What is not a surprise, however exactly an output is known: a thousandth of its usual distance from its middle, or of that of an
 * output in the same unit. The height of a block that is pushed about differs by micrometres, and nobody has mistyped it.
 * Fills the trifles, which follow from what was told alone. */
fcps_status fcps_doubt_scores_find_trifles(const fcps_hearing *hearing);

/* Scores all rows. Rows from `known` on are not looked at by offset and scale. */
fcps_status fcps_doubt_scores_find(const fcps_hearing *hearing);

/* The norm that does not look at rows from `known` on, nor at doubted ones; *aside is to be freed. */
fcps_status fcps_doubt_scores_norm(const fcps_hearing *hearing, fcps_gp_norm *norm, int **aside);

/* Whether a row with nearly the same output, and no less of a surprise, is nearby, and no other row is nearer. */
bool fcps_doubt_scores_have_witness(const fcps_hearing *hearing, const fcps_row_score *scores, int row);

/* Whether a doubted row may be believed again by its score; whether a row is so far away that it may hide behind the
 * hyper-parameters. */
bool fcps_doubt_scores_explain(const fcps_hearing *hearing, int row);
bool fcps_doubt_score_is_large(const fcps_row_score *score);

/* Whether row `row` is further than surprising from what the others say: by a pair of triangular solves for each GP. `line`
 * has room for one number per row. */
bool fcps_doubt_scores_may_surprise(const fcps_look *look, const fcps_gp_outputs *outputs, int row, double *line);

/* Says of each row whether a dead sensor told it. Returns how many are. */
int fcps_stuck_find(const fcps_look *look, bool *stuck);

/* Whether an output is a measurement: one that often has the very same value, such as a count or a number at its bound, leaves
 * that value by nature. What a dead sensor told does not count. */
bool fcps_stuck_is_measured(int rows, const double *y, const bool *stuck);

/* Finds the spells; `spells`: one for each row. The GPs must be factorized, and the noise of rows counts as it is. Confirmed rows
 * are in none. Outputs that often have the very same value are not looked at, except for rows of a dead sensor. */
fcps_status fcps_spells_find(const fcps_look *look, const bool *stuck, fcps_row_spell *spells);

/* Whether a row of the run from `first` to before `end` is as near to one outside as to the others of the run, as the GP sees
 * them: what is special at its place would show outside, too. Rows `aside` do not count; NULL: all do. */
bool fcps_spells_is_among_others(const fcps_gp *gp, int first, int end, int row, const bool *aside);

#endif

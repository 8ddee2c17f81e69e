/* SPDX-License-Identifier: Apache-2.0 */
/* Claims on made-up runs whose verdicts are known (judge.c, results.c, statistics.c). */
#include "lab/experiment/example.h"

#include "lab/experiment/judge.h"
#include "lab/experiment/results.h"

enum { SEEDS = 4, ROWS = 2, EPISODES = 20, CONTEXTS = 2 };

/* Runs of the two rows with made-up numbers: the cumulative reward after the last episode, the offline curve constant
 * over both evaluations, the first context seen and the second not. */
typedef struct made_up {
  test_folder folder;
  fcps_experiment *experiment;
  fcps_experiment_results results;
  fcps_experiment_run_result runs[ROWS * SEEDS];
  double rewards[ROWS * SEEDS][EPISODES], cumulative[ROWS * SEEDS][EPISODES], offline[ROWS * SEEDS][EPISODES];
  double map[ROWS * SEEDS][CONTEXTS], scratch[SEEDS], a[SEEDS], b[SEEDS];
} made_up;

static double contexts[2 * CONTEXTS] = {-5, 5, 5, 5};

static made_up *make_up(const double good[SEEDS], const double bad[SEEDS])
{
  made_up *made = calloc(1, sizeof *made);
  assert_non_null(made);
  made->folder = folder_create();
  made->experiment = example_open(&made->folder, EXAMPLE_HEAD EXAMPLE_BOXES EXAMPLE_LEARNERS);
  made->results =
      (fcps_experiment_results){.experiment = made->experiment, .runs = made->runs, .scratch = made->scratch};
  for (int i = 0; i < ROWS * SEEDS; i++) {
    const double value = i < SEEDS ? good[i] : bad[i - SEEDS];
    for (int j = 0; j < EPISODES; j++) {
      made->cumulative[i][j] = value * (j + 1) / EPISODES;
      made->offline[i][j] = (j + 1) % 10 == 0 ? value + (j < 10) : NAN;
    }
    made->map[i][0] = value;
    made->map[i][1] = 2 * value;
    made->runs[i] = (fcps_experiment_run_result){.episodes = EPISODES,
                                                 .rewards = made->rewards[i],
                                                 .cumulative = made->cumulative[i],
                                                 .offline = made->offline[i],
                                                 .context_count = CONTEXTS,
                                                 .target_count = 2,
                                                 .targets = contexts,
                                                 .environments = contexts,
                                                 .map = made->map[i]};
  }
  return made;
}

static void unmake(made_up *made)
{
  fcps_experiment_destroy(made->experiment);
  folder_remove(&made->folder);
  free(made);
}

static fcps_judgement judge(made_up *made, const fcps_claim *claim)
{
  fcps_judgement judgement;
  fcps_judge(&made->results, claim, made->a, made->b, &judgement);
  return judgement;
}

static const double good[SEEDS] = {-1, -2, -3, -4}, bad[SEEDS] = {-7, -9, -9, -11}; /* means -2.5, -9 */

static void statistics_match_their_closed_forms(void **state)
{
  (void)state;
  const fcps_statistics values = fcps_statistics_of(SEEDS, good);
  assert_near(values.mean, -2.5, 1e-15);
  assert_near(values.sd, sqrt(5.0 / 3.0), 1e-15);
  assert_near(values.se, sqrt(5.0 / 12.0), 1e-15);
  const fcps_statistics gap = fcps_statistics_of_differences(SEEDS, good, bad); /* 6, 7, 6, 7 */
  assert_near(gap.mean, 6.5, 1e-15);
  assert_near(gap.sd, sqrt(1.0 / 3.0), 1e-15);
  assert_true(isnan(fcps_statistics_of(1, good).se));
  assert_true(isnan(fcps_statistics_of(0, good).mean));

  double ratio, se;
  const double twice[SEEDS] = {-2, -4, -6, -8};
  fcps_statistics_spread(SEEDS, twice, good, &ratio, &se);
  assert_near(ratio, 2.0, 1e-15);
  assert_near(se, 2.0 / sqrt(3.0), 1e-15);
}

static void a_number_is_judged_by_two_standard_errors(void **state)
{
  (void)state;
  assert_int_equal(fcps_verdict_of_number(2.01, 1), FCPS_VERDICT_BETTER);
  assert_int_equal(fcps_verdict_of_number(1.99, 1), FCPS_VERDICT_REPRODUCED);
  assert_int_equal(fcps_verdict_of_number(-1.99, 1), FCPS_VERDICT_REPRODUCED);
  assert_int_equal(fcps_verdict_of_number(-2.01, 1), FCPS_VERDICT_NOT_REPRODUCED);
  assert_int_equal(fcps_verdict_of_number(NAN, 1), FCPS_VERDICT_NOT_JUDGED);
  assert_int_equal(fcps_verdict_of_number(5, NAN), FCPS_VERDICT_NOT_JUDGED);
}

/* What chance could turn is undecided, for claims of the paper and for ours. */
static void a_gap_is_judged_by_two_standard_errors(void **state)
{
  (void)state;
  assert_int_equal(fcps_verdict_of_gap(2.01, 1, false), FCPS_VERDICT_REPRODUCED);
  assert_int_equal(fcps_verdict_of_gap(1.99, 1, false), FCPS_VERDICT_UNDECIDED);
  assert_int_equal(fcps_verdict_of_gap(-1.99, 1, false), FCPS_VERDICT_UNDECIDED);
  assert_int_equal(fcps_verdict_of_gap(-2.01, 1, false), FCPS_VERDICT_NOT_REPRODUCED);
  assert_int_equal(fcps_verdict_of_gap(2.01, 1, true), FCPS_VERDICT_MET);
  assert_int_equal(fcps_verdict_of_gap(1.99, 1, true), FCPS_VERDICT_UNDECIDED);
  assert_int_equal(fcps_verdict_of_gap(-2.01, 1, true), FCPS_VERDICT_NOT_MET);
  assert_int_equal(fcps_verdict_of_gap(0, 0, false), FCPS_VERDICT_UNDECIDED);
  assert_int_equal(fcps_verdict_of_gap(1, NAN, false), FCPS_VERDICT_NOT_JUDGED);
  assert_int_equal(fcps_verdict_of_own_level(0), FCPS_VERDICT_MET);
  assert_int_equal(fcps_verdict_of_own_level(-0.1), FCPS_VERDICT_NOT_MET);
  assert_int_equal(fcps_verdict_of_own_level(NAN), FCPS_VERDICT_NOT_JUDGED);
}

/* Our mean is -2.5 with variance 5/12; the paper's of deviation s over ten runs has s^2/10. */
static void a_value_counts_the_uncertainty_of_both_sides(void **state)
{
  (void)state;
  made_up *made = make_up(good, bad);
  const double se = sqrt(5.0 / 12.0 + 1.5 * 1.5 / 10.0);
  fcps_claim claim = {.kind = FCPS_CLAIM_VALUE,
                      .row_count = 1,
                      .rows = {0},
                      .measure = FCPS_MEASURE_CUMULATIVE,
                      .episode = EPISODES,
                      .paper_sd = 1.5};
  claim.paper_mean = -2.5 - 2.01 * se;
  fcps_judgement judgement = judge(made, &claim);
  assert_int_equal(judgement.verdict, FCPS_VERDICT_BETTER);
  assert_near(judgement.ours, -2.5, 1e-14);
  assert_near(judgement.se, sqrt(5.0 / 12.0), 1e-14);
  assert_string_equal(judgement.claim, "good: cumulative reward after 20 episodes");
  claim.paper_mean = -2.5 - 1.99 * se;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_REPRODUCED);
  claim.paper_mean = -2.5 + 2.01 * se;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_REPRODUCED);
  claim.paper_sd = NAN; /* without a deviation of the paper's only ours counts */
  claim.paper_mean = -2.5 + 1.99 * sqrt(5.0 / 12.0);
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_REPRODUCED);
  claim.episode = EPISODES + 1; /* a quick look ends before */
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_JUDGED);
  unmake(made);
}

static void an_order_holds_when_every_mean_is_below_the_one_before(void **state)
{
  (void)state;
  made_up *made = make_up(good, bad);
  fcps_claim claim = {.kind = FCPS_CLAIM_ORDER,
                      .where = "Table I",
                      .row_count = 2,
                      .rows = {0, 1},
                      .measure = FCPS_MEASURE_OFFLINE,
                      .episode = EPISODES};
  fcps_judgement judgement = judge(made, &claim);
  assert_int_equal(judgement.verdict, FCPS_VERDICT_REPRODUCED);
  assert_near(judgement.ours, 6.5, 1e-14);
  assert_near(judgement.se, sqrt(1.0 / 12.0), 1e-14);
  assert_string_equal(judgement.paper, "good > Bad one");
  assert_non_null(strstr(judgement.detail, "good -2.50, Bad one -9.00"));
  claim.where = NULL;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_MET);
  claim.rows[0] = 1;
  claim.rows[1] = 0;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_MET);
  claim.where = "Table I";
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_REPRODUCED);
  unmake(made);
}

static void an_order_that_chance_could_turn_is_undecided(void **state)
{
  (void)state;
  const double close[SEEDS] = {-2, -1, -4, -3.1}; /* hardly worse than good */
  made_up *made = make_up(good, close);
  fcps_claim claim = {.kind = FCPS_CLAIM_ORDER,
                      .where = "Table I",
                      .row_count = 2,
                      .rows = {0, 1},
                      .measure = FCPS_MEASURE_OFFLINE,
                      .episode = EPISODES};
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_UNDECIDED);
  claim.rows[0] = 1;
  claim.rows[1] = 0;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_UNDECIDED);
  unmake(made);
}

/* Seeds are paired: a difference that every seed has is sure, however much the seeds differ. */
static void a_small_gap_that_every_seed_has_holds(void **state)
{
  (void)state;
  const double sure[SEEDS] = {-1.5, -2.6, -3.5, -4.6}; /* close below good, and surely */
  made_up *made = make_up(good, sure);
  fcps_claim claim = {
      .kind = FCPS_CLAIM_ORDER, .row_count = 2, .rows = {0, 1}, .measure = FCPS_MEASURE_OFFLINE, .episode = EPISODES};
  const fcps_judgement judgement = judge(made, &claim);
  assert_int_equal(judgement.verdict, FCPS_VERDICT_MET);
  assert_near(judgement.ours, 0.55, 1e-14);
  unmake(made);
}

static void a_quick_look_judges_nothing(void **state)
{
  (void)state;
  made_up *made = make_up(good, bad);
  const fcps_claim claim = {
      .kind = FCPS_CLAIM_ORDER, .row_count = 2, .rows = {0, 1}, .measure = FCPS_MEASURE_OFFLINE, .episode = EPISODES};
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_MET);
  made->experiment->is_quick = true;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_JUDGED);
  unmake(made);
}

/* The mean after ten episodes is -1.5, with a standard error of 0.65. */
static void a_level_of_the_paper_may_be_undecided_and_one_of_ours_is_met_or_not(void **state)
{
  (void)state;
  made_up *made = make_up(good, bad);
  fcps_claim claim = {.kind = FCPS_CLAIM_REACHES,
                      .row_count = 1,
                      .rows = {0},
                      .measure = FCPS_MEASURE_OFFLINE,
                      .episode = 10,
                      .level = -1.6};
  fcps_judgement judgement = judge(made, &claim);
  assert_int_equal(judgement.verdict, FCPS_VERDICT_MET);
  assert_non_null(strstr(judgement.detail, "within two standard errors of the level"));
  claim.level = -1.4;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_MET);
  claim.level = -4.0;
  assert_string_equal(judge(made, &claim).detail, "");
  claim.where = "Sec. V-A";
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_REPRODUCED);
  claim.level = -1.6;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_UNDECIDED);
  claim.level = 0.0;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_REPRODUCED);
  assert_string_equal(judge(made, &claim).paper, "≥ 0.000");
  claim.level = -0.026; /* -0.029 would seem to meet -0.03 */
  assert_string_equal(judge(made, &claim).paper, "≥ -0.026");
  claim.level = -105;
  assert_string_equal(judge(made, &claim).paper, "≥ -105");
  unmake(made);
}

static void a_curve_is_the_mean_of_its_evaluations(void **state)
{
  (void)state;
  made_up *made = make_up(good, bad);
  double values[SEEDS];
  fcps_experiment_results_measure(&made->results, 0, FCPS_MEASURE_CURVE, EPISODES, values);
  assert_near(values[0], -0.5, 1e-15); /* (0 + -1) / 2 */
  fcps_experiment_results_measure(&made->results, 0, FCPS_MEASURE_CURVE, 10, values);
  assert_near(values[0], 0.0, 1e-15);
  fcps_experiment_results_measure(&made->results, 0, FCPS_MEASURE_CURVE, 9, values);
  assert_true(isnan(values[0]));
  unmake(made);
}

static void seen_and_unseen_contexts_are_told_apart(void **state)
{
  (void)state;
  made_up *made = make_up(good, bad);
  fcps_claim claim = {.kind = FCPS_CLAIM_DIFFERENCE,
                      .row_count = 2,
                      .rows = {0, 1},
                      .measure = FCPS_MEASURE_SEEN,
                      .episode = EPISODES,
                      .paper_mean = 6.5,
                      .paper_sd = NAN};
  fcps_judgement judgement = judge(made, &claim);
  assert_near(judgement.ours, 6.5, 1e-14);
  assert_int_equal(judgement.verdict, FCPS_VERDICT_REPRODUCED);
  assert_string_equal(judgement.paper, "+6.50");
  claim.measure = FCPS_MEASURE_UNSEEN;
  judgement = judge(made, &claim);
  assert_near(judgement.ours, 13.0, 1e-14);
  assert_int_equal(judgement.verdict, FCPS_VERDICT_BETTER);
  unmake(made);

  const double close[SEEDS] = {-2, -1, -4, -3.1}; /* what cannot be told from nothing says nothing of the paper's */
  made = make_up(good, close);
  claim.measure = FCPS_MEASURE_SEEN;
  claim.paper_mean = 0.5;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_UNDECIDED);
  unmake(made);
}

static void a_spread_is_a_ratio_of_deviations(void **state)
{
  (void)state;
  made_up *made = make_up(good, bad);
  fcps_claim claim = {.kind = FCPS_CLAIM_SPREAD,
                      .row_count = 2,
                      .rows = {1, 0},
                      .measure = FCPS_MEASURE_OFFLINE,
                      .episode = EPISODES,
                      .level = 1.2};
  const double ratio = sqrt(8.0 / 3.0) / sqrt(5.0 / 3.0); /* 1.265 */
  assert_near(judge(made, &claim).ours, ratio, 1e-14);
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_MET);
  claim.level = 1.3;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_MET);
  unmake(made);
}

/* Offline values after ten episodes are the last ones plus one. */
static void a_level_is_reached_when_the_median_seed_is_there(void **state)
{
  (void)state;
  made_up *made = make_up(good, bad); /* after 10 episodes 0, -1, -2, -3; after 20 -1, -2, -3, -4 */
  fcps_claim claim = {.kind = FCPS_CLAIM_WITHIN,
                      .row_count = 1,
                      .rows = {0},
                      .measure = FCPS_MEASURE_OFFLINE,
                      .episode = 10,
                      .level = -2};
  assert_near(judge(made, &claim).ours, 10, 0); /* the fourth never gets there */
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_MET);
  assert_non_null(strstr(judge(made, &claim).detail, "3 of 4"));
  for (int i = 0; i < 2; i++)
    made->offline[i][9] = -9; /* now only after 20 */
  claim.level = -1.5;
  assert_true(isinf(judge(made, &claim).ours));
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_MET);
  claim.level = -2;
  assert_near(judge(made, &claim).ours, 20, 0);
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_MET);
  claim.episode = EPISODES + 1;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_JUDGED);
  unmake(made);
}

/* Two series over the values 0, 1 and 4: the first gains `slope` per step on the second, each seed a little more. */
static void a_trend_is_the_mean_slope_of_the_difference(void **state)
{
  (void)state;
  enum { POINTS = 3 };
  const test_folder folder = folder_create();
  fcps_experiment *experiment =
      example_open(&folder, "name: example\ntitle: A sweep\ntask: stage\nepisodes: 20\nevaluate: 10\nseeds: 1-4\n"
                            "sweep: {setting: targets, values: [0, 1, 4]}\n" EXAMPLE_LEARNERS);
  double values[2 * POINTS * SEEDS][EPISODES] = {{0}}, scratch[2 * SEEDS], a[SEEDS], b[SEEDS];
  fcps_experiment_run_result runs[2 * POINTS * SEEDS];
  for (int i = 0; i < 2 * POINTS * SEEDS; i++) {
    const int row = i / SEEDS, seed = i % SEEDS;
    const double x = experiment->rows[row].x, world = 3.0 * seed - x * x;
    values[i][EPISODES - 1] = row < POINTS ? world + (0.5 + 0.1 * seed) * x + 7 : world;
    runs[i] = (fcps_experiment_run_result){.episodes = EPISODES, .cumulative = values[i]};
  }
  const fcps_experiment_results results = {.experiment = experiment, .runs = runs, .scratch = scratch};
  fcps_claim claim = {.kind = FCPS_CLAIM_TREND,
                      .row_count = 2,
                      .rows = {0, POINTS},
                      .measure = FCPS_MEASURE_CUMULATIVE,
                      .episode = EPISODES};
  fcps_judgement judgement;
  fcps_judge(&results, &claim, a, b, &judgement);
  assert_near(judgement.ours, 0.65, 1e-12);
  assert_near(judgement.se, 0.1 * sqrt(5.0 / 3.0) / 2, 1e-12);
  assert_int_equal(judgement.verdict, FCPS_VERDICT_MET);
  claim.rows[0] = POINTS;
  claim.rows[1] = 0;
  fcps_judge(&results, &claim, a, b, &judgement);
  assert_near(judgement.ours, -0.65, 1e-12);
  assert_int_equal(judgement.verdict, FCPS_VERDICT_NOT_MET);
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

static void a_median_lies_in_the_middle(void **state)
{
  (void)state;
  double odd[] = {5, -1, 3}, even[] = {4, 1, INFINITY, 2};
  assert_near(fcps_statistics_median(3, odd), 3, 0);
  assert_near(fcps_statistics_median(4, even), 3, 0);
  assert_true(isnan(fcps_statistics_median(0, odd)));
}

/* The good row ends at -2.5 and the bad one at -9; where random parameters earn -22, -9 loses a third of the way. */
static void a_mishap_costs_a_share_of_the_way_to_random_parameters(void **state)
{
  (void)state;
  made_up *made = make_up(good, bad);
  for (int i = 0; i < SEEDS; i++)
    made->runs[i].random = -22.0;
  fcps_claim claim = {.kind = FCPS_CLAIM_COSTS,
                      .row_count = 2,
                      .rows = {1, 0},
                      .measure = FCPS_MEASURE_OFFLINE,
                      .episode = EPISODES,
                      .level = 0.34};
  fcps_judgement judgement = judge(made, &claim);
  assert_near(judgement.ours, 1.0 / 3.0, 1e-14);
  assert_near(judgement.se, sqrt(1.0 / 3.0 / SEEDS) / 19.5, 1e-14);
  assert_int_equal(judgement.verdict, FCPS_VERDICT_MET);
  claim.level = 0.33;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_MET);
  for (int i = 0; i < SEEDS; i++)
    made->runs[i].random = NAN;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_JUDGED);
  unmake(made);
}

static void what_falls_and_what_is_misjudged_stays_below_a_level(void **state)
{
  (void)state;
  made_up *made = make_up(good, bad);
  for (int i = 0; i < SEEDS; i++) {
    made->runs[i].fallen = i == 0 ? 0.2 : 0.0;
    made->runs[i].expected = 1.1 * good[i];
    made->runs[i].kept.earned = good[i];
  }
  fcps_claim claim = {.kind = FCPS_CLAIM_STAYS,
                      .row_count = 1,
                      .rows = {0},
                      .measure = FCPS_MEASURE_FALLEN,
                      .episode = EPISODES,
                      .level = 0.05};
  assert_near(judge(made, &claim).ours, 0.05, 1e-15);
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_MET);
  claim.measure = FCPS_MEASURE_MISJUDGED;
  assert_near(judge(made, &claim).ours, 0.1, 1e-14);
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_MET);
  unmake(made);
}

/* Shares of 0.9, 0.9, 0.9 and 1 in the first row, of 0.8 in the second: 0.925 alone, 0.8625 together. */
static void a_share_lies_between_two_levels(void **state)
{
  (void)state;
  made_up *made = make_up(good, bad);
  for (int i = 0; i < SEEDS; i++) {
    made->runs[i].kept = (fcps_intervals_kept){.outcomes = i == 0 ? 1.0 : 0.9, .rewards = 0.5};
    made->runs[SEEDS + i].kept = (fcps_intervals_kept){.outcomes = 0.8, .rewards = NAN};
  }
  fcps_claim claim = {.kind = FCPS_CLAIM_BETWEEN,
                      .row_count = 1,
                      .rows = {0, 1},
                      .measure = FCPS_MEASURE_OUTCOMES_INSIDE,
                      .episode = EPISODES,
                      .level = 0.9,
                      .most = 0.98};
  assert_near(judge(made, &claim).ours, 0.925, 1e-15);
  assert_near(judge(made, &claim).se, 0.025, 1e-15);
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_MET);
  claim.most = 0.92;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_MET);
  claim.row_count = 2;
  assert_near(judge(made, &claim).ours, 0.8625, 1e-15);
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_MET);
  claim.level = 0.85;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_MET);
  claim.measure = FCPS_MEASURE_REWARDS_INSIDE;
  assert_int_equal(judge(made, &claim).verdict, FCPS_VERDICT_NOT_JUDGED);
  unmake(made);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_share_lies_between_two_levels),
      cmocka_unit_test(a_mishap_costs_a_share_of_the_way_to_random_parameters),
      cmocka_unit_test(what_falls_and_what_is_misjudged_stays_below_a_level),
      cmocka_unit_test(statistics_match_their_closed_forms),
      cmocka_unit_test(a_number_is_judged_by_two_standard_errors),
      cmocka_unit_test(a_value_counts_the_uncertainty_of_both_sides),
      cmocka_unit_test(a_gap_is_judged_by_two_standard_errors),
      cmocka_unit_test(an_order_holds_when_every_mean_is_below_the_one_before),
      cmocka_unit_test(an_order_that_chance_could_turn_is_undecided),
      cmocka_unit_test(a_small_gap_that_every_seed_has_holds),
      cmocka_unit_test(a_quick_look_judges_nothing),
      cmocka_unit_test(a_level_of_the_paper_may_be_undecided_and_one_of_ours_is_met_or_not),
      cmocka_unit_test(a_curve_is_the_mean_of_its_evaluations),
      cmocka_unit_test(seen_and_unseen_contexts_are_told_apart),
      cmocka_unit_test(a_spread_is_a_ratio_of_deviations),
      cmocka_unit_test(a_level_is_reached_when_the_median_seed_is_there),
      cmocka_unit_test(a_trend_is_the_mean_slope_of_the_difference),
      cmocka_unit_test(a_median_lies_in_the_middle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

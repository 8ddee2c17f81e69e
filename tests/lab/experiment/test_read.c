/* SPDX-License-Identifier: Apache-2.0 */
/* The file of an experiment: a whole one, and tables of mistakes with their positions. */
#include "base/settings.h"
#include "lab/experiment/example.h"

#include "lab/experiment/experiment_impl.h"

static fcps_error open_error(const char *text)
{
  const test_folder folder = folder_create();
  const char *path = folder_file(&folder, "example.yaml");
  fcps_experiment *experiment = (fcps_experiment *)&folder; /* must become NULL */
  fcps_error error = {0};
  file_write(path, text);
  const fcps_status status = fcps_experiment_open(&experiment, path, &error);
  if (status == FCPS_OK) fail_msg("this was not refused:\n%s", text);
  assert_int_equal(status, error.status);
  assert_null(experiment);
  folder_remove(&folder);
  return error;
}

/* Refused at this line and column, with this message. */
static void assert_refused_at(const char *text, fcps_status status, int line, int column, const char *words)
{
  const fcps_error error = open_error(text);
  char said[1024];
  fcps_error_format(&error, sizeof said, said);
  if (error.status != status || error.line != line || error.column != column || strstr(said, words) == NULL) {
    fail_msg("expected %s at %d:%d with \"%s\", got %s: %s", fcps_status_text(status), line, column, words,
             fcps_status_text(error.status), said);
  }
}

static void a_whole_file_is_read(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment =
      example_open(&folder, EXAMPLE_HEAD EXAMPLE_BOXES EXAMPLE_LEARNERS
                   "claims:\n"
                   "  - {claim: c, kind: difference, rows: [good, bad], measure: unseen, at: 20, paper: [4]}\n"
                   "figures:\n"
                   "  - {kind: curves, name: f, title: t, measure: offline, rows: [bad]}\n");
  const fcps_experiment_info info = fcps_experiment_describe(experiment);
  assert_string_equal(info.name, "example");
  assert_string_equal(info.task, "cannon");
  assert_int_equal(info.learner_count, 2);
  assert_int_equal(info.seed_count, 4);
  assert_int_equal(info.episodes, 20);
  assert_int_equal(info.claim_count, 1);
  assert_int_equal(fcps_experiment_run_count(experiment), 8);
  assert_int_equal(experiment->box_count, 2);
  assert_near(experiment->boxes[4 + 2], -11, 0);          /* of the second box, the lower y */
  assert_string_equal(experiment->rows[0].title, "good"); /* the label if there is no title */
  assert_string_equal(experiment->rows[0].settings[0].value, "se");
  assert_near(experiment->claims[0].paper_mean, 4, 0);
  assert_true(isnan(experiment->claims[0].paper_sd));
  assert_int_equal(experiment->figures[0].rows[0], 1);
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

static void numbers_of_the_paper_in_a_row_are_claims(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment = example_open(
      &folder, EXAMPLE_HEAD "learners:\n  - {label: a, learner: random, paper: {10: [-5, 1], 20: [-9, 2]}}\n");
  assert_int_equal(experiment->claim_count, 2);
  assert_int_equal(experiment->claims[1].kind, FCPS_CLAIM_VALUE);
  assert_int_equal(experiment->claims[1].episode, 20);
  assert_near(experiment->claims[1].paper_mean, -9, 0);
  assert_near(experiment->claims[1].paper_sd, 2, 0);
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

/* Rows of ours, and a second row with the same numbers, show the paper's number and are not judged by it. */
static void each_number_of_the_paper_is_one_claim(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment = example_open(
      &folder, EXAMPLE_HEAD "learners:\n  - {label: b, learner: random, ours: true, paper: {10: [-5, 1]}}\n"
                            "  - {label: a, learner: random, paper: {10: [-5, 1]}}\n"
                            "  - {label: c, learner: bo-cps, paper: {10: [-5, 1], 20: [-9, 2]}}\n");
  assert_int_equal(experiment->claim_count, 2);
  assert_int_equal(experiment->claims[0].rows[0], 1);
  assert_int_equal(experiment->claims[1].rows[0], 2);
  assert_int_equal(experiment->claims[1].episode, 20);
  assert_int_equal(experiment->rows[0].paper_count, 1);
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

static void a_preset_gives_settings_that_a_row_may_change(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment = example_open(
      &folder, EXAMPLE_HEAD "learners:\n  - {label: a, learner: bo-cps, preset: paper}\n"
                            "  - {label: b, learner: bo-fcps, preset: paper, settings: {kappa: 2, design: maximin}}\n"
                            "  - {label: c, learner: c-reps, preset: paper}\n");
  const fcps_setting *a = experiment->rows[0].settings, *b = experiment->rows[1].settings;
  assert_string_equal(fcps_setting_value(a, "search"), "direct");
  assert_string_equal(fcps_setting_value(a, "length_prior_sd"), "0.25");
  assert_string_equal(fcps_setting_value(b, "length_prior_sd"), "0.25");
  assert_string_equal(fcps_setting_value(b, "kappa"), "2");
  assert_string_equal(fcps_setting_value(b, "design"), "maximin");
  int kappas = 0;
  for (; b->name != NULL; b++)
    kappas += strcmp(b->name, "kappa") == 0;
  assert_int_equal(kappas, 1);
  assert_string_equal(fcps_setting_value(experiment->rows[2].settings, "memory"), "30");
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: bo-cps, preset: papr}\n", FCPS_ERR_UNKNOWN_NAME, 8,
                    41, "did you mean paper");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: crkr, preset: paper}\n", FCPS_ERR_UNSUPPORTED, 8,
                    39, "has no settings for crkr");
}

static void a_claim_is_ours_unless_it_says_where_it_is_in_the_paper(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment =
      example_open(&folder, EXAMPLE_HEAD EXAMPLE_LEARNERS
                   "claims:\n  - {claim: c, kind: order, measure: offline, rows: [good, bad], at: 20}\n"
                   "  - {claim: d, kind: order, measure: offline, rows: [good, bad], at: 20, where: Sec. V-A}\n"
                   "  - {claim: e, kind: difference, measure: offline, rows: [good, bad], at: 20, paper: [1]}\n");
  assert_true(fcps_claim_is_ours(&experiment->claims[0]));
  assert_false(fcps_claim_is_ours(&experiment->claims[1]));
  assert_string_equal(experiment->claims[1].where, "Sec. V-A");
  assert_false(fcps_claim_is_ours(&experiment->claims[2]));
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

static void a_wrong_protocol_is_refused_with_its_position(void **state)
{
  (void)state;
  assert_refused_at(EXAMPLE_HEAD "learner: x\n" EXAMPLE_LEARNERS, FCPS_ERR_UNKNOWN_NAME, 7, 1, "did you mean learners");
  assert_refused_at(EXAMPLE_HEAD, FCPS_ERR_FORMAT, 1, 1, "learners: is missing");
  assert_refused_at(EXAMPLE_HEAD "learners: []\n", FCPS_ERR_BOUNDS, 7, 11, "from 1 to 64 learners");
  assert_refused_at("name: Big Name\ntitle: t\n", FCPS_ERR_FORMAT, 1, 7, "cannot name files");
  assert_refused_at("name: a\ntitle: t\nepisodes: 0\n", FCPS_ERR_BOUNDS, 3, 11, "out of range");
  assert_refused_at("name: a\ntitle: t\nepisodes: many\n", FCPS_ERR_FORMAT, 3, 11, "a whole number");
  assert_refused_at("name: a\ntitle: t\nepisodes: 5\nevaluate: 1\nseeds: 3-1\n", FCPS_ERR_ARGUMENT, 5, 8,
                    "list of different seeds");
}

static void a_wrong_task_is_refused_with_its_position(void **state)
{
  (void)state;
#define BEFORE_TASK "name: a\ntitle: t\nepisodes: 5\nevaluate: 1\n"
  assert_refused_at(BEFORE_TASK "task: canon\n" EXAMPLE_LEARNERS, FCPS_ERR_UNKNOWN_NAME, 5, 7, "did you mean cannon");
  assert_refused_at(BEFORE_TASK "task: {name: cannon, settings: {gird: 3}}\n" EXAMPLE_LEARNERS, FCPS_ERR_UNKNOWN_NAME,
                    5, 39, "grid");
  assert_refused_at(BEFORE_TASK "task: {name: cannon, settings: {grid: 1}}\n" EXAMPLE_LEARNERS, FCPS_ERR_BOUNDS, 5, 39,
                    "grid");
  assert_refused_at(BEFORE_TASK "task: {name: cannon, kind: x}\n" EXAMPLE_LEARNERS, FCPS_ERR_UNKNOWN_NAME, 5, 22,
                    "kind");
}

static void a_wrong_learner_is_refused_with_its_position(void **state)
{
  (void)state;
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: bo-fpcs}\n", FCPS_ERR_UNKNOWN_NAME, 8, 25,
                    "did you mean bo-fcps");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: bo-fcps, settings: {kapa: 1}}\n",
                    FCPS_ERR_UNKNOWN_NAME, 8, 51, "kappa");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: bo-fcps, settings: {kappa: -1}}\n",
                    FCPS_ERR_BOUNDS, 8, 52, "kappa");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: bo-fcps, settings: {hindsight: on}}\n",
                    FCPS_ERR_UNSUPPORTED, 8, 56, "hindsight");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: random}\n  - {label: a, learner: random}\n",
                    FCPS_ERR_CONFLICT, 9, 13, "already the label");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: random, color: red}\n", FCPS_ERR_UNKNOWN_NAME, 8,
                    33, "color");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: random, paper: {21: [1, 2]}}\n", FCPS_ERR_BOUNDS,
                    8, 45, "not an episode of this experiment");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: random, paper: {20: [1]}}\n", FCPS_ERR_FORMAT, 8,
                    45, "expected 2 numbers");
}

static void wrong_boxes_are_refused_with_their_position(void **state)
{
  (void)state;
  assert_refused_at(EXAMPLE_HEAD "contexts: {boxes: []}\n" EXAMPLE_LEARNERS, FCPS_ERR_FORMAT, 7, 19, "empty");
  assert_refused_at(EXAMPLE_HEAD "contexts: {boxes: [{z: [0, 1]}]}\n" EXAMPLE_LEARNERS, FCPS_ERR_UNKNOWN_NAME, 7, 24,
                    "'z' is not a target or environment dimension");
  assert_refused_at(EXAMPLE_HEAD "contexts: {boxes: [{x: [1, 0]}]}\n" EXAMPLE_LEARNERS, FCPS_ERR_BOUNDS, 7, 24,
                    "within [-11, 11]");
  assert_refused_at(EXAMPLE_HEAD "contexts: {boxes: [{x: [0, 12]}]}\n" EXAMPLE_LEARNERS, FCPS_ERR_BOUNDS, 7, 24,
                    "within [-11, 11]");
  assert_refused_at(EXAMPLE_HEAD "contexts: {balls: []}\n" EXAMPLE_LEARNERS, FCPS_ERR_UNKNOWN_NAME, 7, 12, "boxes");
}

#define CLAIM(text) EXAMPLE_HEAD EXAMPLE_LEARNERS "claims:\n  - {claim: c, " text "}\n"

static void wrong_claims_are_refused_with_their_position(void **state)
{
  (void)state;
  assert_refused_at(CLAIM("kind: ordr, measure: offline, rows: [good, bad], at: 20"), FCPS_ERR_UNKNOWN_NAME, 11, 22,
                    "did you mean order");
  assert_refused_at(CLAIM("kind: order, measure: ofline, rows: [good, bad], at: 20"), FCPS_ERR_UNKNOWN_NAME, 11, 38,
                    "did you mean offline");
  assert_refused_at(CLAIM("kind: order, measure: offline, rows: [good, bd], at: 20"), FCPS_ERR_UNKNOWN_NAME, 11, 60,
                    "did you mean bad");
  assert_refused_at(CLAIM("kind: order, measure: offline, rows: [good], at: 20"), FCPS_ERR_FORMAT, 11, 53,
                    "from 2 to 64 labels");
  assert_refused_at(CLAIM("kind: reaches, measure: offline, rows: [good, bad], at: 20, level: 1"), FCPS_ERR_FORMAT, 11,
                    55, "from 1 to 1 labels");
  assert_refused_at(CLAIM("kind: order, measure: offline, rows: [good, bad], at: 21"), FCPS_ERR_BOUNDS, 11, 70, "at");
  assert_refused_at(CLAIM("kind: order, measure: offline, rows: [good, bad], at: 15"), FCPS_ERR_UNSUPPORTED, 11, 70,
                    "no evaluation after 15");
  assert_refused_at(CLAIM("kind: order, measure: seen, rows: [good, bad], at: 20"), FCPS_ERR_UNSUPPORTED, 11, 38,
                    "no unseen contexts");
  assert_refused_at(CLAIM("kind: value, measure: offline, rows: [good], at: 20"), FCPS_ERR_FORMAT, 11, 5,
                    "paper: is missing");
  assert_refused_at(CLAIM("kind: reaches, measure: offline, rows: [good], at: 20"), FCPS_ERR_FORMAT, 11, 5,
                    "level: is missing");
  assert_refused_at(CLAIM("kind: order, measure: offline, rows: [good, bad], at: 20, level: 1"), FCPS_ERR_FORMAT, 11,
                    81, "has no meaning here");
  assert_refused_at(CLAIM("kind: order, measure: offline, rows: [good, bad], at: 20, p: 1"), FCPS_ERR_UNKNOWN_NAME, 11,
                    74, "p: ");
  assert_refused_at(CLAIM("kind: between, measure: offline, rows: [good, bad], at: 20, levels: [2, 1]"),
                    FCPS_ERR_FORMAT, 11, 84, "must not be above the second");
  assert_refused_at(CLAIM("kind: between, measure: offline, rows: [good, bad], at: 20, levels: [2]"), FCPS_ERR_FORMAT,
                    11, 84, "expected 2 numbers");
  assert_refused_at(CLAIM("kind: order, measure: offline, rows: [good, bad], at: 20, levels: [1, 2]"), FCPS_ERR_FORMAT,
                    11, 82, "has no meaning here");
  assert_refused_at(CLAIM("kind: stays, measure: rewards_inside, rows: [good], at: 10, level: 1"), FCPS_ERR_UNSUPPORTED,
                    11, 72, "only after the last episode");
  assert_refused_at(EXAMPLE_HEAD EXAMPLE_BOXES EXAMPLE_LEARNERS
                    "claims:\n  - {claim: c, kind: order, measure: seen, rows: [good, bad], at: 10}\n",
                    FCPS_ERR_UNSUPPORTED, 15, 67, "only after the last episode");
}

/* A row compared with itself is always equal: such a claim would be reproduced whatever happens. */
static void a_claim_that_compares_a_learner_with_itself_is_refused(void **state)
{
  (void)state;
  assert_refused_at(CLAIM("kind: order, measure: offline, rows: [good, good], at: 20"), FCPS_ERR_CONFLICT, 11, 60,
                    "\"good\" is named twice");
  assert_refused_at(CLAIM("kind: order, measure: offline, rows: [good, bad, good], at: 20"), FCPS_ERR_CONFLICT, 11, 65,
                    "named twice");
  assert_refused_at(CLAIM("kind: difference, measure: offline, rows: [bad, bad], at: 20, paper: [0]"),
                    FCPS_ERR_CONFLICT, 11, 64, "named twice");
  assert_refused_at(CLAIM("kind: spread, measure: offline, rows: [bad, bad], at: 20, level: 1"), FCPS_ERR_CONFLICT, 11,
                    60, "named twice");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: random}\n  - {label: b, learner: random}\n"
                                 "claims:\n  - {claim: c, kind: order, measure: offline, rows: [a, b], at: 20}\n",
                    FCPS_ERR_CONFLICT, 11, 57, "\"b\" is the same learner with the same settings as \"a\"");
  assert_refused_at(CLAIM("kind: order, measure: offline, rows: [], at: 20"), FCPS_ERR_FORMAT, 11, 53,
                    "expected from 2");
  assert_refused_at(CLAIM("kind: value, measure: offline, rows: [good], at: 20, paper: [1, -2]"), FCPS_ERR_BOUNDS, 11,
                    80, "standard deviation");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: random, paper: {10: [1, -2]}}\n", FCPS_ERR_BOUNDS,
                    8, 49, "standard deviation");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: \"\", learner: random}\n", FCPS_ERR_FORMAT, 8, 13,
                    "cannot name files");
}

#define FIGURE(text) EXAMPLE_HEAD EXAMPLE_LEARNERS "figures:\n  - {" text "}\n"

static void wrong_figures_are_refused_with_their_position(void **state)
{
  (void)state;
  assert_refused_at(FIGURE("kind: pie, name: f, title: t, rows: [bad]"), FCPS_ERR_UNKNOWN_NAME, 11, 12, "curves, maps");
  assert_refused_at(FIGURE("kind: curves, name: f, title: t, rows: [bad], measure: seen"), FCPS_ERR_UNSUPPORTED, 11, 61,
                    "offline or cumulative");
  assert_refused_at(FIGURE("kind: maps, name: f, title: t, rows: [bad], measure: offline"), FCPS_ERR_FORMAT, 11, 59,
                    "has no meaning here");
  assert_refused_at(FIGURE("kind: maps, name: f, title: t, rows: []"), FCPS_ERR_FORMAT, 11, 43, "from 1 to 64 labels");
  assert_refused_at(FIGURE("kind: maps, name: a/b, title: t, rows: [bad]"), FCPS_ERR_FORMAT, 11, 24,
                    "cannot name files");
  assert_refused_at(FIGURE("kind: maps, name: f, title: t, rows: [bad, bad]"), FCPS_ERR_CONFLICT, 11, 49,
                    "named twice");
  assert_refused_at(
      FIGURE("kind: maps, name: f, title: t, rows: [bad]}\n  - {kind: maps, name: f, title: u, rows: [bad]"),
      FCPS_ERR_CONFLICT, 12, 24, "\"f\" is already the name of another figure");
}

#define SWEPT(sweep, rest)                                                                                             \
  "name: example\ntitle: A sweep\ntask: stage\nepisodes: 20\nevaluate: 10\nsweep: " sweep "\n" EXAMPLE_LEARNERS rest

static void a_swept_setting_makes_a_series_of_each_learner(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment = example_open(
      &folder, SWEPT("{setting: targets, values: [0, 1, 3], title: share}",
                     "claims:\n  - {claim: c, kind: trend, measure: cumulative, rows: [bad, good], at: 20}\n"
                     "figures:\n  - {kind: sweep, name: f, title: t, measure: offline, rows: [bad], against: good}\n"));
  assert_int_equal(experiment->row_count, 6);
  assert_string_equal(experiment->rows[1].label, "good-1");
  assert_string_equal(experiment->rows[5].label, "bad-3");
  assert_string_equal(experiment->rows[5].title, "Bad one, targets 3");
  assert_string_equal(experiment->rows[5].series, "bad");
  assert_near(experiment->rows[5].x, 3, 0);
  for (int i = 0; i < 6; i++) {
    const fcps_row *row = &experiment->rows[i];
    assert_int_equal(fcps_experiment_row_problem(experiment, row)->target.count, (int)row->x);
  }
  assert_int_equal(experiment->claims[0].rows[0], 3); /* the first of the series */
  assert_int_equal(experiment->claims[0].rows[1], 0);
  assert_int_equal(experiment->figures[0].rows[0], 3);
  assert_int_equal(experiment->figures[0].against, 0);
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

static void a_row_may_have_a_task_of_its_own(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment =
      example_open(&folder, "name: a\ntitle: t\ntask: {name: cannon-active, settings: {grid: 3, presence: learnt}}\n"
                            "episodes: 20\nevaluate: 10\nlearners:\n"
                            "  - {label: one, learner: random}\n"
                            "  - {label: two, learner: random, task_settings: {presence: known}}\n"
                            "  - {label: three, learner: random, task: reach, task_settings: {unit: 3}}\n");
  assert_int_equal(fcps_experiment_row_problem(experiment, &experiment->rows[2])->parameters.count, 3);
  assert_string_equal(experiment->rows[2].task_settings[0].name, "unit");
  assert_null(experiment->rows[2].task_settings[1].name);
  assert_int_equal(fcps_experiment_first_in_world(experiment, 2), 2);
  assert_null(fcps_experiment_row_problem(experiment, &experiment->rows[0])->presence);
  assert_non_null(fcps_experiment_row_problem(experiment, &experiment->rows[1])->presence);
  const fcps_setting *settings = experiment->rows[1].task_settings;
  assert_string_equal(settings[0].name, "grid");
  assert_string_equal(settings[1].name, "presence");
  assert_string_equal(settings[1].value, "known");
  assert_null(settings[2].name);
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

static void an_unknown_task_of_a_row_is_refused_with_its_position(void **state)
{
  (void)state;
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: random, task: reech}\n", FCPS_ERR_UNKNOWN_NAME, 8,
                    39, "reach");
}

static void wrong_sweeps_are_refused_with_their_position(void **state)
{
  (void)state;
  assert_refused_at(SWEPT("{setting: targets, values: [1]}", ""), FCPS_ERR_FORMAT, 6, 35, "two values");
  assert_refused_at(SWEPT("{setting: targets, values: [1, 2, 01]}", ""), FCPS_ERR_CONFLICT, 6, 42, "is given twice");
  assert_refused_at(
      SWEPT("{setting: targets, values: [0, 1]}",
            "figures:\n  - {kind: sweep, name: f, title: t, measure: offline, rows: [bad, good], against: good}\n"),
      FCPS_ERR_CONFLICT, 11, 84, "is also among the rows");
  assert_refused_at(SWEPT("{setting: targets, values: [1, 9]}", ""), FCPS_ERR_BOUNDS, 6, 39, "targets");
  assert_refused_at(SWEPT("{setting: crosstalk, values: [0, 0.3]}", ""), FCPS_ERR_FORMAT, 6, 41, "whole numbers");
  assert_refused_at(SWEPT("{setting: tagets, values: [1, 2]}", ""), FCPS_ERR_UNKNOWN_NAME, 6, 35, "targets");
  assert_refused_at(EXAMPLE_HEAD EXAMPLE_BOXES "sweep: {setting: hills, values: [1, 2]}\n" EXAMPLE_LEARNERS,
                    FCPS_ERR_UNSUPPORTED, 11, 33, "belong to one task");
  assert_refused_at(EXAMPLE_HEAD "learners:\n  - {label: a, learner: random, task_settings: {hils: 1}}\n",
                    FCPS_ERR_UNKNOWN_NAME, 8, 55, "did you mean hills");
  assert_refused_at(CLAIM("kind: trend, measure: offline, rows: [good, bad], at: 20"), FCPS_ERR_UNSUPPORTED, 11, 22,
                    "sweep: ");
  assert_refused_at(CLAIM("kind: within, measure: curve, rows: [good], at: 20, level: 1"), FCPS_ERR_UNSUPPORTED, 11, 39,
                    "needs `measure: offline`");
  assert_refused_at(FIGURE("kind: sweep, name: f, title: t, rows: [bad], measure: offline"), FCPS_ERR_UNSUPPORTED, 11,
                    12, "sweep: ");
  assert_refused_at(FIGURE("kind: curves, name: f, title: t, rows: [bad], measure: offline, against: good"),
                    FCPS_ERR_FORMAT, 11, 79, "only figures of kind sweep");
}

#define LINE(text)  EXAMPLE_HEAD EXAMPLE_LEARNERS "lines:\n  - {" text "}\n"
#define PANEL(text) EXAMPLE_HEAD EXAMPLE_LEARNERS "panel: {" text "}\n"

static void wrong_lines_and_panels_are_refused_with_their_position(void **state)
{
  (void)state;
  assert_refused_at(LINE("title: t, value: -1"), FCPS_ERR_FORMAT, 11, 5, "made_by: is missing");
  assert_refused_at(LINE("title: t, value: low, made_by: m"), FCPS_ERR_FORMAT, 11, 23, "value");
  assert_refused_at(LINE("title: t, value: -1, made_by: m, colour: red"), FCPS_ERR_UNKNOWN_NAME, 11, 39, "colour");
  assert_refused_at(EXAMPLE_HEAD EXAMPLE_LEARNERS "oracle: 200\n", FCPS_ERR_UNSUPPORTED, 10, 9,
                    "cannon has no search by rollouts");
  assert_refused_at(EXAMPLE_HEAD EXAMPLE_LEARNERS "oracle: 1\n", FCPS_ERR_BOUNDS, 10, 9, "out of range");
  assert_refused_at(PANEL("figure: a b, title: t"), FCPS_ERR_FORMAT, 10, 17, "cannot name files");
  assert_refused_at(PANEL("figure: f, title: t, picture: {time: 1}"), FCPS_ERR_UNSUPPORTED, 10, 39, "cannot be filmed");
}

static void seeds_are_ranges_and_lists(void **state)
{
  (void)state;
  static const char *const wrong[] = {"", "a", "1-", "-1", "1,", ",1", "1 2", "3-1", "1,1", "1-3,2", "1-99999", "1.5"};
  uint64_t *seeds = NULL;
  int count = 0;
  fcps_error error = {0};
  assert_ok(fcps_seeds_read("1-3,7", &seeds, &count, &error));
  assert_int_equal(count, 4);
  assert_int_equal(seeds[2], 3);
  assert_int_equal(seeds[3], 7);
  free(seeds);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    seeds = NULL;
    if (fcps_seeds_read(wrong[i], &seeds, &count, &error) != FCPS_ERR_ARGUMENT) fail_msg("\"%s\" was read", wrong[i]);
  }
}

static void a_quick_look_cuts_seeds_and_episodes(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment =
      example_open(&folder, "name: a\ntitle: t\ntask: cannon\nepisodes: 150\nevaluate: 10\n" EXAMPLE_LEARNERS);
  assert_int_equal(fcps_experiment_describe(experiment).seed_count, 30); /* the default */
  fcps_experiment_set_quick(experiment);
  assert_int_equal(fcps_experiment_describe(experiment).seed_count, 2);
  assert_int_equal(fcps_experiment_describe(experiment).episodes, 50);
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

static void the_experiments_that_come_along_can_be_read(void **state)
{
  (void)state;
  static const char *const names[] = {"table1",       "acquisition",     "generalization",
                                      "active",       "outcome",         "active-outcome",
                                      "factor-share", "future-work",     "future-work-active",
                                      "ordinary-day", "calibration",     "accuracy",
                                      "departures",   "many-parameters", "limits"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[512], words[1024];
    fcps_experiment *experiment = NULL;
    fcps_error error = {0};
    snprintf(path, sizeof path, TEST_SOURCE_DIR "/experiments/%s.yaml", names[i]);
    if (fcps_experiment_open(&experiment, path, &error) != FCPS_OK) {
      fail_msg("%s", fcps_error_format(&error, sizeof words, words));
    }
    assert_string_equal(fcps_experiment_describe(experiment).name, names[i]);
    assert_int_equal(fcps_experiment_describe(experiment).seed_count, 30);
    fcps_experiment_destroy(experiment);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_whole_file_is_read),
      cmocka_unit_test(numbers_of_the_paper_in_a_row_are_claims),
      cmocka_unit_test(each_number_of_the_paper_is_one_claim),
      cmocka_unit_test(a_preset_gives_settings_that_a_row_may_change),
      cmocka_unit_test(a_claim_is_ours_unless_it_says_where_it_is_in_the_paper),
      cmocka_unit_test(a_wrong_protocol_is_refused_with_its_position),
      cmocka_unit_test(a_wrong_task_is_refused_with_its_position),
      cmocka_unit_test(a_wrong_learner_is_refused_with_its_position),
      cmocka_unit_test(wrong_boxes_are_refused_with_their_position),
      cmocka_unit_test(wrong_claims_are_refused_with_their_position),
      cmocka_unit_test(a_claim_that_compares_a_learner_with_itself_is_refused),
      cmocka_unit_test(wrong_figures_are_refused_with_their_position),
      cmocka_unit_test(a_swept_setting_makes_a_series_of_each_learner),
      cmocka_unit_test(a_row_may_have_a_task_of_its_own),
      cmocka_unit_test(an_unknown_task_of_a_row_is_refused_with_its_position),
      cmocka_unit_test(wrong_sweeps_are_refused_with_their_position),
      cmocka_unit_test(wrong_lines_and_panels_are_refused_with_their_position),
      cmocka_unit_test(seeds_are_ranges_and_lists),
      cmocka_unit_test(a_quick_look_cuts_seeds_and_episodes),
      cmocka_unit_test(the_experiments_that_come_along_can_be_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

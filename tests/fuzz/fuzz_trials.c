/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the life of a learner: which learner, which problem, which settings, then asks, choices, results of any
 * kind, given-up asks, policies. What is asked lies within its bounds; a learner that is saved and made again goes on
 * with the same bits; what fails has words.
 *
 * An input is a byte for the problem, one for the learner, a byte with the number of settings and two bytes for each
 * (which, and which value), then the steps: a byte for the kind of step, and what it needs. A number is one byte: some
 * values are numbers that hurt, the others lie evenly between the bounds. At most twelve steps are done.
 */
#include "fuzz.h"
#include "kinds.h"

#include <fcps/problem_file.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_STEPS = 12, MOST_CHOSEN = 4 };

/* -- Settings -- */

/* A value of a setting: a choice, on or off, or one of its two bounds. Numbers of the cheap settings stay. */
static bool take_value(const fcps_setting_spec *spec, uint8_t byte, size_t size, char *value)
{
  int choices = 0;
  switch (spec->kind) {
  case FCPS_SETTING_CHOICE:
  case FCPS_SETTING_WORDS:
    while (spec->choice(choices) != NULL)
      choices++;
    snprintf(value, size, "%s", spec->choice(byte % choices));
    return strcmp(spec->name, "acquisition") != 0 || is_cheap_acquisition(value);
  case FCPS_SETTING_SWITCH:
    snprintf(value, size, "%s", byte % 2 ? "on" : "off");
    return true;
  case FCPS_SETTING_NUMBER:
    snprintf(value, size, "%.17g", byte % 2 ? spec->upper : spec->lower);
    return true;
  case FCPS_SETTING_INTEGER:
    return false;
  }
  return false;
}

static void take_settings(input *in, const fcps_learner_info *info, fcps_setting settings[MOST_FUZZ_SETTINGS])
{
  static char values[MOST_CHOSEN][64];
  int count = cheap_settings(info, settings), rows = 0;
  while (fcps_setting_at(info->settings, rows) != NULL)
    rows++;
  const int chosen = take_byte(in) % (MOST_CHOSEN + 1);
  for (int i = 0; i < chosen && rows > 0; i++) {
    const fcps_setting_spec *spec = fcps_setting_at(info->settings, take_byte(in) % rows);
    bool is_new = take_value(spec, take_byte(in), sizeof values[i], values[i]);
    for (int k = 0; k < count; k++)
      is_new = is_new && strcmp(settings[k].name, spec->name) != 0;
    if (is_new) settings[count++] = (fcps_setting){spec->name, values[i]};
  }
  settings[count] = (fcps_setting){NULL, NULL};
}

/* -- Numbers -- */

static double take_number(input *in, double lower, double upper)
{
  static const double hurtful[] = {NAN,   INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324,
                                   1e300, -1e300,   0.0,       -0.0,    1e100,    1e-100};
  enum { HURTFUL = (int)(sizeof hurtful / sizeof *hurtful) };
  const uint8_t byte = take_byte(in);
  if (byte >= 256 - HURTFUL) return hurtful[255 - byte];
  return lower + (upper - lower) * byte / (255 - HURTFUL);
}

static void take_point(input *in, const fcps_space *space, double *point)
{
  for (int i = 0; i < space->count; i++) {
    const fcps_dimension *d = &space->dims[i];
    const bool is_bounded = isfinite(d->lower) && isfinite(d->upper) && d->lower < d->upper;
    point[i] = take_number(in, is_bounded ? d->lower : -10, is_bounded ? d->upper : 10);
  }
}

static void check_bounds(const fcps_space *space, const double *point)
{
  for (int i = 0; i < space->count; i++)
    if (!(point[i] >= space->dims[i].lower && point[i] <= space->dims[i].upper)) abort();
}

/* -- Steps -- */

typedef struct life {
  input *in;
  const fcps_problem *problem;
  fcps_learner *learner;
  int64_t pending; /* the last ask; FCPS_NOT_ASKED: none */
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX], parameters[FCPS_SPACE_MAX], outcome[FCPS_SPACE_MAX];
  double deviation[FCPS_SPACE_MAX];
} life;

static void check_words(const life *l, fcps_status status)
{
  if (status != FCPS_OK && !fcps_learner_error(l->learner)->message[0]) abort();
}

static void ask(life *l, bool is_choice)
{
  int64_t id = 0;
  take_point(l->in, &l->problem->target, l->target);
  take_point(l->in, &l->problem->environment, l->environment);
  const fcps_status status = is_choice
                                 ? fcps_learner_choose(l->learner, NULL, l->target, l->environment, l->parameters, &id)
                                 : fcps_learner_ask(l->learner, l->target, l->environment, l->parameters, &id);
  check_words(l, status);
  if (status != FCPS_OK) return;
  check_bounds(&l->problem->target, l->target);
  check_bounds(&l->problem->environment, l->environment);
  check_bounds(&l->problem->parameters, l->parameters);
  l->pending = id;
}

static void tell(life *l)
{
  const uint8_t kind = take_byte(l->in);
  fcps_rollout rollout = {.target = l->target, .environment = l->environment, .parameters = l->parameters};
  if (kind & 1) take_point(l->in, &l->problem->parameters, l->parameters); /* not what was asked */
  if (kind & 2) take_point(l->in, &l->problem->environment, l->environment);
  if (kind & 4) l->pending = FCPS_NOT_ASKED;
  if (!(kind & 8)) rollout.outcome = l->outcome;
  take_point(l->in, &l->problem->outcome, l->outcome);
  if ((kind & 48) == 32) rollout.outcome_deviation = l->deviation;
  for (int i = 0; i < l->problem->outcome.count && rollout.outcome_deviation != NULL; i++)
    l->deviation[i] = take_number(l->in, 0, 10);
  rollout.reward = take_number(l->in, -10, 0);
  rollout.hindsight_reward = take_number(l->in, -10, 0);
  rollout.status = kind & 16 ? (fcps_rollout_status)(kind >> 5) : FCPS_ROLLOUT_OK;
  check_words(l, fcps_learner_tell(l->learner, l->pending, &rollout));
  l->pending = FCPS_NOT_ASKED;
}

static void query(life *l)
{
  fcps_policy *policy = NULL;
  const fcps_status made = fcps_learner_policy(l->learner, &policy);
  check_words(l, made);
  if (made != FCPS_OK) return;
  fcps_prediction prediction = {0};
  take_point(l->in, &l->problem->target, l->target);
  take_point(l->in, &l->problem->environment, l->environment);
  const fcps_status status = fcps_policy_query(policy, l->target, l->environment, l->parameters, &prediction);
  if (status == FCPS_OK)
    check_bounds(&l->problem->parameters, l->parameters);
  else if (!fcps_policy_error(policy)->message[0])
    abort();
  fcps_policy_destroy(policy);
}

/* The same learner, made from its own text: both then ask the same. */
static void save_and_load(life *l)
{
  char *text = NULL;
  fcps_learner *again = NULL;
  double parameters[FCPS_SPACE_MAX];
  int64_t id = 0, other = 0;
  if (fcps_learner_save(l->learner, &text, NULL) != FCPS_OK) abort();
  if (fcps_learner_load(&again, l->problem, text, NULL) != FCPS_OK) abort();
  fcps_free(text);
  take_point(l->in, &l->problem->target, l->target);
  take_point(l->in, &l->problem->environment, l->environment);
  const fcps_status status = fcps_learner_ask(l->learner, l->target, l->environment, l->parameters, &id);
  if (fcps_learner_ask(again, l->target, l->environment, parameters, &other) != status) abort();
  const size_t size = (size_t)l->problem->parameters.count * sizeof *parameters;
  if (status == FCPS_OK && (id != other || memcmp(parameters, l->parameters, size) != 0)) abort();
  if (status == FCPS_OK) l->pending = id;
  fcps_learner_destroy(again);
}

static void live(life *l)
{
  for (int step = 0; step < MOST_STEPS && l->in->size > 0; step++) {
    switch (take_byte(l->in) % 8) {
    case 0:
    case 1:
      ask(l, false);
      break;
    case 2:
      ask(l, true);
      break;
    case 3:
    case 4:
    case 5:
      tell(l);
      break;
    case 6:
      check_words(l, fcps_learner_forget(l->learner, l->pending));
      break;
    default:
      query(l);
    }
  }
  save_and_load(l);
}

/* Read once: an input is about learners. */
static const fcps_problem *find_problem(int index)
{
  static fcps_problem_file *files[FUZZ_PROBLEMS];
  const char *text = fuzz_problems[index];
  if (files[index] == NULL &&
      fcps_problem_file_parse(&files[index], text, strlen(text), "fuzz.yaml", NULL, NULL) != FCPS_OK)
    abort();
  return &files[index]->problem;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  input in = {data, size};
  const fcps_problem *problem = find_problem(take_byte(&in) % FUZZ_PROBLEMS);
  const fcps_learner_info *info = fcps_learner_info_at(take_byte(&in) % count_learners());
  fcps_setting settings[MOST_FUZZ_SETTINGS];
  fcps_error error = {0};
  take_settings(&in, info, settings);
  life l = {.in = &in, .problem = problem, .pending = FCPS_NOT_ASKED};
  if (fcps_learner_create(&l.learner, problem, info->name, settings, 1, &error) == FCPS_OK)
    live(&l);
  else if (l.learner != NULL || !error.message[0])
    abort();
  fcps_learner_destroy(l.learner);
  return 0;
}

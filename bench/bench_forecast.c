/* SPDX-License-Identifier: Apache-2.0 */
/* Whether forecasts hold. The bench does some trials of a study, asks for the forecast, does more trials, and compares what
 * the policy then earns with the band.
 *
 *   bench_forecast [--half a|b|t] [--only NAME] [--seeds FIRST LAST] [--start N] [--kept DIR] [--enough]
 *
 * Half a and b are published functions (lab/problems.h): settings are chosen on a, at seeds from 1000 on; t are built-in tasks. `+20`
 * and `+40` are the shares of studies whose policy, after so many more trials, earns what lies within the band; `below` and
 * `above` are the shares of those of +40 that earn less and more; `now` is the share of policies that earn today what they are
 * believed to. Rewards are means over contexts spread over the whole space, with noise.
 *
 * What a policy earns does not depend on forecasts. So a folder of --kept gets, or has, the study as the forecast sees it and the
 * three rewards, and each further run asks for the forecast alone.
 *
 * --enough tests the stopping rule instead: a study is learnt until `status` says "enough", and then goes on for 40 trials. `said` is
 * the share of studies that come so far within 120 trials, `trials` the mean number of trials until then, and `more` the share of these
 * whose policies then gain more than was promised, in contexts without noise. The same names with `-cheap` are those of the rule
 * without its rehearsal. */
#include "door/door.h"
#include "lab/problems.h"
#include "measure.h"

#include <fcps/fcps.h>
#include <fcps/lab/task.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MORE = 40, LOOKS = 8, CONTEXTS = 200, REPEATS = 2, MOST_SEEDS = 100, PATH = 4096 };

typedef struct options {
  bool enough;
  char half;
  const char *only;
  uint64_t first, last;
  int start;
  const char *kept;
} options;

/* A problem, and what runs its trials: a function of the lab, or a task. */
typedef struct world {
  const lab_problem *lab;
  fcps_task *task;
  const fcps_problem *problem;
  uint64_t draws;
  int64_t runs;
  bool is_exact; /* trials have no noise */
} world;

/* Steele, Lea & Flood, 2014. */
static double uniform(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
  const double radius = sqrt(-2.0 * log(1.0 - uniform(state)));
  return radius * cos(2.0 * 3.14159265358979323846 * uniform(state));
}

/* Spread evenly: by the powers of the root of x^(d+1) = x + 1. */
static void spread_context(const world *w, int index, double *target, double *environment)
{
  const int t = w->problem->target.count, d = t + w->problem->environment.count;
  double root = 1.5, share = 1.0;
  for (int i = 0; i < 60; i++)
    root = pow(1.0 + root, 1.0 / (d + 1));
  for (int i = 0; i < d; i++) {
    share /= root;
    const double at = fmod(0.5 + share * (index + 1), 1.0);
    if (i < t)
      target[i] = fcps_dimension_at(w->problem->target.dims + i, at);
    else
      environment[i - t] = fcps_dimension_at(w->problem->environment.dims + i - t, at);
  }
}

static void draw_context(world *w, double *target, double *environment)
{
  for (int i = 0; i < w->problem->target.count; i++)
    target[i] = fcps_dimension_at(w->problem->target.dims + i, uniform(&w->draws));
  for (int i = 0; i < w->problem->environment.count; i++)
    environment[i] = fcps_dimension_at(w->problem->environment.dims + i, uniform(&w->draws));
}

/* Does a trial; it may fail, or have no outcome. */
static fcps_rollout try_out(world *w, const double *environment, const double *parameters, double *outcome)
{
  fcps_rollout rollout = {.outcome = outcome};
  if (w->lab != NULL)
    w->lab->run(environment, parameters, w->is_exact ? 0.0 : normal(&w->draws), outcome);
  else
    measure_require(fcps_task_run(w->task, w->runs, environment, parameters, outcome, &rollout), "run");
  w->runs++;
  return (fcps_rollout){.outcome = rollout.outcome, .status = rollout.status};
}

static void make_trials(world *w, fcps_study *study, int count)
{
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX], outcome[FCPS_SPACE_MAX];
  for (int i = 0; i < count; i++) {
    fcps_ask ask;
    fcps_error error;
    draw_context(w, target, environment);
    measure_require(fcps_study_ask(study, NULL, target, environment, &ask, &error), "ask");
    const fcps_result result = {.rollout = try_out(w, environment, ask.parameters, outcome)};
    measure_require(fcps_study_tell(study, ask.id, &result, NULL, &error), "tell");
  }
}

/* What the policy earns: mean over contexts; trials that go wrong are left out. */
static double earn(world *w, fcps_study *study)
{
  static double targets[CONTEXTS * FCPS_SPACE_MAX], environments[CONTEXTS * FCPS_SPACE_MAX],
      parameters[CONTEXTS * FCPS_SPACE_MAX];
  const fcps_problem *p = w->problem;
  const size_t t = (size_t)p->target.count, e = (size_t)p->environment.count, n = (size_t)p->parameters.count;
  double outcome[FCPS_SPACE_MAX], sum = 0.0;
  fcps_policy *policy = NULL;
  int count = 0;
  for (size_t i = 0; i < CONTEXTS; i++)
    spread_context(w, (int)i, targets + i * t, environments + i * e);
  measure_require(fcps_study_policy(study, &policy, NULL), "policy");
  measure_require(fcps_policy_query_batch(policy, CONTEXTS, targets, environments, parameters, NULL, NULL), "query");
  fcps_policy_destroy(policy);
  for (size_t i = 0; i < CONTEXTS * REPEATS; i++) {
    const size_t c = i % CONTEXTS;
    const fcps_rollout r = try_out(w, environments + c * e, parameters + c * n, outcome);
    const bool present = r.outcome != NULL;
    double reward = NAN;
    if (r.status == FCPS_ROLLOUT_OK)
      measure_require(
          p->reward(p->user, 1, targets + c * t, environments + c * e, parameters + c * n, outcome, &present, &reward),
          "reward");
    if (!isfinite(reward)) continue;
    sum += reward;
    count++;
  }
  return sum / count;
}

/* -- A forecast -- */

typedef struct band {
  double low, median, high;
} band;

static band read_band(const fcps_json *json)
{
  return (band){fcps_json_get_number(json, "low", NAN), fcps_json_get_number(json, "median", NAN),
                fcps_json_get_number(json, "high", NAN)};
}

static void forecast(fcps_study *study, band looks[LOOKS + 1])
{
  fcps_door *door = NULL;
  fcps_json *json = NULL;
  char *text = NULL;
  fcps_error error;
  measure_require(fcps_door_open_study(&door, study, NULL, NULL), "door");
  measure_require(fcps_door_call(door, "forecast", "{\"trials\": 40}", &text, NULL, &error), "forecast");
  measure_require(fcps_json_read(&json, text, strlen(text), "forecast", NULL), "answer");
  for (int i = 0; i <= LOOKS; i++)
    looks[i] = read_band(fcps_json_at(fcps_json_get(json, "curve"), i));
  fcps_json_destroy(json);
  fcps_free(text);
  fcps_door_close(door);
}

/* -- A study -- */

typedef struct outcome_of_study {
  double now, middle, last, below, above, seconds;
} found;

typedef struct earnings {
  double now, middle, last;
} earnings;

static bool is_within(band b, double value)
{
  return value >= b.low && value <= b.high;
}

static bool read_earnings(const char *path, earnings *e)
{
  FILE *file = fopen(path, "r");
  const bool is_read = file != NULL && fscanf(file, "%lf %lf %lf", &e->now, &e->middle, &e->last) == 3;
  if (file != NULL) fclose(file);
  return is_read;
}

static void write_earnings(const char *path, const earnings *e)
{
  FILE *file = fopen(path, "w");
  measure_require(file != NULL ? FCPS_OK : FCPS_ERR_IO, path);
  fprintf(file, "%.17g %.17g %.17g\n", e->now, e->middle, e->last);
  fclose(file);
}

static void copy_file(const char *from, const char *to)
{
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  char bytes[4096];
  size_t count;
  measure_require(in != NULL && out != NULL ? FCPS_OK : FCPS_ERR_IO, to);
  while ((count = fread(bytes, 1, sizeof bytes, in)) > 0)
    fwrite(bytes, 1, count, out);
  fclose(in);
  fclose(out);
}

/* Does more trials of a study. */
static earnings go_on(world *w, fcps_study *study)
{
  earnings e = {.now = earn(w, study)};
  make_trials(w, study, MORE / 2);
  e.middle = earn(w, study);
  make_trials(w, study, MORE - MORE / 2);
  e.last = earn(w, study);
  return e;
}

static fcps_study *begin(world *w, const char *url, const char *text, const options *o, uint64_t seed)
{
  const fcps_study_setup setup = {.text = text,
                                  .problem = text == NULL ? w->problem : NULL,
                                  .text_name = "problem",
                                  .learner = "outcome",
                                  .seed = seed};
  fcps_study *study = NULL;
  fcps_error error;
  measure_require(fcps_study_create(&study, url, &setup, NULL, &error), error.message);
  w->problem = fcps_study_problem(study);
  w->draws = seed;
  make_trials(w, study, o->start);
  return study;
}

static fcps_study *reopen(world *w, const char *url)
{
  const fcps_study_options given = {.problem = w->lab == NULL ? fcps_task_problem(w->task) : NULL};
  fcps_study *study = NULL;
  fcps_error error;
  measure_require(fcps_study_open(&study, url, &given, &error), url);
  w->problem = fcps_study_problem(study);
  return study;
}

static found compare(const band *looks, const earnings *e, double seconds, uint64_t seed)
{
  const band last = looks[LOOKS];
  if (getenv("FCPS_BENCH_SEEDS") != NULL)
    printf("  seed %d: now %.4g in [%.4g %.4g %.4g], +20 %.4g in [%.4g %.4g %.4g], +40 %.4g in [%.4g %.4g %.4g]\n",
           (int)seed, e->now, looks[0].low, looks[0].median, looks[0].high, e->middle, looks[LOOKS / 2].low,
           looks[LOOKS / 2].median, looks[LOOKS / 2].high, e->last, last.low, last.median, last.high);
  return (found){.now = is_within(looks[0], e->now),
                 .middle = is_within(looks[LOOKS / 2], e->middle),
                 .last = is_within(last, e->last),
                 .below = e->last<last.low, .above = e->last> last.high,
                 .seconds = seconds};
}

static found run(world *w, const char *name, const char *text, const options *o, uint64_t seed)
{
  char studied[PATH], earned[PATH], further[PATH];
  band looks[LOOKS + 1];
  earnings e;
  const char *folder = o->kept != NULL ? o->kept : "";
  snprintf(studied, PATH, "%s/%s-%d-%d.fcps", folder, name, o->start, (int)seed);
  snprintf(earned, PATH, "%s/%s-%d-%d.txt", folder, name, o->start, (int)seed);
  snprintf(further, PATH, "%s/%s-%d-%d-further.fcps", folder, name, o->start, (int)seed);
  const bool is_kept = o->kept != NULL && read_earnings(earned, &e);
  if (o->kept != NULL) {
    if (!is_kept) {
      remove(studied);
      fcps_study_close(begin(w, studied, text, o, seed));
    }
    if (!is_kept) copy_file(studied, further);
  }
  fcps_study *study = o->kept != NULL ? reopen(w, studied) : begin(w, NULL, text, o, seed);
  const double began = measure_seconds();
  forecast(study, looks);
  const double seconds = measure_seconds() - began;
  if (o->kept == NULL) e = go_on(w, study);
  fcps_study_close(study);
  if (o->kept != NULL && !is_kept) {
    study = reopen(w, further);
    e = go_on(w, study);
    fcps_study_close(study);
    remove(further);
    write_earnings(earned, &e);
  }
  return compare(looks, &e, seconds, seed);
}

static void show(const char *name, int count, found f)
{
  measure_row(name, (const measure_value[]){{"now", f.now / count},
                                            {"+20", f.middle / count},
                                            {"+40", f.last / count},
                                            {"below", f.below / count},
                                            {"above", f.above / count},
                                            {"seconds", f.seconds / count},
                                            {NULL, 0}});
  fflush(stdout);
}

static void report(const char *name, const lab_problem *lab, const options *o, found *all)
{
  found sum = {0};
  for (uint64_t seed = o->first; seed <= o->last; seed++) {
    world w = {.lab = lab};
    if (lab == NULL) {
      measure_require(fcps_task_create(&w.task, name, NULL, seed, NULL), name);
      w.problem = fcps_task_problem(w.task);
    }
    const found f = run(&w, name, lab != NULL ? lab->text : NULL, o, seed);
    sum.now += f.now, sum.middle += f.middle, sum.last += f.last, sum.below += f.below, sum.above += f.above,
        sum.seconds += f.seconds;
    fcps_task_destroy(w.task);
  }
  show(name, (int)(o->last - o->first + 1), sum);
  all->now += sum.now, all->middle += sum.middle, all->last += sum.last, all->below += sum.below,
      all->above += sum.above, all->seconds += sum.seconds;
}

/* -- Whether "enough" is right -- */

enum { EVERY = 10, FIRST = 30, MOST = 120 };

/* A rule: whether it has said "enough", after how many trials, what it promised, and what the policy then earned. */
typedef struct verdict {
  bool is_said, is_broken;
  int trials;
  double promised, earned;
} verdict;

static double earn_exactly(world *w, fcps_study *study)
{
  w->is_exact = true;
  const double earned = earn(w, study);
  w->is_exact = false;
  return earned;
}

/* Says "enough" by a rule for the first time, or compares 40 trials later. */
static void watch(verdict *v, world *w, fcps_study *study, bool is_enough, double promised, int trials)
{
  if (!v->is_said && is_enough && trials <= MOST)
    *v = (verdict){.is_said = true, .trials = trials, .promised = promised, .earned = earn_exactly(w, study)};
  else if (v->is_said && trials == v->trials + MORE)
    v->is_broken = earn_exactly(w, study) - v->earned > v->promised;
}

static void judge(const lab_problem *lab, uint64_t seed, verdict *cheap, verdict *whole)
{
  static const char rehearsed[] = "rehearsed";
  world w = {.lab = lab, .draws = seed};
  const fcps_study_setup setup = {.text = lab->text, .text_name = "problem", .learner = "outcome", .seed = seed};
  fcps_study *study = NULL;
  measure_require(fcps_study_create(&study, NULL, &setup, NULL, NULL), lab->name);
  w.problem = fcps_study_problem(study);
  for (int n = EVERY; n <= MOST + MORE; n += EVERY) {
    fcps_policy *policy = NULL;
    fcps_outlook o = {.contexts = 0};
    make_trials(&w, study, EVERY);
    if (n < FIRST) continue;
    if (n <= MOST && !whole->is_said) {
      measure_require(fcps_study_policy(study, &policy, NULL), "policy");
      measure_require(fcps_study_outlook(study, policy, &o, NULL, NULL, NULL), "outlook");
      fcps_policy_destroy(policy);
    }
    const bool is_rehearsed = o.unmet != NULL && strncmp(o.unmet, rehearsed, sizeof rehearsed - 1) == 0;
    const double unrehearsed =
        o.deviation / sqrt(2.0 * 3.14159265358979323846) + fmax(fmax(o.caution_cost, o.edge_gain), o.untried_gain);
    watch(cheap, &w, study, o.is_converged || is_rehearsed, unrehearsed, n);
    watch(whole, &w, study, o.is_converged, o.gain, n);
    if (whole->is_said && n >= whole->trials + MORE) break;
  }
  fcps_study_close(study);
}

static void report_enough(const lab_problem *lab, const options *o)
{
  double said[2] = {0}, trials[2] = {0}, broken[2] = {0};
  for (uint64_t seed = o->first; seed <= o->last; seed++) {
    verdict v[2] = {{.is_said = false}, {.is_said = false}};
    judge(lab, seed, v, v + 1);
    for (int k = 0; k < 2; k++)
      said[k] += v[k].is_said, trials[k] += v[k].trials, broken[k] += v[k].is_broken;
    if (getenv("FCPS_BENCH_SEEDS") != NULL)
      printf("  %s %d: cheap %d at %d broken %d; whole %d at %d broken %d\n", lab->name, (int)seed, v[0].is_said,
             v[0].trials, v[0].is_broken, v[1].is_said, v[1].trials, v[1].is_broken);
  }
  const double studies = (double)(o->last - o->first + 1);
  measure_row(lab->name, (const measure_value[]){{"said-cheap", said[0] / studies},
                                                 {"trials-cheap", trials[0] / said[0]},
                                                 {"more-cheap", broken[0] / said[0]},
                                                 {"said", said[1] / studies},
                                                 {"trials", trials[1] / said[1]},
                                                 {"more", broken[1] / said[1]},
                                                 {NULL, 0}});
  fflush(stdout);
}

static bool read_options(int argc, char **argv, options *o)
{
  for (int i = 1; i < argc; i++) {
    const bool has_next = i + 1 < argc;
    if (strcmp(argv[i], "--half") == 0 && has_next)
      o->half = argv[++i][0];
    else if (strcmp(argv[i], "--only") == 0 && has_next)
      o->only = argv[++i];
    else if (strcmp(argv[i], "--enough") == 0)
      o->enough = true;
    else if (strcmp(argv[i], "--kept") == 0 && has_next)
      o->kept = argv[++i];
    else if (strcmp(argv[i], "--start") == 0 && has_next)
      o->start = atoi(argv[++i]);
    else if (strcmp(argv[i], "--seeds") == 0 && i + 2 < argc)
      o->first = strtoull(argv[++i], NULL, 10), o->last = strtoull(argv[++i], NULL, 10);
    else
      return false;
  }
  return o->start > 0 && o->last >= o->first && o->last - o->first < MOST_SEEDS;
}

int main(int argc, char **argv)
{
  static const char *const tasks[] = {"cannon", "dosing", "reach", "reactor", "stage", NULL};
  options o = {.half = 'a', .first = 1001, .last = 1004, .start = 30};
  found all = {0};
  int problems = 0;
  if (!read_options(argc, argv, &o)) {
    fputs(
        "usage: bench_forecast [--half a|b|t] [--only NAME] [--seeds FIRST LAST] [--start N] [--kept DIR] [--enough]\n",
        stderr);
    return 2;
  }
  measure_begin("forecast", "whether 80 % bands of what further trials bring hold");
  for (const lab_problem *p = lab_problems; p->name != NULL && o.half != 't'; p++) {
    if (o.only != NULL ? strcmp(o.only, p->name) != 0 : p->half != o.half) continue;
    if (o.enough)
      report_enough(p, &o);
    else
      report(p->name, p, &o, &all);
    problems += !o.enough;
  }
  for (int i = 0; tasks[i] != NULL && o.half == 't' && !o.enough; i++) {
    if (o.only != NULL && strcmp(o.only, tasks[i]) != 0) continue;
    report(tasks[i], NULL, &o, &all);
    problems++;
  }
  if (problems > 1) show("all", problems * (int)(o.last - o.first + 1), all);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Forecasts what further trials will bring, from rehearsals of the study: simulated runs ("worlds") whose results are
 * drawn from its model (insight/rehearsal.h). A band goes from the 10 % quantile to the 90 % quantile of the worlds. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/process.h"
#include "insight/rehearsal.h"
#include "operation/call.h"
#include "study/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORLDS = FCPS_OPERATION_WORLDS, TRIALS = 40, TRIALS_FOR_REWARD = 100, LOOKS_MAX = 8 };

/* In HELD of TESTS tests the band for 40 more trials contained the true reward. The tests were problems on which no
 * setting was chosen (docs/lab/forecast.md). */
enum { HELD = 57, TESTS = 71 };
static const double low = 0.1, middle = 0.5, high = 0.9;

typedef struct band {
  double low, median, high;
} band;

typedef struct forecast {
  const fcps_call *call;
  double began; /* the clock at the beginning, in seconds */
  int done;     /* the number of finished worlds */
  fcps_study_rehearsal rehearsal;
  bool has_reward;
  double reward;   /* the wanted reward; only if has_reward */
  double *rewards; /* the rewards of all worlds at each look, sorted */
  /* for each world, the number of trials until it earns the wanted reward, sorted; INFINITY: it never does */
  double *reached;
  band looks[LOOKS_MAX + 1], trials;
  double chance; /* the share of worlds that earn the wanted reward */
} forecast;

static band band_of(int count, const double *sorted)
{
  return (band){fcps_rehearsal_quantile(count, sorted, low), fcps_rehearsal_quantile(count, sorted, middle),
                fcps_rehearsal_quantile(count, sorted, high)};
}

static int trials_at(const forecast *f, int look)
{
  return (int)((int64_t)f->rehearsal.trials * look / f->rehearsal.looks);
}

/* -- The rehearsal -- */

/* Logs the progress of a rehearsal. Returns false to stop it, at the time limit or if its client has gone away. */
static bool say_progress(void *user, int done, int total)
{
  forecast *f = user;
  if (done > f->done)
    fcps_log_say(&f->call->log, FCPS_LOG_INFO, "I_REHEARSED", "rehearsed in %d of %d worlds", done, total);
  f->done = done;
  if (f->call->is_left != NULL && atomic_load(f->call->is_left)) return false;
  return !(f->call->time_limit_s > 0.0) || fcps_clock_seconds() - f->began < f->call->time_limit_s;
}

/* Returns after how many trials a world first earns the wanted reward. Between two looks this is interpolated
 * linearly. */
static double reach(const forecast *f, int world)
{
  double before = NAN;
  for (int at = 0; at <= f->rehearsal.looks; at++) {
    const double reward = f->rewards[at * WORLDS + world];
    if (reward >= f->reward) {
      const double share = at > 0 && reward > before ? (f->reward - before) / (reward - before) : 0.0;
      return at == 0 ? 0.0 : ceil(trials_at(f, at - 1) + share * (trials_at(f, at) - trials_at(f, at - 1)));
    }
    before = reward;
  }
  return INFINITY;
}

static fcps_status rehearse(fcps_call *call, forecast *f, fcps_error *error)
{
  f->rehearsal.looks = f->rehearsal.trials < LOOKS_MAX ? f->rehearsal.trials : LOOKS_MAX;
  f->rewards = fcps_allocate((LOOKS_MAX + 2) * WORLDS, sizeof *f->rewards);
  if (f->rewards == NULL) return fcps_error_memory(error);
  f->reached = f->rewards + (LOOKS_MAX + 1) * WORLDS;
  f->rehearsal.worlds = WORLDS;
  f->rehearsal.progress = say_progress;
  f->rehearsal.user = f;
  f->call = call;
  f->began = fcps_clock_seconds();
  const fcps_status status = fcps_study_rehearse(call->study, &f->rehearsal, f->rewards, error);
  if (status == FCPS_ERR_STOPPED)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "trials",
                          "the forecast would take more than the %.0f seconds that it has here. "
                          "Ask for fewer trials, or use `fcps study forecast` where the study is stored",
                          call->time_limit_s);
  if (status != FCPS_OK) return status;
  for (int w = 0; w < WORLDS; w++) {
    f->reached[w] = reach(f, w);
    f->chance += isfinite(f->reached[w]) ? 1.0 / WORLDS : 0.0;
  }
  qsort(f->reached, WORLDS, sizeof *f->reached, fcps_number_compare);
  for (int at = 0; at <= f->rehearsal.looks; at++) {
    qsort(f->rewards + at * WORLDS, WORLDS, sizeof *f->rewards, fcps_number_compare);
    f->looks[at] = band_of(WORLDS, f->rewards + at * WORLDS);
  }
  return FCPS_OK;
}

/* Returns a quantile of f->reached. It may contain infinite numbers, so the nearest number is taken, without
 * interpolation. */
static double rank(const forecast *f, double share)
{
  return f->reached[(int)floor(share * (WORLDS - 1) + 0.5)];
}

/* -- The answer -- */

static fcps_json *write_band(band b)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "median", fcps_json_from_known(b.median));
  fcps_json_put(&object, "low", fcps_json_from_known(b.low));
  fcps_json_put(&object, "high", fcps_json_from_known(b.high));
  return object;
}

static fcps_json *write_count(double trials)
{
  return isfinite(trials) ? fcps_json_from_integer((int64_t)trials) : fcps_json_null();
}

static void put_curve(fcps_call *call, const forecast *f)
{
  fcps_json *list = fcps_json_array();
  for (int at = 0; at <= f->rehearsal.looks; at++) {
    fcps_json *point = write_band(f->looks[at]);
    fcps_json_put(&point, "trials", fcps_json_from_integer(trials_at(f, at)));
    fcps_json_add(&list, point);
  }
  fcps_json_put(&call->json, "curve", list);
}

static void say_reached(FILE *stream, const forecast *f)
{
  char wanted[FCPS_NUMBER_SIZE];
  fcps_number_show(f->reward, wanted);
  if (isfinite(f->trials.median)) {
    fprintf(stream, "the policy earns %s per context after about %.0f more trials", wanted, f->trials.median);
    if (isfinite(f->trials.high))
      fprintf(stream, "; in 8 of 10 rehearsals between %.0f and %.0f", f->trials.low, f->trials.high);
    else
      fprintf(stream, "; at best after %.0f, but in more than 1 of 10 rehearsals not within %d", f->trials.low,
              f->rehearsal.trials);
  } else
    fprintf(stream,
            "the policy probably does not reach a mean reward of %s within %d more trials: it did in %.0f %% of the "
            "rehearsals",
            wanted, f->rehearsal.trials, 100.0 * f->chance);
}

static void say(FILE *stream, const forecast *f)
{
  char now[FCPS_NUMBER_SIZE], then[2][FCPS_NUMBER_SIZE], median[FCPS_NUMBER_SIZE];
  const band *last = f->looks + f->rehearsal.looks;
  if (f->has_reward) {
    say_reached(stream, f);
    return;
  }
  fprintf(
      stream,
      "with %d more trials the policy earns about %s per context, now about %s; 8 of 10 rehearsals ended between %s "
      "and %s (such bands held in %d of %d tests)",
      f->rehearsal.trials, fcps_number_show(last->median, median), fcps_number_show(f->looks[0].median, now),
      fcps_number_show(last->low, then[0]), fcps_number_show(last->high, then[1]), HELD, TESTS);
}

static fcps_status put_text(fcps_call *call, const forecast *f, const forecast *together, fcps_error *error)
{
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (stream == NULL) return fcps_error_memory(error);
  say(stream, f);
  if (together != NULL && together->has_reward && isfinite(together->trials.median) && isfinite(f->trials.median))
    fprintf(stream, "; with %d side by side it takes as long as %.0f trials one by one", together->rehearsal.parallel,
            ceil(together->trials.median / together->rehearsal.parallel));
  if (fclose(stream) == 0) fcps_json_put(&call->json, "text", fcps_json_from_text(text));
  free(text);
  return FCPS_OK;
}

/* Adds what several robots would change: how much time they save, and which reward the policy then earns. */
static void put_parallel(fcps_call *call, const forecast *one, const forecast *together)
{
  const int robots = together->rehearsal.parallel;
  fcps_json *object = fcps_json_object();
  const double trials = together->has_reward ? together->trials.median : together->rehearsal.trials,
               alone = one->has_reward ? one->trials.median : one->rehearsal.trials;
  fcps_json_put(&object, "robots", fcps_json_from_integer(robots));
  fcps_json_put(&object, "trials", write_count(trials));
  fcps_json_put(&object, "rounds", write_count(ceil(trials / robots)));
  fcps_json_put(&object, "time_saved",
                fcps_json_from_known(
                    isfinite(trials) && isfinite(alone) && alone > 0 ? 1.0 - ceil(trials / robots) / alone : NAN));
  fcps_json_put(&object, "reward", write_band(together->looks[together->rehearsal.looks]));
  fcps_json_put(&call->json, "parallel", object);
}

static fcps_status write_answer(fcps_call *call, const forecast *f, const forecast *together, fcps_error *error)
{
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "trials",
                f->has_reward ? write_count(f->trials.median) : fcps_json_from_integer(f->rehearsal.trials));
  const fcps_status status = put_text(call, f, together, error);
  if (f->has_reward) {
    fcps_json *object = fcps_json_object();
    fcps_json_put(&object, "low", write_count(f->trials.low));
    fcps_json_put(&object, "high", write_count(f->trials.high));
    fcps_json_put(&call->json, "trials_band", object);
    fcps_json_put(&call->json, "wanted", fcps_json_from_number(f->reward));
    fcps_json_put(&call->json, "chance", fcps_json_from_number(f->chance));
  }
  fcps_json_put(&call->json, "reward", write_band(f->looks[f->rehearsal.looks]));
  fcps_json_put(&call->json, "now", write_band(f->looks[0]));
  put_curve(call, f);
  if (together != NULL) put_parallel(call, f, together);
  fcps_json_put(&call->json, "learner", fcps_json_from_text(f->rehearsal.learner));
  return status;
}

static fcps_status make(fcps_call *call, forecast *f, int parallel, fcps_error *error)
{
  f->has_reward = fcps_json_number(fcps_call_get(call, "reward"), &f->reward);
  if (f->has_reward && !isfinite(f->reward))
    return fcps_error_set(error, FCPS_ERR_NOT_FINITE, "reward", "\"reward\" must be a finite number");
  f->rehearsal.trials = (int)fcps_call_integer(call, "trials", f->has_reward ? TRIALS_FOR_REWARD : TRIALS);
  f->rehearsal.parallel = parallel;
  const fcps_status status = rehearse(call, f, error);
  if (status == FCPS_OK) f->trials = (band){rank(f, low), rank(f, middle), rank(f, high)};
  return status;
}

fcps_status fcps_operation_forecast(fcps_call *call, fcps_error *error)
{
  const int parallel = (int)fcps_call_integer(call, "parallel", 1);
  forecast *f = fcps_allocate(2, sizeof *f);
  if (f == NULL) return fcps_error_memory(error);
  fcps_status status = make(call, f, 1, error);
  if (status == FCPS_OK && parallel > 1) status = make(call, f + 1, parallel, error);
  if (status == FCPS_OK) status = write_answer(call, f, parallel > 1 ? f + 1 : NULL, error);
  free(f[0].rewards);
  free(f[1].rewards);
  free(f);
  return status;
}

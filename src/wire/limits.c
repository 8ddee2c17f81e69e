/* SPDX-License-Identifier: Apache-2.0 */
/* Writes limits: the chance that a trial keeps them, and how often trials broke them. */
#include "base/memory.h"
#include "wire/wire.h"

#include <fcps/problem.h>

#include <math.h>
#include <stdlib.h>

/* Puts "limits": {"apex": 0.97} and "chance_of_limits": 0.97. */
void fcps_wire_chances_put(fcps_json **object, const fcps_problem *p, const double *target, const double *environment,
                           const double *parameters, const double *outcome, const double *deviation)
{
  double chances[FCPS_SPACE_MAX], all;
  if (p->limit_count == 0 || p->limit_count > FCPS_SPACE_MAX || outcome == NULL ||
      fcps_problem_limit_chances(p, target, environment, parameters, outcome, deviation, chances, &all, NULL) !=
          FCPS_OK)
    return;
  fcps_json *limits = fcps_json_object();
  for (int i = 0; i < p->limit_count; i++)
    fcps_json_put(&limits, p->limits[i].name, fcps_json_from_known(chances[i]));
  fcps_json_put(object, "limits", limits);
  fcps_json_put(object, "chance_of_limits", fcps_json_from_known(all));
}

/* The results with an outcome, counted for one limit. */
typedef struct tally {
  int results, broken;
  int foretold, surprises; /* results whose ask had a prediction; of these, results that broke the limit */
  double expected;         /* how many of these the predictions expected to break it */
} tally;

static void count(const fcps_problem *p, const fcps_stored_result *stored, tally *tallies)
{
  const fcps_rollout *r = &stored->result.rollout;
  const fcps_expectation *e = &stored->expectation;
  double kept[FCPS_SPACE_MAX], chances[FCPS_SPACE_MAX], all;
  if (!stored->is_used || r->status != FCPS_ROLLOUT_OK || r->outcome == NULL ||
      fcps_problem_limit_chances(p, r->target, r->environment, r->parameters, r->outcome, NULL, kept, &all, NULL) !=
          FCPS_OK)
    return;
  const bool is_foretold =
      e->has_outcome && fcps_problem_limit_chances(p, r->target, r->environment, r->parameters, e->outcome,
                                                   e->outcome_deviation, chances, &all, NULL) == FCPS_OK;
  for (int i = 0; i < p->limit_count; i++) {
    tallies[i].results++;
    tallies[i].broken += !(kept[i] > 0.5);
    tallies[i].foretold += is_foretold;
    if (is_foretold) tallies[i].expected += 1.0 - chances[i];
    if (is_foretold) tallies[i].surprises += !(kept[i] > 0.5);
  }
}

/* Puts "limits": {"apex": {"results": 40, "broken": 2, "foretold": 35, "foretold_broken": 1, "expected": 1.4}}. */
void fcps_wire_limits_put(fcps_json **object, const fcps_study *study)
{
  const fcps_problem *p = fcps_study_problem(study);
  if (p->limit_count == 0 || p->limit_count > FCPS_SPACE_MAX) return;
  tally *tallies = fcps_allocate((size_t)p->limit_count, sizeof *tallies);
  if (tallies == NULL) return;
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    count(p, &stored, tallies);
  }
  fcps_json *limits = fcps_json_object();
  for (int i = 0; i < p->limit_count; i++) {
    fcps_json *one = fcps_json_object();
    fcps_json_put(&one, "results", fcps_json_from_integer(tallies[i].results));
    fcps_json_put(&one, "broken", fcps_json_from_integer(tallies[i].broken));
    fcps_json_put(&one, "foretold", fcps_json_from_integer(tallies[i].foretold));
    fcps_json_put(&one, "foretold_broken", fcps_json_from_integer(tallies[i].surprises));
    fcps_json_put(&one, "expected", fcps_json_from_known(tallies[i].expected));
    fcps_json_put(&limits, p->limits[i].name, one);
  }
  fcps_json_put(object, "limits", limits);
  free(tallies);
}

/* Writes the limits in the form of a problem file: {"apex": {"at_most": "1.2", "chance": 0.95}}. */
fcps_json *fcps_wire_limits_write(const fcps_problem *p)
{
  fcps_json *limits = fcps_json_object();
  for (int i = 0; i < p->limit_count; i++) {
    fcps_json *one = fcps_json_object();
    fcps_json_put_text(&one, "of", p->limits[i].of);
    fcps_json_put_text(&one, "at_most", p->limits[i].at_most);
    fcps_json_put_text(&one, "at_least", p->limits[i].at_least);
    fcps_json_put(&one, "chance", fcps_json_from_number(p->limits[i].chance));
    fcps_json_put(&limits, p->limits[i].name, one);
  }
  return limits;
}

/* Puts the numbers of a safe trial that are given; a context may be given in part. */
static void put_given(fcps_json **trial, const fcps_space *space, const double *values)
{
  for (int d = 0; values != NULL && d < space->count; d++)
    if (!isnan(values[d])) fcps_json_put(trial, space->dims[d].name, fcps_wire_value_write(&space->dims[d], values[d]));
}

fcps_json *fcps_wire_safe_write(const fcps_problem *p)
{
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < p->safe_count; i++) {
    fcps_json *trial = fcps_json_object();
    put_given(&trial, &p->target, p->safe[i].target);
    put_given(&trial, &p->environment, p->safe[i].environment);
    put_given(&trial, &p->parameters, p->safe[i].parameters);
    fcps_json_add(&list, trial);
  }
  return list;
}

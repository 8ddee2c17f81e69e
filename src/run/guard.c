/* SPDX-License-Identifier: Apache-2.0 */
/* Each function holds the study, calls the one that was given, and lets the study go. A callback that is not given stays
 * NULL, so that the loop sees what it has. */
#include "run/loop.h"

#include "study/inside.h"

static bool stop(void *user)
{
  const fcps_run_guard *g = user;
  const bool was_held = fcps_study_set_held(g->study, true), answer = g->given.stop(g->given.user);
  fcps_study_set_held(g->study, was_held);
  return answer;
}

static void context(void *user, int64_t episode, double *target, double *environment)
{
  const fcps_run_guard *g = user;
  const bool was_held = fcps_study_set_held(g->study, true);
  g->given.context(g->given.user, episode, target, environment);
  fcps_study_set_held(g->study, was_held);
}

static fcps_status on_episode(void *user, const fcps_episode *episode)
{
  const fcps_run_guard *g = user;
  const bool was_held = fcps_study_set_held(g->study, true);
  const fcps_status status = g->given.on_episode(g->given.user, episode);
  fcps_study_set_held(g->study, was_held);
  return status;
}

static fcps_status on_offline(void *user, const fcps_offline *offline)
{
  const fcps_run_guard *g = user;
  const bool was_held = fcps_study_set_held(g->study, true);
  const fcps_status status = g->given.on_offline(g->given.user, offline);
  fcps_study_set_held(g->study, was_held);
  return status;
}

static void write_log(void *user, fcps_log_level level, const char *code, const char *message)
{
  const fcps_run_guard *g = user;
  const bool was_held = fcps_study_set_held(g->study, true);
  g->given.log.write(g->given.log.user, level, code, message);
  fcps_study_set_held(g->study, was_held);
}

fcps_run_options fcps_run_guard_options(fcps_run_guard *guard, fcps_study *study, const fcps_run_options *options)
{
  fcps_run_options guarded = *options;
  *guard = (fcps_run_guard){study, *options};
  if (options->stop != NULL) guarded.stop = stop;
  if (options->context != NULL) guarded.context = context;
  if (options->on_episode != NULL) guarded.on_episode = on_episode;
  if (options->on_offline != NULL) guarded.on_offline = on_offline;
  if (options->log.write != NULL) guarded.log = (fcps_log){write_log, guard};
  guarded.user = guard;
  return guarded;
}

fcps_run_patience fcps_run_guard_patience(fcps_run_guard *guard, fcps_study *study, const fcps_run_patience *patience)
{
  fcps_run_patience guarded = *patience;
  *guard = (fcps_run_guard){study, {.stop = patience->stop, .user = patience->user, .log = patience->log}};
  if (patience->stop != NULL) guarded.stop = stop;
  if (patience->log.write != NULL) guarded.log = (fcps_log){write_log, guard};
  guarded.user = guard;
  return guarded;
}

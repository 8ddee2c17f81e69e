/* SPDX-License-Identifier: Apache-2.0 */
/* The whole cannon protocol, 150 episodes and ten seeds: the rewards, and the seconds without the offline evaluation.
 * The oracle is the best possible policy, without noise, on the evaluation grid. */
#include "measure.h"

#include <fcps/fcps.h>
#include <fcps/lab/lab.h>

#include <math.h>
#include <stdio.h>

enum { EPISODES = 150, SEEDS = 10 };

typedef struct learning {
  double cumulative, at[3], offline;
  double start, seconds; /* processor time, without the offline evaluation */
} learning;

static fcps_status on_episode(void *user, const fcps_episode *episode)
{
  learning *l = user;
  l->cumulative += episode->stored.result.rollout.reward;
  l->seconds = measure_seconds() - l->start;
  if (episode->episode % 50 == 0) l->at[episode->episode / 50 - 1] = l->cumulative;
  return FCPS_OK;
}

static fcps_status on_offline(void *user, const fcps_offline *offline)
{
  ((learning *)user)->offline = offline->mean;
  return FCPS_OK;
}

static learning learn(const char *name, const fcps_setting *settings, uint64_t seed)
{
  learning result = {0};
  fcps_task *task;
  fcps_study *study;
  fcps_error error;
  measure_require(fcps_task_create(&task, "cannon", NULL, seed, &error), "cannon");
  const fcps_study_setup setup = {
      .problem = fcps_task_problem(task), .learner = name, .settings = settings, .seed = seed};
  measure_require(fcps_study_create(&study, NULL, &setup, NULL, &error), name);
  const fcps_run_options options = {
      .episodes = EPISODES, .on_episode = on_episode, .on_offline = on_offline, .user = &result};
  result.start = measure_seconds();
  measure_require(fcps_run(study, task, &options, &error), "run");
  fcps_study_close(study);
  fcps_task_destroy(task);
  return result;
}

/* The standard error of the cumulative reward after all episodes. */
static double standard_error(const learning *runs, double mean)
{
  double squares = 0;
  for (int i = 0; i < SEEDS; i++)
    squares += (runs[i].at[2] - mean) * (runs[i].at[2] - mean);
  return sqrt(squares / (SEEDS - 1) / SEEDS);
}

static double oracle(void)
{
  double sum = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    fcps_task *task;
    fcps_error error;
    measure_require(fcps_task_create(&task, "cannon", NULL, seed, &error), "cannon");
    sum += fcps_task_optimum(task);
    fcps_task_destroy(task);
  }
  return sum / SEEDS;
}

int main(void)
{
  static const fcps_setting raw[] = {{"angles", "raw"}, {NULL, NULL}};
  static const struct {
    const char *label, *learner;
    const fcps_setting *settings;
  } rows[] = {{"bo-fcps", "bo-fcps", NULL},
              {"bo-fcps angles=raw", "bo-fcps", raw},
              {"bo-cps", "bo-cps", NULL},
              {"outcome", "outcome", NULL}};
  measure_begin("learn",
                "150 episodes of the cannon, seeds 1 to 10: mean cumulative reward, offline mean, seconds per run");
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    learning runs[SEEDS], mean = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
      const learning one = runs[seed - 1] = learn(rows[r].learner, rows[r].settings, seed);
      for (int i = 0; i < 3; i++)
        mean.at[i] += one.at[i] / SEEDS;
      mean.offline += one.offline / SEEDS;
      mean.seconds += one.seconds / SEEDS;
    }
    measure_row(rows[r].label, (const measure_value[]){{"at 50", mean.at[0]},
                                                       {"at 100", mean.at[1]},
                                                       {"at 150", mean.at[2]},
                                                       {"error", standard_error(runs, mean.at[2])},
                                                       {"offline", mean.offline},
                                                       {"seconds", mean.seconds},
                                                       {NULL, 0}});
  }
  measure_row("oracle", (const measure_value[]){{"at 50", NAN},
                                                {"at 100", NAN},
                                                {"at 150", NAN},
                                                {"error", NAN},
                                                {"offline", oracle()},
                                                {"seconds", NAN},
                                                {NULL, 0}});
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The hot paths, for bench/instructions.sh. Callgrind runs this program and counts the instructions of the path that
 * the argument names, without those before and after. */
#include "measure.h"
#include "shots.h"

#include <stdio.h>
#include <string.h>
#include <valgrind/callgrind.h>

enum { ROLLOUTS = 100, ASKS = 5, TARGETS = 20 };

/* Asks several times after ROLLOUTS rollouts; one of the asks fits the hyper-parameters. */
static void ask(fcps_task *task, const char *name)
{
  double target[2], parameters[3];
  int64_t id;
  fcps_learner *learner = shots_learner(task, name, NULL, ROLLOUTS);
  for (int e = ROLLOUTS; e < ROLLOUTS + ASKS; e++) {
    fcps_task_context(task, e, target, NULL);
    CALLGRIND_TOGGLE_COLLECT;
    measure_require(fcps_learner_ask(learner, target, NULL, parameters, &id), "ask");
    CALLGRIND_TOGGLE_COLLECT;
    shots_tell(task, learner, e, id, parameters);
  }
  fcps_learner_destroy(learner);
}

static void retarget(fcps_task *task, const char *name)
{
  double targets[2 * TARGETS], parameters[3 * TARGETS];
  fcps_policy *policy;
  fcps_learner *learner = shots_learner(task, name, NULL, ROLLOUTS);
  measure_require(fcps_learner_policy(learner, &policy), "policy");
  for (int i = 0; i < TARGETS; i++)
    fcps_task_context(task, 1000 + i, targets + 2 * i, NULL);
  CALLGRIND_TOGGLE_COLLECT;
  measure_require(fcps_policy_query_batch(policy, TARGETS, targets, NULL, parameters, NULL, NULL), "query");
  CALLGRIND_TOGGLE_COLLECT;
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
}

int main(int count, char **arguments)
{
  static const struct {
    const char *path;
    void (*run)(fcps_task *task, const char *name);
    const char *learner;
  } paths[] = {{"ask-bo-fcps", ask, "bo-fcps"},
               {"ask-outcome", ask, "outcome"},
               {"retarget-bo-fcps", retarget, "bo-fcps"},
               {"retarget-outcome", retarget, "outcome"}};
  fcps_task *task;
  fcps_error error;
  measure_require(fcps_task_create(&task, "cannon", NULL, 1, &error), "cannon");
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    if (count == 1) puts(paths[i].path);
    if (count == 2 && strcmp(arguments[1], paths[i].path) == 0) paths[i].run(task, paths[i].learner);
  }
  fcps_task_destroy(task);
  return 0;
}

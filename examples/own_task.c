/* SPDX-License-Identifier: Apache-2.0 */
/* A task of your own: throw a ball to any place in a square. The program learns from 40 throws, then aims at a new
 * place. */
#include <fcps/fcps.h>

#include <math.h>
#include <stdio.h>

/* The robot. Here it is a formula: the landing point of a ball that leaves the ground at 45 degrees. */
static void throw_ball(const double *parameters, double *landing)
{
  const double turn = parameters[0] * 3.14159265 / 180, range = parameters[1] * parameters[1] / 9.81;
  landing[0] = range * cos(turn);
  landing[1] = range * sin(turn);
}

/* The reward: minus the distance to the target. fcps calls it to score old throws for new targets. */
static fcps_status score(void *user, int count, const double *target, const double *environments,
                         const double *parameters, const double *landings, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -hypot(landings[2 * i] - target[0], landings[2 * i + 1] - target[1]);
  return FCPS_OK;
}

int main(void)
{
  const fcps_dimension target[] = {{.name = "x", .lower = -2, .upper = 2}, {.name = "y", .lower = -2, .upper = 2}};
  const fcps_dimension parameters[] = {{.name = "turn", .lower = -180, .upper = 180, .period = 360, .unit = "deg"},
                                       {.name = "speed", .lower = 0.5, .upper = 6, .unit = "m/s"}};
  const fcps_dimension outcome[] = {{.name = "land_x"}, {.name = "land_y"}};
  const fcps_problem problem = {
      .target = {2, target}, .parameters = {2, parameters}, .outcome = {2, outcome}, .reward = score};
  double aim[2], chosen[2], landing[2];
  fcps_policy *policy = NULL;
  fcps_learner *learner;
  fcps_error error;
  fcps_status status = fcps_learner_create(&learner, &problem, "outcome", NULL, 1, &error);

  /* ask, throw, tell */
  for (int i = 0; i < 40 && status == FCPS_OK; i++) {
    aim[0] = 2 * sin(1.0 * i), aim[1] = 2 * sin(1.7 * i);
    int64_t id;
    status = fcps_learner_ask(learner, aim, NULL, chosen, &id);
    if (status != FCPS_OK) break;
    throw_ball(chosen, landing);
    status = fcps_learner_tell(learner, id, &(fcps_rollout){.target = aim, .parameters = chosen, .outcome = landing});
  }

  /* query the policy for a place that was never a target */
  aim[0] = 1.2, aim[1] = -0.8;
  if (status == FCPS_OK) status = fcps_learner_policy(learner, &policy);
  if (status == FCPS_OK) status = fcps_policy_query(policy, aim, NULL, chosen, NULL);
  if (status == FCPS_OK) {
    throw_ball(chosen, landing);
    printf("turn %.0f deg, speed %.2f m/s: lands %.2f m from the target\n", chosen[0], chosen[1],
           hypot(landing[0] - aim[0], landing[1] - aim[1]));
  } else {
    const fcps_error *what = policy != NULL    ? fcps_policy_error(policy)
                             : learner != NULL ? fcps_learner_error(learner)
                                               : &error;
    fprintf(stderr, "%s\n", what->message);
  }
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
  return status != FCPS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A study in C. It stores asks and results before they count, and exports its policy as a text that needs no study.
 *   example_own_study [FILE.fcps]     continues the study if the file exists; without a name it stays in memory */
#include <fcps/fcps.h>

#include <math.h>
#include <stdio.h>

static const char problem[] = "name: throw\n"
                              "target: {x: [0, 5]}\n"
                              "environment: {wind: [-1, 1]}\n"
                              "parameters: {speed: [0, 8], tilt: [0, 1.5]}\n"
                              "outcome: [land]\n"
                              "achieved: {x: land}\n"
                              "reward: -distance - 0.01*speed\n";

/* The robot. Here it is a formula. */
static double throw_ball(const double *wind, const double *parameters)
{
  return parameters[0] * parameters[0] * sin(2 * parameters[1]) / 9.81 + 0.3 * wind[0];
}

static fcps_status open_or_create(fcps_study **study, const char *url, fcps_error *error)
{
  const fcps_study_setup setup = {.text = problem, .text_name = "throw.yaml", .seed = 1};
  bool exists = false;
  const fcps_status status = fcps_study_exists(&exists, url, error);
  if (status != FCPS_OK) return status;
  return exists ? fcps_study_open(study, url, NULL, error) : fcps_study_create(study, url, &setup, NULL, error);
}

/* One trial. The study stores the ask before the robot moves, and the result before it counts. */
static fcps_status try_once(fcps_study *study, double target, double wind, fcps_error *error)
{
  fcps_ask ask;
  const fcps_status status = fcps_study_ask(study, "robot", &target, &wind, &ask, error);
  if (status != FCPS_OK) return status;
  const double land = throw_ball(ask.environment, ask.parameters); /* an unfinished ask is given again, unchanged */
  return fcps_study_tell(study, ask.id, &(fcps_result){.rollout.outcome = &land}, NULL, error);
}

/* Uses the text of the policy, as another program would do with a file. */
static fcps_status use(const char *text, fcps_error *error)
{
  const double target = 3.3, wind = -0.4;
  double parameters[2];
  fcps_policy *policy = NULL;
  fcps_problem_file *file = NULL;
  fcps_status status = fcps_study_load_policy(&policy, &file, text, "throw.policy", error);
  if (status == FCPS_OK) {
    status = fcps_policy_query(policy, &target, &wind, parameters, NULL);
    if (status != FCPS_OK) *error = *fcps_policy_error(policy);
  }
  if (status == FCPS_OK)
    printf("speed %.2f m/s, tilt %.2f: lands %.2f m from the target\n", parameters[0], parameters[1],
           fabs(throw_ball(&wind, parameters) - target));
  fcps_policy_destroy(policy);
  fcps_problem_file_destroy(file);
  return status;
}

int main(int argc, char **argv)
{
  fcps_study *study = NULL;
  fcps_error error = {0};
  char *text = NULL;
  fcps_status status = open_or_create(&study, argc > 1 ? argv[1] : NULL, &error);
  for (int i = 0; i < 25 && status == FCPS_OK; i++)
    status = try_once(study, 2.5 + 2.5 * sin(1.0 * i), sin(1.7 * i), &error);
  if (status == FCPS_OK) status = fcps_study_export_policy(study, &text, &error);
  if (status == FCPS_OK) status = use(text, &error);
  if (status != FCPS_OK) fprintf(stderr, "%s: %s\n", error.field, error.message);
  fcps_free(text);
  fcps_study_close(study);
  return status != FCPS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The asks of every learner in C, for the test that Python asks the same: asks PROBLEM.yaml EPISODES SEED prints a line
 * with learner, episode and the parameters, exactly. Contexts and the throw are those of conftest.py. */
#include <fcps/fcps.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool learn(const fcps_problem *problem, const char *name, int episodes, uint64_t seed, fcps_error *error)
{
  fcps_learner *learner = NULL;
  bool is_fine = fcps_learner_create(&learner, problem, name, NULL, seed, error) == FCPS_OK;
  for (int i = 0; is_fine && i < episodes; i++) {
    const double x = i * 5 % 17 - 8.0, wind = (i * 3 % 11) / 5.0 - 1.0;
    double p[2];
    int64_t id;
    is_fine = fcps_learner_ask(learner, &x, &wind, p, &id) == FCPS_OK;
    const double side = (p[0] - 180) / 180;
    const double outcome[] = {p[1] * side * (2 - fabs(side)) * 0.8 + 0.5 * wind, 0.05 * p[1] * p[1]};
    const fcps_rollout rollout = {
        .target = &x, .environment = &wind, .parameters = p, .outcome = outcome, .reward = NAN};
    if (is_fine) is_fine = fcps_learner_tell(learner, id, &rollout) == FCPS_OK;
    if (is_fine) printf("%s %d %a %a\n", name, i, p[0], p[1]);
    if (!is_fine) *error = *fcps_learner_error(learner);
  }
  fcps_learner_destroy(learner);
  return is_fine;
}

int main(int argc, char **argv)
{
  fcps_problem_file *file = NULL;
  fcps_error error = {0};
  const fcps_learner_info *info;
  bool is_fine = argc == 4 && fcps_problem_file_read(&file, argv[1], &error) == FCPS_OK;
  for (int i = 0; is_fine && (info = fcps_learner_info_at(i)) != NULL; i++)
    is_fine = learn(&file->problem, info->name, atoi(argv[2]), strtoull(argv[3], NULL, 10), &error);
  if (!is_fine) fprintf(stderr, "%s: %s\n", error.field, error.message);
  fcps_problem_file_destroy(file);
  return is_fine ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a saved learner: an error with a message, or a learner that can be saved again. */
#include "fuzz.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const fcps_dimension target[] = {{.name = "x", .lower = 0, .upper = 5}};
static const fcps_dimension parameters[] = {{.name = "speed", .lower = 0, .upper = 3},
                                            {.name = "turn", .lower = 0, .upper = 6, .period = 6}};
static const fcps_dimension outcome[] = {{.name = "land"}};

static fcps_status reward(void *user, int count, const double *wanted, const double *environments, const double *chosen,
                          const double *landed, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)chosen;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? -fabs(wanted[0] - landed[i]) : -9;
  return FCPS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const fcps_problem problem = {
      .target = {1, target}, .parameters = {2, parameters}, .outcome = {1, outcome}, .reward = reward};
  char *text = malloc(size + 1), *saved = NULL;
  if (text == NULL) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  fcps_learner *learner = NULL;
  fcps_error error = {0};
  if (fcps_learner_load(&learner, &problem, text, &error) != FCPS_OK) {
    if (learner != NULL || !error.message[0]) abort();
  } else if (fcps_learner_save(learner, &saved, &error) != FCPS_OK) {
    abort();
  }
  fcps_free(saved);
  fcps_learner_destroy(learner);
  free(text);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a policy file: an error with a message, or a policy that is queried without harm. */
#include "fuzz.h"

#include <fcps/study.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  if (text == NULL) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  fcps_policy *policy = NULL;
  fcps_problem_file *problem = NULL;
  fcps_error error = {0};
  if (fcps_study_load_policy(&policy, &problem, text, "fuzz.policy", &error) == FCPS_OK) {
    static const double zeros[FCPS_SPACE_MAX];
    double parameters[FCPS_SPACE_MAX];
    (void)fcps_policy_query(policy, zeros, zeros, parameters, NULL);
  } else if (policy != NULL || problem != NULL || !error.message[0]) {
    abort();
  }
  fcps_policy_destroy(policy);
  fcps_problem_file_destroy(problem);
  free(text);
  return 0;
}

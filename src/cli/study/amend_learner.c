/* SPDX-License-Identifier: Apache-2.0 */
/* Another learner begins with its defaults. What was set for the old one is named, so that nobody believes that it still
 * counts. */
#include "cli/study/amend_learner.h"

#include "base/error.h"
#include "base/memory.h"
#include "cli/support/shown.h"
#include "format/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_usual(const fcps_study *study, const fcps_setting *setting)
{
  const char *usual = fcps_learner_default(fcps_study_learner(study), setting->name);
  return usual != NULL && strcmp(usual, setting->value) == 0;
}

bool cli_settings_differ(const fcps_study *study)
{
  for (const fcps_setting *s = fcps_study_settings(study); s != NULL && s->name != NULL; s++)
    if (!is_usual(study, s)) return true;
  return false;
}

void cli_settings_print(const fcps_study *study)
{
  const char *before = "";
  for (const fcps_setting *s = fcps_study_settings(study); s != NULL && s->name != NULL; s++) {
    if (is_usual(study, s)) continue;
    printf("%s%s", before, cli_shown(s->name));
    printf("=%s", cli_shown(s->value));
    before = " ";
  }
  if (*before == '\0') printf("the defaults");
}

/* Names those settings of the old learner that the new one was not given. */
static void print_gone(const char *learner, const fcps_setting *old, const fcps_setting *now)
{
  const char *before = "of the old learner, these no longer count: ";
  for (; old != NULL && old->name != NULL; old++) {
    bool is_there = false;
    for (const fcps_setting *n = now; n != NULL && n->name != NULL; n++)
      is_there = is_there || strcmp(n->name, old->name) == 0;
    if (is_there) continue;
    printf("%s%s", before, cli_shown(old->name));
    printf("=%s", cli_shown(old->value));
    before = " ";
  }
  if (*before == ' ') printf(" (%s begins with its defaults; --set changes them)\n", cli_shown(learner));
}

fcps_status cli_amend_learner(fcps_study *study, const char *learner, const fcps_setting *settings, fcps_error *error)
{
  char *name = fcps_copy_text(fcps_study_learner(study));
  fcps_json *json = fcps_json_from_settings(fcps_study_settings(study));
  fcps_setting *old = json != NULL ? fcps_json_settings(json) : NULL;
  fcps_status status = name != NULL && old != NULL ? FCPS_OK : fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_study_amend_learner(study, learner, settings, error);
  if (status == FCPS_OK) {
    printf("learner %s, ", cli_shown(fcps_study_learner(study)));
    cli_settings_print(study);
    printf("\n");
    if (strcmp(name, fcps_study_learner(study)) != 0)
      print_gone(fcps_study_learner(study), old, fcps_study_settings(study));
  }
  free(old);
  fcps_json_destroy(json);
  free(name);
  return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations as notes of the study, {"episode": 20, "mean": -3.25}: a run that goes on knows what it has evaluated. */
#include "base/error.h"
#include "format/json.h"
#include "run/loop.h"

#include <string.h>

static const char code[] = "EVALUATION";

/* Whether a note is the evaluation after this episode. */
static bool read_note(const char *text, int64_t episode, double *mean)
{
  fcps_json *json = NULL;
  int64_t noted = 0;
  const bool is_it = fcps_json_read(&json, text, strlen(text), code, NULL) == FCPS_OK &&
                     fcps_json_integer(fcps_json_get(json, "episode"), &noted) && noted == episode &&
                     fcps_json_number(fcps_json_get(json, "mean"), mean);
  fcps_json_destroy(json);
  return is_it;
}

bool fcps_run_find_offline(const fcps_study *study, int64_t episode, double *mean)
{
  const fcps_study_event *event;
  for (int i = 0; (event = fcps_study_event_at(study, i)) != NULL; i++)
    if (strcmp(event->code, code) == 0 && read_note(event->text, episode, mean)) return true;
  return false;
}

fcps_status fcps_run_note_offline(fcps_study *study, int64_t episode, double mean, fcps_error *error)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "episode", fcps_json_from_integer(episode));
  fcps_json_put(&json, "mean", fcps_json_from_number(mean));
  char *text = fcps_json_finish(json);
  const fcps_status status = text != NULL ? fcps_study_note(study, code, text, error) : fcps_error_memory(error);
  fcps_free(text);
  return status;
}

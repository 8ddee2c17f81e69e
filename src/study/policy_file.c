/* SPDX-License-Identifier: Apache-2.0 */
/* Policy files: the text of the problem, its changes, and the policy in one file.
 *
 * Such a file needs neither the study nor the problem file, and its policy gives the same answers to the last bit. A
 * problem made from callbacks cannot be written down, so its file has the policy alone. */
#include "base/error.h"
#include "base/memory.h"
#include "format/json.h"
#include "study/study_impl.h"

#include <stdlib.h>
#include <string.h>

enum { POLICY_FILE_FORMAT = 1 };

/* Writes the changes as [["reward", "-abs(x)"], ...]; NULL if memory runs out. */
static fcps_json *write_changes(const fcps_study *s)
{
  fcps_json *list = fcps_json_array();
  for (size_t i = 0; list != NULL && i < s->event_count; i++) {
    if (!fcps_study_is_problem_change(&s->events[i])) continue;
    fcps_json *change = fcps_json_array();
    fcps_json_add(&change, fcps_json_from_text(s->events[i].code));
    fcps_json_add(&change, fcps_json_from_text(s->events[i].text));
    fcps_json_add(&list, change);
  }
  return list;
}

fcps_status fcps_study_export_policy(fcps_study *s, char **text, fcps_error *error)
{
  fcps_policy *policy = NULL;
  char *saved = NULL;
  if (text == NULL) return fcps_error_null(error, "text");
  *text = NULL;
  fcps_status status = fcps_study_policy(s, &policy, error);
  if (status == FCPS_OK) status = fcps_policy_save(policy, &saved, error);
  fcps_policy_destroy(policy);
  if (status != FCPS_OK || s->text == NULL) {
    *text = saved;
    return status;
  }
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "fcps_policy_file", fcps_json_from_integer(POLICY_FILE_FORMAT));
  fcps_json_put(&object, "problem", fcps_json_from_text(s->text));
  fcps_json_put(&object, "changes", write_changes(s));
  fcps_json_put(&object, "policy", fcps_json_from_text(saved));
  *text = fcps_json_finish(object);
  free(saved);
  return *text ? FCPS_OK : fcps_error_memory(error);
}

static fcps_status read_problem(const fcps_json *json, const char *name, fcps_problem_file **problem, fcps_error *error)
{
  const fcps_json *list = fcps_json_get(json, "changes");
  const char *yaml = fcps_json_text(fcps_json_get(json, "problem"));
  const int count = fcps_json_count(list);
  fcps_setting *changes = fcps_allocate((size_t)count + 1, sizeof *changes);
  if (changes == NULL) return fcps_error_memory(error);
  const bool has_list = list == NULL || fcps_json_is_array(list);
  fcps_status status = yaml != NULL && has_list ? FCPS_OK : FCPS_ERR_FORMAT;
  for (int i = 0; status == FCPS_OK && i < count; i++) {
    const fcps_json *change = fcps_json_at(list, i);
    changes[i] = (fcps_setting){fcps_json_text(fcps_json_at(change, 0)), fcps_json_text(fcps_json_at(change, 1))};
    if (fcps_json_count(change) != 2 || changes[i].name == NULL || changes[i].value == NULL) status = FCPS_ERR_FORMAT;
  }
  if (status != FCPS_OK)
    fcps_error_at(error, status, name, 0, 0, "", "this is not a policy file, or it is damaged.");
  else
    status = fcps_problem_file_parse(problem, yaml, strlen(yaml), name, changes, error);
  free(changes);
  return status;
}

fcps_status fcps_study_load_policy(fcps_policy **policy, fcps_problem_file **problem, const char *text,
                                   const char *name, fcps_error *error)
{
  fcps_json *json = NULL;
  int64_t format = 0;
  if (policy == NULL) return fcps_error_null(error, "policy");
  if (problem == NULL) return fcps_error_null(error, "problem");
  *policy = NULL;
  *problem = NULL;
  if (text == NULL) return fcps_error_null(error, "text");
  if (name == NULL) name = "policy";
  fcps_status status = fcps_json_read(&json, text, strlen(text), name, error);
  if (status != FCPS_OK) return status;
  const char *saved = fcps_json_text(fcps_json_get(json, "policy"));
  if (!fcps_json_integer(fcps_json_get(json, "fcps_policy_file"), &format) || format < 1 || saved == NULL)
    status =
        fcps_error_at(error, FCPS_ERR_FORMAT, name, 0, 0, "", "this is not a policy file; see fcps policy export.");
  else if (format != POLICY_FILE_FORMAT)
    status = fcps_error_at(error, FCPS_ERR_FORMAT, name, 0, 0, "", "was written by a newer fcps (format %lld).",
                           (long long)format);
  if (status == FCPS_OK) status = read_problem(json, name, problem, error);
  if (status == FCPS_OK) status = fcps_policy_load(policy, &(*problem)->problem, saved, error);
  fcps_json_destroy(json);
  if (status != FCPS_OK) {
    fcps_problem_file_destroy(*problem);
    *problem = NULL;
  }
  return status;
}

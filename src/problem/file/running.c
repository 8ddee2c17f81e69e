/* SPDX-License-Identifier: Apache-2.0 */
/* The keys learner, contexts and run of a problem file: how the problem is learnt and run. */
#include "problem/file/reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/boxes.h"

#include <stdio.h>
#include <string.h>

#define FIELD_SIZE 80

/* Reads {name: outcome, kappa: 2}, a name and its settings, or the name alone. */
fcps_status fcps_problem_file_read_learner(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  const int count = node != NULL && node->kind == FCPS_YAML_MAP ? node->count : 0;
  if ((r->settings = fcps_allocate((size_t)count + 1, sizeof *r->settings)) == NULL) return fcps_error_memory(error);
  r->file.settings = r->settings;
  if (node == NULL) return FCPS_OK;
  if (node->kind == FCPS_YAML_TEXT) return fcps_yaml_text(r->yaml, node, "learner", &r->file.learner, error);

  fcps_status status = fcps_yaml_expect(r->yaml, node, FCPS_YAML_MAP, "learner", error);
  fcps_setting *setting = r->settings;
  for (int i = 0; status == FCPS_OK && i < count; i++) {
    char field[FIELD_SIZE];
    snprintf(field, sizeof field, "learner.%.60s", node->keys[i]);
    const char *text = NULL;
    status = fcps_yaml_text(r->yaml, node->children[i], field, &text, error);
    if (status != FCPS_OK) break;
    if (strcmp(node->keys[i], "name") == 0)
      r->file.learner = text;
    else
      *setting++ = (fcps_setting){node->keys[i], text};
  }
  if (status == FCPS_OK && r->file.learner == NULL)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "learner", error, "has no name; write {name: outcome}.");
  return status;
}

/* uniform | program | {boxes: [...]} | {csv: FILE} */
fcps_status fcps_problem_file_read_contexts(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  static const char *const known[] = {"boxes", "csv", NULL};
  static const char *const remedy = "expected uniform, program, {boxes: [...]} or {csv: FILE}.";
  if (node == NULL) return FCPS_OK;
  if (node->kind == FCPS_YAML_TEXT) {
    if (strcmp(node->text, "program") == 0)
      r->file.contexts = FCPS_CONTEXT_PROGRAM;
    else if (strcmp(node->text, "uniform") != 0)
      return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "contexts", error, "%s", remedy);
    return FCPS_OK;
  }
  fcps_status status = fcps_yaml_expect(r->yaml, node, FCPS_YAML_MAP, "contexts", error);
  if (status == FCPS_OK) status = fcps_yaml_only(r->yaml, node, known, error);
  if (status == FCPS_OK && node->count != 1)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "contexts", error, "%s", remedy);
  if (status != FCPS_OK) return status;
  const fcps_yaml_node *boxes = fcps_yaml_get(node, "boxes");
  if (boxes != NULL) {
    r->file.contexts = FCPS_CONTEXT_BOXES;
    status = fcps_boxes_read(r->yaml, boxes, &r->file.problem, &r->file.box_count, &r->boxes, error);
    r->file.boxes = r->boxes;
    return status;
  }
  r->file.contexts = FCPS_CONTEXT_CSV;
  return fcps_yaml_text(r->yaml, node->children[0], "contexts.csv", &r->file.contexts_csv, error);
}

static fcps_status read_command(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  if (node->kind == FCPS_YAML_TEXT)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "run.command", error,
                           "expected a list of the words of \"%.64s\", as in [python3, trial.py].", node->text);
  fcps_status status = fcps_yaml_expect(r->yaml, node, FCPS_YAML_LIST, "run.command", error);
  if (status == FCPS_OK && node->count == 0)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "run.command", error,
                           "the list is empty; write [PROGRAM, ARGUMENT, ...].");
  if (status == FCPS_OK && (r->command = fcps_allocate((size_t)node->count + 1, sizeof *r->command)) == NULL)
    return fcps_error_memory(error);
  for (int i = 0; status == FCPS_OK && i < node->count; i++)
    status = fcps_yaml_text(r->yaml, node->children[i], "run.command", &r->command[i], error);
  r->file.command = r->command;
  return status;
}

static fcps_status read_mode(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  const char *text = NULL;
  const fcps_status status = fcps_yaml_text(r->yaml, node, "run.mode", &text, error);
  if (status != FCPS_OK) return status;
  r->file.process_per_rollout = strcmp(text, "once") == 0;
  if (!r->file.process_per_rollout && strcmp(text, "serve") != 0)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "run.mode", error,
                           "no mode '%s'; choose serve (one process for many rollouts) or once (one process each).",
                           text);
  return FCPS_OK;
}

/* {command: [PROGRAM, ARGUMENT, ...], timeout_s: 30, mode: serve} */
fcps_status fcps_problem_file_read_run(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  static const char *const known[] = {"command", "timeout_s", "mode", NULL};
  if (node == NULL) return FCPS_OK;
  fcps_status status = fcps_yaml_expect(r->yaml, node, FCPS_YAML_MAP, "run", error);
  if (status == FCPS_OK) status = fcps_yaml_only(r->yaml, node, known, error);
  if (status != FCPS_OK) return status;
  const fcps_yaml_node *command = fcps_yaml_get(node, "command"), *limit = fcps_yaml_get(node, "timeout_s");
  const fcps_yaml_node *mode = fcps_yaml_get(node, "mode");
  if (command == NULL || limit == NULL)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "run", error,
                           "needs both `command: [PROGRAM, ...]` and `timeout_s`, the most one rollout may take.");
  status = read_command(r, command, error);
  if (status == FCPS_OK) status = fcps_yaml_number(r->yaml, limit, "run.timeout_s", &r->file.timeout_s, error);
  if (status == FCPS_OK && !(r->file.timeout_s > 0.0 && r->file.timeout_s <= 1e6))
    return fcps_yaml_error(r->yaml, limit, FCPS_ERR_BOUNDS, "run.timeout_s", error,
                           "must be above 0 and at most 1e6 seconds.");
  if (status == FCPS_OK && mode != NULL) status = read_mode(r, mode, error);
  return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A user's own problem as one YAML file (docs/study.md describes it):
 *
 *   name: throw
 *   target:      {x: [-11, 11], y: [-11, 11]}
 *   environment: {}
 *   parameters:
 *     turn:  {range: [0, 6.283185], period: 6.283185, unit: rad}
 *     speed: {range: [0.1, 5], unit: m/s}
 *   outcome: [land_x, land_y]
 *   achieved: {x: land_x, y: land_y}
 *   reward: -distance - 0.05*speed^2
 *   constraints: [speed*turn <= 20]
 *   cost: 1 + 0.2*speed^2
 *   contexts: uniform
 *   learner: {name: outcome}
 *   run: {command: [./simulate, --quiet], timeout_s: 30}
 */
#ifndef FCPS_PROBLEM_FILE_H
#define FCPS_PROBLEM_FILE_H

#include <fcps/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the contexts of `fcps run` come from. */
typedef enum fcps_context_source {
  FCPS_CONTEXT_UNIFORM, /* anywhere within the bounds */
  FCPS_CONTEXT_BOXES,   /* within boxes, each with a probability in proportion to its size */
  FCPS_CONTEXT_CSV,     /* the rows of a file in order; after the last the first again */
  FCPS_CONTEXT_PROGRAM  /* the external program gives them */
} fcps_context_source;

/* The contents of a problem file. Pointers live until fcps_problem_file_destroy. Because of the reward's formula, one
 * thread at a time may use it. */
typedef struct fcps_problem_file {
  const char *name;
  fcps_problem problem;
  const char *reward;          /* the formula; NULL: rewards are told */
  const char *const *achieved; /* the formula of each target; NULL: not given */

  const char *learner;          /* NULL: not given */
  const fcps_setting *settings; /* of the learner; ends with {NULL, NULL} */

  fcps_context_source contexts;
  int box_count;
  const double *boxes;      /* of each box: lower and upper of each target, then of each environment dimension */
  const char *contexts_csv; /* as written in the file, relative to its folder */

  const char *const *command; /* NULL, or the external program and its arguments, ends with NULL */
  double timeout_s;           /* of one rollout */
  bool process_per_rollout;   /* `mode: once`; else one long-lived process serves many */

  const char *file; /* as given */
  const char *text; /* the whole YAML text */
} fcps_problem_file;

/* Reads a file, or a text. Errors call the text `name`, and its relative paths start at the folder of `name`. `changes`
 * (may be NULL, ends with {NULL, NULL}) amend the contents: {"reward", "-abs(x)"} replaces the formula,
 * {"bounds.speed", "0.1,6"} the bounds of a dimension, {"choices.gate", "ring"} adds a word. Every mistake is reported with file, line, column, key and
 * remedy. Sets *file to NULL on failure. */
FCPS_API fcps_status fcps_problem_file_read(fcps_problem_file **file, const char *path, fcps_error *error);
FCPS_API fcps_status fcps_problem_file_parse(fcps_problem_file **file, const char *text, size_t length,
                                             const char *name, const fcps_setting *changes, fcps_error *error);
FCPS_API void fcps_problem_file_destroy(fcps_problem_file *file);

/* Whether a key ("target", "environment", "parameters", "outcome", "achieved", "reward", "constraints", "limits", "safe",
 * "cost" or "learner") has the same meaning in both files. White space, comments, units and the order of settings do not matter. */
FCPS_API bool fcps_problem_file_same(const char *key, const fcps_problem_file *file, const fcps_problem_file *other);

#ifdef __cplusplus
}
#endif
#endif

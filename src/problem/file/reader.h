/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the problem file's reader share. Each part fills its fields of `file`, and reports a mistake at its
 * node. fcps_problem_file_destroy frees everything, even after a failure. */
#ifndef FCPS_PROBLEM_FILE_READER_H
#define FCPS_PROBLEM_FILE_READER_H

#include "format/yaml.h"
#include "problem/reward.h"

#include <fcps/problem_file.h>

enum { FCPS_PROBLEM_FILE_PARTS = 3 }; /* the parts are constraints, limits and safe */

typedef struct fcps_problem_file_reader {
  fcps_problem_file file; /* must be first: the handle that the user holds */
  fcps_yaml *yaml;
  char *name, *text;
  fcps_dimension *dims[4];               /* the dimensions of target, environment, parameters and outcome */
  struct fcps_problem_file_words *words; /* the words of all dimensions (keys.c) */
  fcps_reward *reward;
  const char **achieved, **constraints;
  char *changed_reward, *changed_cost; /* NULL: it is as in the file */
  bool reward_is_changed;
  fcps_limit *limits;
  fcps_yaml *changed_parts[FCPS_PROBLEM_FILE_PARTS]; /* NULL: the part is as in the file */
  fcps_safe_trial *safe;
  double *safe_numbers;
  fcps_setting *settings;
  double *boxes;
  const char **command;
} fcps_problem_file_reader;

/* The four spaces (keys.c). */
fcps_status fcps_problem_file_read_spaces(fcps_problem_file_reader *reader, fcps_error *error);
fcps_status fcps_problem_file_find_dimension(fcps_problem_file_reader *reader, const char *name, const char *field,
                                             fcps_dimension **dim, int *space, fcps_error *error);
fcps_status fcps_problem_file_change_bounds(fcps_problem_file_reader *reader, const char *name, const char *value,
                                            fcps_error *error);

/* Words to choose from (keys.c). The first function returns whether a list has words and is not a range. The second
 * reads the list or map of choices; the third a map with the key `choices`. */
bool fcps_problem_file_is_words(const fcps_yaml_node *node);
fcps_status fcps_problem_file_read_choices(fcps_problem_file_reader *reader, const fcps_yaml_node *node,
                                           const char *field, fcps_dimension *dim, fcps_error *error);
fcps_status fcps_problem_file_read_words(fcps_problem_file_reader *reader, const fcps_yaml_node *node,
                                         const char *field, fcps_dimension *dim, fcps_error *error);
fcps_status fcps_problem_file_add_word(fcps_problem_file_reader *reader, const char *name, const char *value,
                                       fcps_error *error); /* adds one word after the others */
void fcps_problem_file_free_words(fcps_problem_file_reader *reader);

/* The keys constraints, limits and safe (limits.c). The first function reads them from the file. The second returns
 * whether a key is one of them. The third replaces one of them by another text. The fourth finds the node of a mistake;
 * NULL if it is not in the file. */
fcps_status fcps_problem_file_read_parts(fcps_problem_file_reader *reader, fcps_error *error);
bool fcps_problem_file_has_part(const char *name);
fcps_status fcps_problem_file_change_part(fcps_problem_file_reader *reader, const char *name, const char *text,
                                          fcps_error *error);
const fcps_yaml_node *fcps_problem_file_limit_node(const fcps_problem_file_reader *reader, const char *field);

/* The keys learner, contexts and run (keys.c). `node` may be NULL. */
fcps_status fcps_problem_file_read_learner(fcps_problem_file_reader *reader, const fcps_yaml_node *node,
                                           fcps_error *error);
fcps_status fcps_problem_file_read_contexts(fcps_problem_file_reader *reader, const fcps_yaml_node *node,
                                            fcps_error *error);
fcps_status fcps_problem_file_read_run(fcps_problem_file_reader *reader, const fcps_yaml_node *node, fcps_error *error);

#endif

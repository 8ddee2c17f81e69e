/* SPDX-License-Identifier: Apache-2.0 */
/* YAML: a user's file as a tree in which every node knows its line and column.
 *
 * The reader refuses the following, with line and column: duplicate keys, aliases, nesting deeper than 64, an empty
 * file, a second document, bad UTF-8, and files over 1 MiB. */
#ifndef FCPS_FORMAT_YAML_H
#define FCPS_FORMAT_YAML_H

#include <fcps/base.h>

typedef struct fcps_yaml fcps_yaml; /* a document; its struct is private */

typedef enum fcps_yaml_kind { FCPS_YAML_TEXT, FCPS_YAML_LIST, FCPS_YAML_MAP } fcps_yaml_kind;

/* A node of a document. The caller borrows it; it lives as long as the document. */
typedef struct fcps_yaml_node {
  fcps_yaml_kind kind;
  int line, column;        /* its position in the file, from 1 */
  const char *text;        /* the value of a text */
  bool is_quoted;          /* of a text: it is written as 'so' or "so" */
  int count;               /* the number of children of a list or map */
  const char *const *keys; /* the keys of a map, in the order of the file */
  const struct fcps_yaml_node *const *children;
} fcps_yaml_node;

fcps_status fcps_yaml_read_file(fcps_yaml **yaml, const char *path, fcps_error *error);
fcps_status fcps_yaml_read_text(fcps_yaml **yaml, const char *text, size_t length, const char *name, fcps_error *error);
void fcps_yaml_destroy(fcps_yaml *yaml);
const fcps_yaml_node *fcps_yaml_root(const fcps_yaml *yaml);
const char *fcps_yaml_file(const fcps_yaml *yaml); /* the path or name that was given to the reader */

/* The child under a key; NULL if the key is missing or `map` is not a map. */
const fcps_yaml_node *fcps_yaml_get(const fcps_yaml_node *map, const char *key);

/* Read a value. If the node is not of this kind, the error says the file, the line, the column, `field` and what was
 * expected. */
fcps_status fcps_yaml_number(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *field, double *value,
                             fcps_error *error);
fcps_status fcps_yaml_integer(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *field, int64_t *value,
                              fcps_error *error);
fcps_status fcps_yaml_bool(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *field, bool *value,
                           fcps_error *error);
fcps_status fcps_yaml_text(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *field, const char **value,
                           fcps_error *error);
/* Reads a list of two numbers, [LOWER, UPPER], and does not check which is larger. */
fcps_status fcps_yaml_range(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *field, double *lower,
                            double *upper, fcps_error *error);
fcps_status fcps_yaml_expect(const fcps_yaml *yaml, const fcps_yaml_node *node, fcps_yaml_kind kind, const char *field,
                             fcps_error *error);

/* Refuses a key of `map` that is not among `known` (ends with NULL), naming the nearest one. */
fcps_status fcps_yaml_only(const fcps_yaml *yaml, const fcps_yaml_node *map, const char *const *known,
                           fcps_error *error);

/* Makes an error with `status` and the position of a node. */
fcps_status fcps_yaml_error(const fcps_yaml *yaml, const fcps_yaml_node *node, fcps_status status, const char *field,
                            fcps_error *error, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif

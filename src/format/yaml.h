/* SPDX-License-Identifier: Apache-2.0 */
/* YAML: a user's file as a tree in which every node knows its line and column.
 *
 * Refused, each with its line and column: duplicate keys, aliases, nesting deeper than 64, an empty file, a second
 * document,
 * bad UTF-8, files over 1 MiB.
 */
#ifndef FCPS_FORMAT_YAML_H
#define FCPS_FORMAT_YAML_H

#include <fcps/base.h>

typedef struct fcps_yaml fcps_yaml; /* a document; opaque */

typedef enum fcps_yaml_kind { FCPS_YAML_TEXT, FCPS_YAML_LIST, FCPS_YAML_MAP } fcps_yaml_kind;

/* A node of a document; borrowed, lives as long as the document. */
typedef struct fcps_yaml_node {
  fcps_yaml_kind kind;
  int line, column;        /* 1-based */
  const char *text;        /* of a text: its value */
  bool is_quoted;          /* of a text: 'so' or "so" */
  int count;               /* of a list or map: number of children */
  const char *const *keys; /* of a map: in the order of the file */
  const struct fcps_yaml_node *const *children;
} fcps_yaml_node;

fcps_status fcps_yaml_read_file(fcps_yaml **yaml, const char *path, fcps_error *error);
fcps_status fcps_yaml_read_text(fcps_yaml **yaml, const char *text, size_t length, const char *name, fcps_error *error);
void fcps_yaml_destroy(fcps_yaml *yaml);
const fcps_yaml_node *fcps_yaml_root(const fcps_yaml *yaml);
const char *fcps_yaml_file(const fcps_yaml *yaml); /* as given to read */

/* The child under a key; NULL when it is missing or `map` is not a map. */
const fcps_yaml_node *fcps_yaml_get(const fcps_yaml_node *map, const char *key);

/* Values with the error that a person needs: file, line, column, `field` and what was expected. */
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

/* Refuses something at a node. */
fcps_status fcps_yaml_error(const fcps_yaml *yaml, const fcps_yaml_node *node, fcps_status status, const char *field,
                            fcps_error *error, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a YAML map, read one after the other: after the first refusal nothing more is read, and the refusal is
 * in `status` and `error`. */
#ifndef FCPS_EXPERIMENT_READER_H
#define FCPS_EXPERIMENT_READER_H

#include "format/yaml.h"

typedef struct fcps_reader {
  const fcps_yaml *yaml;
  fcps_error *error;
  fcps_status status;
} fcps_reader;

/* Refuses other keys than those. */
void fcps_reader_only(fcps_reader *reader, const fcps_yaml_node *map, const char *const *known);

/* Values that must be there. */
const char *fcps_reader_text(fcps_reader *reader, const fcps_yaml_node *map, const char *key);
int64_t fcps_reader_integer(fcps_reader *reader, const fcps_yaml_node *map, const char *key, int64_t lower,
                            int64_t upper);
double fcps_reader_number(fcps_reader *reader, const fcps_yaml_node *map, const char *key);
const fcps_yaml_node *fcps_reader_node(fcps_reader *reader, const fcps_yaml_node *map, const char *key,
                                       fcps_yaml_kind kind);

/* Values that may be missing. */
const char *fcps_reader_text_or(fcps_reader *reader, const fcps_yaml_node *map, const char *key, const char *fallback);
bool fcps_reader_bool_or(fcps_reader *reader, const fcps_yaml_node *map, const char *key, bool fallback);

/* A text that names files: lower-case letters, digits and hyphens. */
const char *fcps_reader_label(fcps_reader *reader, const fcps_yaml_node *map, const char *key);

/* The index of a text among `choices` (ends with NULL). */
int fcps_reader_choice(fcps_reader *reader, const fcps_yaml_node *map, const char *key, const char *const *choices);

/* A list of exactly `count` numbers. */
void fcps_reader_numbers(fcps_reader *reader, const fcps_yaml_node *list, const char *field, int count, double *values);

/* A map of named values as settings: borrowed texts in a new array that ends with {NULL, NULL}; empty where the key is
 * missing. */
fcps_setting *fcps_reader_settings(fcps_reader *reader, const fcps_yaml_node *map, const char *key);

/* Refuses at a node; keeps the first refusal. */
void fcps_reader_refuse(fcps_reader *reader, const fcps_yaml_node *node, fcps_status status, const char *field,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Refuses a key that says nothing where it stands. */
void fcps_reader_meaningless(fcps_reader *reader, const fcps_yaml_node *map, const char *key, const char *reason);

/* Memory for the reader's caller; NULL after a refusal. */
void *fcps_reader_allocate(fcps_reader *reader, size_t count, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the fields of a YAML map one after the other. After the first refusal nothing more is read; `status` and
 * `error` describe that refusal. */
#ifndef FCPS_LAB_EXPERIMENT_READER_H
#define FCPS_LAB_EXPERIMENT_READER_H

#include "format/yaml.h"

typedef struct fcps_reader {
  const fcps_yaml *yaml;
  fcps_error *error;
  fcps_status status;
} fcps_reader;

/* Refuses keys that are not among `known` (ends with NULL). */
void fcps_reader_only(fcps_reader *reader, const fcps_yaml_node *map, const char *const *known);

/* Read required values. */
const char *fcps_reader_text(fcps_reader *reader, const fcps_yaml_node *map, const char *key);
int64_t fcps_reader_integer(fcps_reader *reader, const fcps_yaml_node *map, const char *key, int64_t lower,
                            int64_t upper);
double fcps_reader_number(fcps_reader *reader, const fcps_yaml_node *map, const char *key);
const fcps_yaml_node *fcps_reader_node(fcps_reader *reader, const fcps_yaml_node *map, const char *key,
                                       fcps_yaml_kind kind);

/* Read optional values. */
const char *fcps_reader_text_or(fcps_reader *reader, const fcps_yaml_node *map, const char *key, const char *fallback);
bool fcps_reader_bool_or(fcps_reader *reader, const fcps_yaml_node *map, const char *key, bool fallback);

/* Reads a text that becomes a part of file names: only lower-case letters, digits and hyphens are allowed. */
const char *fcps_reader_label(fcps_reader *reader, const fcps_yaml_node *map, const char *key);

/* Reads a text; returns its index among `choices` (ends with NULL). */
int fcps_reader_choice(fcps_reader *reader, const fcps_yaml_node *map, const char *key, const char *const *choices);

/* Reads a list of exactly `count` numbers. */
void fcps_reader_numbers(fcps_reader *reader, const fcps_yaml_node *list, const char *field, int count, double *values);

/* Reads a map of named values as settings: a new array of borrowed texts that ends with {NULL, NULL}; without entries
 * if the key is missing. */
fcps_setting *fcps_reader_settings(fcps_reader *reader, const fcps_yaml_node *map, const char *key);

/* Combines settings in a new array that ends with {NULL, NULL}: first the settings of `base` that `changes` does not
 * name, then `changes`. Either list may be NULL. */
fcps_setting *fcps_reader_merge_settings(fcps_reader *reader, const fcps_setting *base, const fcps_setting *changes);
int fcps_reader_count_settings(const fcps_setting *settings);

/* Refuses the file, with an error that points at a node. Does nothing after the first refusal. */
void fcps_reader_refuse(fcps_reader *reader, const fcps_yaml_node *node, fcps_status status, const char *field,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Refuses a standard deviation of the paper that is negative. */
void fcps_reader_refuse_deviation(fcps_reader *reader, const fcps_yaml_node *node);

/* Refuses a key that has no meaning in this map. The error gives the reason. */
void fcps_reader_meaningless(fcps_reader *reader, const fcps_yaml_node *map, const char *key, const char *reason);

/* Allocates zeroed memory; NULL after a refusal. */
void *fcps_reader_allocate(fcps_reader *reader, size_t count, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: values that learners and tasks are given by name, as text, and read from a struct.
 *
 * A row of a table describes one setting (fcps_setting_spec) and says which field of the struct its value goes to. A
 * table is a list of parts: arrays of rows, each with the offset of its struct within the table's struct. So tables
 * share rows without repeating them.
 *
 * What holds:
 * - The type of a field is that of its row: the macros that make rows do not compile otherwise.
 * - A name stands in a table once, and no two rows have the same field (tests/house/test_settings.c).
 * - A struct that fcps_settings_create has made holds values in their ranges; fcps_settings_write turns each into a
 *   text that reads as the same value.
 * - The names of a choice have one list, a fcps_choice_fn, which serves reading, writing, listings and errors. A
 *   choice is saved by its name, never by its index.
 */
#ifndef FCPS_BASE_SETTINGS_H
#define FCPS_BASE_SETTINGS_H

#include <fcps/base.h>

typedef struct fcps_setting_row {
  fcps_setting_spec spec;
  size_t offset; /* of the field in the struct of its part */
} fcps_setting_row;

typedef struct fcps_setting_part {
  const fcps_setting_row *rows; /* the last has no name */
  size_t offset;                /* of the part's struct in that of the table */
} fcps_setting_part;

enum { FCPS_SETTING_PARTS = 3 };

struct fcps_setting_table {
  size_t size;                                 /* of the struct that the rows fill */
  fcps_setting_part parts[FCPS_SETTING_PARTS]; /* those after the last one have no rows */
};

/* Rows for a field of the struct `type`: double, int, bool, and int or an enumeration whose values are the indices of
 * the names. The field may be one of a struct within: `search.starts`. */
#define FCPS_NUMBER_ROW(name, type, field, initial, lower, upper, help)                                                \
  {                                                                                                                    \
    {name, FCPS_SETTING_NUMBER, initial, lower, upper, NULL, help}, FCPS_FIELD_OF_DOUBLE(type, field)                  \
  }
#define FCPS_INTEGER_ROW(name, type, field, initial, lower, upper, help)                                               \
  {                                                                                                                    \
    {name, FCPS_SETTING_INTEGER, initial, lower, upper, NULL, help}, FCPS_FIELD_OF_INT(type, field)                    \
  }
#define FCPS_SWITCH_ROW(name, type, field, initial, help)                                                              \
  {                                                                                                                    \
    {name, FCPS_SETTING_SWITCH, initial, 0, 0, NULL, help}, FCPS_FIELD_OF_BOOL(type, field)                            \
  }
#define FCPS_CHOICE_ROW(name, type, field, initial, choice, help)                                                      \
  {                                                                                                                    \
    {name, FCPS_SETTING_CHOICE, initial, 0, 0, choice, help}, FCPS_FIELD_OF_ENUM(type, field)                          \
  }

/* A row for a field of FCPS_SETTING_WORDS_SIZE characters. */
enum { FCPS_SETTING_WORDS_SIZE = 256 };
#define FCPS_WORDS_ROW(name, type, field, initial, choice, help)                                                       \
  {                                                                                                                    \
    {name, FCPS_SETTING_WORDS, initial, 0, 0, choice, help}, FCPS_FIELD_OF_WORDS(type, field)                          \
  }

/* The offset of a field, if it has the right type. Compilers take an enumeration for int or unsigned. */
#define FCPS_FIELD_OF_DOUBLE(type, field) _Generic(((type *)0)->field, double : offsetof(type, field))
#define FCPS_FIELD_OF_INT(type, field)    _Generic(((type *)0)->field, int : offsetof(type, field))
#define FCPS_FIELD_OF_BOOL(type, field)   _Generic(((type *)0)->field, bool : offsetof(type, field))
#define FCPS_FIELD_OF_WORDS(type, field)                                                                               \
  _Generic(&((type *)0)->field, char(*)[FCPS_SETTING_WORDS_SIZE] : offsetof(type, field))
#define FCPS_FIELD_OF_ENUM(type, field)                                                                                \
  _Generic(((type *)0)->field, int : offsetof(type, field), unsigned : offsetof(type, field))

/* Makes the struct of `table` (freed with free) from the defaults, then `overrides`, then `given` (either may be
 * NULL). An unknown name, a text that is not a value or a value out of range is refused with what would be right, and
 * `*values` is NULL. */
fcps_status fcps_settings_create(void **values, const fcps_setting_table *table, const fcps_setting *overrides,
                                 const fcps_setting *given, fcps_error *error);

/* The value of setting `index` as text, as a user would type it, into `text`. Returns `text`. */
char *fcps_settings_write(const fcps_setting_table *table, const void *values, int index, size_t size, char *text);

/* Reads on or off (also true | false, yes | no, 1 | 0); false when `text` is none of them. */
bool fcps_switch_read(const char *text, bool *value);

/* names[index], or NULL if there is no such name: an fcps_choice_fn whose names stand in an array. */
const char *fcps_choice_at(int count, const char *const *names, int index);

/* The index of `name` among the choices; -1 if it is not one of them. `name` may be NULL. */
int fcps_choice_find(fcps_choice_fn *choice, const char *name);

/* All names, separated by '|', into `text`. Returns `text`. */
char *fcps_choice_list(fcps_choice_fn *choice, size_t size, char *text);

/* The last value of a name in a list of settings that ends with {NULL, NULL}; NULL: it is not there. The list may be NULL. */
const char *fcps_setting_value(const fcps_setting *list, const char *name);

#endif

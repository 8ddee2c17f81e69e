/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: learners and tasks are given values by name, as text, and read them from a struct.
 *
 * A row of a table describes one setting (fcps_setting_spec) and says to which field of the struct its value goes. A
 * table is a list of parts: arrays of rows, each with the offset of its struct within the table's struct. So tables
 * share rows without repeating them.
 *
 * Invariants:
 * - The type of a field is that of its row: the macros that make rows do not compile otherwise.
 * - A name stands in a table once, and no two rows have the same field (tests/house/test_settings.c).
 * - In a struct that fcps_settings_create has made, all values are in their ranges; fcps_settings_write turns each
 * value
 *   into a text that reads as the same value.
 * - The names of a choice have one list, an fcps_choice_fn, which serves reading, writing, listings and errors. A
 *   choice is saved by its name, never by its index. */
#ifndef FCPS_BASE_SETTINGS_H
#define FCPS_BASE_SETTINGS_H

#include <fcps/base.h>

typedef struct fcps_setting_row {
  fcps_setting_spec spec;
  size_t offset; /* the offset of the field in the struct of its part */
} fcps_setting_row;

typedef struct fcps_setting_part {
  const fcps_setting_row *rows; /* the last row has no name */
  size_t offset;                /* the offset of the part's struct in the table's struct */
} fcps_setting_part;

enum { FCPS_SETTING_PARTS = 3 };

struct fcps_setting_table {
  size_t size;                                 /* the size of the struct that the rows fill */
  fcps_setting_part parts[FCPS_SETTING_PARTS]; /* parts that are not used have no rows */
};

/* Rows for a field of the struct `type`. The field is a double, an int or a bool; or for a choice, an int or an
 * enumeration whose values are the indices of the names. It may be a field of an inner struct, as in
 * `search.starts`. */
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

/* A row for a text field of FCPS_SETTING_WORDS_SIZE characters. */
enum { FCPS_SETTING_WORDS_SIZE = 256 };
#define FCPS_WORDS_ROW(name, type, field, initial, choice, help)                                                       \
  {                                                                                                                    \
    {name, FCPS_SETTING_WORDS, initial, 0, 0, choice, help}, FCPS_FIELD_OF_WORDS(type, field)                          \
  }

/* The offset of a field; does not compile if the field has the wrong type. Compilers take an enumeration for int or
 * unsigned. */
#define FCPS_FIELD_OF_DOUBLE(type, field) _Generic(((type *)0)->field, double : offsetof(type, field))
#define FCPS_FIELD_OF_INT(type, field)    _Generic(((type *)0)->field, int : offsetof(type, field))
#define FCPS_FIELD_OF_BOOL(type, field)   _Generic(((type *)0)->field, bool : offsetof(type, field))
#define FCPS_FIELD_OF_WORDS(type, field)                                                                               \
  _Generic(&((type *)0)->field, char(*)[FCPS_SETTING_WORDS_SIZE] : offsetof(type, field))
#define FCPS_FIELD_OF_ENUM(type, field)                                                                                \
  _Generic(((type *)0)->field, int : offsetof(type, field), unsigned : offsetof(type, field))

/* Makes the struct of `table`, which the caller frees with free. The values are the defaults, then `overrides`, then
 * `given`: the later one wins. Either list may be NULL. Refuses an unknown name, a text that is not a value, and a
 * value out of range. The error says what is allowed, and `*values` is then NULL. */
fcps_status fcps_settings_create(void **values, const fcps_setting_table *table, const fcps_setting *overrides,
                                 const fcps_setting *given, fcps_error *error);

/* Writes the value of setting `index` to `text`, as a user would type it. Returns `text`. */
char *fcps_settings_write(const fcps_setting_table *table, const void *values, int index, size_t size, char *text);

/* Reads on or off (also true | false, yes | no, 1 | 0). Returns false if `text` is another word. */
bool fcps_switch_read(const char *text, bool *value);

/* Returns names[index], or NULL if there is no such name. Makes an fcps_choice_fn from an array of names. */
const char *fcps_choice_at(int count, const char *const *names, int index);

/* The index of `name` among the choices; -1 if it is not a choice. `name` may be NULL. */
int fcps_choice_find(fcps_choice_fn *choice, const char *name);

/* Writes all names to `text`, separated by '|'. Returns `text`. */
char *fcps_choice_list(fcps_choice_fn *choice, size_t size, char *text);

/* The last value that a list gives to a name; NULL if the name is not in it. The list ends with {NULL, NULL}, or is
 * NULL. */
const char *fcps_setting_value(const fcps_setting *list, const char *name);

#endif

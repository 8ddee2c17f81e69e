/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: reading and writing values and lines. Doubles keep every bit. */
#ifndef FCPS_FORMAT_JSON_H
#define FCPS_FORMAT_JSON_H

#include <fcps/base.h>

typedef struct fcps_json fcps_json; /* a value; opaque */

/* New values, owned by the caller until put into an array or object; NULL when there is no memory. A number that is
 * NaN or infinite becomes the text "nan", "inf" or "-inf", which fcps_json_number reads back. */
fcps_json *fcps_json_object(void);
fcps_json *fcps_json_array(void);
fcps_json *fcps_json_null(void);
fcps_json *fcps_json_from_number(double value);
fcps_json *fcps_json_from_known(double value); /* null if it is NaN: not known */
fcps_json *fcps_json_from_integer(int64_t value);
fcps_json *fcps_json_from_bool(bool value);
fcps_json *fcps_json_from_text(const char *value);
fcps_json *fcps_json_from_numbers(int count, const double *values); /* an array */
fcps_json *fcps_json_from_settings(const fcps_setting *settings);   /* an object of texts; NULL: an empty one */
fcps_json *fcps_json_copy(const fcps_json *json);
void fcps_json_destroy(fcps_json *json); /* may be NULL */

/* The steps of building: put `value` into an object or at the end of an array, and take ownership of it in every case.
 * A step that fails destroys what was built so far and sets it to NULL, and a step on NULL only destroys `value`; so a
 * builder checks once, at its end:
 *
 *   fcps_json *point = fcps_json_object();
 *   fcps_json_put(&point, "x", fcps_json_from_number(x));
 *   fcps_json_put(&point, "y", fcps_json_from_number(y));
 *   return point;   (NULL if a step failed)
 *
 * A key that is there keeps its place and gets the new value. A NULL `value`, a key that is not UTF-8 and the wrong
 * kind of container fail. */
void fcps_json_put(fcps_json **object, const char *key, fcps_json *value);
void fcps_json_put_text(fcps_json **object, const char *key, const char *text); /* nothing if it is NULL */
void fcps_json_add(fcps_json **array, fcps_json *value);

/* Parses one value from `text`; line and column of a mistake are in `error`. Duplicate keys, trailing text and nesting
 * deeper than 64 are refused. */
fcps_status fcps_json_read(fcps_json **json, const char *text, size_t length, const char *file, fcps_error *error);

/* The same of a file of at most `limit` bytes. */
fcps_status fcps_json_read_file(fcps_json **json, const char *path, size_t limit, fcps_error *error);

/* The value as one line without the newline, keys in the order they were set; freed with fcps_free. NULL when there
 * is no memory or no value. fcps_json_finish also destroys the value: the last step of what is built to be written. */
char *fcps_json_write(const fcps_json *json);
char *fcps_json_finish(fcps_json *json);

/* Looking inside; a NULL value has nothing in it. Borrowed pointers live as long as `json`. */
bool fcps_json_is_object(const fcps_json *json);
bool fcps_json_is_array(const fcps_json *json);
bool fcps_json_is_null(const fcps_json *json);
int fcps_json_count(const fcps_json *json);                               /* of an array or object; else 0 */
const fcps_json *fcps_json_get(const fcps_json *object, const char *key); /* NULL when missing */
const fcps_json *fcps_json_at(const fcps_json *array, int index);         /* NULL when out of range */
const char *fcps_json_key(const fcps_json *object, int index);            /* the index-th key, in order */
bool fcps_json_number(const fcps_json *json, double *value);              /* a number, or "nan", "inf", "-inf" */
bool fcps_json_integer(const fcps_json *json, int64_t *value);
bool fcps_json_whole(const fcps_json *json, int64_t *value); /* the same, and 7.0: so many programs write 7 */
bool fcps_json_bool(const fcps_json *json, bool *value);
const char *fcps_json_text(const fcps_json *json);                         /* NULL when not a text */
bool fcps_json_numbers(const fcps_json *array, int count, double *values); /* an array of exactly `count` numbers */

/* The value under a key of an object; `otherwise` if there is none of this kind. */
const char *fcps_json_get_text(const fcps_json *object, const char *key, const char *otherwise);
int64_t fcps_json_get_integer(const fcps_json *object, const char *key, int64_t otherwise);
double fcps_json_get_number(const fcps_json *object, const char *key, double otherwise);
bool fcps_json_is_true(const fcps_json *object, const char *key); /* whether it is true */

/* An object of texts as settings that point into it, ended by {NULL, NULL}; freed with free. NULL when there is no
 * memory. */
fcps_setting *fcps_json_settings(const fcps_json *object);

/* One of the choices, by its name; false: it is not one. */
bool fcps_json_choice(const fcps_json *json, fcps_choice_fn *choice, int *index);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: reading and writing values and lines. Doubles keep every bit. */
#ifndef FCPS_FORMAT_JSON_H
#define FCPS_FORMAT_JSON_H

#include <fcps/base.h>

typedef struct fcps_json fcps_json; /* a JSON value; its struct is private */

/* New values. The caller owns a value until it is put into an array or object. NULL if there is no memory. A number
 * that is NaN or infinite becomes the text "nan", "inf" or "-inf", which fcps_json_number reads back. */
fcps_json *fcps_json_object(void);
fcps_json *fcps_json_array(void);
fcps_json *fcps_json_null(void);
fcps_json *fcps_json_from_number(double value);
fcps_json *fcps_json_from_known(double value); /* null if `value` is NaN, which means "not known" */
fcps_json *fcps_json_from_integer(int64_t value);
fcps_json *fcps_json_from_bool(bool value);
fcps_json *fcps_json_from_text(const char *value);
fcps_json *fcps_json_from_numbers(int count, const double *values); /* an array */
/* an object of texts; without entries if `settings` is NULL */
fcps_json *fcps_json_from_settings(const fcps_setting *settings);
fcps_json *fcps_json_copy(const fcps_json *json);
void fcps_json_destroy(fcps_json *json); /* NULL is allowed */

/* The steps of building. Each puts `value` into an object or at the end of an array, and owns `value` from then on,
 * even if it fails. A step that fails destroys everything that was built and sets it to NULL. A step on NULL only
 * destroys `value`. So a builder checks once, at its end:
 *
 *   fcps_json *point = fcps_json_object();
 *   fcps_json_put(&point, "x", fcps_json_from_number(x));
 *   fcps_json_put(&point, "y", fcps_json_from_number(y));
 *   return point;   (NULL if a step failed)
 *
 * A key that exists keeps its place and gets the new value. A step fails if `value` is NULL, if the key is not UTF-8,
 * or if the container is of the wrong kind. */
void fcps_json_put(fcps_json **object, const char *key, fcps_json *value);
void fcps_json_put_text(fcps_json **object, const char *key, const char *text); /* does nothing if `text` is NULL */
void fcps_json_add(fcps_json **array, fcps_json *value);

/* Parses one value from `text`. The error has line and column of a mistake. Refuses duplicate keys, text after the
 * value, and nesting deeper than 64. */
fcps_status fcps_json_read(fcps_json **json, const char *text, size_t length, const char *file, fcps_error *error);

/* The same from a file of at most `limit` bytes. */
fcps_status fcps_json_read_file(fcps_json **json, const char *path, size_t limit, fcps_error *error);

/* The value as one line without a newline, with keys in the order in which they were put. The caller frees it with
 * fcps_free; NULL if there is no memory or no value. fcps_json_finish also destroys the value. */
char *fcps_json_write(const fcps_json *json);
char *fcps_json_finish(fcps_json *json);

/* Reading a value. NULL counts as a value without contents. Borrowed pointers live as long as `json`. */
bool fcps_json_is_object(const fcps_json *json);
bool fcps_json_is_array(const fcps_json *json);
bool fcps_json_is_null(const fcps_json *json);
/* the number of items in an array or object; else 0 */
int fcps_json_count(const fcps_json *json);
const fcps_json *fcps_json_get(const fcps_json *object, const char *key); /* NULL if the key is missing */
const fcps_json *fcps_json_at(const fcps_json *array, int index);         /* NULL if the index is out of range */
/* key number `index`, in order; NULL past the end */
const char *fcps_json_key(const fcps_json *object, int index);
bool fcps_json_number(const fcps_json *json, double *value); /* reads a number, or "nan", "inf", "-inf" */
bool fcps_json_integer(const fcps_json *json, int64_t *value);
/* reads an integer, also if it is written as 7.0, as many programs do */
bool fcps_json_whole(const fcps_json *json, int64_t *value);
bool fcps_json_bool(const fcps_json *json, bool *value);
const char *fcps_json_text(const fcps_json *json); /* NULL if it is not a text */
/* reads an array of exactly `count` numbers */
bool fcps_json_numbers(const fcps_json *array, int count, double *values);

/* The value under a key of an object; `otherwise` if the key is missing or its value is of another kind. */
const char *fcps_json_get_text(const fcps_json *object, const char *key, const char *otherwise);
int64_t fcps_json_get_integer(const fcps_json *object, const char *key, int64_t otherwise);
double fcps_json_get_number(const fcps_json *object, const char *key, double otherwise);
bool fcps_json_is_true(const fcps_json *object, const char *key); /* whether the value under the key is true */

/* An object of texts as a list of settings that ends with {NULL, NULL}. Its texts are borrowed from `object`; the
 * caller frees the list with free. NULL if there is no memory. */
fcps_setting *fcps_json_settings(const fcps_json *object);

/* Reads the name of a choice and sets its index. Returns false if the value is not one of the choices. */
bool fcps_json_choice(const fcps_json *json, fcps_choice_fn *choice, int *index);

#endif

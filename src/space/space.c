/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces: copying, finding, comparing, and scaling to the unit cube. A dimension is bounded if lower < upper. A
 * dimension without bounds is never scaled, wrapped or clipped. */
#include "space/space.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/settings.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fcps_scale_name(int index)
{
  static const char *const names[] = {
      [FCPS_SCALE_LINEAR] = "linear", [FCPS_SCALE_LOG] = "log", [FCPS_SCALE_INTEGER] = "integer"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static bool is_bounded(const fcps_dimension *dim)
{
  return dim->lower < dim->upper;
}

/* -- Copying: one block of memory holds the dimensions, followed by everything that they point to -- */

/* Copies `size` bytes to the free part of the block, and returns the copy. With a NULL block only counts the bytes. */
static void *pack(char *block, size_t *used, const void *from, size_t size)
{
  if (from == NULL) return NULL;
  char *to = block != NULL ? block + *used : NULL;
  *used += (size + 7) / 8 * 8; /* keeps the next copy aligned for doubles and pointers */
  return to != NULL && size > 0 ? memcpy(to, from, size) : to;
}

static const char *pack_text(char *block, size_t *used, const char *text)
{
  return pack(block, used, text, text != NULL ? strlen(text) + 1 : 0);
}

static const char *const *pack_texts(char *block, size_t *used, int count, const char *const *texts)
{
  const char **copy = pack(block, used, texts, (size_t)count * sizeof *copy);
  for (int i = 0; texts != NULL && i < count; i++) {
    const char *text = pack_text(block, used, texts[i]);
    if (copy != NULL) copy[i] = text;
  }
  return copy;
}

static const fcps_choices *pack_choices(char *block, size_t *used, const fcps_choices *choices)
{
  if (choices == NULL) return NULL;
  fcps_choices copy = *choices, *packed = pack(block, used, choices, sizeof copy);
  copy.words = pack_texts(block, used, copy.count, copy.words);
  copy.properties = pack_texts(block, used, copy.property_count, copy.properties);
  copy.known = pack(block, used, copy.known, (size_t)copy.count * (size_t)copy.property_count * sizeof(double));
  if (packed != NULL) *packed = copy;
  return packed;
}

static fcps_dimension *pack_space(char *block, const fcps_space *space, size_t *used)
{
  fcps_dimension *dims = pack(block, used, space->dims, (size_t)space->count * sizeof *dims);
  for (int i = 0; i < space->count; i++) {
    fcps_dimension dim = space->dims[i];
    dim.name = pack_text(block, used, dim.name);
    dim.unit = pack_text(block, used, dim.unit);
    dim.when = pack_text(block, used, dim.when);
    dim.choices = pack_choices(block, used, dim.choices);
    if (dims != NULL) dims[i] = dim;
  }
  return dims;
}

fcps_status fcps_space_copy(const fcps_space *space, fcps_space *copy)
{
  const fcps_space counted = {space->count, space->count > 0 ? space->dims : NULL};
  size_t size = 0, used = 0;
  (void)pack_space(NULL, &counted, &size);
  char *block = fcps_allocate(size, 1);
  if (block == NULL) return FCPS_ERR_MEMORY;
  (void)pack_space(block, &counted, &used);
  *copy = (fcps_space){.count = space->count, .dims = (const fcps_dimension *)(const void *)block};
  return FCPS_OK;
}

void fcps_space_free(fcps_space *space)
{
  if (space == NULL) return;
  free((void *)space->dims);
  *space = (fcps_space){0};
}

int fcps_space_find(const fcps_space *space, const char *name)
{
  for (int i = 0; i < space->count; i++) {
    if (strcmp(space->dims[i].name, name) == 0) return i;
  }
  return -1;
}

static bool same_text(const char *a, const char *b)
{
  return a != NULL && b != NULL ? strcmp(a, b) == 0 : a == b;
}

static bool same_texts(int count, const char *const *a, const char *const *b)
{
  for (int i = 0; i < count; i++)
    if (!same_text(a[i], b[i])) return false;
  return true;
}

bool fcps_choices_same_words(const fcps_choices *a, const fcps_choices *b)
{
  return a != NULL && b != NULL && a->count == b->count && same_texts(a->count, a->words, b->words);
}

bool fcps_choices_equal(const fcps_choices *a, const fcps_choices *b)
{
  if (a == NULL || b == NULL) return a == b;
  if (a->count != b->count || a->is_ordered != b->is_ordered || a->is_alike != b->is_alike ||
      a->property_count != b->property_count)
    return false;
  for (int i = 0; i < a->count * a->property_count; i++)
    if (a->known[i] != b->known[i]) return false;
  return same_texts(a->count, a->words, b->words) && same_texts(a->property_count, a->properties, b->properties);
}

bool fcps_space_alike(const fcps_space *a, const fcps_space *b)
{
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; i++) {
    const fcps_dimension *p = &a->dims[i], *q = &b->dims[i];
    if (!same_text(p->name, q->name)) return false;
    if (p->lower != q->lower || p->upper != q->upper || p->period != q->period || p->scale != q->scale ||
        p->step != q->step || !fcps_choices_equal(p->choices, q->choices) || !same_text(p->when, q->when))
      return false;
  }
  return true;
}

bool fcps_space_equal(const fcps_space *a, const fcps_space *b)
{
  if (!fcps_space_alike(a, b)) return false;
  for (int i = 0; i < a->count; i++)
    if (!same_text(a->dims[i].unit, b->dims[i].unit)) return false;
  return true;
}

double fcps_dimension_step(const fcps_dimension *dim)
{
  return dim->scale == FCPS_SCALE_INTEGER ? 1 : dim->step;
}

double fcps_dimension_span(const fcps_dimension *dim)
{
  if (!is_bounded(dim)) return 1;
  return dim->upper - dim->lower + fcps_dimension_step(dim);
}

/* The number of values that share the unit interval. The range is a whole number of steps (fcps_space_check). */
static double count_steps(const fcps_dimension *dim)
{
  const double step = fcps_dimension_step(dim);
  return step == 1 ? fcps_dimension_span(dim) : nearbyint((dim->upper - dim->lower) / step) + 1;
}

/* Returns value number `index`, counted from 0. If the step is 1/N, the value is rounded as its decimal text would be:
 * 0.3, not 3 times 0.1. */
static double step_value(const fcps_dimension *dim, double index)
{
  const double step = fcps_dimension_step(dim), per_one = nearbyint(1 / step);
  const double first = dim->lower * per_one;
  const bool is_decimal =
      step < 1 && fabs(per_one * step - 1) < 1e-12 && fabs(first - nearbyint(first)) < 1e-9 * per_one;
  return is_decimal ? (nearbyint(first) + index) / per_one : dim->lower + step * index;
}

int fcps_space_find_off_step(const fcps_space *space, const double *values, int first)
{
  for (int i = first; i < space->count; i++) {
    const double step = fcps_dimension_step(&space->dims[i]);
    if (step == 0 || !isfinite(values[i])) continue;
    const double index = (values[i] - space->dims[i].lower) / step;
    if (fabs(index - nearbyint(index)) > 1e-6) return i;
  }
  return -1;
}

bool fcps_dimension_wraps(const fcps_dimension *dim)
{
  return dim->period > 0 && is_bounded(dim) && fabs(fcps_dimension_span(dim) - dim->period) <= 1e-9 * dim->period;
}

void fcps_space_wraps(const fcps_space *space, bool *wraps)
{
  for (int i = 0; i < space->count; i++)
    wraps[i] = fcps_dimension_wraps(&space->dims[i]);
}

bool fcps_space_levels(const fcps_space *space, double *levels)
{
  bool any = false;
  for (int i = 0; i < space->count; i++) {
    const bool has_steps = fcps_dimension_step(&space->dims[i]) > 0 && is_bounded(&space->dims[i]);
    levels[i] = has_steps ? count_steps(&space->dims[i]) : 0.0;
    if (space->dims[i].choices != NULL) levels[i] = -levels[i];
    any |= has_steps;
  }
  return any;
}

double fcps_dimension_wrap(const fcps_dimension *dim, double value)
{
  const bool inside = value >= dim->lower && value <= dim->upper;
  if (dim->period == 0 || !is_bounded(dim) || inside) return value;
  const double wrapped = value - dim->period * floor((value - dim->lower) / dim->period);
  return wrapped >= dim->lower && wrapped <= dim->upper ? wrapped : value;
}

double fcps_dimension_clip(const fcps_dimension *dim, double value)
{
  return is_bounded(dim) ? fmin(fmax(value, dim->lower), dim->upper) : value;
}

static double to_unit(const fcps_dimension *dim, double value)
{
  if (!is_bounded(dim)) return value;
  value = fcps_dimension_wrap(dim, value);
  if (dim->scale == FCPS_SCALE_LOG) {
    /* numbers up to 0 have no logarithm, so they count as the smallest positive double */
    const double log_lower = log(dim->lower);
    return (log(fmax(value, DBL_MIN)) - log_lower) / (log(dim->upper) - log_lower);
  }
  return (value - (dim->lower - 0.5 * fcps_dimension_step(dim))) / fcps_dimension_span(dim);
}

static double from_unit(const fcps_dimension *dim, double unit)
{
  if (!is_bounded(dim)) return unit;
  /* the ends are exact: no rounding */
  if (!(unit > 0)) return dim->lower;
  if (unit >= 1) return dim->upper;
  double value = 0;
  switch (dim->scale) {
  case FCPS_SCALE_LINEAR:
    value =
        dim->step > 0 ? step_value(dim, floor(unit * count_steps(dim))) : (1 - unit) * dim->lower + unit * dim->upper;
    break;
  case FCPS_SCALE_LOG:
    value = exp((1 - unit) * log(dim->lower) + unit * log(dim->upper));
    break;
  case FCPS_SCALE_INTEGER:
    value = dim->lower + floor(unit * fcps_dimension_span(dim));
    break;
  }
  return fmin(fmax(value, dim->lower), dim->upper);
}

double fcps_dimension_at(const fcps_dimension *dim, double share)
{
  if (dim == NULL) return NAN;
  if (!(share > 0)) return dim->lower; /* the ends are exact: no rounding */
  if (share >= 1) return dim->upper;
  if (dim->scale == FCPS_SCALE_LOG) return exp((1 - share) * log(dim->lower) + share * log(dim->upper));
  const double value = (1 - share) * dim->lower + share * dim->upper, step = fcps_dimension_step(dim);
  return step > 0 ? step_value(dim, round((value - dim->lower) / step)) : value;
}

double fcps_dimension_beyond(const fcps_dimension *dim, double value)
{
  if (!is_bounded(dim)) return 0;
  const double unit = to_unit(dim, value);
  double beyond = fmax(fmax(-unit, unit - 1), 0);
  if (dim->period > 0 && beyond > 0) { /* takes the distance from the nearer end of the arc */
    const double turn = dim->period / fcps_dimension_span(dim), above = fmod(unit, turn) + (unit < 0 ? turn : 0);
    beyond = above > 1 ? fmin(above - 1, turn - above) : 0;
  }
  return beyond;
}

bool fcps_dimension_has_unit_of(const fcps_dimension *a, const fcps_dimension *b)
{
  if (a->unit == NULL || b->unit == NULL) return a->unit == b->unit;
  return strcmp(a->unit, b->unit) == 0;
}

void fcps_space_to_unit(const fcps_space *space, const double *values, double *unit)
{
  for (int i = 0; i < space->count; i++)
    unit[i] = to_unit(&space->dims[i], values[i]);
}

void fcps_space_from_unit(const fcps_space *space, const double *unit, double *values)
{
  for (int i = 0; i < space->count; i++)
    values[i] = from_unit(&space->dims[i], unit[i]);
}

int fcps_choices_find(const fcps_choices *choices, const char *word)
{
  for (int i = 0; choices != NULL && word != NULL && i < choices->count; i++)
    if (strcmp(choices->words[i], word) == 0) return i;
  return -1;
}

const char *fcps_dimension_word(const fcps_dimension *dimension, double value)
{
  const fcps_choices *choices = dimension != NULL ? dimension->choices : NULL;
  if (choices == NULL || !(value >= 0) || value > choices->count - 1 || value != floor(value)) return NULL;
  return choices->words[(int)value];
}

/* -- Checks of spaces and values --
 *
 * Every error names the field, as in "target.x", and says what would be right. */

/* Room for "label.name" (an fcps_error cuts longer fields), and the most steps of a dimension. */
enum { FIELD_SIZE = 128, MOST_STEPS = 1000000 };

/* If a value is outside the bounds by less than this share of the range, it counts as inside: numbers are rounded when
 * they become text and when they are scaled. */
static const double slack = 1e-9;

static bool is_identifier(const char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return name != NULL && strspn(name, letters) > 0 && name[strspn(name, rest)] == '\0';
}

static fcps_status check_name(const fcps_space *space, int index, const char *label, fcps_error *error)
{
  const char *name = space->dims[index].name;
  char field[FIELD_SIZE];
  snprintf(field, sizeof field, "%s[%d]", label, index);
  if (!is_identifier(name))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field,
                          "\"%s\" is not a valid name for a dimension; use letters, digits and underscores, "
                          "and begin with a letter or an underscore",
                          name != NULL ? name : "");
  if (strlen(name) > FCPS_NAME_MAX)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field,
                          "the name \"%.20s...\" has %zu characters; shorten it to %d or fewer", name, strlen(name),
                          FCPS_NAME_MAX);
  if (fcps_space_find(space, name) != index) {
    snprintf(field, sizeof field, "%s.%s", label, name);
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "two dimensions have this name; rename one");
  }
  return FCPS_OK;
}

static fcps_status check_bounds(const fcps_dimension *dim, const char *field, fcps_error *error)
{
  char lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE];
  fcps_number_write(dim->lower, lower);
  fcps_number_write(dim->upper, upper);
  /* the same limit as for values, so that a learner never asks for a value that would be refused in a result */
  if (!(fabs(dim->lower) <= FCPS_VALUE_LIMIT && fabs(dim->upper) <= FCPS_VALUE_LIMIT)) {
    char limit[FCPS_NUMBER_SIZE];
    return fcps_error_set(error, FCPS_ERR_NOT_FINITE, field,
                          "bounds [%s, %s] must be finite and within -%s to %s; use another unit", lower, upper,
                          fcps_number_write(FCPS_VALUE_LIMIT, limit), limit);
  }
  if (!(dim->lower < dim->upper)) {
    return fcps_error_set(error, FCPS_ERR_BOUNDS, field, "the lower bound %s must be below the upper bound %s", lower,
                          upper);
  }
  if (dim->scale == FCPS_SCALE_LINEAR && !(dim->upper - dim->lower >= FCPS_RANGE_LEAST)) {
    char range[FCPS_NUMBER_SIZE], least[FCPS_NUMBER_SIZE];
    return fcps_error_set(
        error, FCPS_ERR_BOUNDS, field, "the range %s of the bounds [%s, %s] is below %s; use another unit",
        fcps_number_write(dim->upper - dim->lower, range), lower, upper, fcps_number_write(FCPS_RANGE_LEAST, least));
  }
  if (dim->scale == FCPS_SCALE_LOG && !(dim->lower > 0)) {
    return fcps_error_set(error, FCPS_ERR_BOUNDS, field,
                          "a logarithmic scale needs a lower bound above 0, and this one is %s", lower);
  }
  if (dim->scale == FCPS_SCALE_INTEGER && (dim->lower != floor(dim->lower) || dim->upper != floor(dim->upper))) {
    return fcps_error_set(error, FCPS_ERR_BOUNDS, field, "an integer scale needs whole bounds, and these are [%s, %s]",
                          lower, upper);
  }
  return FCPS_OK;
}

static fcps_status check_step(const fcps_dimension *dim, const char *field, fcps_error *error)
{
  if (dim->step == 0) return FCPS_OK;
  char step[FCPS_NUMBER_SIZE], range[FCPS_NUMBER_SIZE], last[FCPS_NUMBER_SIZE];
  fcps_number_write(dim->step, step);
  fcps_number_write(dim->upper - dim->lower, range);
  if (!isfinite(dim->step) || dim->step < 0)
    return fcps_error_set(error, isfinite(dim->step) ? FCPS_ERR_BOUNDS : FCPS_ERR_NOT_FINITE, field,
                          "the step %s must be a positive number, or 0 for none", step);
  if (dim->scale != FCPS_SCALE_LINEAR)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "only a linear dimension has a step; leave the scale out%s",
                          dim->scale == FCPS_SCALE_INTEGER ? ", because the step alone decides which values there are"
                                                           : "");
  const double count = (dim->upper - dim->lower) / dim->step;
  if (count > MOST_STEPS)
    return fcps_error_set(
        error, FCPS_ERR_BOUNDS, field,
        "the step %s is too fine: the range %s may have at most %d steps; leave the step out, or make it %s or more",
        step, range, MOST_STEPS, fcps_number_show((dim->upper - dim->lower) / MOST_STEPS, last));
  if (count < 1 || fabs(count - nearbyint(count)) > 1e-6)
    return fcps_error_set(
        error, FCPS_ERR_BOUNDS, field,
        "the range %s must be 1 to %d whole steps of %s; let the range end on a step, for example at %s", range,
        MOST_STEPS, step, fcps_number_show(dim->lower + dim->step * fmax(floor(count), 1), last));
  return FCPS_OK;
}

static fcps_status check_period(const fcps_dimension *dim, const char *field, fcps_error *error)
{
  if (dim->period == 0) return FCPS_OK;
  char period[FCPS_NUMBER_SIZE], range[FCPS_NUMBER_SIZE];
  fcps_number_write(dim->period, period);
  fcps_number_write(dim->upper - dim->lower, range);
  if (!isfinite(dim->period) || dim->period < 0) {
    return fcps_error_set(error, isfinite(dim->period) ? FCPS_ERR_BOUNDS : FCPS_ERR_NOT_FINITE, field,
                          "the period %s must be a positive number, or 0 for none", period);
  }
  if (dim->scale == FCPS_SCALE_LOG) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "a logarithmic dimension cannot have a period; use 0");
  }
  if (dim->upper - dim->lower > dim->period * (1 + slack)) {
    return fcps_error_set(error, FCPS_ERR_BOUNDS, field,
                          "the range %s is longer than the period %s; narrow the bounds to one period", range, period);
  }
  return FCPS_OK;
}

/* Checks an outcome. A model learns measurements on a line and in their own units. So an outcome cannot be an angle, a
 * logarithm, a whole number or a word: it must be measured as something else. */
static fcps_status check_measured(const fcps_dimension *dim, const char *field, fcps_error *error)
{
  if (dim->step != 0) {
    return fcps_error_set(
        error, FCPS_ERR_UNSUPPORTED, field,
        "an outcome cannot have a step, because its expected value may lie between the steps; leave the step out");
  }
  if (dim->period != 0) {
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, field,
                          "an outcome cannot have a period; measure the sine and the cosine of the angle as two "
                          "outcomes (in formulas, atan2 gives the angle)");
  }
  if (dim->scale == FCPS_SCALE_LOG) {
    return fcps_error_set(
        error, FCPS_ERR_UNSUPPORTED, field,
        "an outcome cannot have a logarithmic scale; measure its logarithm (in formulas, exp gives the number)");
  }
  if (dim->scale == FCPS_SCALE_INTEGER) {
    return fcps_error_set(
        error, FCPS_ERR_UNSUPPORTED, field,
        "an outcome cannot have an integer scale, because its expected value need not be whole; leave the scale out");
  }
  return FCPS_OK;
}

static fcps_status check_dimension(const fcps_dimension *dim, const char *label, bool is_measured, fcps_error *error)
{
  char field[FIELD_SIZE];
  snprintf(field, sizeof field, "%s.%s", label, dim->name);
  if (dim->scale != FCPS_SCALE_LINEAR && dim->scale != FCPS_SCALE_LOG && dim->scale != FCPS_SCALE_INTEGER) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "the scale must be linear, log or integer");
  }
  if (dim->choices != NULL && is_measured)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, field,
                          "an outcome cannot be a word, because measurements are numbers; measure how far it is from "
                          "each kind, or record 0 or 1");
  if (dim->choices != NULL) return fcps_choices_check(dim, field, error);
  const bool unbounded = dim->lower == 0 && dim->upper == 0;
  fcps_status status = FCPS_OK;
  if (!is_measured || !unbounded) {
    status = check_bounds(dim, field, error);
  }
  if (status == FCPS_OK && !is_measured) status = check_step(dim, field, error);
  return status == FCPS_OK ? (is_measured ? check_measured : check_period)(dim, field, error) : status;
}

fcps_status fcps_space_check(const fcps_space *space, const char *label, bool is_measured, fcps_error *error)
{
  if (space->count < 0 || space->count > FCPS_SPACE_MAX) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, label, "%d dimensions; a space has 0 to %d", space->count,
                          FCPS_SPACE_MAX);
  }
  if (space->count > 0 && space->dims == NULL) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, label,
                          "the number of dimensions is %d, but the list of dimensions is NULL", space->count);
  }
  int properties = 0;
  /* checks all names first: the search for equal names needs them all */
  for (int i = 0; i < space->count; i++) {
    const fcps_status status = check_name(space, i, label, error);
    if (status != FCPS_OK) return status;
  }
  for (int i = 0; i < space->count; i++) {
    const fcps_status status = check_dimension(&space->dims[i], label, is_measured, error);
    if (status != FCPS_OK) return status;
    if (space->dims[i].choices != NULL) properties += space->dims[i].choices->property_count;
  }
  if (properties > FCPS_SPACE_MAX)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, label, "its words have %d properties; a space has at most %d",
                          properties, FCPS_SPACE_MAX);
  return FCPS_OK;
}

static bool is_inside(const fcps_dimension *dim, double value)
{
  const double margin = slack * (dim->upper - dim->lower);
  value = fcps_dimension_wrap(dim, value);
  return value >= dim->lower - margin && value <= dim->upper + margin;
}

int fcps_space_find_outside(const fcps_space *space, const double *values, int first)
{
  for (int i = first; i < space->count; i++) {
    const fcps_dimension *dim = &space->dims[i];
    if (dim->lower < dim->upper && fabs(values[i]) <= FCPS_VALUE_LIMIT && !is_inside(dim, values[i])) return i;
  }
  return -1;
}

static fcps_status refuse_outside(const fcps_dimension *dim, const char *field, double value, fcps_error *error)
{
  char text[FCPS_NUMBER_SIZE], lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE];
  return fcps_error_set(error, FCPS_ERR_BOUNDS, field, "%s lies outside [%s, %s]; give a value inside",
                        fcps_number_write(value, text), fcps_number_write(dim->lower, lower),
                        fcps_number_write(dim->upper, upper));
}

fcps_status fcps_space_check_values(const fcps_space *space, const char *label, const double *values, bool bounded,
                                    fcps_error *error)
{
  if (values == NULL && space->count > 0)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, label, "no values were given (NULL) for %d dimension%s",
                          space->count, space->count > 1 ? "s" : "");
  for (int i = 0; i < space->count; i++) {
    const fcps_dimension *dim = &space->dims[i];
    const bool has_bounds = dim->lower < dim->upper, is_usable = fabs(values[i]) <= FCPS_VALUE_LIMIT;
    const bool has_logarithm = dim->scale != FCPS_SCALE_LOG || values[i] > 0;
    if (is_usable && has_logarithm && (!bounded || !has_bounds || is_inside(dim, values[i]))) continue;

    char field[FIELD_SIZE], limit[FCPS_NUMBER_SIZE];
    snprintf(field, sizeof field, "%s.%s", label, dim->name);
    if (!is_usable) {
      return fcps_error_set(error, FCPS_ERR_NOT_FINITE, field,
                            "the value is NaN, infinite or beyond %s; give a finite number",
                            fcps_number_write(FCPS_VALUE_LIMIT, limit));
    }
    if (!has_logarithm) {
      return fcps_error_set(error, FCPS_ERR_BOUNDS, field, "a logarithmic scale needs a number above 0");
    }
    return refuse_outside(dim, field, values[i], error);
  }
  return FCPS_OK;
}

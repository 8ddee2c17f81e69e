/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of spaces and values. Every error names the field, as in "target.x", and says what would be right. */
#include "base/error.h"
#include "base/number.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Room for "label.name" (an fcps_error cuts longer fields), and the most steps of a dimension. */
enum { FIELD_SIZE = 64, MOST_STEPS = 1000000 };

/* A value that is outside the bounds by less than this part of the range counts as inside, because numbers are rounded
 * when they become text and when they are scaled. */
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
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "two dimensions have this name; rename one of them");
  }
  return FCPS_OK;
}

static fcps_status check_bounds(const fcps_dimension *dim, const char *field, fcps_error *error)
{
  char lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE];
  fcps_number_write(dim->lower, lower);
  fcps_number_write(dim->upper, upper);
  /* the same limit as for values: a learner must not ask for a value that it would refuse in a result */
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
                          dim->scale == FCPS_SCALE_INTEGER ? ", the step says more" : "");
  const double count = (dim->upper - dim->lower) / dim->step;
  if (count > MOST_STEPS)
    return fcps_error_set(error, FCPS_ERR_BOUNDS, field,
                          "the step %s is too fine: the range %s may have %d steps; leave the step out, or let it be "
                          "%s or more",
                          step, range, MOST_STEPS, fcps_number_show((dim->upper - dim->lower) / MOST_STEPS, last));
  if (count < 1 || fabs(count - nearbyint(count)) > 1e-6)
    return fcps_error_set(error, FCPS_ERR_BOUNDS, field,
                          "the range %s is not 1 to %d steps of %s; let the range end on a step, for example at %s",
                          range, MOST_STEPS, step,
                          fcps_number_show(dim->lower + dim->step * fmax(floor(count), 1), last));
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

/* Checks an outcome. A model learns measurements on a line and in their own units, so an outcome that is an angle, a
 * logarithm, a whole number or a word must be measured as something else. */
static fcps_status check_measured(const fcps_dimension *dim, const char *field, fcps_error *error)
{
  if (dim->step != 0) {
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, field,
                          "an outcome cannot have a step: its expected value need not be one of them; leave it out");
  }
  if (dim->period != 0) {
    return fcps_error_set(
        error, FCPS_ERR_UNSUPPORTED, field,
        "an outcome cannot have a period; measure the sine and the cosine of the angle as two outcomes "
        "(atan2 brings it back in formulas)");
  }
  if (dim->scale == FCPS_SCALE_LOG) {
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, field,
                          "an outcome cannot have a logarithmic scale; measure its logarithm (exp brings it back in "
                          "formulas)");
  }
  if (dim->scale == FCPS_SCALE_INTEGER) {
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, field,
                          "an outcome cannot have an integer scale: its expected value need not be whole; leave the "
                          "scale out");
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
                          "an outcome cannot be a word: what is measured is a number; measure how far it is from each "
                          "kind, or give 0 or 1");
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
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, label, "%d dimensions are announced and none is given",
                          space->count);
  }
  int properties = 0;
  /* checks all names first, because the search for equal names reads them all */
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

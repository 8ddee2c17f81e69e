/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces: copying, finding, comparing, and scaling to the unit cube. A dimension is bounded if lower < upper. One
 * without bounds is never scaled, wrapped or clipped. */
#include "space/space.h"

#include "base/memory.h"
#include "base/settings.h"

#include <float.h>
#include <math.h>
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
  *used += (size + 7) / 8 * 8; /* every copy begins where a double or a pointer may */
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

/* Value number `index`, counted from 0. If the step is 1/N, the value is rounded as its decimal text would be: 0.3, not
 * 3 times 0.1. */
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
    /* numbers up to 0 have no logarithm: they map as far outside the cube as a number can be */
    const double log_lower = log(dim->lower);
    return (log(fmax(value, DBL_MIN)) - log_lower) / (log(dim->upper) - log_lower);
  }
  return (value - (dim->lower - 0.5 * fcps_dimension_step(dim))) / fcps_dimension_span(dim);
}

static double from_unit(const fcps_dimension *dim, double unit)
{
  if (!is_bounded(dim)) return unit;
  /* the ends are exact, without rounding */
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
  if (!(share > 0)) return dim->lower; /* the ends are exact, without rounding */
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
  if (dim->period > 0 && beyond > 0) { /* the distance to the nearer end of the arc */
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

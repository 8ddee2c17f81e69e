/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions and spaces: the meaning of the numbers of a problem.
 *
 *   const fcps_dimension turn_and_speed[] = {{.name = "turn", .lower = 0, .upper = 360, .period = 360, .unit = "deg"},
 *                                            {.name = "speed", .lower = 1, .upper = 8, .unit = "m/s"}};
 *   const fcps_space parameter_space = {2, turn_and_speed};
 */
#ifndef FCPS_SPACE_H
#define FCPS_SPACE_H

#include <fcps/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fcps_scale { FCPS_SCALE_LINEAR, FCPS_SCALE_LOG, FCPS_SCALE_INTEGER } fcps_scale;

/* Their names, as problem files have them, in the order of the enumeration; NULL past the end. */
FCPS_API const char *fcps_scale_name(int index);

/* The most words that a dimension chooses among, the most characters of one, and the most that is known of each. */
#define FCPS_WORDS_MAX      1000
#define FCPS_WORD_MAX       127
#define FCPS_PROPERTIES_MAX 32

/* The words that a dimension chooses among (a tyre: soft, medium, hard). Its values are their places in the list, from 0. */
typedef struct fcps_choices {
  int count;                /* 2 at least */
  const char *const *words; /* no two are the same; without commas and double quotes */
  bool is_ordered;          /* their order means something: low, medium, high */
  bool is_alike;            /* they are of one kind, and differ a little: machines, batches, days */
  int property_count;
  const char *const *properties; /* names of what is known of each word; may be NULL if nothing is */
  const double *known;           /* count x property_count */
} fcps_choices;

/* One named number, or one of several words. */
typedef struct fcps_dimension {
  const char *name; /* an identifier of at most FCPS_NAME_MAX characters, unique in its problem: formulas use it */
  double lower;     /* contexts and parameters stay within these bounds, a model clips outcomes to them; both 0: none */
  double upper;
  double period;    /* 0, or the length after which values repeat (an angle: 2 pi, 360); 0 for outcomes */
  fcps_scale scale; /* linear for outcomes */
  const char *unit; /* for people; may be NULL */
  double step;      /* 0, or the distance between the values of a linear dimension: lower, lower + step, ..., upper; a
                       parameter that is asked for is one of them. The range is a whole number of steps; 0 for outcomes */
  const fcps_choices *choices; /* NULL: a number. Else lower is 0, upper is their count - 1, and the scale is integer */
  const char *when;            /* NULL, or the condition under which a parameter applies, over the words and numbers of
                                  targets, environment and other parameters: "tool == mill". Elsewhere it is not
                                  learnt, and its value is `lower` */
} fcps_dimension;

/* The value at a share of the range of a dimension with bounds, by its scale and on its step: 0 is the lower bound, 0.5 the
 * middle (of a logarithmic range the geometric one), 1 the upper bound. NaN without a dimension. */
FCPS_API double fcps_dimension_at(const fcps_dimension *dimension, double share);

/* The place of a word in the list; -1: it is not there, or there are no choices. */
FCPS_API int fcps_choices_find(const fcps_choices *choices, const char *word);

/* The word for a value; NULL: the dimension is a number, or the value is not the place of a word. */
FCPS_API const char *fcps_dimension_word(const fcps_dimension *dimension, double value);

/* An ordered list of dimensions. `count` may be 0; `dims` is then not read. */
typedef struct fcps_space {
  int count;
  const fcps_dimension *dims;
} fcps_space;

/* The most dimensions of a space, and the most characters of a name. */
#define FCPS_SPACE_MAX 256
#define FCPS_NAME_MAX  63

#ifdef __cplusplus
}
#endif
#endif

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

/* The name of a scale in problem files, by its place in the enumeration; NULL past the end. */
FCPS_API const char *fcps_scale_name(int index);

/* The most words of a dimension, the most characters of a word, and the most properties of a word. */
#define FCPS_WORDS_MAX      1000
#define FCPS_WORD_MAX       127
#define FCPS_PROPERTIES_MAX 32

/* The words of a dimension with choices (a tyre: soft, medium, hard). A value of the dimension is a word's place in
 * the list, counted from 0. */
typedef struct fcps_choices {
  int count;                /* at least 2 */
  const char *const *words; /* all different, without commas and double quotes */
  bool is_ordered;          /* the order means something: low, medium, high */
  bool is_alike;            /* the words are of one kind and differ a little: machines, batches, days */
  int property_count;
  const char *const *properties; /* names of the properties; may be NULL if there are none */
  const double *known;           /* the properties: count x property_count, one row for each word */
} fcps_choices;

/* One named number, or one of several words. */
typedef struct fcps_dimension {
  const char *name; /* an identifier of at most FCPS_NAME_MAX characters, unique in its problem: formulas use it */
  /* contexts and parameters stay within these bounds, and a model clips outcomes to them; both 0: no bounds */
  double lower;
  double upper;
  double period;    /* 0, or the length after which values repeat (an angle: 2 pi, 360); 0 for outcomes */
  fcps_scale scale; /* linear for outcomes */
  const char *unit; /* for people; may be NULL */
  /* 0, or the distance between the values of a linear dimension: lower, lower + step, ..., upper. Asks contain only
   * such values of a parameter. The range is a whole number of steps; 0 for outcomes */
  double step;
  const fcps_choices *choices; /* NULL: a number. Else lower is 0, upper is count - 1, and the scale is integer */
  const char *when;            /* NULL, or the condition under which a parameter applies: a formula over targets,
                                  environment and other parameters, such as "tool == mill". If the condition does not
                                  hold, the parameter is not learnt and its value is `lower` */
} fcps_dimension;

/* The value at a share of a dimension's range: 0 is the lower bound, 0.5 the middle (of a logarithmic range the
 * geometric middle), 1 the upper bound. With a step, the value is on a step. NaN if the dimension is NULL. The
 * dimension must have bounds. */
FCPS_API double fcps_dimension_at(const fcps_dimension *dimension, double share);

/* The place of a word in the list; -1 if the word is not in it, or `choices` is NULL. */
FCPS_API int fcps_choices_find(const fcps_choices *choices, const char *word);

/* The word for a value; NULL if the dimension is a number, or the value is not the place of a word. */
FCPS_API const char *fcps_dimension_word(const fcps_dimension *dimension, double value);

/* An ordered list of dimensions. `count` may be 0; `dims` is then not read. */
typedef struct fcps_space {
  int count;
  const fcps_dimension *dims;
} fcps_space;

/* The most dimensions of a space, and the most characters of a dimension's name. */
#define FCPS_SPACE_MAX 256
#define FCPS_NAME_MAX  63

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions and spaces: what the numbers of a problem mean. */
#ifndef FCPS_SPACE_H
#define FCPS_SPACE_H

#include <fcps/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fcps_scale { FCPS_SCALE_LINEAR, FCPS_SCALE_LOG, FCPS_SCALE_INTEGER } fcps_scale;

/* Their names, as problem files have them, in the order of the enumeration; NULL past the end. */
FCPS_API const char *fcps_scale_name(int index);

/* One named number. */
typedef struct fcps_dimension {
  const char *name; /* an identifier of at most FCPS_NAME_MAX characters, unique in its problem: formulas use it */
  double lower;     /* hard bounds of contexts and parameters; of outcomes, where the model clips: both 0 for none */
  double upper;
  double period;    /* 0, or the length after which values repeat (an angle: 2 pi, 360); of outcomes 0 */
  fcps_scale scale; /* of outcomes linear */
  const char *unit; /* for people; may be NULL */
} fcps_dimension;

/* An ordered list of dimensions; `count` may be 0, `dims` is then not read. */
typedef struct fcps_space {
  int count;
  const fcps_dimension *dims;
} fcps_space;

/* Most dimensions a space may have, and most characters a name. */
#define FCPS_SPACE_MAX 256
#define FCPS_NAME_MAX  63

#ifdef __cplusplus
}
#endif
#endif

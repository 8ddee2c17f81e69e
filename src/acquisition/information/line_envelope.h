/* SPDX-License-Identifier: Apache-2.0 */
/* The upper envelope of lines under a standard normal variable. */
#ifndef FCPS_ACQUISITION_INFORMATION_LINE_ENVELOPE_H
#define FCPS_ACQUISITION_INFORMATION_LINE_ENVELOPE_H

typedef struct fcps_line {
  double height, slope; /* height + slope w */
} fcps_line;

/* E_w max_i (height_i + slope_i w) - max_i height_i for a standard normal w, never negative. Reorders the lines. */
double fcps_line_envelope_gain(int count, fcps_line *lines);

#endif

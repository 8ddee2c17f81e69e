/* SPDX-License-Identifier: Apache-2.0 */
/* Reading named settings against the table that describes them. */
#ifndef FCPS_BASE_SETTINGS_H
#define FCPS_BASE_SETTINGS_H

#include <fcps/base.h>

/* The values of a table of settings, in the table's order. Numbers, integers and switches (0, 1) are in `number`,
 * choices as the index of the choice. */
typedef struct fcps_settings {
  const fcps_setting_spec *specs;
  int count;
  double *number;
} fcps_settings;

/* Reads the defaults, then `overrides` (may be NULL), then `given` (may be NULL). An unknown name, a text that is no
 * value or a value out of range is refused with the list of what exists (and the nearest name). */
fcps_status fcps_settings_create(fcps_settings *settings, const fcps_setting_spec *specs, const fcps_setting *overrides,
                                 const fcps_setting *given, fcps_error *error);
void fcps_settings_destroy(fcps_settings *settings);

/* The value of a setting that the table has (asserted: a missing one is our own mistake). */
double fcps_settings_number(const fcps_settings *settings, const char *name);
int fcps_settings_integer(const fcps_settings *settings, const char *name);
bool fcps_settings_switch(const fcps_settings *settings, const char *name);
int fcps_settings_choice(const fcps_settings *settings, const char *name); /* index among the choices */

/* Reads on or off (also true | false, yes | no, 1 | 0); false when `text` is none of them. */
bool fcps_switch_read(const char *text, bool *value);

/* The value of setting i as text, as a user would type it, into `text`. Returns `text`. */
char *fcps_settings_write(const fcps_settings *settings, int index, size_t size, char *text);

#endif

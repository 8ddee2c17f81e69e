/* SPDX-License-Identifier: Apache-2.0 */
/* The table of structures, and the one place where a choice between descriptions is made. */
#ifndef FCPS_MODEL_STRUCTURES_H
#define FCPS_MODEL_STRUCTURES_H

#include "model/description.h"

/* The kinds in their order, NULL past the end, and the place of one by its name; -1: there is none. */
const fcps_structure_kind *fcps_structure_kind_at(int index);
int fcps_structure_find(const char *name);

/* Whether two kinds do not go together. */
bool fcps_structure_excludes(const fcps_structure_kind *a, const fcps_structure_kind *b);

/* What a user says about a kind. */
fcps_structure_setting fcps_structure_setting_of(const fcps_structure_settings *settings, int index);

#endif

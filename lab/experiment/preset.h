/* SPDX-License-Identifier: Apache-2.0 */
/* Presets: settings under one name, so that all rows that claim to be the paper's have the same. A row of an experiment
 * names one with `preset`, and its own settings come after it.
 *
 *   paper     the paper's text, and where the text is silent or does not reproduce its own numbers one choice for all
 *             rows; docs/reproduce.md names each departure with its reason and its effect
 *   literal   the text word for word, as it comes
 */
#ifndef FCPS_EXPERIMENT_PRESET_H
#define FCPS_EXPERIMENT_PRESET_H

#include "lab/experiment/reader.h"

/* Reads `settings` of a row after those of its `preset`, if it names one, into a new list that ends with {NULL, NULL}. A
 * preset that does not exist, or not for this learner, is refused. */
fcps_setting *fcps_preset_read_settings(fcps_reader *reader, const fcps_yaml_node *row, const char *learner);

#endif

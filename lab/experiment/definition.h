/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment was when its first run began: its protocol, rows and claims. It is kept as definition.json beside
 * the results and never replaced, so that what was changed afterwards can be shown with what it was. A quick look keeps
 * none: it judges nothing. */
#ifndef FCPS_EXPERIMENT_DEFINITION_H
#define FCPS_EXPERIMENT_DEFINITION_H

#include "format/json.h"
#include "lab/experiment/experiment_impl.h"

/* Writes DIRECTORY/NAME/definition.json unless it is there. The folder must exist. */
fcps_status fcps_definition_keep(const fcps_experiment *experiment, const char *directory, fcps_error *error);

/* Reads it; *kept is NULL where there is none. */
fcps_status fcps_definition_read(fcps_json **kept, const fcps_experiment *experiment, const char *directory,
                                 fcps_error *error);

/* What a claim or a row was in the kept definition: "" where it is the same, else words for people. Freed with
 * fcps_free; NULL when there is no memory. */
char *fcps_definition_claim_was(const fcps_json *kept, const fcps_experiment *experiment, int claim);
char *fcps_definition_row_was(const fcps_json *kept, const fcps_experiment *experiment, int row);

/* The claims that the kept definition had and the experiment no longer has: an array of their texts. */
fcps_json *fcps_definition_removed_claims(const fcps_json *kept, const fcps_experiment *experiment);

/* The claim as people read it: its own words, or what its row and episode say. */
void fcps_definition_claim_text(const fcps_experiment *experiment, const fcps_claim *claim, size_t size, char *text);

#endif

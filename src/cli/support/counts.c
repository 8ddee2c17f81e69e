/* SPDX-License-Identifier: Apache-2.0 */
/* The one line in which commands count results, and the names of those with a finding. */
#include "cli/support/counts.h"

#include <stdio.h>

char *cli_counts_text(const fcps_study *study, size_t size, char *text)
{
  fcps_study_counts c;
  fcps_study_count(study, &c);
  snprintf(text, size, "%d result%s: %d with an outcome, %d without, %d failed", c.results, c.results == 1 ? "" : "s",
           c.with_outcome, c.without_outcome, c.failed);
  return text;
}

void cli_names_print(FILE *stream, const fcps_study *study, fcps_wire_finding *finding)
{
  char names[4000];
  fputs(fcps_wire_names_text(study, finding, sizeof names, names), stream);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The line in which commands count results, and the names of results with a finding. */
#include "cli/support/counts.h"

#include "cli/support/shown.h"
#include "wire/status.h"

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

/* -- Suspects -- */

void cli_suspects_print(FILE *stream, const char *label, const fcps_study *study, const char *path)
{
  int in_other_unit = 0;
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    char text[FCPS_SURPRISE_SIZE], name[FCPS_WIRE_RESULT_NAME_SIZE];
    fcps_study_result_at(study, i, &stored);
    if (!stored.is_suspect) continue;
    if (stored.is_in_other_unit) {
      in_other_unit++;
      continue;
    }
    fcps_study_surprise_text(study, &stored, text);
    fcps_wire_result_name(&stored, name);
    fprintf(stream, "%s%s: %s; it hardly counts. A typo? ", label, name, cli_shown(text));
    if (path != NULL)
      fprintf(stream, "fcps study amend %s --drop %s, or --confirm %s\n", cli_shown_word(path), name, name);
    else
      fprintf(stream, "It could be amended in a study with a file (--store FILE.fcps)\n");
  }
  if (in_other_unit > 0)
    fprintf(stream, "%s%d results that seem to be in another unit hardly count: see W_UNIT\n", label, in_other_unit);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The one line in which commands count results, and the names of excused ones. */
#include "cli/support/counts.h"
#include "study/name_list.h"

#include <limits.h>
#include <stdio.h>

char *cli_counts_text(const fcps_study *study, size_t size, char *text)
{
  fcps_study_counts c;
  fcps_study_count(study, &c);
  snprintf(text, size, "%d result%s: %d with an outcome, %d without, %d failed", c.results, c.results == 1 ? "" : "s",
           c.with_outcome, c.without_outcome, c.failed);
  return text;
}

static bool is_excused(const void *user, const fcps_stored_result *stored)
{
  (void)user;
  return stored->is_excused;
}

void cli_excused_print(FILE *stream, const fcps_study *study)
{
  char names[4000];
  fcps_study_list_names(study, is_excused, NULL, INT_MAX, sizeof names, names);
  fputs(names, stream);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The lines about trials at the end of a run. With --json, each episode is a line as soon as it is stored. */
#include "cli/run.h"

#include "base/error.h"
#include "cli/support/counts.h"
#include "cli/support/fail.h"
#include "cli/support/open_study.h"
#include "cli/support/shown.h"
#include "wire/status.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- For people -- */

void cli_run_summary_converged(const cli_run_command *command, const fcps_study *study, const fcps_outlook *outlook)
{
  char text[400];
  const bool has_file = fcps_study_url(study) != NULL;
  const char *more = has_file ? " (fcps study status says more)" : "";
  if (command->is_quiet || outlook->contexts == 0) return;
  fprintf(stderr, "%sconverged: further trials gain at most %.3g per context", outlook->is_converged ? "" : "not ",
          outlook->gain);
  if (outlook->edge_gain > fmax(outlook->caution_cost, 0.1 * outlook->gain))
    fprintf(stderr, ", %.3g of it beyond the edge of what is known to work%s", outlook->edge_gain, more);
  else if (outlook->caution_cost > 0.1 * outlook->gain)
    fprintf(stderr, ", %.3g of it given up by caution%s", outlook->caution_cost, more);
  if (outlook->suspects > 0)
    fprintf(stderr, "; %d suspect result%s%s", outlook->suspects, outlook->suspects == 1 ? " waits" : "s wait",
            has_file ? " for --confirm or --drop" : "");
  if (outlook->remarks > 0) fprintf(stderr, "; %s", fcps_wire_remarks_text("", study, sizeof text, text));
  fprintf(stderr, "\n");
}

/* Counts the finished episodes: asks of this or an earlier run that are not pending. */
static int count_episodes(const fcps_study *study)
{
  static const char client[] = FCPS_RUN_CLIENT;
  const size_t length = sizeof client - 1;
  int count = 0;
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_ask ask;
    fcps_study_ask_at(study, i, &ask);
    const bool is_run = strncmp(ask.client, client, length) == 0 && (!ask.client[length] || ask.client[length] == '/');
    count += is_run && ask.state != FCPS_ASK_PENDING;
  }
  return count;
}

/* Prints failures that the model takes for an outage. Only a policy knows them, so it is made if there may be an
 * outage. */
static void print_outage(fcps_study *study)
{
  enum { LEAST_FAILURES = 3 };
  fcps_study_counts counts;
  fcps_policy *policy = NULL;
  fcps_outlook outlook = {0};
  fcps_study_count(study, &counts);
  if (counts.failed + counts.without_outcome < LEAST_FAILURES || counts.usable == 0) return;
  fcps_status status = fcps_study_policy(study, &policy, NULL);
  if (status == FCPS_OK) status = fcps_study_outlook(study, policy, &outlook, NULL, NULL, NULL);
  fcps_policy_destroy(policy);
  if (status != FCPS_OK || outlook.excused == 0) return;
  fprintf(stderr, "%d trials in a row went wrong, probably because of the machine and not of their parameters: ",
          outlook.excused);
  cli_names_print(stderr, study, fcps_wire_is_excused);
  fprintf(stderr, ". They do not count against their parameters%s\n",
          fcps_study_url(study) != NULL
              ? ". `fcps study amend` changes that: --confirm if the parameters are to blame, "
                "--drop to take them out for good"
              : "");
}

/* Prints suspects as `fcps study status` would, so that the user need not ask. */
static void print_suspects(fcps_study *study)
{
  const fcps_study_remark *remark;
  char room[2000];
  int count = 0;
  if (fcps_study_find_suspects(study, &count, NULL) != FCPS_OK || count == 0) return;
  cli_suspects_print(stderr, "suspect ", study, fcps_study_url(study));
  for (int i = 0; (remark = fcps_study_remark_at(study, i)) != NULL; i++)
    if (strcmp(remark->code, "W_UNIT") == 0)
      fprintf(stderr, "%s: %s\n", remark->code, cli_shown(cli_no_file_text(remark->text, sizeof room, room)));
}

void cli_run_summary_count(const cli_run_command *command, fcps_study *study, bool has_summary)
{
  char text[120];
  fcps_study_counts counts;
  if (command->is_quiet) return;
  const int episodes = count_episodes(study);
  fcps_study_count(study, &counts);
  /* some asks were given up or their results dropped; other results were imported, or asked for by hand */
  if (episodes != counts.results)
    fprintf(stderr, "%d episode%s of runs; the study has ", episodes, episodes == 1 ? "" : "s");
  if (episodes != counts.results || !has_summary) fprintf(stderr, "%s\n", cli_counts_text(study, sizeof text, text));
  print_outage(study);
  print_suspects(study);
}

/* -- For programs -- */

fcps_status cli_run_summary_episode(const fcps_problem *problem, const fcps_episode *episode, fcps_error *error)
{
  const fcps_status status =
      cli_print_json(stdout, fcps_wire_episode_write(problem, episode->episode, &episode->stored), error);
  return status == FCPS_OK ? cli_flush(error) : status;
}

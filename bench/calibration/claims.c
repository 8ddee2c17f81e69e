/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the claims of a study. Only this file knows how; `read_model` must follow if fcps_health changes. */
#include "calibration/claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Warnings and remarks with a column of their own. */
static const struct {
  const char *code;
  calibration_claim claim;
} columns[] = {
    {"W_SURPRISE", CLAIM_SURPRISE},           {"W_UNIT", CLAIM_UNIT},        {"W_MODEL", CLAIM_MODEL},
    {"W_OVERCONFIDENT", CLAIM_OVERCONFIDENT}, {"W_BLIND", CLAIM_BLIND},      {"W_EXACT_OUTCOME", CLAIM_EXACT},
    {"W_SAME_OUTCOME", CLAIM_SAME},           {"W_SAME_REWARD", CLAIM_SAME}, {"W_TWO_VALUES", CLAIM_TWO_VALUES}};

static void make(calibration_claims *claims, calibration_claim claim)
{
  claims->made |= 1u << claim;
}

/* Notes a warning or remark, unless it is about the numbers of a fit, which is no claim about the world. */
static void note_code(calibration_claims *claims, const char *code)
{
  const size_t used = strlen(claims->codes);
  if (strstr(claims->codes, code) == NULL)
    snprintf(claims->codes + used, sizeof claims->codes - used, "%s%s", used > 0 ? ";" : "", code);
  if (strncmp(code, "W_GP_", strlen("W_GP_")) == 0) return;
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (strcmp(code, columns[i].code) == 0) {
      make(claims, columns[i].claim);
      return;
    }
  make(claims, CLAIM_OTHER);
}

void calibration_claims_hear(void *user, fcps_log_level level, const char *code, const char *message)
{
  calibration_claims *claims = user;
  (void)message;
  if (level != FCPS_LOG_WARNING) return;
  claims->surprises += strcmp(code, "W_SURPRISE") == 0;
  note_code(claims, code);
}

/* Structures with a column of their own. */
static const struct {
  const char *name;
  calibration_claim claim;
} structures[] = {{"frame", CLAIM_FRAME},
                  {"contact", CLAIM_CONTACT},
                  {"uneven_noise", CLAIM_UNEVEN},
                  {"separate", CLAIM_SEPARATE},
                  {"drift", CLAIM_DRIFT}};

/* Notes a finding, if it is claimed and not only believed. */
static void read_finding(calibration_claims *claims, const fcps_finding *finding)
{
  calibration_claim claim = CLAIM_OTHER;
  if (!finding->is_claimed) return;
  for (size_t i = 0; i < sizeof structures / sizeof *structures; i++)
    if (strcmp(finding->name, structures[i].name) == 0) claim = structures[i].claim;
  make(claims, claim);
  if (!(finding->log_odds > claims->odds)) return;
  claims->odds = finding->log_odds;
  claims->odds_of = claim;
  snprintf(claims->words, sizeof claims->words, "%.100s", finding->words);
}

/* Reads the statements about the model. */
static void read_model(calibration_claims *claims, const fcps_policy *policy)
{
  fcps_health h = {0};
  int processes = 0;
  bool is_split = false;
  claims->noise_ratio = 1;
  for (; fcps_policy_health(policy, processes, &h); processes++) {
    is_split = is_split || h.split_by != NULL;
    for (int i = 0; i < h.finding_count; i++)
      read_finding(claims, h.findings + i);
    if (h.most_noise > h.least_noise)
      claims->noise_ratio = fmax(claims->noise_ratio, fmin(h.most_noise / h.least_noise, 1e9));
  }
  claims->is_separate = processes > 1 && !is_split;
}

static void read_suspects(calibration_claims *claims, const fcps_study *study, const calibration_world *world)
{
  claims->suspects = claims->right_suspects = 0;
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    claims->suspects += stored.is_suspect;
    claims->right_suspects += stored.is_suspect && world->is_wrong[i];
  }
  if (claims->suspects > 0) make(claims, CLAIM_SUSPECT);
}

fcps_status calibration_claims_read(calibration_claims *claims, fcps_study *study, const calibration_world *world,
                                    fcps_error *error)
{
  fcps_policy *policy = NULL;
  fcps_outlook outlook = {0};
  fcps_status status = fcps_study_find_suspects(study, NULL, error);
  if (status == FCPS_OK) status = fcps_study_policy(study, &policy, error);
  if (status == FCPS_OK) status = fcps_study_outlook(study, policy, &outlook, NULL, NULL, error);
  if (status == FCPS_OK) {
    read_model(claims, policy);
    read_suspects(claims, study, world);
    const fcps_study_remark *remark;
    for (int i = 0; (remark = fcps_study_remark_at(study, i)) != NULL; i++)
      note_code(claims, remark->code);
    claims->is_held_back = outlook.remarks > 0 || outlook.suspects > 0;
    claims->is_converged = outlook.is_converged;
  }
  fcps_policy_destroy(policy);
  return status;
}

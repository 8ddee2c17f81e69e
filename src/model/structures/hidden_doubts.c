/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong rows behind the hyper-parameters. An outlier that was among the rows of every fit has bent them until they explain it,
 * and several hide each other: so the most surprising rows are left out of a fit, and judged by that. */
#include "model/structures/doubts.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A hearing of rows that may hide: candidates, and the scores by a fit without them. */
typedef struct search {
  fcps_hearing h;
  int *candidates;
  fcps_row_score *judged;
} search;

static fcps_status open_search(search *s, fcps_look *look)
{
  const size_t rows = (size_t)look->rollouts->count;
  fcps_status status = fcps_hearing_open(&s->h, look, (int)rows);
  s->candidates = fcps_allocate(rows, sizeof *s->candidates);
  s->judged = fcps_allocate(rows, sizeof *s->judged);
  if (s->candidates == NULL || s->judged == NULL) status = FCPS_ERR_MEMORY;
  return status == FCPS_OK ? fcps_doubt_scores_find(&s->h) : status;
}

static void close_search(const search *s)
{
  fcps_hearing_close(&s->h);
  free(s->candidates);
  free(s->judged);
}

/* The most surprising rows that may be doubted, as many as there may still be. Returns their number. */
static int pick_candidates(const fcps_hearing *h, int most, int *candidates)
{
  int count = 0;
  for (int i = 0; i < h->look->rollouts->count; i++) {
    if (fcps_hearing_doubts(h, i) || h->look->rollouts->confirmed[i]) continue;
    int place = count < most ? count++ : most;
    for (; place > 0 && h->scores[candidates[place - 1]].away < h->scores[i].away; place--)
      if (place < most) candidates[place] = candidates[place - 1];
    if (place < most) candidates[place] = i;
  }
  return count;
}

/* Scores rows by a fit that did not believe the candidates: several wrong rows hide each other. What kind of hyper-parameters
 * agrees with the others shows on few rows. */
enum { GLANCE_ROWS = 30 };
static fcps_status score_without(const fcps_hearing *h, int count, const int *candidates, fcps_row_score *judged)
{
  const fcps_look *look = h->look;
  const int rows = look->rollouts->count;
  const fcps_hyper_prior prior = fcps_description_prior(look->description);
  fcps_hearing other = *h;
  fcps_gps gps;
  fcps_fit_result result;
  int *aside = NULL;
  fcps_status status = fcps_gps_copy(h->gps, &gps);
  if (status != FCPS_OK) return status;
  other.gps = &gps;
  other.known = rows;
  other.scores = judged;
  other.room = 0;
  other.doubts = NULL;
  for (other.count = 0; other.count < h->count && status == FCPS_OK;)
    status = fcps_hearing_add(&other, h->doubts[other.count].row, h->doubts[other.count].noise);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = fcps_hearing_add(&other, candidates[i], fmax(h->scores[candidates[i]].noise, 1.0));
  if (status == FCPS_OK) status = fcps_hearing_factorize(&other);
  fcps_gp_data data = {.rows = rows, .outputs = look->outputs, .y = look->y, .prior = &prior};
  if (status == FCPS_OK) status = fcps_doubt_scores_norm(&other, &data.norm, &aside);
  fcps_fit_settings fit = look->fit;
  fit.coarse = GLANCE_ROWS;
  if (status == FCPS_OK) status = fcps_gps_fit(&gps, &data, fit, look->rng, &result);
  if (status == FCPS_OK) status = fcps_doubt_scores_find(&other);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    if (fcps_doubt_scores_have_witness(&other, judged, candidates[i])) judged[candidates[i]].excess = 0.0;
  free(aside);
  free(other.doubts);
  fcps_gps_destroy(&gps);
  return status;
}

/* Whether the fit without candidate `i` does not explain it. */
static bool is_wrong(const search *s, int i)
{
  return s->judged[s->candidates[i]].excess > 1.0;
}

/* Doubts the candidates that a fit without them does not explain; *count: how many there are. */
static fcps_status doubt_wrong(search *s, int candidates, int *count)
{
  fcps_status status = FCPS_OK;
  *count = 0;
  for (int i = 0; i < candidates && status == FCPS_OK; i++) {
    if (!is_wrong(s, i)) continue;
    status = fcps_hearing_add(&s->h, s->candidates[i], s->judged[s->candidates[i]].noise);
    ++*count;
  }
  return status;
}

fcps_status fcps_doubts_unmask(fcps_look *look, bool *has_changed)
{
  search s;
  int found = 0;
  *has_changed = false;
  if (!fcps_doubts_may_judge(look->rollouts->count)) return FCPS_OK;
  fcps_status status = open_search(&s, look);
  const int count = status == FCPS_OK ? pick_candidates(&s.h, fcps_hearing_left(&s.h), s.candidates) : 0;
  if (count > 0 && fcps_doubt_score_is_large(s.h.scores + s.candidates[0])) {
    status = score_without(&s.h, count, s.candidates, s.judged);
    if (status == FCPS_OK) status = doubt_wrong(&s, count, &found);
    *has_changed = found > 0;
    if (status == FCPS_OK && *has_changed) status = fcps_hearing_factorize(&s.h);
    if (status == FCPS_OK && *has_changed) status = fcps_hearing_keep(&s.h);
  }
  close_search(&s);
  return status;
}

/* The fits after which rows and those left out belong together; each says which are left out of the next one. Of many rows one
 * fit that explains all candidates is enough: two fifths are so many that they would not all hide. */
enum { HIDDEN_FITS = 3, MANY_ROWS = 500 };

static bool are_all_explained(const search *s, int count)
{
  for (int i = 0; i < count; i++)
    if (s->judged[s->candidates[i]].excess > 1.0) return false;
  return true;
}

static fcps_status count_hidden(search *s, int most, int *count)
{
  fcps_status status = FCPS_OK;
  bool is_better = false;
  int picked = 0;
  for (int fit = 0; fit < HIDDEN_FITS && status == FCPS_OK; fit++) {
    picked = pick_candidates(&s->h, most, s->candidates);
    status = score_without(&s->h, picked, s->candidates, s->judged);
    if (s->h.look->rollouts->count > MANY_ROWS && are_all_explained(s, picked)) return status;
    memcpy(s->h.scores, s->judged, (size_t)s->h.look->rollouts->count * sizeof *s->judged);
  }
  if (status == FCPS_OK) status = doubt_wrong(s, picked, count);
  if (status == FCPS_OK && *count > 0) status = fcps_hearing_weigh(&s->h, &is_better);
  if (!is_better) *count = 0;
  return status;
}

fcps_status fcps_doubts_count_hidden(fcps_look *look, int *count)
{
  const int rows = look->rollouts->count;
  search s;
  *count = 0;
  if (!fcps_doubts_may_judge(rows)) return FCPS_OK;
  fcps_status status = open_search(&s, look);
  if (status == FCPS_OK) status = count_hidden(&s, rows * 2 / 5, count);
  close_search(&s);
  return status;
}

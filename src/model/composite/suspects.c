/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that make and clear suspects, by the scores of rows. */
#include "model/composite/suspects.h"

#include "base/memory.h"
#include "model/composite/scores.h"
#include "model/composite/stuck.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool may_judge(int rows)
{
  return rows >= FCPS_LEAST_JUDGED && rows <= FCPS_MOST_JUDGED;
}

static int most_suspects(int rows)
{
  return 1 + rows / 10;
}

static int find(const fcps_suspects *suspects, int row)
{
  for (int i = 0; i < suspects->count; i++)
    if (suspects->rows[i] == row) return i;
  return -1;
}

bool fcps_suspects_include(const fcps_model *model, int row)
{
  return find(&model->suspects, row) >= 0;
}

/* -- Life -- */

void fcps_suspects_destroy(fcps_model *model)
{
  free(model->suspects.rows);
  free(model->suspects.noise);
  free(model->suspects.spells);
  model->suspects = (fcps_suspects){0};
  fcps_contact_set_aside(model);
}

static fcps_status add(fcps_model *model, int row, double noise)
{
  fcps_suspects *s = &model->suspects;
  size_t room[2] = {s->room, s->room};
  if (!fcps_reserve((void **)&s->rows, &room[0], (size_t)s->count + 1, sizeof(int))) return FCPS_ERR_MEMORY;
  if (!fcps_reserve((void **)&s->spells, &room[1], (size_t)s->count + 1, sizeof *s->spells)) return FCPS_ERR_MEMORY;
  if (!fcps_reserve((void **)&s->noise, &s->room, (size_t)s->count + 1, sizeof(double))) return FCPS_ERR_MEMORY;
  s->rows[s->count] = row;
  s->spells[s->count] = (fcps_row_spell){0};
  s->noise[s->count++] = noise;
  return fcps_contact_set_aside(model);
}

fcps_status fcps_suspects_copy(const fcps_model *model, fcps_model *copy)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < model->suspects.count && status == FCPS_OK; i++)
    status = add(copy, model->suspects.rows[i], model->suspects.noise[i]);
  for (int i = 0; i < model->suspects.count && status == FCPS_OK; i++)
    copy->suspects.spells[i] = model->suspects.spells[i];
  return status;
}

static void drop(fcps_model *model, int index)
{
  fcps_suspects *s = &model->suspects;
  s->count--;
  for (int i = index; i < s->count; i++) {
    s->rows[i] = s->rows[i + 1];
    s->noise[i] = s->noise[i + 1];
    s->spells[i] = s->spells[i + 1];
  }
  fcps_contact_set_aside(model);
}

void fcps_suspects_truncate(fcps_model *model)
{
  for (int i = model->suspects.count - 1; i >= 0; i--)
    if (model->suspects.rows[i] >= model->training.count) drop(model, i);
}

/* Gives the rows of all GPs their noise. */
static fcps_status apply_noise(fcps_model *model)
{
  const int rows = model->suspects.count > 0 ? model->training.count : 0;
  double *noise = fcps_allocate((size_t)rows, sizeof(double));
  fcps_status status = noise != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < model->suspects.count && status == FCPS_OK; i++)
    noise[model->suspects.rows[i]] = model->suspects.noise[i];
  for (int g = 0; g < fcps_model_gp_count(model) && status == FCPS_OK; g++)
    status = fcps_row_noise_set(model, FCPS_NOISE_SUSPECT, g, rows, noise, 0.0);
  free(noise);
  return status;
}

static fcps_status factorize(fcps_model *model)
{
  fcps_status status = apply_noise(model);
  for (int g = 0; g < fcps_model_gp_count(model) && status == FCPS_OK; g++)
    status = fcps_gp_factorize(fcps_model_gp(model, g), model->training.count);
  return status;
}

/* -- Reviews -- */

/* Whether a row is a suspect by the company it is in, whatever the model expects of it alone. */
static bool has_shape(const fcps_review *r, int row)
{
  return r->stuck[row] || r->spells[row].factor > 0.0;
}

static void count_shaped(fcps_review *r)
{
  r->shaped_count = 0;
  for (int i = 0; i < r->model->suspects.count; i++)
    r->shaped_count += has_shape(r, r->model->suspects.rows[i]);
}

static bool begin_review(fcps_review *r)
{
  const size_t rows = (size_t)r->model->training.count;
  r->scores = fcps_allocate(rows, sizeof(fcps_row_score));
  r->stuck = fcps_allocate(rows, sizeof(bool));
  r->spells = fcps_allocate(rows, sizeof *r->spells);
  r->trifles = fcps_allocate((size_t)r->outputs, sizeof *r->trifles);
  if (r->scores == NULL || r->stuck == NULL || r->spells == NULL || r->trifles == NULL) return false;
  if (fcps_scores_find_trifles(r) != FCPS_OK) return false; /* no memory */
  fcps_stuck_find(r->model, r->outputs, r->y, r->stuck);
  for (int i = 0; i < r->model->suspects.count; i++)
    r->spells[r->model->suspects.rows[i]] = r->model->suspects.spells[i];
  count_shaped(r);
  return true;
}

static void end_review(const fcps_review *r)
{
  free(r->scores);
  free(r->stuck);
  free(r->spells);
  free(r->trifles);
}

/* -- Judging -- */

/* The most surprising row that becomes a suspect; -1: none is surprising. */
static int worst_row(const fcps_model *model, const fcps_row_score *scores)
{
  double most = 1.0;
  int worst = -1;
  for (int i = 0; i < model->training.count; i++) {
    const bool is_asked = scores[i].excess > most && !model->training.confirmed[i] && find(&model->suspects, i) < 0;
    if (!is_asked || fcps_scores_have_witness(model, scores, i)) continue;
    most = scores[i].excess;
    worst = i;
  }
  return worst;
}

/* A row becomes a suspect with at least so much noise, if it is none with about as much. */
static fcps_status doubt_row(fcps_model *model, int row, double noise, bool *has_changed)
{
  static const double about = 0.25;
  const int index = find(&model->suspects, row);
  if (index >= 0 && model->suspects.noise[index] >= about * noise) return FCPS_OK;
  *has_changed = true;
  if (index < 0) return add(model, row, noise);
  model->suspects.noise[index] = noise;
  return FCPS_OK;
}

/* Rows of a dead sensor, and of a spell, become suspects, with so much noise that many of them together
 * say nothing. */
static fcps_status doubt_shaped(fcps_review *r, bool *has_changed)
{
  static const double nothing_told = 1000.0;
  fcps_model *model = r->model;
  bool is_new = false;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < model->training.count && status == FCPS_OK; i++) {
    if (has_shape(r, i)) status = doubt_row(model, i, nothing_told * (1.0 + r->spells[i].distance), &is_new);
  }
  for (int i = 0; i < model->suspects.count; i++)
    model->suspects.spells[i] = r->spells[model->suspects.rows[i]];
  count_shaped(r);
  *has_changed = *has_changed || is_new;
  return status == FCPS_OK && is_new ? factorize(model) : status;
}

/* The GPs as they are when suspects count as all others, but for those of a dead sensor and, on demand, of a spell. */
static fcps_status factorize_trusting(const fcps_review *r, bool trusts_spells)
{
  fcps_suspects *s = &r->model->suspects;
  double *noise = fcps_copy(s->noise, (size_t)s->count, sizeof(double));
  if (noise == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < s->count; i++)
    if (!r->stuck[s->rows[i]] && (trusts_spells || r->spells[s->rows[i]].factor == 0.0)) s->noise[i] = 0.0;
  const fcps_status status = factorize(r->model);
  memcpy(s->noise, noise, (size_t)s->count * sizeof(double));
  free(noise);
  return status;
}

/* Looks for spells as if nobody were a suspect. */
static fcps_status find_spells(const fcps_review *r)
{
  const bool is_doubted = r->model->suspects.count > 0;
  fcps_status status = is_doubted ? factorize_trusting(r, true) : FCPS_OK;
  if (status == FCPS_OK) status = fcps_spells_find(r->model, r->outputs, r->y, r->stuck, r->spells);
  return status == FCPS_OK && is_doubted ? factorize(r->model) : status;
}

/* The model is wrong, not so many rows: only a dead sensor and spells are still doubted. */
static fcps_status believe_rows(const fcps_review *r)
{
  for (int i = r->model->suspects.count - 1; i >= 0; i--)
    if (!has_shape(r, r->model->suspects.rows[i])) drop(r->model, i);
  return factorize(r->model);
}

/* Believes suspects again whom all others now explain, as the GPs are. */
static fcps_status clear_explained(const fcps_review *r, bool *has_changed)
{
  fcps_model *model = r->model;
  fcps_suspects *s = &model->suspects;
  const fcps_status status = fcps_scores_of_rows(r);
  for (int i = s->count - 1; i >= 0 && status == FCPS_OK; i--) {
    if (has_shape(r, s->rows[i])) continue;
    if (!fcps_scores_explain(r, s->rows[i]) && !fcps_scores_have_witness(model, r->scores, s->rows[i])) continue;
    drop(model, i);
    *has_changed = true;
  }
  return status;
}

/* Believes suspects again whom the others explain, first without other suspects, then with them: their noise is what is in
 * question, so for the length of this question none has any. */
static fcps_status clear_suspects(const fcps_review *r, bool *has_changed)
{
  const fcps_suspects *s = &r->model->suspects;
  if (s->count == r->shaped_count) return FCPS_OK;
  fcps_status status = clear_explained(r, has_changed);
  if (status == FCPS_OK) status = factorize_trusting(r, false);
  if (status == FCPS_OK) status = clear_explained(r, has_changed);
  return status == FCPS_OK ? factorize(r->model) : status;
}

/* The worst row becomes a suspect, until none is surprising. */
static fcps_status find_suspects(const fcps_review *r, bool *has_changed)
{
  fcps_model *model = r->model;
  fcps_status status = FCPS_OK;
  while (status == FCPS_OK) {
    status = fcps_scores_of_rows(r);
    const int worst = status == FCPS_OK ? worst_row(model, r->scores) : -1;
    if (worst < 0) break;
    *has_changed = true;
    if (model->suspects.count - r->shaped_count == most_suspects(model->training.count - r->shaped_count))
      return believe_rows(r);
    status = add(model, worst, r->scores[worst].noise);
    if (status == FCPS_OK) status = factorize(model);
  }
  return status;
}

fcps_status fcps_suspects_review(fcps_model *model, int outputs, const double *y, int known, bool *has_changed)
{
  const int rows = model->training.count;
  *has_changed = false;
  if (!may_judge(rows) || known < FCPS_LEAST_JUDGED) return FCPS_OK;
  fcps_review r = {.model = model, .outputs = outputs, .y = y, .known = known};
  fcps_status status = begin_review(&r) ? find_spells(&r) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = doubt_shaped(&r, has_changed);
  if (status == FCPS_OK) status = clear_suspects(&r, has_changed);
  if (status == FCPS_OK) status = find_suspects(&r, has_changed);
  end_review(&r);
  return status;
}

/* -- Behind the hyper-parameters -- */

/* The most surprising rows that may become suspects, as many as there may still be. Returns their number. */
static int pick_candidates(const fcps_review *r, int most, int *candidates)
{
  int count = 0;
  for (int i = 0; i < r->model->training.count; i++) {
    if (find(&r->model->suspects, i) >= 0 || r->model->training.confirmed[i]) continue;
    int place = count < most ? count++ : most;
    for (; place > 0 && r->scores[candidates[place - 1]].away < r->scores[i].away; place--)
      if (place < most) candidates[place] = candidates[place - 1];
    if (place < most) candidates[place] = i;
  }
  return count;
}

/* Scores rows by a fit that did not believe the candidates: several wrong rows hide each other. */
static fcps_status score_without(const fcps_review *r, int count, const int *candidates, fcps_rng rng,
                                 fcps_row_score *judged)
{
  const int rows = r->model->training.count;
  fcps_fit_result result;
  fcps_review other = {.outputs = r->outputs,
                       .y = r->y,
                       .known = rows,
                       .scores = judged,
                       .stuck = r->stuck,
                       .spells = r->spells,
                       .trifles = r->trifles};
  fcps_status status = fcps_model_copy(r->model, r->model->problem, &other.model);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = add(other.model, candidates[i], fmax(r->scores[candidates[i]].noise, 1.0));
  if (status == FCPS_OK) status = factorize(other.model);
  if (status == FCPS_OK)
    status = fcps_per_output_fit(other.model, r->model->settings.fit, rows, r->outputs, r->y, rng, &result);
  if (status == FCPS_OK) status = fcps_scores_of_rows(&other);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    if (fcps_scores_have_witness(other.model, judged, candidates[i])) judged[candidates[i]].excess = 0.0;
  fcps_model_destroy(other.model);
  return status;
}

/* Takes the candidates that a fit without them does not explain for suspects. */
static fcps_status unmask(const fcps_review *r, int most, fcps_rng rng, int *candidates, fcps_row_score *judged,
                          bool *has_changed)
{
  const int count = pick_candidates(r, most, candidates);
  if (count == 0 || !fcps_score_is_large(r->scores + candidates[0])) return FCPS_OK;
  fcps_status status = score_without(r, count, candidates, rng, judged);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    if (!(judged[candidates[i]].excess > 1.0)) continue;
    status = add(r->model, candidates[i], judged[candidates[i]].noise);
    *has_changed = true;
  }
  return status == FCPS_OK && *has_changed ? factorize(r->model) : status;
}

fcps_status fcps_suspects_unmask(fcps_model *model, int outputs, const double *y, fcps_rng rng, bool *has_changed)
{
  const int rows = model->training.count;
  fcps_review r = {.model = model, .outputs = outputs, .y = y, .known = rows};
  *has_changed = false;
  if (!may_judge(rows)) return FCPS_OK;
  bool ok = begin_review(&r);
  const int most = most_suspects(rows - r.shaped_count) - (model->suspects.count - r.shaped_count);
  fcps_row_score *judged = fcps_allocate((size_t)rows, sizeof(fcps_row_score));
  int *candidates = fcps_allocate((size_t)(most > 0 ? most : 1), sizeof(int));
  ok = ok && judged != NULL && candidates != NULL;
  fcps_status status = ok ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK && most > 0) status = fcps_scores_of_rows(&r);
  if (status == FCPS_OK && most > 0) status = unmask(&r, most, rng, candidates, judged, has_changed);
  end_review(&r);
  free(judged);
  free(candidates);
  return status;
}

/* The fits after which rows and those left out belong together. */
enum { HIDDEN_FITS = 3 };

/* Counts the candidates that a fit without them does not explain; each fit says who is left out of the next one. */
static fcps_status count_hidden(fcps_review *r, int most, fcps_rng rng, int *candidates, fcps_row_score *judged,
                                int *count)
{
  fcps_status status = fcps_scores_of_rows(r);
  for (int fit = 0; fit < HIDDEN_FITS && status == FCPS_OK; fit++) {
    const int picked = pick_candidates(r, most, candidates);
    *count = 0;
    status = score_without(r, picked, candidates, rng, judged);
    for (int i = 0; i < picked; i++)
      *count += judged[candidates[i]].excess > 1.0;
    memcpy(r->scores, judged, (size_t)r->model->training.count * sizeof *judged);
  }
  return status;
}

fcps_status fcps_suspects_count_hidden(fcps_model *model, int outputs, const double *y, fcps_rng rng, int *count)
{
  const int rows = model->training.count, most = rows * 2 / 5;
  fcps_review r = {.model = model, .outputs = outputs, .y = y, .known = rows};
  *count = 0;
  if (!may_judge(rows)) return FCPS_OK;
  fcps_row_score *judged = fcps_allocate((size_t)rows, sizeof(fcps_row_score));
  int *candidates = fcps_allocate((size_t)rows, sizeof(int));
  const bool ok = begin_review(&r) && judged != NULL && candidates != NULL;
  const fcps_status status = ok ? count_hidden(&r, most, rng, candidates, judged, count) : FCPS_ERR_MEMORY;
  end_review(&r);
  free(judged);
  free(candidates);
  return status;
}

/* -- Words -- */

fcps_status fcps_suspects_describe(fcps_model *model, int outputs, const double *y, fcps_surprise *surprises)
{
  const int rows = model->training.count;
  if (model->suspects.count == 0) return FCPS_OK;
  fcps_review r = {.model = model, .outputs = outputs, .y = y, .known = rows};
  const fcps_status status = begin_review(&r) ? fcps_scores_of_rows(&r) : FCPS_ERR_MEMORY;
  for (int i = 0; i < model->suspects.count && status == FCPS_OK; i++)
    surprises[i] = r.scores[model->suspects.rows[i]].surprise;
  for (int i = 0; i < model->suspects.count && status == FCPS_OK; i++)
    surprises[i].spell = model->suspects.spells[i];
  end_review(&r);
  return status;
}

/* -- Saving -- */

fcps_status fcps_suspects_restore(fcps_model *model)
{
  fcps_status status = FCPS_OK;
  fcps_suspects_destroy(model);
  for (int i = 0; i < model->training.count && status == FCPS_OK; i++) {
    const double noise = fcps_row_noise_at(model, FCPS_NOISE_SUSPECT, 0, i);
    if (noise > 0.0) status = add(model, i, noise);
  }
  return status;
}

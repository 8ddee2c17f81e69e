/* SPDX-License-Identifier: Apache-2.0 */
/* Decides by scores (doubt_scores.c) which rows are doubted (outliers), and which of these are believed again. */
#include "model/structures/doubts.h"

#include "base/memory.h"
#include "model/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const fcps_structure_kind fcps_structure_doubts;

static bool may_judge(int rows)
{
  return rows >= FCPS_LEAST_JUDGED && rows <= FCPS_MOST_JUDGED;
}

static int count_of(const fcps_structure *structure)
{
  return (int)(structure->size / sizeof(fcps_doubt));
}

const fcps_doubt *fcps_doubts_of(const fcps_description *description, int *count)
{
  const fcps_structure *s = description->structures + fcps_structure_find(fcps_structure_doubts.name);
  *count = count_of(s);
  return s->state;
}

/* -- Hearings -- */

/* Doubts a row by giving it noise. With a noise of 0 the row is believed. */
static void doubt(fcps_hearing *h, int row, double noise)
{
  h->count += (noise > 0.0) - (h->noise[row] > 0.0);
  h->noise[row] = noise;
}

/* Sets the noise of the rows in all GPs. If `noise` is NULL, no row gets noise. */
static fcps_status give_noise(fcps_gps *gps, int source, int rows, const double *noise)
{
  fcps_status status = FCPS_OK;
  for (int g = 0; g < gps->count && status == FCPS_OK; g++)
    status = fcps_gps_set_noise(gps, source, g, noise != NULL ? rows : 0, noise, 0.0);
  return status;
}

/* Gives the doubted rows their noise in the GPs and factorizes the GPs. */
static fcps_status factorize(const fcps_hearing *h)
{
  const int rows = h->look->rollouts->count;
  const fcps_status status = give_noise(h->gps, h->look->index, rows, h->count > 0 ? h->noise : NULL);
  return status == FCPS_OK ? fcps_gps_factorize(h->gps, rows) : status;
}

/* Whether a row is from a dead sensor or in a spell, a run of rows with a wrong factor (spells.c). Such a row is
 * doubted because of the rows before and after it, whatever the model predicts for it. */
static bool has_shape(const fcps_hearing *h, int row)
{
  return h->stuck[row] || h->spells[row].factor > 0.0;
}

/* Counts the doubted rows of dead sensors and spells. */
static int count_shaped(const fcps_hearing *h)
{
  int count = 0;
  for (int i = 0; i < h->look->rollouts->count; i++)
    count += h->noise[i] > 0.0 && has_shape(h, i);
  return count;
}

/* Returns how many more rows may be doubted: about a tenth of the rows in all, without those of dead sensors and
 * spells. */
static int count_left(const fcps_hearing *h)
{
  const int shaped = count_shaped(h), others = h->look->rollouts->count - shaped;
  return 1 + others / 10 - (h->count - shaped);
}

static void close_hearing(const fcps_hearing *h)
{
  free(h->noise);
  free(h->scores);
  free(h->stuck);
  free(h->spells);
}

/* Begins a judgement with the rows that are doubted now. The caller must call close_hearing, also after a failure. */
static fcps_status open_hearing(fcps_hearing *h, fcps_look *look, int known)
{
  const size_t rows = (size_t)look->rollouts->count;
  int count;
  const fcps_doubt *doubts = fcps_doubts_of(look->description, &count);
  *h = (fcps_hearing){.look = look, .gps = look->gps, .known = known};
  look->index = fcps_structure_find(fcps_structure_doubts.name);
  h->noise = fcps_allocate(rows + (size_t)look->outputs, sizeof *h->noise);
  h->scores = fcps_allocate(rows, sizeof *h->scores);
  h->stuck = fcps_allocate(rows, sizeof(bool));
  h->spells = fcps_allocate(rows, sizeof *h->spells);
  if (h->noise == NULL || h->scores == NULL || h->stuck == NULL || h->spells == NULL) return FCPS_ERR_MEMORY;
  h->trifles = h->noise + rows;
  for (int i = 0; i < count; i++) {
    doubt(h, (int)doubts[i].row, doubts[i].noise);
    h->spells[(int)doubts[i].row] = doubts[i].spell;
  }
  fcps_stuck_find(look, h->stuck);
  return fcps_doubt_scores_find_trifles(h);
}

/* Stores the doubts as the state of the structure. Unless `is_other` is NULL, writes whether they have changed. */
static fcps_status keep(const fcps_hearing *h, bool *is_other)
{
  fcps_structure *s = h->look->description->structures + h->look->index;
  const size_t size = (size_t)h->count * sizeof(fcps_doubt);
  fcps_doubt *doubts = fcps_allocate((size_t)h->count, sizeof *doubts);
  fcps_status status = doubts != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status != FCPS_OK) return status;
  for (int i = 0, k = 0; i < h->look->rollouts->count; i++) {
    if (!(h->noise[i] > 0.0)) continue;
    doubts[k++] = (fcps_doubt){.row = i, .noise = h->noise[i], .spell = h->spells[i]};
  }
  if (is_other != NULL) *is_other = s->size != size || (size > 0 && memcmp(s->state, doubts, size) != 0);
  if (h->count > 0)
    status = fcps_structure_set(s, size, doubts);
  else
    fcps_structure_clear(s);
  free(doubts);
  return status == FCPS_OK ? fcps_description_set_aside(h->look->description, h->look->layout, h->look->rollouts)
                           : status;
}

/* -- Evidence -- */

/* Computes the evidence for the current description with the noise of all doubted rows or, if `is_doubting` is false,
 * only with that of dead sensors and spells. */
static fcps_status explain(const fcps_hearing *h, fcps_sample *sample, bool is_doubting, double *nats)
{
  const fcps_look *look = h->look;
  const fcps_description *d = look->description;
  const int k = FCPS_HYPER_COUNT(d->inputs), rows = look->rollouts->count;
  const fcps_evidence_effort effort = {.starts = FCPS_FIT_NOISY_STARTS, .least = -INFINITY};
  double *hyper = fcps_allocate((size_t)(k * d->gps + rows), sizeof(double)), *noise = hyper + k * d->gps;
  fcps_status status = hyper != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < rows && status == FCPS_OK; i++)
    noise[i] = is_doubting || has_shape(h, i) ? h->noise[i] : 0.0;
  for (int i = 0; i < sample->count && status == FCPS_OK; i++)
    sample->doubted[i] = noise[sample->source[i]] > 0.0;
  if (status == FCPS_OK) status = give_noise(h->gps, look->index, rows, noise);
  for (int g = 0; g < d->gps && status == FCPS_OK; g++)
    memcpy(hyper + g * k, h->gps->gp[g]->hyper, (size_t)k * sizeof(double));
  if (status == FCPS_OK) status = fcps_evidence_of(sample, d, effort, hyper, nats);
  free(hyper);
  return status;
}

/* A priori one row of a hundred is wrong. So the evidence with doubts must exceed the evidence without them by log(100)
 * for each doubted row. For a rough function it does not. Beyond MOST_WEIGHED rows this comparison is skipped. */
enum { MOST_WEIGHED = 300 };

static fcps_status weigh(const fcps_hearing *h, bool *is_better)
{
  static const double price = 4.6051701859880914, margin = 3.0;
  double doubting = 0.0, believing = 0.0;
  fcps_sample sample;
  *is_better = true;
  if (h->look->rollouts->count > MOST_WEIGHED) return FCPS_OK; /* two fits of all rows would cost too much */
  fcps_status status = fcps_sample_open(&sample, h->look, NULL, MOST_WEIGHED);
  if (status == FCPS_OK) status = explain(h, &sample, true, &doubting);
  if (status == FCPS_OK) status = explain(h, &sample, false, &believing);
  fcps_sample_close(&sample);
  *is_better = doubting > believing + (h->count - count_shaped(h)) * price + margin;
  return status;
}

/* -- Judging -- */

/* Returns the most surprising row that should be doubted; -1 if no row is surprising. */
static int worst_row(const fcps_hearing *h)
{
  const fcps_rollouts *rollouts = h->look->rollouts;
  double most = 1.0;
  int worst = -1;
  for (int i = 0; i < rollouts->count; i++) {
    const bool is_asked = h->scores[i].excess > most && !rollouts->confirmed[i] && h->noise[i] == 0.0;
    if (!is_asked || fcps_doubt_scores_have_witness(h, h->scores, i)) continue;
    most = h->scores[i].excess;
    worst = i;
  }
  return worst;
}

/* Doubts all rows of dead sensors and spells, with so much noise that even many of them together have no influence. */
static fcps_status doubt_shaped(fcps_hearing *h, bool *has_changed)
{
  static const double nothing_told = 1000.0, about = 0.25;
  bool is_new = false;
  for (int i = 0; i < h->look->rollouts->count; i++) {
    const double noise = nothing_told * (1.0 + h->spells[i].distance);
    if (!has_shape(h, i) || h->noise[i] >= about * noise) continue;
    doubt(h, i, noise);
    is_new = true;
  }
  *has_changed = *has_changed || is_new;
  return is_new ? factorize(h) : FCPS_OK;
}

/* Factorizes the GPs without the noise of doubted rows. Rows of a dead sensor keep their noise. Rows of a spell also
 * keep it unless `trusts_spells`. */
static fcps_status factorize_trusting(const fcps_hearing *h, bool trusts_spells)
{
  const int rows = h->look->rollouts->count;
  fcps_hearing other = *h;
  other.noise = fcps_copy(h->noise, (size_t)rows, sizeof *h->noise);
  if (other.noise == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < rows; i++)
    if (!h->stuck[i] && (trusts_spells || h->spells[i].factor == 0.0)) other.noise[i] = 0.0;
  const fcps_status status = factorize(&other);
  free(other.noise);
  return status;
}

/* Looks for spells while the doubted rows count like all others. */
static fcps_status find_spells(const fcps_hearing *h)
{
  fcps_status status = h->count > 0 ? factorize_trusting(h, true) : FCPS_OK;
  if (status == FCPS_OK) status = fcps_spells_find(h->look, h->stuck, h->spells);
  return status == FCPS_OK && h->count > 0 ? factorize(h) : status;
}

/* Believes all rows except those of dead sensors and spells: if too many rows seem wrong, the model is wrong. */
static fcps_status believe_rows(fcps_hearing *h)
{
  for (int i = 0; i < h->look->rollouts->count; i++)
    if (!has_shape(h, i)) doubt(h, i, 0.0);
  return factorize(h);
}

/* Believes those doubted rows again that the GPs, as they are factorized now, explain. */
static fcps_status clear_explained(fcps_hearing *h, bool *has_changed)
{
  const fcps_status status = fcps_doubt_scores_find(h);
  for (int i = 0; i < h->look->rollouts->count && status == FCPS_OK; i++) {
    if (h->noise[i] == 0.0 || has_shape(h, i)) continue;
    if (!fcps_doubt_scores_explain(h, i) && !fcps_doubt_scores_have_witness(h, h->scores, i)) continue;
    doubt(h, i, 0.0);
    *has_changed = true;
  }
  return status;
}

/* Believes those doubted rows again that the other rows explain. The first pass predicts from believed rows alone. The
 * second pass removes the noise of doubted rows for the time of the test, so that these may support each other. */
static fcps_status clear_doubts(fcps_hearing *h, bool *has_changed)
{
  if (h->count == count_shaped(h)) return FCPS_OK;
  fcps_status status = clear_explained(h, has_changed);
  if (status == FCPS_OK) status = factorize_trusting(h, false);
  if (status == FCPS_OK) status = clear_explained(h, has_changed);
  return status == FCPS_OK ? factorize(h) : status;
}

/* Doubts the most surprising row, again and again, until no row is surprising. */
static fcps_status find_doubts(fcps_hearing *h, bool *has_changed)
{
  fcps_status status = FCPS_OK;
  while (status == FCPS_OK) {
    status = fcps_doubt_scores_find(h);
    const int worst = status == FCPS_OK ? worst_row(h) : -1;
    if (worst < 0) break;
    *has_changed = true;
    if (count_left(h) == 0) return believe_rows(h);
    doubt(h, worst, h->scores[worst].noise);
    status = factorize(h);
  }
  return status;
}

static fcps_status weigh_doubts(fcps_hearing *h)
{
  bool is_better = true;
  const fcps_status status = h->count > count_shaped(h) ? weigh(h, &is_better) : FCPS_OK;
  if (status != FCPS_OK) return status;
  return is_better ? factorize(h) : believe_rows(h);
}

fcps_status fcps_doubts_judge(fcps_look *look, bool *has_changed)
{
  fcps_hearing h;
  bool is_other = false;
  *has_changed = false;
  if (!may_judge(look->rollouts->count) || look->known < FCPS_LEAST_JUDGED) return FCPS_OK;
  fcps_status status = open_hearing(&h, look, look->known);
  if (status == FCPS_OK) status = find_spells(&h);
  if (status == FCPS_OK) status = doubt_shaped(&h, has_changed);
  if (status == FCPS_OK) status = clear_doubts(&h, has_changed);
  const int before = h.count;
  if (status == FCPS_OK) status = find_doubts(&h, has_changed);
  if (status == FCPS_OK && h.count > before) status = weigh_doubts(&h);
  if (status == FCPS_OK) status = keep(&h, &is_other);
  *has_changed = *has_changed && is_other;
  close_hearing(&h);
  return status;
}

/* -- Hidden outliers: an outlier in all fits so far has distorted the hyper-parameters until they explain it, and
 * several outliers hide each other. So a fit leaves out the most surprising rows, and its scores judge them. -- */

/* The data of a search for hidden outliers. */
typedef struct search {
  fcps_hearing h;
  int *candidates;
  fcps_row_score *judged;
} search;

static fcps_status open_search(search *s, fcps_look *look)
{
  const size_t rows = (size_t)look->rollouts->count;
  fcps_status status = open_hearing(&s->h, look, (int)rows);
  s->candidates = fcps_allocate(rows, sizeof *s->candidates);
  s->judged = fcps_allocate(rows, sizeof *s->judged);
  if (s->candidates == NULL || s->judged == NULL) status = FCPS_ERR_MEMORY;
  return status == FCPS_OK ? fcps_doubt_scores_find(&s->h) : status;
}

static void close_search(const search *s)
{
  close_hearing(&s->h);
  free(s->candidates);
  free(s->judged);
}

/* Finds the `most` most surprising rows that are neither doubted nor confirmed. Returns how many there are. */
static int pick_candidates(const fcps_hearing *h, int most, int *candidates)
{
  int count = 0;
  for (int i = 0; i < h->look->rollouts->count; i++) {
    if (h->noise[i] > 0.0 || h->look->rollouts->confirmed[i]) continue;
    int place = count < most ? count++ : most;
    for (; place > 0 && h->scores[candidates[place - 1]].away < h->scores[i].away; place--)
      if (place < most) candidates[place] = candidates[place - 1];
    if (place < most) candidates[place] = i;
  }
  return count;
}

/* Scores all rows by a fit in which the candidates are doubted, because several wrong rows can hide each other. A fit
 * to GLANCE_ROWS rows finds hyper-parameters that are good enough for this purpose. */
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
  other.noise = fcps_copy(h->noise, (size_t)rows, sizeof *h->noise);
  if (other.noise == NULL) status = FCPS_ERR_MEMORY;
  for (int i = 0; i < count && status == FCPS_OK; i++)
    doubt(&other, candidates[i], fmax(h->scores[candidates[i]].noise, 1.0));
  if (status == FCPS_OK) status = factorize(&other);
  fcps_gp_data data = {.rows = rows, .outputs = look->outputs, .y = look->y, .prior = &prior};
  if (status == FCPS_OK) status = fcps_doubt_scores_norm(&other, &data.norm, &aside);
  fcps_fit_settings fit = look->fit;
  fit.coarse = GLANCE_ROWS;
  if (status == FCPS_OK) status = fcps_gps_fit(&gps, &data, fit, look->rng, &result);
  if (status == FCPS_OK) status = fcps_doubt_scores_find(&other);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    if (fcps_doubt_scores_have_witness(&other, judged, candidates[i])) judged[candidates[i]].excess = 0.0;
  free(aside);
  free(other.noise);
  fcps_gps_destroy(&gps);
  return status;
}

/* Doubts the candidates that a fit without them does not explain. Returns their number. */
static int doubt_wrong(search *s, int candidates)
{
  int count = 0;
  for (int i = 0; i < candidates; i++) {
    const fcps_row_score *judged = s->judged + s->candidates[i];
    if (!(judged->excess > 1.0)) continue;
    doubt(&s->h, s->candidates[i], judged->noise);
    count++;
  }
  return count;
}

static fcps_status unmask(fcps_look *look, bool *has_changed)
{
  search s;
  *has_changed = false;
  if (!may_judge(look->rollouts->count)) return FCPS_OK;
  fcps_status status = open_search(&s, look);
  const int count = status == FCPS_OK ? pick_candidates(&s.h, count_left(&s.h), s.candidates) : 0;
  if (count > 0 && fcps_doubt_score_is_large(s.h.scores + s.candidates[0])) {
    status = score_without(&s.h, count, s.candidates, s.judged);
    *has_changed = status == FCPS_OK && doubt_wrong(&s, count) > 0;
    if (*has_changed) status = factorize(&s.h);
    if (*has_changed && status == FCPS_OK) status = keep(&s.h, NULL);
  }
  close_search(&s);
  return status;
}

/* HIDDEN_FITS fits settle the set of rows that are left out: the scores of each fit choose the rows that the next fit
 * leaves out. With more than MANY_ROWS rows the search ends at the first fit that explains all candidates: they are two
 * fifths of all rows, and so many rows cannot hide together. */
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
  if (status == FCPS_OK) *count = doubt_wrong(s, picked);
  if (*count > 0) status = weigh(&s->h, &is_better);
  if (!is_better) *count = 0;
  return status;
}

fcps_status fcps_doubts_count_hidden(fcps_look *look, int *count)
{
  const int rows = look->rollouts->count;
  search s;
  *count = 0;
  if (!may_judge(rows)) return FCPS_OK;
  fcps_status status = open_search(&s, look);
  if (status == FCPS_OK) status = count_hidden(&s, rows * 2 / 5, count);
  close_search(&s);
  return status;
}

/* -- From outside -- */

fcps_status fcps_doubts_screen(const fcps_look *look, bool *is_worth_a_look)
{
  const int rows = look->rollouts->count;
  *is_worth_a_look = false;
  if (look->known < FCPS_LEAST_JUDGED || look->known == rows || rows > FCPS_MOST_JUDGED) return FCPS_OK;
  fcps_look own = *look;
  fcps_gp_outputs conditioned = {0};
  fcps_gp_norm norm;
  fcps_hearing h;
  int *aside = NULL;
  double *line = fcps_allocate((size_t)rows, sizeof(double));
  fcps_status status = open_hearing(&h, &own, look->known);
  if (line == NULL) status = FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_doubt_scores_norm(&h, &norm, &aside);
  if (status == FCPS_OK) status = fcps_gps_condition(look->gps, norm, rows, look->outputs, look->y, &conditioned);
  for (int i = look->known; i < rows && status == FCPS_OK && !*is_worth_a_look; i++)
    *is_worth_a_look = !look->rollouts->confirmed[i] && h.noise[i] == 0.0 &&
                       fcps_doubt_scores_may_surprise(look, &conditioned, i, line);
  fcps_gp_outputs_destroy(&conditioned);
  close_hearing(&h);
  free(aside);
  free(line);
  return status;
}

fcps_status fcps_doubts_describe(fcps_look *look, fcps_surprise *surprises)
{
  fcps_hearing h;
  int count;
  const fcps_doubt *doubts = fcps_doubts_of(look->description, &count);
  fcps_status status = open_hearing(&h, look, look->rollouts->count);
  if (status == FCPS_OK && count > 0) status = fcps_doubt_scores_find(&h);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    const int row = (int)doubts[i].row;
    surprises[i] = h.scores[row].surprise;
    surprises[i].row = row;
    surprises[i].spell = doubts[i].spell;
    surprises[i].is_mishap |= has_shape(&h, row);
  }
  close_hearing(&h);
  return status;
}

/* -- As a structure -- */

static fcps_status judge(fcps_look *look, fcps_structure *structure, bool is_hidden, bool *has_changed)
{
  (void)structure; /* the judgement changes the structure inside the description */
  *has_changed = false;
  if (!look->layout->predicts_outcomes) return FCPS_OK;
  return is_hidden ? unmask(look, has_changed) : fcps_doubts_judge(look, has_changed);
}

static bool sets_aside(const fcps_structure *structure, int row)
{
  const fcps_doubt *doubts = structure->state;
  for (int i = 0; i < count_of(structure); i++)
    if (doubts[i].row == row) return true;
  return false;
}

static bool is_complete(const fcps_look *look, const fcps_structure *structure)
{
  return structure->size == 0 || fcps_gps_noise_known(look->gps, look->index, 0) > 0;
}

static fcps_status grow(fcps_look *look, fcps_structure *structure)
{
  const int rows = look->rollouts->count;
  const fcps_doubt *doubts = structure->state;
  double *noise = fcps_allocate((size_t)rows, sizeof *noise);
  if (noise == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < count_of(structure); i++)
    noise[(int)doubts[i].row] = doubts[i].noise;
  const fcps_status status = give_noise(look->gps, look->index, rows, doubts != NULL ? noise : NULL);
  free(noise);
  return status;
}

/* Removes the doubts of rows that no longer exist. */
static void truncate_rows(fcps_structure *structure, int rows)
{
  fcps_doubt *doubts = structure->state;
  size_t kept = 0;
  for (int i = 0; i < count_of(structure); i++)
    if (doubts[i].row < rows) doubts[kept++] = doubts[i];
  structure->size = kept * sizeof *doubts;
  if (kept == 0) fcps_structure_clear(structure);
}

static bool is_index(double number, int count)
{
  return number >= 0 && number < count && number == floor(number);
}

static bool is_state(const fcps_look *look, int count, const double *numbers)
{
  const int each = (int)(sizeof(fcps_doubt) / sizeof *numbers), rows = look->rollouts->count;
  const fcps_doubt *doubts = (const fcps_doubt *)numbers;
  bool is_ok = count % each == 0 && count / each <= rows;
  for (int i = 0; i < count / each && is_ok; i++) {
    const fcps_doubt *d = doubts + i;
    is_ok = is_index(d->row, rows) && d->noise > 0.0 && d->spell.factor >= 0.0 &&
            is_index(d->spell.output, look->layout->outputs) && d->spell.distance >= 0.0;
  }
  return is_ok;
}

const fcps_structure_kind fcps_structure_doubts = {.name = "doubts",
                                                   .judges_values = true,
                                                   .is_always_asked = true,
                                                   .judge = judge,
                                                   .sets_aside = sets_aside,
                                                   .grow = grow,
                                                   .is_complete = is_complete,
                                                   .truncate = truncate_rows,
                                                   .is_state = is_state};

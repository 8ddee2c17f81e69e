/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence for a frame is the largest posterior density of its hyper-parameters, as for a fit:
 *
 *   log p(o | frame) = log p(y | hyper) + log p(hyper) - n sum_o log scale_o,   y = (z - offset)/scale
 *
 * The last term takes the outputs back to their own units, in which all frames are compared. */
#include "model/composite/frame_choice.h"

#include "base/memory.h"
#include "base/settings.h"
#include "model/frame_candidates.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows that evidence looks at, evenly spread where there are more: those of a first glance, and of a look where that does
 * not decide clearly. Evidence is decisive long before. */
enum { GLANCE_ROWS = 50, EVIDENCE_ROWS = 200 };

/* Every fit looks at all frames while rows are few. Later that is done each time that the number of rows passes a
 * multiple of LOOK_EVERY; where the first two are closer than `decisive`, every fit looks at those that are not
 * hopeless: rivals that have a say need hyper-parameters of all rows. Where the one in use leads clearly, few rows are
 * those below CERTAIN_ROWS, and up to FEW_ROWS all frames are looked at each time that rows pass a multiple of
 * LOOK_EARLY. */
enum { CERTAIN_ROWS = 10, FEW_ROWS = 30, LOOK_EARLY = 5, LOOK_EVERY = 25 };
static const double decisive = 10.0, clear = 25.0;

/* A frame that leads by this much can be believed before anything else is known. */
static const double believable = 4.0;

/* Frames this far behind are looked at again only when all are. */
static const double hopeless = 15.0;

/* What each pair of inputs that turns costs a priori, and what it costs to measure outcomes from elsewhere: of frames
 * that explain the outcomes alike the simplest is used. */
static const double price = 2.0;

/* By how much another frame must be better than the one in use, in nats. */
static const double margin = 1.0;

/* Factor of the length prior for the features of a frame's angle. */
static const double angle_stretch = 3.0;

const char *fcps_frame_setting_name(int index)
{
  static const char *const names[] = {[FCPS_FRAME_OFF] = "off", [FCPS_FRAME_AUTO] = "auto"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

void fcps_frame_setting_read(const char *words, fcps_frame_setting *setting)
{
  const int named = fcps_choice_find(fcps_frame_setting_name, words);
  *setting = (fcps_frame_setting){.kind = named >= 0 ? (fcps_frame_setting_kind)named : FCPS_FRAME_DECLARED};
  if (named < 0) snprintf(setting->words, sizeof setting->words, "%s", words);
}

const char *fcps_frame_setting_words(const fcps_frame_setting *setting)
{
  return setting->kind == FCPS_FRAME_DECLARED ? setting->words : fcps_frame_setting_name((int)setting->kind);
}

char *fcps_frame_choice_list(const fcps_model *model, size_t size, char *text)
{
  fcps_frame frames[FCPS_FRAME_CANDIDATES];
  char words[FCPS_FRAME_WORDS];
  const int count = fcps_frame_candidates_find(model, frames);
  size_t used = 0;
  text[0] = '\0';
  for (int k = 1; k < count; k++) {
    const char *one = fcps_frame_describe(frames + k, model, sizeof words, words), *before = k == 1 ? ", or: " : "; ";
    if (used + strlen(before) + strlen(one) >= size) break;
    used += (size_t)snprintf(text + used, size - used, "%s%s", before, one);
  }
  return text;
}

static size_t hyper_count(const fcps_model *model)
{
  return (size_t)FCPS_HYPER_COUNT(model->gp->dim);
}

/* -- Life -- */

static fcps_status allocate(fcps_model *model, int count)
{
  fcps_frame_choice *c = &model->frame_choice;
  const size_t candidates = (size_t)count, dim = (size_t)model->gp->dim;
  c->frames = fcps_allocate(candidates, sizeof *c->frames);
  c->scores = fcps_allocate(candidates, sizeof(double));
  c->hyper = fcps_allocate(candidates * hyper_count(model), sizeof(double));
  c->stretch = fcps_allocate(dim, sizeof(double));
  if (c->frames == NULL || c->scores == NULL || c->hyper == NULL || c->stretch == NULL) return FCPS_ERR_MEMORY;
  c->count = count;
  return FCPS_OK;
}

/* The length prior of a frame. */
static void stretch_for(const fcps_model *model, const fcps_frame *frame, double *stretch)
{
  memcpy(stretch, model->frame_choice.stretch, (size_t)model->gp->dim * sizeof(double));
  for (int i = 0; i < 2 && frame->angle == FCPS_FRAME_CIRCLE; i++)
    stretch[frame->cosine + i] = fmax(stretch[frame->cosine + i], angle_stretch);
}

void fcps_frame_choice_truncate(fcps_model *model)
{
  if (model->frame_choice.looked > model->training.count) model->frame_choice.looked = 0;
}

/* What a model believes of its frame, without its rows. */
static void believe(fcps_model *model, int candidate)
{
  fcps_frame_choice *c = &model->frame_choice;
  c->active = candidate;
  model->frame = c->frames[candidate];
  stretch_for(model, &model->frame, model->stretch);
  model->settings.norm.pair_count = model->frame.angle != FCPS_FRAME_NONE ? model->frame.pair_count : 0;
  for (int i = 0; i < model->settings.norm.pair_count; i++) {
    model->frame_pairs[2 * i] = model->frame.pairs[i].first;
    model->frame_pairs[2 * i + 1] = model->frame.pairs[i].second;
  }
  model->settings.norm.pairs = model->frame_pairs;
  fcps_frame_describe(&model->frame, model, sizeof c->words, c->words);
  c->left_words[0] = '\0';
  if (c->left > 0) fcps_frame_describe(c->frames + c->left, model, sizeof c->left_words, c->left_words);
}

/* Leaves none and the declared frame; where it is not among the candidates, none alone. */
static int keep_declared(const fcps_model *model, int count, fcps_frame *frames)
{
  char words[FCPS_FRAME_WORDS];
  for (int k = 1; k < count; k++) {
    if (strcmp(fcps_frame_describe(frames + k, model, sizeof words, words), model->settings.frame.words) != 0) continue;
    frames[1] = frames[k];
    return 2;
  }
  return 1;
}

fcps_status fcps_frame_choice_create(fcps_model *model)
{
  fcps_frame frames[FCPS_FRAME_CANDIDATES];
  const bool is_declared = model->settings.frame.kind == FCPS_FRAME_DECLARED;
  if (model->settings.frame.kind == FCPS_FRAME_OFF || !model->ops->predicts_outcomes) return FCPS_OK;
  int count = fcps_frame_candidates_find(model, frames);
  if (is_declared) count = keep_declared(model, count, frames);
  if (count < 2) return FCPS_OK;
  const fcps_status status = allocate(model, count);
  if (status != FCPS_OK) return status;
  fcps_frame_choice *c = &model->frame_choice;
  memcpy(c->frames, frames, (size_t)count * sizeof *frames);
  memcpy(c->stretch, model->stretch, (size_t)model->gp->dim * sizeof(double));
  c->left = -1;
  double *stretch = fcps_allocate((size_t)model->gp->dim, sizeof(double));
  if (stretch == NULL) return FCPS_ERR_MEMORY;
  fcps_hyper_prior prior = model->settings.prior;
  prior.stretch = stretch;
  for (int k = 0; k < count; k++) {
    stretch_for(model, frames + k, stretch);
    fcps_gp_hyper_centre(&prior, model->gp->dim, c->hyper + (size_t)k * hyper_count(model));
  }
  free(stretch);
  if (is_declared) believe(model, 1);
  return FCPS_OK;
}

void fcps_frame_choice_destroy(fcps_model *model)
{
  fcps_frame_choice *c = &model->frame_choice;
  free(c->frames);
  free(c->scores);
  free(c->hyper);
  free(c->stretch);
  *c = (fcps_frame_choice){0};
}

fcps_status fcps_frame_choice_copy(const fcps_model *model, fcps_model *copy)
{
  const fcps_frame_choice *from = &model->frame_choice;
  fcps_frame_choice *to = &copy->frame_choice;
  if (from->count == 0 || to->count != from->count) return FCPS_OK;
  memcpy(to->scores, from->scores, (size_t)from->count * sizeof(double));
  memcpy(to->hyper, from->hyper, (size_t)from->count * hyper_count(model) * sizeof(double));
  to->left = from->left;
  to->looked = from->looked;
  believe(copy, from->active); /* the rows are copied with the GPs */
  return FCPS_OK;
}

/* -- Turning the model -- */

/* Makes the rows of one GP again, with the noise that they have. */
static fcps_status turn_rows(fcps_model *model, fcps_gp *gp)
{
  const int rows = model->training.count;
  double *noise = fcps_allocate((size_t)rows + (size_t)gp->dim, sizeof(double));
  if (noise == NULL) return FCPS_ERR_MEMORY;
  double *row = noise + rows;
  for (int i = 0; i < rows; i++)
    noise[i] = gp->noise[i];
  fcps_gp_truncate(gp, 0);
  fcps_status status = FCPS_OK;
  for (int i = 0; i < rows && status == FCPS_OK; i++) {
    status = fcps_model_row(model, &model->training, i, row);
    if (status != FCPS_OK) break;
    fcps_frame_turn_row(&model->frame, gp->dim, row, row);
    status = fcps_gp_add(gp, row);
  }
  if (status == FCPS_OK) fcps_gp_set_noise(gp, rows, noise, gp->usual_noise);
  free(noise);
  return status;
}

fcps_status fcps_frame_choice_set(fcps_model *model, int candidate)
{
  fcps_frame_choice *c = &model->frame_choice;
  if (candidate == c->active) return FCPS_OK;
  c->left = c->active;
  believe(model, candidate);      /* it says what was left */
  fcps_hyper_samples_drop(model); /* they were drawn in another frame */
  if (fcps_frame_turns_feature(&model->frame, model->split_model.split.input)) fcps_split_model_drop(model);
  fcps_status status = FCPS_OK;
  for (int i = 0; i < fcps_model_gp_count(model) && status == FCPS_OK; i++) {
    status = turn_rows(model, fcps_model_gp(model, i));
    if (status == FCPS_OK)
      fcps_gp_set_hyper(fcps_model_gp(model, i), c->hyper + (size_t)candidate * hyper_count(model));
  }
  return status;
}

/* -- Evidence -- */

/* What a look works on. */
typedef struct look {
  fcps_model *model;
  int rows, outputs; /* rows that are looked at */
  double *inputs;    /* rows x dim, before they are turned */
  double *outcomes;  /* rows x outputs, as told */
  double *y;         /* outputs of a frame, columns of rows */
  double *row;       /* dim */
  double *stretch;   /* dim */
  double *offset;    /* outputs, and scales behind them */
  int *aside;        /* rows that are doubted */
  int aside_count;
} look;

static void close_look(look *l)
{
  free(l->inputs);
  free(l->aside);
}

static int source_of(const look *l, int i)
{
  return (int)((int64_t)i * l->model->training.count / l->rows);
}

/* A look at no more than `most` rows. */
static fcps_status open_look(look *l, fcps_model *model, int most)
{
  const size_t dim = (size_t)model->gp->dim, q = (size_t)model->problem->outcome.count;
  *l = (look){.model = model, .outputs = (int)q};
  l->rows = model->training.count < most ? model->training.count : most;
  const size_t n = (size_t)l->rows;
  l->inputs = fcps_allocate(n * (dim + 2 * q) + 2 * dim + 2 * q, sizeof(double));
  l->aside = fcps_allocate(n, sizeof(int));
  if (l->inputs == NULL || l->aside == NULL) return FCPS_ERR_MEMORY;
  l->outcomes = l->inputs + n * dim;
  l->y = l->outcomes + n * q;
  l->row = l->y + n * q;
  l->stretch = l->row + dim;
  l->offset = l->stretch + dim;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < l->rows && status == FCPS_OK; i++) {
    const int source = source_of(l, i);
    fcps_model_clip_outcome(model, source, l->outcomes + (size_t)i * q);
    if (fcps_suspects_include(model, source) || fcps_contact_rests(model, source)) l->aside[l->aside_count++] = i;
    status = fcps_model_row(model, &model->training, source, l->inputs + (size_t)i * dim);
  }
  return status;
}

/* A GP with the rows of a frame, and their outputs in l->y. */
static fcps_status turn_to(look *l, const fcps_frame *frame, fcps_gp **gp)
{
  const int dim = l->model->gp->dim, q = l->outputs;
  fcps_status status = fcps_gp_create(gp, dim, l->model->gp->kernel);
  for (int i = 0; i < l->rows && status == FCPS_OK; i++) {
    const double *row = l->inputs + (size_t)i * (size_t)dim;
    fcps_frame_turn_row(frame, dim, row, l->row);
    status = fcps_gp_add(*gp, l->row);
    if (status == FCPS_OK) (*gp)->noise[i] = l->model->gp->noise[source_of(l, i)];
    double outcome[FCPS_SPACE_MAX];
    memcpy(outcome, l->outcomes + (size_t)i * (size_t)q, (size_t)q * sizeof(double));
    fcps_frame_turn_outcome(frame, row, outcome);
    for (int o = 0; o < q; o++)
      l->y[(size_t)o * (size_t)l->rows + (size_t)i] = outcome[o];
  }
  return status;
}

/* A direction's own vector costs nothing: without it there is no such frame. */
static double price_of(const fcps_frame *frame)
{
  const int inputs = frame->input_count - (frame->angle == FCPS_FRAME_DIRECTION ? 1 : 0);
  return price * (inputs + (frame->pairs[0].is_relative ? 1 : 0));
}

/* A frame is judged by the outcomes that turn in it. Others are the same in every frame; but what a GP with hyper-parameters of
 * the pairs says about them is not, and one that hardly varies, such as the height of what slides, would outshout them. */
static void mark_idle(const look *l, bool *idle)
{
  const fcps_frame *any = l->model->frame_choice.frames + 1; /* all have the same pairs */
  for (int o = 0; o < l->outputs; o++)
    idle[o] = true;
  for (int i = 0; i < any->pair_count; i++)
    idle[any->pairs[i].first] = idle[any->pairs[i].second] = false;
}

/* Fits candidate k; its score is -INFINITY where it cannot be fitted. */
static fcps_status score_frame(look *l, int k)
{
  fcps_model *model = l->model;
  fcps_frame_choice *c = &model->frame_choice;
  const fcps_frame *frame = c->frames + k;
  double *hyper = c->hyper + (size_t)k * hyper_count(model), *scale = l->offset + l->outputs;
  int pairs[2 * FCPS_FRAME_PAIRS];
  bool idle[FCPS_SPACE_MAX];
  fcps_hyper_prior prior = model->settings.prior;
  stretch_for(model, frame, l->stretch);
  prior.stretch = l->stretch;
  fcps_gp_data data = {
      .rows = l->rows, .outputs = l->outputs, .y = l->y, .norm = model->settings.norm, .prior = &prior};
  data.norm.aside_count = l->aside_count;
  data.norm.aside = l->aside;
  mark_idle(l, idle);
  data.norm.idle = idle;
  data.norm.pairs = pairs;
  data.norm.pair_count = frame->angle != FCPS_FRAME_NONE ? frame->pair_count : 0;
  for (int i = 0; i < data.norm.pair_count; i++) {
    pairs[2 * i] = frame->pairs[i].first;
    pairs[2 * i + 1] = frame->pairs[i].second;
  }
  const fcps_fit_settings fit = {.starts = 2, .budget = model->settings.fit.budget};
  fcps_gp *gp = NULL;
  fcps_likelihood *likelihood = NULL;
  fcps_fit_result result;
  fcps_status status = turn_to(l, frame, &gp);
  if (status == FCPS_OK) {
    fcps_gp_set_hyper(gp, hyper);
    status = fcps_gp_fit(gp, &data, fit, (fcps_rng){0}, &result);
  }
  if (status == FCPS_OK) status = fcps_likelihood_create(&likelihood, gp, &data);
  c->scores[k] = -INFINITY;
  if (status == FCPS_OK) {
    memcpy(hyper, gp->hyper, hyper_count(model) * sizeof(double));
    c->scores[k] = fcps_likelihood_value(likelihood, hyper, NULL);
    fcps_gp_normalize(data.norm, l->rows, l->outputs, l->y, l->offset, scale);
    for (int o = 0; o < l->outputs; o++)
      if (fcps_gp_norm_counts(&data.norm, o)) c->scores[k] -= l->rows * log(scale[o]);
    if (k > 0) c->scores[k] -= log(c->count - 1) + price_of(frame);
    if (!isfinite(c->scores[k])) c->scores[k] = -INFINITY;
  }
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(gp);
  return status == FCPS_ERR_MEMORY ? status : FCPS_OK;
}

static int best_of(const fcps_frame_choice *c, int except)
{
  int best = except == 0 ? 1 : 0;
  for (int k = 0; k < c->count; k++)
    if (k != except && c->scores[k] > c->scores[best]) best = k;
  return best;
}

/* By how much a frame is better than all others. */
static double lead_of(const fcps_frame_choice *c, int candidate)
{
  return c->scores[candidate] - c->scores[best_of(c, candidate)];
}

bool fcps_frame_choice_is_decided(const fcps_model *model)
{
  const fcps_frame_choice *c = &model->frame_choice;
  return c->count > 0 && c->active > 0 && c->looked == model->training.count && lead_of(c, c->active) > believable;
}

double fcps_frame_choice_log_odds(const fcps_model *model)
{
  const fcps_frame_choice *c = &model->frame_choice;
  return c->active > 0 ? c->scores[c->active] - c->scores[0] : 0.0;
}

/* Whether all frames are to be looked at; else, with `some`, those that are not hopeless. */
static bool is_due(const fcps_model *model, bool *some)
{
  const fcps_frame_choice *c = &model->frame_choice;
  const int rows = model->training.count, every = rows < FEW_ROWS ? LOOK_EARLY : LOOK_EVERY;
  *some = c->looked > 0 && rows > c->looked && lead_of(c, c->active) < decisive;
  const bool is_early = rows < CERTAIN_ROWS || (rows < FEW_ROWS && lead_of(c, c->active) < clear);
  return c->looked == 0 || (rows > c->looked && (is_early || rows / every != c->looked / every));
}

/* Scores are kept as odds against the best, so that those of an older look still compare. */
static void compare(fcps_frame_choice *c, const bool *is_new)
{
  double best = -INFINITY;
  for (int k = 0; k < c->count; k++)
    if (is_new[k]) best = fmax(best, c->scores[k]);
  for (int k = 0; k < c->count; k++)
    if (is_new[k] && isfinite(best)) c->scores[k] -= best;
}

/* Scores all frames, or those that are not hopeless, by `most` rows at most. */
static fcps_status score_frames(fcps_model *model, bool all, int most)
{
  fcps_frame_choice *c = &model->frame_choice;
  look l;
  bool is_new[FCPS_FRAME_CANDIDATES] = {false};
  fcps_status status = open_look(&l, model, most);
  const double best_before = c->looked > 0 ? c->scores[best_of(c, -1)] : 0.0;
  for (int k = 0; k < c->count && status == FCPS_OK; k++) {
    is_new[k] = all || k == 0 || k == c->active || c->scores[k] > best_before - hopeless;
    if (is_new[k]) status = score_frame(&l, k);
  }
  close_look(&l);
  if (status == FCPS_OK) compare(c, is_new);
  return status;
}

fcps_status fcps_frame_choice_update(fcps_model *model, fcps_error *error)
{
  fcps_frame_choice *c = &model->frame_choice;
  const int rows = model->training.count;
  bool some = false;
  (void)error;
  if (c->count == 0 || rows == 0 || model->settings.frame.kind == FCPS_FRAME_DECLARED) return FCPS_OK;
  const bool all = is_due(model, &some);
  if (!all && !some) return FCPS_OK;
  const bool has_glance = all && rows > GLANCE_ROWS;
  fcps_status status = has_glance ? score_frames(model, true, GLANCE_ROWS) : FCPS_OK;
  if (status == FCPS_OK && !(has_glance && lead_of(c, best_of(c, -1)) > clear))
    status = score_frames(model, all, EVIDENCE_ROWS);
  if (status != FCPS_OK) return status;
  fcps_hyper_samples_drop_members(model); /* what was averaged over by an older look */
  c->looked = rows;
  const int best = best_of(c, -1);
  return c->scores[best] > c->scores[c->active] + margin ? fcps_frame_choice_set(model, best) : FCPS_OK;
}

/* -- Spread -- */

static double variance_of(int rows, const double *y)
{
  double mean = 0.0, sum = 0.0;
  for (int i = 0; i < rows; i++)
    mean += y[i] / rows;
  for (int i = 0; i < rows; i++)
    sum += (y[i] - mean) * (y[i] - mean);
  return sum;
}

/* Of a pair the spread is that of both. */
double fcps_frame_choice_spread(const fcps_model *model, int output)
{
  const fcps_frame *frame = &model->frame;
  const size_t rows = (size_t)model->training.count, q = (size_t)model->problem->outcome.count;
  int members[2] = {-1, -1};
  for (int i = 0; i < frame->pair_count && frame->angle != FCPS_FRAME_NONE; i++)
    if (frame->pairs[i].first == output || frame->pairs[i].second == output) {
      members[0] = frame->pairs[i].first;
      members[1] = frame->pairs[i].second;
    }
  double outcome[FCPS_SPACE_MAX], turned = 0.0, told = 0.0, *y = NULL;
  if (members[0] >= 0) y = fcps_allocate(2 * rows * q, sizeof(double));
  if (y == NULL || model->ops->outputs(model, NULL, y, NULL) != FCPS_OK) {
    free(y);
    return 1.0;
  }
  for (size_t i = 0; i < rows; i++) {
    fcps_model_clip_outcome(model, (int)i, outcome);
    for (size_t o = 0; o < q; o++)
      y[rows * (q + o) + i] = outcome[o];
  }
  for (int i = 0; i < 2; i++) {
    turned += variance_of((int)rows, y + rows * (size_t)members[i]);
    told += variance_of((int)rows, y + rows * (q + (size_t)members[i]));
  }
  free(y);
  return told > 0.0 ? sqrt(turned / told) : 1.0;
}

/* -- State -- */

fcps_json *fcps_frame_choice_write(const fcps_model *model)
{
  const fcps_frame_choice *c = &model->frame_choice;
  const int n = (int)hyper_count(model);
  char text[FCPS_FRAME_WORDS];
  fcps_json *json = fcps_json_object(), *frames = fcps_json_array();
  for (int k = 0; k < c->count; k++) {
    fcps_json *one = fcps_json_object();
    fcps_json_put(&one, "frame", fcps_json_from_text(fcps_frame_describe(c->frames + k, model, sizeof text, text)));
    fcps_json_put(&one, "score", fcps_json_from_number(fmax(c->scores[k], -1e100)));
    fcps_json_put(&one, "hyper", fcps_json_from_numbers(n, c->hyper + k * n));
    fcps_json_add(&frames, one);
  }
  fcps_json_put(&json, "active", fcps_json_from_integer(c->active));
  fcps_json_put(&json, "left", fcps_json_from_integer(c->left));
  fcps_json_put(&json, "looked", fcps_json_from_integer(c->looked));
  fcps_json_put(&json, "frames", frames);
  return json;
}

/* Reads candidate k, which must be what it was when it was saved. */
static bool read_frame(fcps_model *model, int k, const fcps_json *json)
{
  fcps_frame_choice *c = &model->frame_choice;
  const int n = (int)hyper_count(model);
  char text[FCPS_FRAME_WORDS];
  const char *saved = fcps_json_text(fcps_json_get(json, "frame"));
  fcps_frame_describe(c->frames + k, model, sizeof text, text);
  return saved != NULL && strcmp(saved, text) == 0 && fcps_json_number(fcps_json_get(json, "score"), c->scores + k) &&
         isfinite(c->scores[k]) && fcps_json_numbers(fcps_json_get(json, "hyper"), n, c->hyper + k * n) &&
         fcps_gp_hyper_usable(n, c->hyper + k * n);
}

fcps_status fcps_frame_choice_read(fcps_model *model, const fcps_json *json)
{
  fcps_frame_choice *c = &model->frame_choice;
  if (c->count == 0) return json == NULL ? FCPS_OK : FCPS_ERR_FORMAT;
  int64_t active = -1, left = -2, looked = -1;
  const fcps_json *frames = fcps_json_get(json, "frames");
  const bool has_numbers = fcps_json_integer(fcps_json_get(json, "active"), &active) &&
                           fcps_json_integer(fcps_json_get(json, "left"), &left) &&
                           fcps_json_integer(fcps_json_get(json, "looked"), &looked);
  if (!has_numbers || fcps_json_count(frames) != c->count || active < 0 || active >= c->count || left < -1 ||
      left >= c->count || looked < 0 || looked > model->training.count)
    return FCPS_ERR_FORMAT;
  for (int k = 0; k < c->count; k++)
    if (!read_frame(model, k, fcps_json_at(frames, k))) return FCPS_ERR_FORMAT;
  const fcps_status status = fcps_frame_choice_set(model, (int)active);
  c->left = (int)left;
  c->looked = (int)looked;
  believe(model, (int)active);
  return status;
}

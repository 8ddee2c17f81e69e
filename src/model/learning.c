/* SPDX-License-Identifier: Apache-2.0 */
/* Fits a model: calls its structures, reviews its description, and updates it between fits. */
#include "model/model.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* -- What structures look at -- */

static fcps_look look_at(const fcps_model *model, fcps_error *error)
{
  return (fcps_look){
      .layout = &model->layout,
      .settings = &model->settings.structures,
      .is_whole = !model->settings.may_split && model->parent == NULL && model->settings.fit.samples <= 1,
      .rollouts = &model->training,
      .description = (fcps_description *)&model->description, /* only changed if the caller may change the model */
      .gps = (fcps_gps *)&model->gps,
      .known = model->fitted,
      .fit = model->settings.fit,
      .error = error};
}

/* A child with too few rows for a scale of its own uses that of its parent, so its data include those of the parent. */
fcps_look fcps_model_look(const fcps_model *model, fcps_look *parent, fcps_error *error)
{
  fcps_look look = look_at(model, error);
  if (model->parent == NULL || model->training.count >= FCPS_SPLIT_MODEL_LEAST_ROWS) return look;
  *parent = look_at(model->parent, error);
  look.parent = parent;
  return look;
}

static void look_as(fcps_look *look, int index)
{
  look->index = index;
  if (look->parent != NULL) look->parent->index = index;
}

const fcps_structure *fcps_model_structure(const fcps_model *model, const char *name)
{
  const int index = fcps_structure_find(name);
  return index >= 0 && fcps_description_has(&model->description, index) ? model->description.structures + index : NULL;
}

double fcps_model_own_noise(const fcps_model *model, int gp, int row)
{
  const fcps_structure_kind *kind;
  double sum = 0.0;
  for (int i = 0; (kind = fcps_structure_kind_at(i)) != NULL; i++)
    if (kind->judges_values) sum += fcps_gps_noise_at(&model->gps, i, gp, row);
  return sum;
}

double fcps_model_place_noise(const fcps_model *model, int gp, int row)
{
  const fcps_structure_kind *kind;
  double sum = 0.0;
  for (int i = 0; (kind = fcps_structure_kind_at(i)) != NULL; i++)
    if (kind->noise_at != NULL && fcps_description_has(&model->description, i))
      sum += fcps_gps_noise_at(&model->gps, i, gp, row) - fcps_gps_noise_usual(&model->gps, i, gp);
  return sum;
}

/* Whether the rows show a believed structure (fcps_structure_kind.is_shown); also false if memory runs out. */
static bool is_shown(const fcps_model *model, const fcps_structure_kind *kind, fcps_look *look, const void *state)
{
  if (kind->is_shown == NULL) return true;
  double *y;
  bool is_so = fcps_model_outputs(model, 1, NULL, &y, NULL) == FCPS_OK;
  look->y = y;
  look->outputs = model->layout.outputs;
  if (is_so) is_so = kind->is_shown(look, state);
  look->y = NULL;
  free(y);
  return is_so;
}

const char *fcps_model_describe_structure(const fcps_model *model, int index, size_t size, char *words,
                                          double *log_odds, fcps_model_proof *proof)
{
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  const fcps_structure_kind *kind = fcps_structure_kind_at(index);
  const fcps_structure *structure = model->description.structures + index;
  if (kind == NULL || (kind->describe == NULL && kind->words == NULL) || structure->size == 0) return NULL;
  look_as(&look, index);
  if (kind->words != NULL)
    snprintf(words, size, "%s", kind->words);
  else
    kind->describe(&look, structure->state, size, words);
  *log_odds = structure->nats;
  *proof = model->contests.of[index].count == 0             ? FCPS_MODEL_DECLARED
           : is_shown(model, kind, &look, structure->state) ? FCPS_MODEL_SHOWN
                                                            : FCPS_MODEL_SUPPOSED;
  return kind->name;
}

/* A step that for_each calls, in the order of the table, for each believed structure and each kind is_always_asked. */
typedef fcps_status structure_step(const fcps_structure_kind *kind, fcps_look *look, fcps_structure *structure,
                                   void *user);

static fcps_status for_each(fcps_look *look, structure_step *step, void *user)
{
  const fcps_structure_kind *kind;
  fcps_status status = FCPS_OK;
  for (int i = 0; (kind = fcps_structure_kind_at(i)) != NULL && status == FCPS_OK; i++) {
    if (!fcps_description_has(look->description, i) && !kind->is_always_asked) continue;
    look_as(look, i);
    status = step(kind, look, look->description->structures + i, user);
  }
  return status;
}

static fcps_status before_fit(const fcps_structure_kind *kind, fcps_look *look, fcps_structure *structure, void *user)
{
  (void)user;
  return kind->before_fit != NULL ? kind->before_fit(look, structure) : FCPS_OK;
}

static fcps_status after_fit(const fcps_structure_kind *kind, fcps_look *look, fcps_structure *structure, void *user)
{
  (void)user;
  return kind->after_fit != NULL ? kind->after_fit(look, structure) : FCPS_OK;
}

/* Whether all rows have the noise that a structure gives them. */
static bool is_complete(const fcps_structure_kind *kind, const fcps_look *look, const fcps_structure *structure)
{
  if (kind->is_complete != NULL) return kind->is_complete(look, structure);
  return kind->grow == NULL || fcps_gps_noise_known(look->gps, look->index, 0) == look->rollouts->count;
}

static fcps_status grow(const fcps_structure_kind *kind, fcps_look *look, fcps_structure *structure, void *user)
{
  (void)user;
  return kind->grow != NULL && !is_complete(kind, look, structure) ? kind->grow(look, structure) : FCPS_OK;
}

static fcps_status note_incomplete(const fcps_structure_kind *kind, fcps_look *look, fcps_structure *structure,
                                   void *user)
{
  bool *complete = user;
  *complete = *complete && is_complete(kind, look, structure);
  return FCPS_OK;
}

typedef struct judgement {
  bool is_hidden, has_changed;
} judgement;

static fcps_status judge(const fcps_structure_kind *kind, fcps_look *look, fcps_structure *structure, void *user)
{
  judgement *j = user;
  bool has_changed = false;
  const bool is_asked = fcps_structure_setting_of(look->settings, look->index) != FCPS_STRUCTURE_OFF;
  if (kind->judge == NULL || !is_asked) return FCPS_OK;
  const fcps_status status = kind->judge(look, structure, j->is_hidden, &has_changed);
  j->has_changed = j->has_changed || has_changed;
  return status;
}

fcps_status fcps_model_grow_noise(fcps_model *model, fcps_error *error)
{
  fcps_look parent, look = fcps_model_look(model, &parent, error);
  return for_each(&look, grow, NULL);
}

fcps_status fcps_model_rebuild(fcps_model *model, const double *hyper, fcps_error *error)
{
  const fcps_status status = fcps_model_remake(model, hyper);
  return status == FCPS_OK && model->training.count > 0 ? fcps_model_grow_noise(model, error) : status;
}

static bool has_split(const fcps_model *model)
{
  return fcps_model_side_count(model) > 1;
}

/* -- Fitting -- */

/* A fit under way. */
typedef struct fitting {
  fcps_model *model;
  fcps_look parent, look;
  double *y; /* owned; `look` borrows it */
  fcps_rng rng;
  fcps_fit_result *result;
  fcps_error *error;
} fitting;

/* Whether a fit is cold. A cold fit begins at several points, any other at the last optimum alone. Fits are cold while
 * rows are few, and each time that their number passes a multiple of COLD_EVERY. That is often enough to leave a bad
 * optimum. The decision depends on the two counts alone, so that a resumed model decides the same. */
enum { FEW_ROWS = 30, COLD_EVERY = 25, NOISY_ROWS = 50, MANY_ROWS = 100 };
static bool is_cold(const fcps_model *model)
{
  return model->fitted < FEW_ROWS || model->training.count / COLD_EVERY != model->fitted / COLD_EVERY;
}

static fcps_status fit_hyper(const fitting *f, int starts, bool is_near)
{
  fcps_model *model = f->model;
  const int rows = model->training.count;
  const fcps_hyper_prior prior = fcps_description_prior(&model->description);
  fcps_fit_settings settings = model->settings.fit;
  if (settings.samples > 1) return fcps_members_sample(model, rows, f->look.outputs, f->y, f->rng, f->result);
  const fcps_gp_data data = {rows, f->look.outputs, f->y, fcps_model_norm(model), &prior};
  if (settings.starts > starts) settings.starts = starts;
  settings.is_near = is_near;
  return fcps_gps_fit(&model->gps, &data, settings, f->rng, f->result);
}

static bool fits_twice(const fcps_model *model)
{
  const fcps_structure_kind *kind;
  for (int i = 0; (kind = fcps_structure_kind_at(i)) != NULL; i++)
    if (kind->fits_twice && fcps_description_has(&model->description, i)) return true;
  return false;
}

/* Fits the hyper-parameters with the believed structures, and then lets the structures learn from the fit. */
static fcps_status fit_believed(fitting *f, int starts, bool is_near)
{
  const int times = f->model->fitted == 0 && fits_twice(f->model) ? 2 : 1;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < times && status == FCPS_OK; i++) {
    status = fit_hyper(f, starts, is_near);
    if (status == FCPS_OK) status = for_each(&f->look, after_fit, NULL);
  }
  return status;
}

/* Whether to look for outliers masked by having been in every fit: while rows are few, and later at cold fits. */
static bool may_hide_doubts(const fcps_model *model)
{
  return model->training.count < FEW_ROWS || is_cold(model);
}

/* Judges all rows by the new hyper-parameters, and fits again as long as the set of doubted rows changes. */
static fcps_status judge_and_refit(fitting *f, int starts, bool *has_changed)
{
  enum { FITS = 3 };
  fcps_status status = FCPS_OK;
  *has_changed = false;
  for (int i = 0; i < FITS && status == FCPS_OK; i++) {
    judgement j = {.is_hidden = false};
    f->look.known = f->model->training.count;
    status = for_each(&f->look, judge, &j);
    if (status == FCPS_OK && !j.has_changed && may_hide_doubts(f->model)) {
      j.is_hidden = true;
      status = for_each(&f->look, judge, &j);
    }
    if (status != FCPS_OK || !j.has_changed) break;
    *has_changed = true;
    status = fit_believed(f, starts, false);
  }
  return status;
}

/* Judges new rows by the hyper-parameters of the last fit, which did not use them. */
static fcps_status judge_new(fitting *f)
{
  judgement j = {.is_hidden = false};
  if (f->model->fitted == 0) return FCPS_OK;
  const fcps_status status = fcps_gps_grow(&f->model->gps);
  return status == FCPS_OK ? for_each(&f->look, judge, &j) : status;
}

/* Makes the GPs and their outputs anew after the description has changed. */
static fcps_status renew(fitting *f, const double *hyper)
{
  fcps_status status = fcps_model_rebuild(f->model, hyper, f->error);
  if (status != FCPS_OK) return status;
  free(f->y);
  status = fcps_model_outputs(f->model, 1, NULL, &f->y, f->error);
  f->look.y = f->y;
  return status;
}

/* Reviews the description. If another description explains the rows better, fits its hyper-parameters to all rows. The
 * review has found them from some of the rows. */
static fcps_status review(fitting *f, bool *has_changed)
{
  double *hyper = NULL;
  *has_changed = false;
  if (!f->model->ops->predicts_outcomes) return FCPS_OK;
  fcps_status status = fcps_contests_review(&f->model->contests, &f->look, has_changed, &hyper);
  if (status == FCPS_OK && *has_changed) status = renew(f, hyper);
  if (status == FCPS_OK && *has_changed) status = fit_believed(f, 1, hyper != NULL);
  free(hyper);
  return status;
}

static fcps_status fit_whole(fitting *f)
{
  const int most = f->model->settings.fit.starts, rows = f->model->training.count;
  /* With many rows, a fit tells noise from a smooth function even without the start at which nearly all is noise. */
  const int usual = rows > NOISY_ROWS && most == FCPS_FIT_NOISY_STARTS ? most - 1 : most;
  const int starts = is_cold(f->model) ? usual : 1;
  f->look.fit.starts = usual;
  /* Under a wrong description many rows look wrong, and each change of the doubted rows costs a fit. So if many rows
   * come at once, the description is reviewed before rows are doubted, and again afterwards. */
  const bool is_first = f->model->fitted == 0 && rows > MANY_ROWS;
  bool has_changed = false, has_doubts = false;
  fcps_status status = judge_new(f);
  if (status == FCPS_OK) status = fit_believed(f, starts, false);
  if (status == FCPS_OK && is_first) status = review(f, &has_changed);
  if (status == FCPS_OK) status = judge_and_refit(f, starts, &has_doubts);
  if (is_first && has_doubts) fcps_contests_truncate(&f->model->contests, 0);
  if (status == FCPS_OK) status = review(f, &has_changed);
  return status == FCPS_OK && has_changed ? judge_and_refit(f, 1, &has_doubts) : status;
}

fcps_status fcps_model_fit(fcps_model *model, int count, const double *targets, fcps_rng rng, fcps_fit_result *result,
                           fcps_error *error)
{
  fitting f = {.model = model, .rng = rng, .result = result, .error = error};
  fcps_model_clear_pending(model);
  f.look = fcps_model_look(model, &f.parent, error);
  f.look.rng = rng;
  fcps_status status = for_each(&f.look, before_fit, NULL);
  if (status == FCPS_OK) status = fcps_model_outputs(model, count, targets, &f.y, error);
  if (status != FCPS_OK) return status;
  f.look.y = f.y;
  f.look.outputs = fcps_model_columns(model, count);
  fcps_members_end(model);
  status = fcps_split_model_search(model, f.look.outputs, f.y);
  if (status == FCPS_OK)
    status = has_split(model) ? fcps_split_model_fit(model, count, targets, rng, result, error) : fit_whole(&f);
  if (status == FCPS_OK) {
    model->fitted = model->training.count;
    model->ending = *result;
  }
  free(f.y);
  return status;
}

fcps_status fcps_model_review(fcps_model *model, fcps_error *error)
{
  fcps_look parent, look = fcps_model_look(model, &parent, error);
  double *hyper = NULL;
  bool has_changed = false;
  if (!model->ops->predicts_outcomes || model->training.count == 0) return FCPS_OK;
  fcps_model_clear_pending(model);
  fcps_members_end(model);
  fcps_status status = fcps_contests_review(&model->contests, &look, &has_changed, &hyper);
  if (status == FCPS_OK && has_changed) status = fcps_model_rebuild(model, hyper, error);
  free(hyper);
  return status;
}

int fcps_model_design_places(const fcps_model *model, int usual)
{
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  const fcps_structure_kind *kind;
  int fewest = usual;
  for (int i = 0; (kind = fcps_structure_kind_at(i)) != NULL; i++) {
    if (kind->design_places == NULL) continue;
    const bool is_decided = fcps_contest_is_decided(model->contests.of + i, model->training.count);
    const int places = kind->design_places(&look, model->description.structures + i, is_decided);
    if (places > 0 && places < fewest) fewest = places;
  }
  return fewest;
}

/* -- Conditioning -- */

fcps_status fcps_model_scale_of_parent(const fcps_model *model, int count, const double *targets, double *scale,
                                       fcps_error *error)
{
  const fcps_model *parent = model->parent;
  const int columns = fcps_model_columns(model, count);
  double *y;
  if (parent == NULL || model->training.count >= FCPS_SPLIT_MODEL_LEAST_ROWS) return FCPS_OK;
  const fcps_status status = fcps_model_outputs(parent, count, targets, &y, error);
  if (status != FCPS_OK) return status;
  fcps_gp_normalize(fcps_model_norm(parent), parent->training.count, columns, y, scale + columns, scale);
  free(y);
  return FCPS_OK;
}

/* Conditions a child with too few rows for a scale of its own. Divides y by the parent's scale first, and multiplies
 * the resulting offsets and scales by it afterwards. */
static fcps_status condition_with_scale_of_parent(const fcps_model *model, int count, const double *targets, double *y,
                                                  fcps_gp_outputs *outputs, fcps_error *error)
{
  const fcps_gp_norm none = {.mean = model->description.mean, .scaling = FCPS_SCALING_NONE};
  const int rows = model->training.count, columns = fcps_model_columns(model, count);
  double *scale = fcps_allocate(2 * (size_t)columns, sizeof(double));
  fcps_status status =
      scale != NULL ? fcps_model_scale_of_parent(model, count, targets, scale, error) : FCPS_ERR_MEMORY;
  for (int i = 0; i < rows * columns && status == FCPS_OK; i++)
    y[i] /= scale[i / rows];
  if (status == FCPS_OK) status = fcps_gps_condition(&model->gps, none, rows, columns, y, outputs);
  for (int o = 0; o < columns && status == FCPS_OK; o++) {
    outputs->offset[o] *= scale[o];
    outputs->scale[o] *= scale[o];
  }
  free(scale);
  return status;
}

fcps_status fcps_model_condition(const fcps_model *model, int count, const double *targets, fcps_gp_outputs *outputs,
                                 fcps_error *error)
{
  const int rows = model->training.count;
  double *y;
  fcps_status status = fcps_model_outputs(model, count, targets, &y, error);
  if (status != FCPS_OK) return status;
  if (model->parent != NULL && rows < FCPS_SPLIT_MODEL_LEAST_ROWS)
    status = condition_with_scale_of_parent(model, count, targets, y, outputs, error);
  else
    status =
        fcps_gps_condition(&model->gps, fcps_model_norm(model), rows, fcps_model_columns(model, count), y, outputs);
  free(y);
  return status;
}

/* -- Growth -- */

fcps_status fcps_model_refresh(fcps_model *model)
{
  fcps_model_clear_pending(model);
  fcps_status status = fcps_model_grow_noise(model, NULL);
  if (status == FCPS_OK && !has_split(model)) status = fcps_gps_grow(&model->gps);
  for (int side = 0; side < 2 && has_split(model) && status == FCPS_OK; side++)
    status = fcps_model_refresh(model->split_model.child[side]);
  const fcps_trials trials = fcps_model_trials(model);
  if (status == FCPS_OK) status = fcps_feasibility_learn(&model->feasibility, &trials);
  return status == FCPS_OK && !has_split(model) ? fcps_members_refresh(model) : status;
}

fcps_status fcps_model_restore(fcps_model *model, int gp, const double *hyper, int base)
{
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  bool complete = true;
  if (base < 0 || base > model->training.count) return FCPS_ERR_ARGUMENT;
  fcps_gp *restored = fcps_model_gp(model, gp);
  fcps_gp_set_hyper(restored, hyper);
  if (base == 0) return FCPS_OK;
  fcps_status status = fcps_gp_factorize(restored, base);
  if (status == FCPS_OK) status = for_each(&look, note_incomplete, &complete);
  return status == FCPS_OK && complete ? fcps_gp_grow(restored) : status;
}

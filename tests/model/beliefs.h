/* SPDX-License-Identifier: Apache-2.0 */
/* A model's belief in a kind of structure, by its name. */
#ifndef FCPS_TESTS_MODEL_BELIEFS_H
#define FCPS_TESTS_MODEL_BELIEFS_H

#include "check.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "model/structures/doubts.h"

static inline bool believes(const fcps_model *model, const char *name)
{
  return fcps_model_structure(model, name) != NULL;
}

/* In nats, against the best description without it; 0: it is not believed. */
static inline double log_odds(const fcps_model *model, const char *name)
{
  return believes(model, name) ? fcps_model_structure(model, name)->nats : 0.0;
}

static inline fcps_contest *contest_of(fcps_model *model, const char *name)
{
  const int index = fcps_structure_find(name);
  assert_true(index >= 0);
  return model->contests.of + index;
}

/* "" if it is not believed. */
static inline const char *words_of(const fcps_model *model, const char *name)
{
  static char words[FCPS_FRAME_WORDS];
  double odds;
  fcps_model_proof proof;
  const int index = fcps_structure_find(name);
  return fcps_model_describe_structure(model, index, sizeof words, words, &odds, &proof) != NULL ? words : "";
}

/* How sure it may be said to be. */
static inline fcps_model_proof proof_of(const fcps_model *model, const char *name)
{
  char words[FCPS_FRAME_WORDS];
  double odds;
  fcps_model_proof proof = FCPS_MODEL_SUPPOSED;
  assert_non_null(fcps_model_describe_structure(model, fcps_structure_find(name), sizeof words, words, &odds, &proof));
  return proof;
}

/* The first proposal of a kind, to be cleared; and a model that believes it, whatever the evidence. */
static inline fcps_structure first_proposal(const fcps_model *model, const char *name)
{
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  fcps_structure proposals[FCPS_PROPOSALS] = {{0}};
  int count = 0;
  look.index = fcps_structure_find(name);
  assert_ok(fcps_structure_kind_at(look.index)->propose(&look, proposals, &count));
  assert_true(count > 0);
  for (int k = 1; k < count; k++)
    fcps_structure_clear(proposals + k);
  return proposals[0];
}

static inline void make_believe(fcps_model *model, const char *name)
{
  fcps_structure structure = first_proposal(model, name);
  fcps_description with;
  assert_ok(fcps_description_with(&model->description, &model->layout, fcps_structure_find(name), &structure, &with));
  fcps_structure_clear(&structure);
  fcps_description_destroy(&model->description);
  model->description = with;
  assert_ok(fcps_model_rebuild(model, NULL, NULL));
}

/* One of the rows that are doubted. */
static inline const fcps_doubt *doubt_at(const fcps_model *model, int index)
{
  int count;
  const fcps_doubt *doubts = fcps_doubts_of(&model->description, &count);
  assert_true(index < count);
  return doubts + index;
}

static inline int doubt_count(const fcps_model *model)
{
  int count;
  fcps_doubts_of(&model->description, &count);
  return count;
}

#endif

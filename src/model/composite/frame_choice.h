/* SPDX-License-Identifier: Apache-2.0 */
/* Which frame (frame.h) the outcomes of a model turn with, by evidence.
 *
 * Rotations and shifts keep volumes, so that the likelihoods of the same outcomes in different frames compare directly.
 * At each fit, as long as the frames are not far apart and sometimes later, every frame is fitted with one GP for all
 * outputs, and the most probable one is used: half of the prior is for none, the other half for the others together.
 * Another frame must be better by a margin to replace the one in use. So nothing has to be declared; a frame that was
 * believed after two rows is left after three.
 *
 * In a frame the features of its angle have longer lengths a priori: what is left of the angle is local.
 *
 * Invariants: the rows of the model's GPs are those of its frame; a model without candidates has none of this, and the
 * bits of one without this file. */
#ifndef FCPS_MODEL_COMPOSITE_FRAME_CHOICE_H
#define FCPS_MODEL_COMPOSITE_FRAME_CHOICE_H

#include "format/json.h"
#include "model/frame.h"

/* The most characters of a frame in words. */
enum { FCPS_FRAME_WORDS = 512 };

/* Whether frames are looked for; a declared one is used without looking, and so is it before any rollout. */
typedef enum fcps_frame_setting_kind { FCPS_FRAME_OFF, FCPS_FRAME_AUTO, FCPS_FRAME_DECLARED } fcps_frame_setting_kind;

typedef struct fcps_frame_setting {
  fcps_frame_setting_kind kind;
  char words[FCPS_FRAME_WORDS]; /* of a declared one: its sentence (frame.h) */
} fcps_frame_setting;

/* The names that are no sentences, in the order of the enumeration; NULL past the end. */
const char *fcps_frame_setting_name(int index);

/* What words mean: off, auto, or a frame. And back. */
void fcps_frame_setting_read(const char *words, fcps_frame_setting *setting);
const char *fcps_frame_setting_words(const fcps_frame_setting *setting);

/* Writes "; or, in words: A; B", with as many frames of the model's problem as fit, into `text`; nothing where there is
 * none. Returns `text`. */
char *fcps_frame_choice_list(const fcps_model *model, size_t size, char *text);

typedef struct fcps_frame_choice {
  int count;       /* candidates, the first of which is none; 0: there is no choice */
  int active;      /* the candidate in use */
  int left;        /* that was in use before; -1: no other was */
  int looked;      /* rows at the last look; 0: never */
  double *scores;  /* log posterior odds of each against none, at the last look at it */
  double *hyper;   /* of each, fitted at the last look at it */
  double *stretch; /* of the length prior without a frame */
  fcps_frame *frames;
  char words[FCPS_FRAME_WORDS], left_words[FCPS_FRAME_WORDS]; /* the frame in use, and the one that was left */
} fcps_frame_choice;

fcps_status fcps_frame_choice_create(fcps_model *model);
fcps_status fcps_frame_choice_copy(const fcps_model *model, fcps_model *copy);
void fcps_frame_choice_destroy(fcps_model *model);

/* Forgets looks at rows that are none any more: the next fit looks again. */
void fcps_frame_choice_truncate(fcps_model *model);

/* Compares the frames where that is due before a fit, and turns the model to another one where the evidence is for
 * it. */
fcps_status fcps_frame_choice_update(fcps_model *model, fcps_error *error);

/* Whether the frame in use is far more probable than all others, none among them, by all training rollouts. */
bool fcps_frame_choice_is_decided(const fcps_model *model);

/* The logarithm of the odds of the frame in use against none, at the last look. */
double fcps_frame_choice_log_odds(const fcps_model *model);

/* Turns the model to a candidate: its rows, and the prior of its lengths. */
fcps_status fcps_frame_choice_set(fcps_model *model, int candidate);

/* The spread of an output in the frame as a share of its spread in the user's: 1 without a frame. Shares of noise are
 * shares of the first. */
double fcps_frame_choice_spread(const fcps_model *model, int output);

/* What is needed to go on, and reading it back; a model that cannot turn has none (NULL). */
fcps_json *fcps_frame_choice_write(const fcps_model *model);
fcps_status fcps_frame_choice_read(fcps_model *model, const fcps_json *json);

#endif

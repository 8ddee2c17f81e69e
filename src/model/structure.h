/* SPDX-License-Identifier: Apache-2.0 */
/* A structure is one hypothesis about how outcomes arise: that they rotate with an angle, that noise depends on the
 * place, that some results are wrong. A description (description.h) holds the structures that a model believes.
 *
 * Each kind of structure is a file in structures/ and a row of the table below. Its functions keep no state: they work
 * on a structure, which is a value, and on the data that they get (fcps_look). Every function may be NULL.
 * CONTRIBUTING.md shows how to add a kind.
 *
 * Invariants: the state of a structure has no pointers, so that it can be copied and compared as bytes. The functions
 * change nothing but the structure and the noise that it gives to rows. */
#ifndef FCPS_MODEL_STRUCTURE_H
#define FCPS_MODEL_STRUCTURE_H

#include "model/gps.h"

/* The table of structures: one row for each kind. A review goes through the kinds in this order, and in this order they
 * change what the GPs see.
 *
 *   LOOK(name, default, names, help)   a kind with a setting of its own name, which says whether to look for it
 *   OWN(name)                          a kind whose setting, if it has one, is a row of learner/bo/bo_settings.c
 *
 * The kind itself is fcps_structure_<name>, in structures/<name>.c. */
#define FCPS_STRUCTURE_LIST(LOOK, OWN)                                                                                 \
  OWN(frame)                                                                                                           \
  LOOK(separate, "off", fcps_structure_setting_name,                                                                   \
       "each outcome has its own hyper-parameters; auto: if the data say so (outcome)")                                \
  LOOK(words, "auto", fcps_structure_look_name,                                                                        \
       "some words are more alike than others: off, or auto if the data say so (outcome)")                             \
  LOOK(drift, "auto", fcps_structure_look_name,                                                                        \
       "outcomes change slowly with the order of trials: off, or auto if the data say so (outcome)")                   \
  LOOK(contact, "auto", fcps_structure_look_name,                                                                      \
       "results at rest (nothing moved, or a sensor at the end of its range) are modelled apart: off, or auto "        \
       "(outcome)")                                                                                                    \
  LOOK(uneven_noise, "auto", fcps_structure_look_name,                                                                 \
       "noise depends on the place: off, or auto if the data say so (outcome)")                                        \
  OWN(alike)                                                                                                           \
  OWN(told_noise)                                                                                                      \
  OWN(input_noise)                                                                                                     \
  LOOK(doubts, "auto", fcps_structure_look_name,                                                                       \
       "results that contradict all others count less: off, or auto (outcome)")

typedef struct fcps_description fcps_description;

/* FCPS_STRUCTURES bounds the number of kinds, FCPS_PROPOSALS the number of proposals of one kind. */
enum { FCPS_STRUCTURES = FCPS_NOISE_SOURCES, FCPS_PROPOSALS = 32 };

/* Whether a model believes a structure: never, if the evidence favours it, or always. */
typedef enum fcps_structure_setting {
  FCPS_STRUCTURE_OFF,
  FCPS_STRUCTURE_AUTO,
  FCPS_STRUCTURE_ON
} fcps_structure_setting;

/* Return the setting's name: the first function for OFF and AUTO, the second for all three; NULL past the last. */
const char *fcps_structure_look_name(int index);
const char *fcps_structure_setting_name(int index);

/* The noise of parameters: by how much the executed parameters differ from those that were asked for. */
typedef enum fcps_input_noise {
  FCPS_INPUT_NOISE_OFF,
  FCPS_INPUT_NOISE_GIVEN, /* its deviation is the same share of every parameter's range */
  FCPS_INPUT_NOISE_LEARNT /* its deviation is fitted for each parameter by the likelihood */
} fcps_input_noise;
const char *fcps_input_noise_name(int index);

/* The user's settings for structures. */
enum { FCPS_FRAME_WORDS = 512 };
typedef struct fcps_structure_settings {
#define FCPS_STRUCTURE_FIELD(name)                          fcps_structure_setting name;
#define FCPS_STRUCTURE_LOOK_FIELD(name, usual, names, help) fcps_structure_setting name;
  FCPS_STRUCTURE_LIST(FCPS_STRUCTURE_LOOK_FIELD, FCPS_STRUCTURE_FIELD)
#undef FCPS_STRUCTURE_FIELD
#undef FCPS_STRUCTURE_LOOK_FIELD
  char frame_words[FCPS_FRAME_WORDS]; /* the declared frame, if the setting `frame` is ON */
  fcps_input_noise inexact;           /* the noise of parameters */
  double input_noise_share;           /* its deviation if it is GIVEN, as a share of the range */
} fcps_structure_settings;

typedef struct fcps_structure {
  size_t size; /* bytes of the state; 0: the structure is absent */
  void *state; /* an array of double, unless the kind has a `write` function of its own */
  double nats; /* log odds against the best description without it, at the last review */
} fcps_structure;

/* The data that the functions of a kind work on: rollouts, and the GPs of a description that were fitted to them. */
typedef struct fcps_look {
  int index; /* of the kind whose function is called */
  const fcps_layout *layout;
  const fcps_structure_settings *settings;
  bool is_whole;                 /* one model with one set of hyper-parameters: neither split nor sampled */
  const fcps_rollouts *rollouts; /* the rows of the GPs */
  fcps_description *description; /* the description in force */
  fcps_gps *gps;
  int known;                /* number of rows at the last fit; 0: never fitted */
  int outputs;              /* columns of y */
  const double *y;          /* outputs as the GPs see them, rows x outputs; NULL: not computed yet */
  struct fcps_look *parent; /* of the parent, for a child with too few rows for a scale of its own; else NULL */
  fcps_fit_settings fit;
  fcps_rng rng;
  fcps_error *error;
} fcps_look;

/* A prediction of a description's GPs at one point; NULL: not predicted. Gradients are by the GPs' inputs. */
typedef struct fcps_seen {
  int inputs, outputs, gps;
  const double *scale; /* of the outputs; only read if there are several GPs */
  double *mean;
  double *variance;
  double *mean_gradient;     /* outputs x inputs */
  double *variance_gradient; /* GPs x inputs */
} fcps_seen;

typedef struct fcps_structure_kind {
  const char *name;     /* its key in files and its line of `status` */
  const char *excludes; /* names of the kinds that cannot be believed together with it, separated by spaces */
  bool needs_whole;     /* models that split or sample their hyper-parameters cannot use it */

  /* -- What may be believed -- */

  /* The fewest rows from which the kind can be judged; 0: any number. */
  int least_rows;

  /* Whether the kind applies to a problem; NULL: to all. Else it is never reviewed and writes nothing to files. */
  bool (*concerns)(const fcps_layout *layout);

  /* Writes the structures of this kind that the rows suggest, at most FCPS_PROPOSALS. The caller frees each. */
  fcps_status (*propose)(const fcps_look *look, fcps_structure *proposals, int *count);

  /* Returns the logarithm of the prior of one proposal relative to no structure, less the cost of the posterior width
   * of the proposal's own parameters. The caller divides the prior among the proposals. */
  double (*log_prior)(const fcps_layout *layout, const void *state);

  /* Makes a proposal without meaning, such as drift in an order that is not that of the trials. A real proposal is
   * believed only if it explains the rows better than this one. NULL: the kind has no placebo. */
  fcps_status (*placebo)(const fcps_look *look, fcps_structure *proposal);

  /* Whether rows that are near each other agree with the winning proposal, given the hyper-parameters of all GPs that
   * were fitted with it. Evidence alone can mislead here: an optimizer that converges confounds the place of a trial
   * with its order. NULL: evidence is enough. */
  bool (*agrees)(const fcps_look *look, const double *hyper);

  /* Adds to *nats the log likelihood of the rollouts source[0 ... count - 1] as far as the structure explains them
   * itself, without GPs; NULL: it explains none of them.
   *
   * If `resolution` of the kind is not 0, descriptions with and without the structure are compared as if outcomes were
   * known to this share of their spread. The argument `resolution` then has it for each outcome. */
  double resolution;
  fcps_status (*explain)(const fcps_look *look, const void *state, int count, const int *source,
                         const double *resolution, double *nats);

  /* Whether the evidence for the structure uses an output; NULL: it uses every output. */
  bool (*counts)(const fcps_layout *layout, int output);

  /* Makes the structure that the settings declare before any row is known; leaves it absent if they declare none. */
  fcps_status (*begin)(const fcps_look *look, fcps_structure *structure);

  /* Returns how many places a first design needs if the structure is declared or decided; 0: the usual number. */
  int (*design_places)(const fcps_look *look, const fcps_structure *structure, bool is_decided);

  /* -- What it changes -- */

  /* Changes what follows from a description's structures: the number of GPs, inputs, priors and scales. */
  fcps_status (*edit)(const void *state, const fcps_layout *layout, fcps_description *description);

  /* `see` changes the inputs and the outcome of row number `order`, which has these features, in place into those that
   * the GPs see; either may be NULL. Two functions go back: `unsee_outcomes` for `count` outcomes of one row, each
   * `stride` numbers after the one before, and `unsee` for a prediction at these features. */
  void (*see)(const void *state, const fcps_layout *layout, const double *features, int order, double *inputs,
              double *outcome);
  bool (*changes_inputs)(const void *state); /* whether `see` changes inputs; NULL: it does */
  void (*unsee_outcomes)(const void *state, const fcps_layout *layout, const double *features, size_t count,
                         size_t stride, double *outcomes);
  void (*unsee)(const void *state, const fcps_layout *layout, const double *features, const fcps_seen *at);
  bool (*turns_feature)(const void *state, int feature);

  /* Returns the noise variance of a place beyond that of all places, in unit scale, at inputs that the GPs see. */
  double (*noise_at)(const void *state, const fcps_description *description, int gp, const double *inputs);

  /* Whether the offsets and scales of outputs are computed without a row. */
  bool (*sets_aside)(const fcps_structure *structure, int row);

  /* Whether a result is at rest: nothing moved, or a sensor was at the end of its range. Rest is learnt separately from
   * movement, and the GPs learn nothing from rows at rest. `rest` writes the outcome of a rest. */
  bool (*rests)(const void *state, const double *environment, const double *outcome);
  void (*rest)(const void *state, const double *environment, double *outcome);

  /* -- What it learns -- */

  bool judges_values;   /* the noise that it gives a row depends on the outcome of that row */
  bool is_always_asked; /* its functions are also called while it is absent: rows alone can make it appear */

  fcps_status (*before_fit)(fcps_look *look, fcps_structure *structure);
  fcps_status (*after_fit)(fcps_look *look, fcps_structure *structure);
  bool fits_twice; /* the first fit is repeated with what the structure learnt after it */

  /* Judges rows by GPs that were fitted to the first look->known rows; sets *has_changed if another fit is needed. If
   * is_hidden, it looks for masked outliers: rows that pulled the hyper-parameters until these explained them. */
  fcps_status (*judge)(fcps_look *look, fcps_structure *structure, bool is_hidden, bool *has_changed);

  /* `grow` gives noise to the rows that came since the last fit, before a factor is extended by them. It is called
   * unless `is_complete` says that all rows have their noise; if `is_complete` is NULL, the GPs know how many rows have
   * it. `truncate` forgets the rows from number `rows` on. */
  fcps_status (*grow)(fcps_look *look, fcps_structure *structure);
  bool (*is_complete)(const fcps_look *look, const fcps_structure *structure);
  void (*truncate)(fcps_structure *structure, int rows);

  /* -- Files and words -- */

  /* Whether finite numbers from a file are a valid state; NULL: the state only says that the structure is believed. */
  bool (*is_state)(const fcps_look *look, int count, const double *numbers);

  /* Write and read a state that is not an array of numbers. */
  fcps_json *(*write)(const fcps_layout *layout, const void *state);
  fcps_status (*read)(const fcps_look *look, const fcps_json *json, fcps_structure *structure);

  /* Whether the rows show the structure itself, and not only that a model without it fits badly; NULL: evidence is
   * enough. A believed structure that is not shown is used and not claimed in reports. `look->y` has the outputs. */
  bool (*is_shown)(const fcps_look *look, const void *state);

  /* A sentence about the structure for people: `words` if it is always the same, else `describe` writes it. Both are
   * NULL if the structure is not a belief about the world. */
  const char *words;
  char *(*describe)(const fcps_look *look, const void *state, size_t size, char *text);
} fcps_structure_kind;

/* -- The table -- */

/* The first function returns the kind at a place of the table, NULL past its end. The second returns the place of the
 * kind with this name, -1 if there is no such kind. */
const fcps_structure_kind *fcps_structure_kind_at(int index);
int fcps_structure_find(const char *name);

/* Write and read the state of a structure as JSON. */
fcps_json *fcps_structure_write(const fcps_structure_kind *kind, const fcps_layout *layout,
                                const fcps_structure *structure);
fcps_status fcps_structure_read(const fcps_structure_kind *kind, const fcps_look *look, const fcps_json *json,
                                fcps_structure *structure);

/* Whether two kinds exclude each other. */
bool fcps_structure_excludes(const fcps_structure_kind *a, const fcps_structure_kind *b);

/* Returns the user's setting for the kind at a place of the table. */
fcps_structure_setting fcps_structure_setting_of(const fcps_structure_settings *settings, int index);

/* -- Values -- */

/* `set` replaces a structure's state by a copy of this one; `mark` by one that only says that it is believed. */
fcps_status fcps_structure_set(fcps_structure *structure, size_t size, const void *state);
fcps_status fcps_structure_mark(fcps_structure *structure);
fcps_status fcps_structure_copy(const fcps_structure *from, fcps_structure *to);
void fcps_structure_clear(fcps_structure *structure);

#endif

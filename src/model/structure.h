/* SPDX-License-Identifier: Apache-2.0 */
/* A structure is one hypothesis about how outcomes arise. Examples: they rotate with an angle; noise depends on the
 * parameters; some results are wrong. A description (description.h) holds the structures that a model believes.
 *
 * Each kind of structure is a file in structures/ and a row of the table below. The functions of a kind keep no state:
 * they work on a structure, which is a value, and on the data in their arguments (fcps_look). Every function may be
 * NULL. CONTRIBUTING.md shows how to add a kind.
 *
 * Invariants: the state of a structure has no pointers, so that it can be copied and compared as bytes. The functions
 * only change the structure, and the noise that it gives to rows. */
#ifndef FCPS_MODEL_STRUCTURE_H
#define FCPS_MODEL_STRUCTURE_H

#include "model/gps.h"

/* The table of structures: one row for each kind. Reviews compare the kinds in this order, and the structures of a
 * description transform inputs and outcomes in this order.
 *
 *   LOOK(name, default, names, help)   a kind with a setting of the same name, which says whether to look for it
 *   OWN(name)                          a kind without such a setting; it may have a row in learner/bo/bo_settings.c
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

/* Return the name of the setting with this index, NULL past the last one. The first only knows OFF and AUTO. */
const char *fcps_structure_look_name(int index);
const char *fcps_structure_setting_name(int index);

/* The noise of parameters: by how much the executed parameters differ from those that were asked for. */
typedef enum fcps_input_noise {
  FCPS_INPUT_NOISE_OFF,
  FCPS_INPUT_NOISE_GIVEN, /* the deviation is the same share of each parameter's range */
  FCPS_INPUT_NOISE_LEARNT /* the deviation of each parameter is fitted by the likelihood */
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
  fcps_input_noise inexact;           /* how the noise of parameters is known */
  double input_noise_share;           /* its deviation if it is GIVEN, as a share of the range */
} fcps_structure_settings;

typedef struct fcps_structure {
  size_t size; /* bytes of the state; 0: the structure is absent */
  void *state; /* an array of double, unless the kind has a `write` function of its own */
  double nats; /* log odds against the best description without this structure, at the last review */
} fcps_structure;

/* The data that the functions of a kind work on: rollouts, a description, and its GPs, fitted to the rollouts. */
typedef struct fcps_look {
  int index; /* index of the kind whose function is called */
  const fcps_layout *layout;
  const fcps_structure_settings *settings;
  bool is_whole;                 /* one model with one set of hyper-parameters: neither split nor sampled */
  const fcps_rollouts *rollouts; /* the rows of the GPs */
  fcps_description *description; /* the description in force */
  fcps_gps *gps;
  int known;                /* number of rows at the last fit; 0: never fitted */
  int outputs;              /* columns of y */
  const double *y;          /* outputs as the GPs see them, rows x outputs; NULL if they are not computed yet */
  struct fcps_look *parent; /* the parent's data, for a child with too few rows for its own scale; or NULL */
  fcps_fit_settings fit;
  fcps_rng rng;
  fcps_error *error;
} fcps_look;

/* A prediction of a description's GPs at one point, with gradients with respect to their inputs. Any may be NULL. */
typedef struct fcps_seen {
  int inputs, outputs, gps;
  const double *scale; /* scales of the outputs; only read if there are several GPs */
  double *mean;
  double *variance;
  double *mean_gradient;     /* outputs x inputs */
  double *variance_gradient; /* GPs x inputs */
} fcps_seen;

typedef struct fcps_structure_kind {
  const char *name;     /* the kind's key in files, and its name in the output of `fcps study status` */
  const char *excludes; /* names of the kinds that cannot be believed together with this kind, separated by spaces */
  bool needs_whole;     /* models that split, or sample their hyper-parameters, cannot use this kind */

  /* -- What may be believed -- */

  /* The fewest rows from which the kind can be judged; 0: any number. */
  int least_rows;

  /* Whether the kind applies to a problem; NULL if it applies to all. Other kinds are not reviewed and not saved. */
  bool (*concerns)(const fcps_layout *layout);

  /* Writes at most FCPS_PROPOSALS structures of this kind that the rows suggest. The caller frees each of them. */
  fcps_status (*propose)(const fcps_look *look, fcps_structure *proposals, int *count);

  /* Returns the logarithm of the prior of one proposal relative to no structure, less the cost of the posterior width
   * of the proposal's own parameters. The caller divides the prior among the proposals. */
  double (*log_prior)(const fcps_layout *layout, const void *state);

  /* Makes a proposal without meaning, such as a drift over a shuffled order of the trials. A real proposal is believed
   * only if it explains the rows better than this placebo. NULL if the kind has no placebo. */
  fcps_status (*placebo)(const fcps_look *look, fcps_structure *proposal);

  /* Whether rows that are near each other agree with the winning proposal, given the hyper-parameters of all GPs that
   * were fitted with it. NULL if the evidence is enough. For a drift it can mislead: while an optimizer converges,
   * parameters change with the order of trials, so either may explain the outcomes. */
  bool (*agrees)(const fcps_look *look, const double *hyper);

  /* Adds to *nats the log likelihood of the part of the rollouts source[0 ... count - 1] that the structure explains
   * itself, without GPs. NULL if it explains no part of them.
   *
   * If the member `resolution` is not 0, descriptions with and without the structure are compared as if outcomes were
   * only known up to this share of their spread. The argument `resolution` then has this error for each outcome. */
  double resolution;
  fcps_status (*explain)(const fcps_look *look, const void *state, int count, const int *source,
                         const double *resolution, double *nats);

  /* Whether the evidence for the structure uses an output; NULL: it uses every output. */
  bool (*counts)(const fcps_layout *layout, int output);

  /* Makes the structure that the settings declare before any row is known, if they declare one. */
  fcps_status (*begin)(const fcps_look *look, fcps_structure *structure);

  /* Returns how many places a first design needs if the structure is declared or decided; 0: as many as usual. */
  int (*design_places)(const fcps_look *look, const fcps_structure *structure, bool is_decided);

  /* -- What it changes -- */

  /* Changes what follows from a description's structures: the number of its GPs, inputs, priors and scales. */
  fcps_status (*edit)(const void *state, const fcps_layout *layout, fcps_description *description);

  /* `see` changes the inputs and the outcome of row number `order`, which has these features, in place into those that
   * the GPs see. `inputs` or `outcome` may be NULL. Two functions turn outcomes back: `unsee_outcomes` `count` outcomes
   * of one row, `stride` numbers apart, and `unsee` a prediction at these features. */
  void (*see)(const void *state, const fcps_layout *layout, const double *features, int order, double *inputs,
              double *outcome);
  bool (*changes_inputs)(const void *state); /* whether `see` changes inputs; if NULL, it does */
  void (*unsee_outcomes)(const void *state, const fcps_layout *layout, const double *features, size_t count,
                         size_t stride, double *outcomes);
  void (*unsee)(const void *state, const fcps_layout *layout, const double *features, const fcps_seen *at);
  bool (*turns_feature)(const void *state, int feature);

  /* Returns by how much the noise variance exceeds that of all places, in unit scale, at inputs as the GPs see them. */
  double (*noise_at)(const void *state, const fcps_description *description, int gp, const double *inputs);

  /* Whether a row is left out when the offsets and scales of outputs are computed. */
  bool (*sets_aside)(const fcps_structure *structure, int row);

  /* Whether a result is at rest: nothing moved, or a sensor was at the end of its range. Rest is learnt separately from
   * movement, and the GPs learn nothing from rows at rest. `rest` writes the outcome at rest. */
  bool (*rests)(const void *state, const double *environment, const double *outcome);
  void (*rest)(const void *state, const double *environment, double *outcome);

  /* -- What it learns -- */

  bool judges_values;   /* the noise that the structure gives a row depends on the outcome of that row */
  bool is_always_asked; /* functions are called even while the structure is absent: rows can make it appear */

  fcps_status (*before_fit)(fcps_look *look, fcps_structure *structure);
  fcps_status (*after_fit)(fcps_look *look, fcps_structure *structure);
  bool fits_twice; /* the first fit is repeated with the state that the structure learnt from it */

  /* Judges rows by GPs that were fitted to the first look->known rows; sets *has_changed if another fit is needed. If
   * is_hidden, looks for outliers that have bent the hyper-parameters until these explained them. */
  fcps_status (*judge)(fcps_look *look, fcps_structure *structure, bool is_hidden, bool *has_changed);

  /* `grow` gives noise to the rows that came since the last fit, before a factor is extended by them. It is not called
   * if all rows have their noise: `is_complete` says so or, if it is NULL, the GPs' count of rows with noise.
   * `truncate` forgets the rows from number `rows` on. */
  fcps_status (*grow)(fcps_look *look, fcps_structure *structure);
  bool (*is_complete)(const fcps_look *look, const fcps_structure *structure);
  void (*truncate)(fcps_structure *structure, int rows);

  /* -- Files and words -- */

  /* Whether finite numbers from a file are a valid state; NULL: the state only says that the structure is believed. */
  bool (*is_state)(const fcps_look *look, int count, const double *numbers);

  /* Write and read a state that is not an array of numbers. */
  fcps_json *(*write)(const fcps_layout *layout, const void *state);
  fcps_status (*read)(const fcps_look *look, const fcps_json *json, fcps_structure *structure);

  /* Whether the rows show the structure itself, and not only that a model without it fits badly. NULL if the evidence
   * is enough. A believed structure that is not shown is used, but not reported. `look->y` has the outputs. */
  bool (*is_shown)(const fcps_look *look, const void *state);

  /* A sentence about the structure for people: `words` if it is always the same, else `describe` writes it. Both are
   * NULL if the structure says nothing about the world. */
  const char *words;
  char *(*describe)(const fcps_look *look, const void *state, size_t size, char *text);
} fcps_structure_kind;

/* -- The table -- */

/* `kind_at` returns the kind at an index of the table, NULL past its end. `find` returns the index of the kind with a
 * name, -1 if no kind has this name. */
const fcps_structure_kind *fcps_structure_kind_at(int index);
int fcps_structure_find(const char *name);

/* Write and read the state of a structure as JSON. */
fcps_json *fcps_structure_write(const fcps_structure_kind *kind, const fcps_layout *layout,
                                const fcps_structure *structure);
fcps_status fcps_structure_read(const fcps_structure_kind *kind, const fcps_look *look, const fcps_json *json,
                                fcps_structure *structure);

/* Whether two kinds exclude each other. */
bool fcps_structure_excludes(const fcps_structure_kind *a, const fcps_structure_kind *b);

/* Returns the user's setting for the kind at an index of the table. */
fcps_structure_setting fcps_structure_setting_of(const fcps_structure_settings *settings, int index);

/* -- Values -- */

/* `set` gives a structure a copy of `state`; `mark` gives it a state that only says that the structure is believed. */
fcps_status fcps_structure_set(fcps_structure *structure, size_t size, const void *state);
fcps_status fcps_structure_mark(fcps_structure *structure);
fcps_status fcps_structure_copy(const fcps_structure *from, fcps_structure *to);
void fcps_structure_clear(fcps_structure *structure);

#endif

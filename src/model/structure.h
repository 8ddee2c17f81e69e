/* SPDX-License-Identifier: Apache-2.0 */
/* A structure is one hypothesis about how outcomes come about: that they turn with an angle, that noise depends on the place,
 * that some results are wrong. A description (description.h) says which of them a model believes.
 *
 * A kind of structure is a file in structures/ and a row of the table below. Its functions are stateless: they
 * work on a structure, which is a value, and on what they look at. Every function may be NULL. CONTRIBUTING.md shows how
 * a kind is added.
 *
 * Invariants: the state of a structure has no pointers, so that it can be copied and compared as bytes. Functions change
 * nothing but the structure and the noise that it gives to rows. */
#ifndef FCPS_MODEL_STRUCTURE_H
#define FCPS_MODEL_STRUCTURE_H

#include "model/gps.h"
#include "model/layout.h"

/* The table of structures: a row for each kind, in the order in which they are asked, and in which they change what GPs see.
 *
 *   LOOK(name, default, names, help)   a kind with a setting of its name: whether it is looked for
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

/* The most kinds there can be, and the most proposals of one kind. */
enum { FCPS_STRUCTURES = FCPS_NOISE_SOURCES, FCPS_PROPOSALS = 32 };

/* Whether a structure is believed: never, if the evidence asks for it, always. */
typedef enum fcps_structure_setting {
  FCPS_STRUCTURE_OFF,
  FCPS_STRUCTURE_AUTO,
  FCPS_STRUCTURE_ON
} fcps_structure_setting;

/* The names of the first two, and of all three, in the order of the enumeration; NULL past the end. */
const char *fcps_structure_look_name(int index);
const char *fcps_structure_setting_name(int index);

/* How inexactly parameters are executed. */
typedef enum fcps_input_noise {
  FCPS_INPUT_NOISE_OFF,
  FCPS_INPUT_NOISE_GIVEN, /* by the same share of every parameter's range */
  FCPS_INPUT_NOISE_LEARNT /* for each parameter, as the likelihood says */
} fcps_input_noise;
const char *fcps_input_noise_name(int index);

/* What a user says about structures. */
enum { FCPS_FRAME_WORDS = 512 };
typedef struct fcps_structure_settings {
#define FCPS_STRUCTURE_FIELD(name)                          fcps_structure_setting name;
#define FCPS_STRUCTURE_LOOK_FIELD(name, usual, names, help) fcps_structure_setting name;
  FCPS_STRUCTURE_LIST(FCPS_STRUCTURE_LOOK_FIELD, FCPS_STRUCTURE_FIELD)
#undef FCPS_STRUCTURE_FIELD
#undef FCPS_STRUCTURE_LOOK_FIELD
  char frame_words[FCPS_FRAME_WORDS]; /* of a frame that is declared (frame is ON) */
  fcps_input_noise inexact;           /* how inexactly parameters are executed */
  double input_noise_share;           /* GIVEN: deviation as a share of the range */
} fcps_structure_settings;

typedef struct fcps_structure {
  size_t size; /* bytes of the state; 0: the structure is absent */
  void *state; /* as its kind has it: a list of numbers of type double, unless the kind has `write` */
  double
      nats; /* by how much the description explains the rows better than the best one without it, at the last review */
} fcps_structure;

/* What a structure is learnt from: rollouts, and the GPs of a description that were fitted to them. */
typedef struct fcps_look {
  int index; /* of the kind that looks */
  const fcps_layout *layout;
  const fcps_structure_settings *settings;
  bool is_whole;                 /* one model with one set of hyper-parameters: neither split nor sampled */
  const fcps_rollouts *rollouts; /* the rows of the GPs */
  fcps_description *description; /* in force */
  fcps_gps *gps;
  int known;                /* rows that the hyper-parameters know; 0: they were never fitted */
  int outputs;              /* columns of y */
  const double *y;          /* rows x outputs as the GPs see them; NULL: not needed yet */
  struct fcps_look *parent; /* of a child that has too few rows for a scale of its own; else NULL */
  fcps_fit_settings fit;
  fcps_rng rng;
  fcps_error *error;
} fcps_look;

/* What a description's GPs predict at one point: means, and if not NULL variances, one for all outputs or one for each, and
 * gradients by what the GPs saw. */
typedef struct fcps_seen {
  int inputs, outputs, gps;
  const double *scale; /* of the outputs; read if there are several GPs */
  double *mean;
  double *variance;
  double *mean_gradient;     /* outputs x inputs */
  double *variance_gradient; /* GPs x inputs */
} fcps_seen;

typedef struct fcps_structure_kind {
  const char *name;     /* its key in files, and its line of `status` */
  const char *excludes; /* names of kinds that it does not go with, separated by spaces */
  bool needs_whole;     /* models that split, and samples of hyper-parameters, do without it */

  /* -- What may be believed -- */

  /* The fewest rows that say anything about it; 0: any number. */
  int least_rows;

  /* Whether a problem has what it is about; NULL: every problem has. Else it is never asked, and leaves no trace in files. */
  bool (*concerns)(const fcps_layout *layout);

  /* Writes what may be believed by these rows, at most FCPS_PROPOSALS; each is owned by the caller. */
  fcps_status (*propose)(const fcps_look *look, fcps_structure *proposals, int *count);

  /* The logarithm of the prior of one proposal against none, beyond the share of each proposal in all of them, less what the
   * width of the posterior of its own parameters costs. */
  double (*log_prior)(const fcps_layout *layout, const void *state);

  /* A proposal that means nothing, such as drift in an order that is not that of the trials: a proposal that explains rows no
   * better than this one is not believed. NULL: there is none. */
  fcps_status (*placebo)(const fcps_look *look, fcps_structure *proposal);

  /* Whether rows that are near each other agree with a proposal that has won, given the hyper-parameters of all GPs with it:
   * an optimizer that converges confounds places with the order of trials. NULL: evidence is enough. */
  bool (*agrees)(const fcps_look *look, const double *hyper);

  /* Adds to *nats how well it explains by itself, without GPs, the rollouts source[0 ... count - 1]; NULL: it explains nothing.
   * If there is a resolution, a share of the outcomes' spread, descriptions with and without it are compared as if nothing
   * finer were known; `resolution` then has it for each outcome. */
  double resolution;
  fcps_status (*explain)(const fcps_look *look, const void *state, int count, const int *source,
                         const double *resolution, double *nats);

  /* Whether an output says anything about it; NULL: all do. */
  bool (*counts)(const fcps_layout *layout, int output);

  /* Makes the structure that is believed before any row; none if the settings do not say so. */
  fcps_status (*begin)(const fcps_look *look, fcps_structure *structure);

  /* How many places of a design are enough where it is believed beyond doubt, or declared; 0: the usual number. */
  int (*design_places)(const fcps_look *look, const fcps_structure *structure, bool is_decided);

  /* -- What it changes -- */

  /* The description: number of GPs, inputs, priors, scales. */
  fcps_status (*edit)(const void *state, const fcps_layout *layout, fcps_description *description);

  /* Turns inputs and outcome (may be NULL) of row number `order`, with these features, into what the GPs see, in place. Two
   * functions go back: for `count` outcomes of one row, each `stride` numbers after the one before; and for a prediction
   * there. */
  void (*see)(const void *state, const fcps_layout *layout, const double *features, int order, double *inputs,
              double *outcome);
  bool (*changes_inputs)(const void *state); /* NULL: it does, if it sees */
  void (*unsee_outcomes)(const void *state, const fcps_layout *layout, const double *features, size_t count,
                         size_t stride, double *outcomes);
  void (*unsee)(const void *state, const fcps_layout *layout, const double *features, const fcps_seen *at);
  bool (*turns_feature)(const void *state, int feature);

  /* The noise of a place beyond what all places have, in unit scale, at inputs as the GPs see them. */
  double (*noise_at)(const void *state, const fcps_description *description, int gp, const double *inputs);

  /* Whether offsets and scales do not look at a row. */
  bool (*sets_aside)(const fcps_structure *structure, int row);

  /* Whether a result is a rest: nothing moved, which is learnt apart from how things move. And the outcome of a rest. Rows at
   * rest say nothing to the GPs. */
  bool (*rests)(const void *state, const double *environment, const double *outcome);
  void (*rest)(const void *state, const double *environment, double *outcome);

  /* -- What it learns -- */

  bool judges_values;   /* the noise that it gives a row comes from the row's own value */
  bool is_always_asked; /* also while it is absent: rows alone make it appear */

  fcps_status (*before_fit)(fcps_look *look, fcps_structure *structure);
  fcps_status (*after_fit)(fcps_look *look, fcps_structure *structure);
  bool fits_twice; /* the first fit is made again with what was learnt after it */

  /* Judges rows by GPs whose hyper-parameters know the first look->known of them; a change needs another fit. With is_hidden it
   * looks for rows that have bent these hyper-parameters until they explain them. */
  fcps_status (*judge)(fcps_look *look, fcps_structure *structure, bool is_hidden, bool *has_changed);

  /* Rows that came since the last fit get their noise before a factor grows by them, unless all have it: if
   * is_complete is NULL, the GPs know how many have it. `truncate` forgets rows from `rows` on. */
  fcps_status (*grow)(fcps_look *look, fcps_structure *structure);
  bool (*is_complete)(const fcps_look *look, const fcps_structure *structure);
  void (*truncate)(fcps_structure *structure, int rows);

  /* -- Files and words -- */

  /* Whether finite numbers of a file are a state; NULL: the state says nothing more than that it is believed. */
  bool (*is_state)(const fcps_look *look, int count, const double *numbers);

  /* The form of a state that is no list of numbers. */
  fcps_json *(*write)(const fcps_layout *layout, const void *state);
  fcps_status (*read)(const fcps_look *look, const fcps_json *json, fcps_structure *structure);

  /* Whether the rows show the structure itself and not only that a model without it fits badly; NULL: evidence is enough. A
   * structure that is believed and not shown is used, and not claimed. `look->y` has the outputs. */
  bool (*is_shown)(const fcps_look *look, const void *state);

  /* A sentence for people, always the same or by what it says; both NULL: it is not a belief about the world. */
  const char *words;
  char *(*describe)(const fcps_look *look, const void *state, size_t size, char *text);
} fcps_structure_kind;

/* -- The table -- */

/* The kind at a place of the table, NULL past its end; and the place of the kind with a name, -1 if there is no such kind. */
const fcps_structure_kind *fcps_structure_kind_at(int index);
int fcps_structure_find(const char *name);

/* The state of a kind as JSON, and back. */
fcps_json *fcps_structure_write(const fcps_structure_kind *kind, const fcps_layout *layout,
                                const fcps_structure *structure);
fcps_status fcps_structure_read(const fcps_structure_kind *kind, const fcps_look *look, const fcps_json *json,
                                fcps_structure *structure);

/* Whether two kinds do not go together. */
bool fcps_structure_excludes(const fcps_structure_kind *a, const fcps_structure_kind *b);

/* What a user says about a kind. */
fcps_structure_setting fcps_structure_setting_of(const fcps_structure_settings *settings, int index);

/* -- Values -- */

/* Gives a structure a copy of a state; frees what it had. And a state that says nothing more. */
fcps_status fcps_structure_set(fcps_structure *structure, size_t size, const void *state);
fcps_status fcps_structure_mark(fcps_structure *structure);
fcps_status fcps_structure_copy(const fcps_structure *from, fcps_structure *to);
void fcps_structure_clear(fcps_structure *structure);

#endif

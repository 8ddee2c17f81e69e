/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an experiment. It owns its YAML document, and most texts point into that document. Every row, claim and
 * figure is checked when the file is read, so later code need not check them again. */
#ifndef FCPS_LAB_EXPERIMENT_EXPERIMENT_IMPL_H
#define FCPS_LAB_EXPERIMENT_EXPERIMENT_IMPL_H

#include "base/checksum.h"
#include "format/json.h"
#include "lab/experiment/reader.h"

#include <fcps/lab/experiment.h>

/* The most rows (learners) of an experiment, and the bytes of a path. */
enum { FCPS_EXPERIMENT_MAX_ROWS = 64, FCPS_EXPERIMENT_PATH = 4096 };

/* A number of the paper: mean and standard deviation over the paper's runs; NaN if the paper does not give it. */
typedef struct fcps_paper_value {
  int64_t episode;
  double mean, sd;
} fcps_paper_value;

/* The number of runs behind the paper's standard deviations. */
enum { FCPS_PAPER_RUNS = 10 };

/* A learner with its settings: a row of the table. */
typedef struct fcps_row {
  const char *label;  /* the name in its file names */
  const char *title;  /* the name that people see */
  const char *series; /* the label in the experiment's file; all rows of a swept learner share it */
  const char *series_title;
  double x;         /* the value of the swept setting; NaN if no setting is swept */
  char *words;      /* of a swept row: the memory of `label` and `title`; else NULL */
  const char *task; /* the experiment's task, or the row's own */
  const char *learner;
  const char *note;            /* the reasons for its settings; may be NULL */
  bool is_ours;                /* the paper does not have this row */
  fcps_setting *settings;      /* ends with {NULL, NULL} */
  fcps_setting *changes;       /* changed settings of the task, for this row only; ends with {NULL, NULL} */
  fcps_setting *task_settings; /* all settings of the task, after these changes; ends with {NULL, NULL} */
  fcps_task *world;            /* the row's own task, with seed 1; NULL if the row uses the experiment's task */
  int paper_count;
  fcps_paper_value *paper; /* cumulative rewards that the paper gives */
} fcps_row;

/* A quantity of each run that a claim or a figure uses. */
typedef enum fcps_measure {
  FCPS_MEASURE_CUMULATIVE, /* reward earned up to an episode */
  FCPS_MEASURE_OFFLINE,    /* mean reward of the policy over the evaluation contexts: the offline reward */
  FCPS_MEASURE_CURVE,      /* mean of the offline rewards up to an episode: the speed of learning */
  FCPS_MEASURE_SEEN,       /* offline reward after the last episode, only over contexts inside the training boxes */
  FCPS_MEASURE_UNSEEN,     /* the same, only over contexts outside the training boxes */
  FCPS_MEASURE_FALLEN,     /* share of the evaluation contexts in which the last policy has no outcome */
  /* minus the error of the last model's predicted rewards, for random trials that it has not seen */
  FCPS_MEASURE_ACCURACY,
  FCPS_MEASURE_LOCKED,    /* 1 if the last fit ignores all parameters but not the context (last_model.h), else 0 */
  FCPS_MEASURE_IGNORED,   /* share of the parameters that the last fit ignores */
  FCPS_MEASURE_MISJUDGED, /* |expected - earned|/|earned|, of the last policy's predicted and earned mean rewards */
  FCPS_MEASURE_OUTCOMES_INSIDE, /* share of the last policy's outcomes that are inside their predicted 95 % intervals */
  /* share of the last policy's rewards that are inside their predicted 95 % intervals (last_model.h) */
  FCPS_MEASURE_REWARDS_INSIDE,
  FCPS_MEASURE_BROKEN,     /* share of the trials up to an episode that broke a limit or constraint */
  FCPS_MEASURE_BROKEN_LATE /* the same share, without the first ten trials */
} fcps_measure;

typedef enum fcps_claim_kind {
  FCPS_CLAIM_VALUE,      /* a row has this mean in the paper */
  FCPS_CLAIM_ORDER,      /* the rows are listed from best to worst */
  FCPS_CLAIM_REACHES,    /* a row has reached a level at an episode */
  FCPS_CLAIM_DIFFERENCE, /* one row beats another by this number in the paper */
  FCPS_CLAIM_SPREAD,     /* one row's standard deviation is at least this multiple of another's */
  FCPS_CLAIM_WITHIN,     /* most seeds of a row reach a level within a number of episodes */
  FCPS_CLAIM_TREND,      /* one series gains on another as the swept setting grows */
  FCPS_CLAIM_STAYS,      /* a row is at most at a level at an episode */
  FCPS_CLAIM_COSTS,      /* a row costs at most this share of the gap between a second row and random parameters */
  FCPS_CLAIM_BETWEEN     /* the mean over some rows lies between two levels */
} fcps_claim_kind;

typedef struct fcps_claim {
  fcps_claim_kind kind;
  const char *text;  /* NULL: the text is made from row and episode */
  const char *note;  /* our interpretation of the claim; may be NULL */
  const char *where; /* where in the paper it stands; NULL: the claim is ours */
  int row_count, rows[FCPS_EXPERIMENT_MAX_ROWS];
  fcps_measure measure;
  int64_t episode;
  double paper_mean, paper_sd; /* for value and difference: the paper's number; NaN if the paper does not give it */
  double level;                /* reaches, within, spread, between: the least that is claimed; stays, costs: the most */
  double most;                 /* between: the most that is claimed */
} fcps_claim;

typedef enum fcps_figure_kind { FCPS_FIGURE_CURVES, FCPS_FIGURE_MAPS, FCPS_FIGURE_SWEEP } fcps_figure_kind;

typedef struct fcps_figure {
  fcps_figure_kind kind;
  const char *name; /* the name of the figure's files */
  const char *title;
  fcps_measure measure;                          /* for curves: offline or cumulative */
  int row_count, rows[FCPS_EXPERIMENT_MAX_ROWS]; /* for a sweep: the first row of each series */
  /* if a sweep shows differences: the first row of the series to subtract; negative: it shows no differences */
  int against;
} fcps_figure;

/* A setting of the task that takes several values (a sweep). Each learner of the file is then a series of rows. */
typedef struct fcps_sweep {
  const char *setting; /* NULL: there is no sweep */
  const char *title;   /* the title of the axis */
  int count;           /* the number of values; 0 if there is no sweep */
  const fcps_yaml_node *values;
} fcps_sweep;

/* A level to compare offline curves with. */
typedef struct fcps_level_line {
  const char *title;
  double value;
  const char *made_by; /* the command that prints the value */
} fcps_level_line;

/* A panel in a figure that several experiments share, with a picture of the task above the curves. */
typedef struct fcps_panel {
  const char *figure; /* NULL: there is no panel */
  const char *title;
  /* the rollout in the picture, one allocation at `target`; NULL: no picture */
  double *target, *environment, *parameters;
  double time; /* the moment of the rollout that the picture shows */
} fcps_panel;

struct fcps_experiment {
  fcps_yaml *yaml;
  char file_id[FCPS_BLOB_ID_SIZE]; /* the name that git gives to the contents of its file */
  /* shared with callbacks: true during a run, whose callbacks must not change the experiment */
  bool *is_held;
  const char *name, *title, *about;
  const char *caveat; /* what a reader must know before the verdicts; may be "" */
  int order;          /* its position in lists and in the report */
  const char *task;
  fcps_setting *task_settings; /* ends with {NULL, NULL} */
  fcps_task *world;            /* the task with seed 1, from which the spaces are taken */
  fcps_sweep sweep;
  int64_t episodes, evaluate_every;
  int seed_count;
  uint64_t *seeds;
  bool is_quick;
  uint64_t program; /* a checksum of the program; 0: not set */
  int box_count;
  double *boxes; /* training contexts come from these parts of the context space (problem/contexts.h) */
  int row_count;
  fcps_row *rows;
  int claim_count;
  fcps_claim *claims; /* the claims made from the rows' paper values come first */
  int figure_count;
  fcps_figure *figures;
  int oracle_rollouts; /* rollouts per context of the search for levels; 0: no levels are computed */
  int line_count;
  fcps_level_line *lines;
  fcps_panel panel;
};

/* Whether a claim is ours and not the paper's. A claim with a number of the paper is the paper's. */
bool fcps_claim_is_ours(const fcps_claim *claim);

/* The spaces of the task. */
const fcps_problem *fcps_experiment_problem(const fcps_experiment *experiment);

/* The number of episodes of a run; fewer in a quick run. */
int64_t fcps_experiment_episodes(const fcps_experiment *experiment);

/* Writes DIRECTORY/NAME/FILE. Fails if the path is too long. */
fcps_status fcps_experiment_path(const fcps_experiment *experiment, const char *directory, const char *file,
                                 char path[FCPS_EXPERIMENT_PATH], fcps_error *error);

/* Reads seeds such as "1-3,7" into a new array, which the caller frees. */
fcps_status fcps_seeds_read(const char *text, uint64_t **seeds, int *count, fcps_error *error);

/* Read the claims and figures of a file; its rows have already been read. */
fcps_status fcps_experiment_read_claims(fcps_experiment *experiment, fcps_error *error);
fcps_status fcps_experiment_read_figures(fcps_experiment *experiment, fcps_error *error);

/* Whether a claim needs more of each run than its rewards: the mean reward of random parameters, how often outcomes are
 * inside their predicted intervals, or properties of the model behind the last policy (last_model.h). */
bool fcps_experiment_needs_random_level(const fcps_experiment *experiment);
bool fcps_experiment_needs_intervals(const fcps_experiment *experiment);
bool fcps_experiment_needs_last_model(const fcps_experiment *experiment);

/* Finds the row whose label stands at a node, or the first row of that series. Returns its index. */
int fcps_experiment_find_label(fcps_reader *reader, const fcps_experiment *experiment, const fcps_yaml_node *node,
                               bool is_series);

/* Reads `rows: [a, b]`, from `least` to `most` labels, into the indices of these rows (or of the first rows of these
 * series). Returns their number. */
int fcps_experiment_read_labels(fcps_reader *reader, const fcps_experiment *experiment, const fcps_yaml_node *map,
                                bool are_series, int least, int most, int *rows);

/* Refuses a claim or figure about series if the file has no sweep. The error points at its `kind`. */
void fcps_experiment_need_sweep(fcps_reader *reader, const fcps_experiment *experiment, const fcps_yaml_node *node);

/* The names that a file uses for kinds and measures; each list ends with NULL. */
extern const char *const fcps_measure_names[];
extern const char *const fcps_claim_kind_names[];
extern const char *const fcps_figure_kind_names[];

/* An engine does the runs of an experiment: as processes of this machine (pool.c), or as a job array of Slurm
 * (engine_slurm.c). Runs share nothing but the folder of the results, so every engine gives the same bytes. */

/* Does every run that is not done. The folder of the runs must exist. */
typedef fcps_status fcps_engine_fn(const fcps_experiment *experiment, const fcps_experiment_options *options,
                                   fcps_error *error);

fcps_engine_fn fcps_engine_local, fcps_engine_slurm;

/* The definition of an experiment is its protocol, rows and claims when its first run began. It is kept as
 * definition.json beside the results and never replaced, so that later changes can be shown. A quick run keeps no
 * definition, because it judges no claim. */

/* Writes DIRECTORY/NAME/definition.json, unless that file exists. The folder must exist. */
fcps_status fcps_definition_keep(const fcps_experiment *experiment, const char *directory, fcps_error *error);

/* Reads the kept definition. *kept is NULL if no definition was kept. */
fcps_status fcps_definition_read(fcps_json **kept, const fcps_experiment *experiment, const char *directory,
                                 fcps_error *error);

/* Describe what a claim, or a row, was in the kept definition; "" if it has not changed. The caller frees the text with
 * fcps_free; it is NULL if there is no memory. */
char *fcps_definition_claim_was(const fcps_json *kept, const fcps_experiment *experiment, int claim);
char *fcps_definition_row_was(const fcps_json *kept, const fcps_experiment *experiment, int row);

/* Returns an array of the texts of those claims that the kept definition has but the experiment no longer has. */
fcps_json *fcps_definition_removed_claims(const fcps_json *kept, const fcps_experiment *experiment);

/* Writes the text of a claim: its own text, or one made from its row and episode. */
void fcps_definition_claim_text(const fcps_experiment *experiment, const fcps_claim *claim, size_t size, char *text);

/* -- The task of a row: the experiment's task, with the row's own settings or with one value of a swept setting -- */

/* Reads `sweep: {setting: targets, values: [0, 1, 2], title: target dimensions}`. Does nothing if `node` is NULL. */
void fcps_experiment_read_sweep(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *node);

/* Reads `task_settings: {...}` of a row and creates the row's task once, as a check. `point` is the index of the swept
 * value, which becomes a part of label and title; it is negative if there is no sweep. */
void fcps_experiment_read_row_task(fcps_reader *reader, const fcps_experiment *experiment, fcps_row *row,
                                   const fcps_yaml_node *node, int point);

/* The problem of a row's task. */
const fcps_problem *fcps_experiment_row_problem(const fcps_experiment *experiment, const fcps_row *row);

/* Whether two rows have the same learner, the same settings and the same task. */
bool fcps_experiment_rows_agree(const fcps_row *a, const fcps_row *b);

/* The first row with the same task as `row`. With the same seed, rows of the same task share a world, and so its
 * optimum. */
int fcps_experiment_first_in_world(const fcps_experiment *experiment, int row);

#endif

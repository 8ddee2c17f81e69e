/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment holds. Texts are borrowed from its YAML document, which it owns. */
#ifndef FCPS_EXPERIMENT_EXPERIMENT_IMPL_H
#define FCPS_EXPERIMENT_EXPERIMENT_IMPL_H

#include "experiment/reader.h"

#include <fcps/experiment.h>

/* Most rows (learners) of an experiment, and bytes of a path. */
enum { FCPS_EXPERIMENT_MAX_ROWS = 64, FCPS_EXPERIMENT_PATH = 4096 };

/* A number of the paper's: mean and standard deviation over its runs; NaN where it gives none. */
typedef struct fcps_paper_value {
  int64_t episode;
  double mean, sd;
} fcps_paper_value;

/* How many runs the paper's standard deviations are over. */
enum { FCPS_PAPER_RUNS = 10 };

/* A learner with its settings: a row of the table. */
typedef struct fcps_row {
  const char *label;  /* of its files */
  const char *title;  /* for people */
  const char *series; /* the label in the file; where a setting is swept, that of several rows */
  const char *series_title;
  double x;    /* the value of that setting; NaN where none is swept */
  char *words; /* owns label and title of a swept row; else NULL */
  const char *learner;
  const char *note;            /* which choices it stands for; may be NULL */
  bool is_ours;                /* not a setting of the paper's */
  fcps_setting *settings;      /* ends with {NULL, NULL} */
  fcps_setting *changes;       /* of the task's settings, for this row alone; ends with {NULL, NULL} */
  fcps_setting *task_settings; /* all of them, the changes among them; ends with {NULL, NULL} */
  fcps_task *world;            /* the changed task with seed 1; NULL where nothing is changed */
  int paper_count;
  fcps_paper_value *paper; /* cumulative rewards */
} fcps_row;

/* What of a run is looked at. */
typedef enum fcps_measure {
  FCPS_MEASURE_CUMULATIVE, /* reward earned up to an episode */
  FCPS_MEASURE_OFFLINE,    /* mean reward of the policy over the evaluation contexts */
  FCPS_MEASURE_CURVE,      /* mean of the offline curve up to an episode: how fast was it learnt */
  FCPS_MEASURE_SEEN,       /* offline, only in contexts inside the training boxes ... */
  FCPS_MEASURE_UNSEEN      /* ... or outside them; after the last episode */
} fcps_measure;

typedef enum fcps_claim_kind {
  FCPS_CLAIM_VALUE,      /* a row earns a number */
  FCPS_CLAIM_ORDER,      /* rows from best to worst */
  FCPS_CLAIM_REACHES,    /* a row is at a level by an episode */
  FCPS_CLAIM_DIFFERENCE, /* one row beats another by a number */
  FCPS_CLAIM_SPREAD,     /* one row's standard deviation is a multiple of another's */
  FCPS_CLAIM_WITHIN,     /* most seeds of a row are at a level within so many episodes */
  FCPS_CLAIM_TREND       /* one series gains on another as the swept setting grows */
} fcps_claim_kind;

typedef struct fcps_claim {
  fcps_claim_kind kind;
  const char *text; /* NULL: made from row and episode */
  const char *note; /* how we read the claim; may be NULL */
  int row_count, rows[FCPS_EXPERIMENT_MAX_ROWS];
  fcps_measure measure;
  int64_t episode;
  double paper_mean, paper_sd; /* of value and difference; NaN where the paper gives none */
  double level;                /* of reaches, within and spread: at least this much */
} fcps_claim;

typedef enum fcps_figure_kind { FCPS_FIGURE_CURVES, FCPS_FIGURE_MAPS, FCPS_FIGURE_SWEEP } fcps_figure_kind;

typedef struct fcps_figure {
  fcps_figure_kind kind;
  const char *name; /* of its files */
  const char *title;
  fcps_measure measure;                          /* of curves: offline or cumulative */
  int row_count, rows[FCPS_EXPERIMENT_MAX_ROWS]; /* of a sweep: the first row of each series */
  int against; /* of a sweep: the first row of the series that differences are taken to; negative: none */
} fcps_figure;

/* A setting of the task that takes several values: each learner of the file is then a series of rows. */
typedef struct fcps_sweep {
  const char *setting; /* NULL: none */
  const char *title;   /* of the axis */
  int count;           /* values; 0 where none is swept */
  const fcps_yaml_node *values;
} fcps_sweep;

/* A level that offline curves are seen against. */
typedef struct fcps_level_line {
  const char *title;
  double value;
  const char *made_by; /* the command that says the value */
} fcps_level_line;

/* A place in a figure that several experiments share, with a picture of the task above the curves. */
typedef struct fcps_panel {
  const char *figure; /* NULL: in none */
  const char *title;
  double *target, *environment, *parameters; /* of the rollout shown, one allocation at `target`; NULL: no picture */
  double time;                               /* of its moment */
} fcps_panel;

struct fcps_experiment {
  fcps_yaml *yaml;
  const char *name, *title, *about;
  int order; /* place in lists and in the report */
  const char *task;
  fcps_setting *task_settings; /* ends with {NULL, NULL} */
  fcps_task *world;            /* the task with seed 1: its spaces */
  fcps_sweep sweep;
  int64_t episodes, evaluate_every;
  int seed_count;
  uint64_t *seeds;
  bool is_quick;
  uint64_t program; /* fingerprint; 0: none */
  int box_count;
  double *boxes; /* parts of the context space that training contexts come from (problem/boxes.h) */
  int row_count;
  fcps_row *rows;
  int claim_count;
  fcps_claim *claims; /* those of the rows' paper values first */
  int figure_count;
  fcps_figure *figures;
  int line_count;
  fcps_level_line *lines;
  fcps_panel panel;
};

/* The spaces of the task. */
const fcps_problem *fcps_experiment_problem(const fcps_experiment *experiment);

/* The number of episodes of a run, which a quick look cuts. */
int64_t fcps_experiment_episodes(const fcps_experiment *experiment);

/* DIRECTORY/NAME/FILE. Fails when it does not fit. */
fcps_status fcps_experiment_path(const fcps_experiment *experiment, const char *directory, const char *file,
                                 char path[FCPS_EXPERIMENT_PATH], fcps_error *error);

/* Reads "1-3,7" into a new array. */
fcps_status fcps_seeds_read(const char *text, uint64_t **seeds, int *count, fcps_error *error);

/* The parts of a file that say what is claimed and drawn; rows are read already. */
fcps_status fcps_experiment_read_claims(fcps_experiment *experiment, fcps_error *error);
fcps_status fcps_experiment_read_figures(fcps_experiment *experiment, fcps_error *error);

/* The row with the label at a node, or the first row of the series. */
int fcps_experiment_find_label(fcps_reader *reader, const fcps_experiment *experiment, const fcps_yaml_node *node,
                               bool is_series);

/* `rows: [a, b]`: indices of labelled rows (or of first rows of series), from `least` to `most` of them; their
 * number. */
int fcps_experiment_read_labels(fcps_reader *reader, const fcps_experiment *experiment, const fcps_yaml_node *map,
                                bool are_series, int least, int most, int *rows);

/* Refuses what is about series, at its kind, where no setting is swept. */
void fcps_experiment_need_sweep(fcps_reader *reader, const fcps_experiment *experiment, const fcps_yaml_node *node);

/* The names of the file for kinds and measures; the ends of the lists are NULL. */
extern const char *const fcps_measure_names[];
extern const char *const fcps_claim_kind_names[];
extern const char *const fcps_figure_kind_names[];

#endif

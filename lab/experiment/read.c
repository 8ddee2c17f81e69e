/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the protocol, the task and the rows of an experiment's file. read_claims.c reads the rest.
 * Tasks and learners are created once, so that a wrong setting is refused here, with line and column.
 *
 * The presets of the paper's rows are one table in this file. If each experiment's file had its own copy, a row could
 * be changed by mistake; if they were a setting of learners, every saved learner would contain them. */
#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "lab/experiment/experiment_impl.h"
#include "lab/experiment/reader.h"
#include "problem/contexts.h"

#include <fcps/lab/task.h>
#include <fcps/learner.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Presets -- */

/* The table has an entry for each preset and kind of learner. In a list of settings the later one wins, so a row of an
 * experiment can still change a setting of its preset. */

#define SET(name, value)                                                                                               \
  {                                                                                                                    \
    name, value                                                                                                        \
  }

/* The settings that the paper's text gives for Gaussian processes [pinsler2019, Secs. IV-A and V-A]: a squared
 * exponential kernel, the turn as a plain number, a model fitted before each rollout, DIRECT and then L-BFGS. The
 * budget of DIRECT is from the first author's public code. */
#define TEXT_OF_GP                                                                                                     \
  SET("kernel", "se"), SET("angles", "raw"), SET("search", "direct"), SET("candidates", "100"), SET("starts", "1"),    \
      SET("refit", "1")

/* Our departures from the text: centred and scaled rewards (the defaults of the learners), and priors for
 * hyper-parameters that are as narrow as in the second author's public code. The paper does not give kappa, nor the
 * first deviation of C-REPS; we chose both for all rows of Table I together, on seeds from 1001 on
 * (docs/lab/reproduce.md). */
#define PAPER_GP                                                                                                       \
  TEXT_OF_GP, SET("length_prior_sd", "0.25"), SET("signal_prior_sd", "0.25"), SET("noise_prior_sd", "0.25"),           \
      SET("kappa", "0.5")

#define LITERAL_GP                                                                                                     \
  TEXT_OF_GP, SET("mean", "zero"), SET("standardize", "off"), SET("hyperparameters", "ml"), SET("fit_budget", "100"),  \
      SET("kappa", "0.5")

#define SETTINGS(...) ((const fcps_setting[]){__VA_ARGS__, {NULL, NULL}})

typedef struct preset {
  const char *name;
  const char *learners[8]; /* ends with NULL */
  const fcps_setting *settings;
} preset;

/* The presets. Each target has a fit of its own, and five random rollouts come first, as in the first author's public
 * code. Learners that choose contexts compare many targets at once, so four targets share a fit. An update of C-REPS
 * uses only the rollouts since the update before, because the paper does not mention older ones. */
static const preset presets[] = {
    {"paper", {"bo-cps", "bo-fcps", "bo-fcps-her"}, SETTINGS(PAPER_GP, SET("initial", "5"), SET("fit_targets", "1"))},
    {"paper",
     {"faces", "aces"},
     SETTINGS(PAPER_GP, SET("initial", "10"), SET("fit_targets", "4"), SET("split", "off"), SET("contexts", "200"))},
    {"paper",
     {"c-reps"},
     SETTINGS(SET("epsilon", "0.5"), SET("update_every", "30"), SET("features", "squared"), SET("memory", "30"),
              SET("initial_deviation", "0.12"))},
    {"literal",
     {"bo-cps", "bo-fcps", "bo-fcps-her"},
     SETTINGS(LITERAL_GP, SET("initial", "5"), SET("fit_targets", "1"))},
};

enum { PRESETS = (int)(sizeof presets / sizeof *presets) };

static bool serves(const preset *p, const char *learner)
{
  for (int i = 0; p->learners[i] != NULL; i++)
    if (strcmp(p->learners[i], learner) == 0) return true;
  return false;
}

/* Finds the settings of a preset for a learner. Refuses an unknown preset and returns NULL. */
static const fcps_setting *find_preset(fcps_reader *reader, const fcps_yaml_node *row, const char *learner)
{
  const char *name = fcps_reader_text(reader, row, "preset"), *names[PRESETS];
  bool is_known = false;
  for (int i = 0; i < PRESETS && name != NULL; i++) {
    names[i] = presets[i].name;
    const bool is_it = strcmp(presets[i].name, name) == 0;
    if (is_it && learner != NULL && serves(&presets[i], learner)) return presets[i].settings;
    is_known = is_known || is_it;
  }
  if (reader->status != FCPS_OK) return NULL;
  const fcps_yaml_node *node = fcps_yaml_get(row, "preset");
  char hint[256];
  if (is_known)
    fcps_reader_refuse(reader, node, FCPS_ERR_UNSUPPORTED, "preset",
                       "the preset %s has no settings for %s; give `settings` instead", name, learner);
  else
    fcps_reader_refuse(reader, node, FCPS_ERR_UNKNOWN_NAME, "preset", "there is no preset \"%.64s\"; %s", name,
                       fcps_name_hint(name, PRESETS, names, sizeof hint, hint));
  return NULL;
}

/* Reads a row's `settings` and puts them after those of its `preset`, if it names one. Returns a new list that ends
 * with {NULL, NULL}. Refuses a preset that does not exist, or not for this learner. */
static fcps_setting *preset_read_settings(fcps_reader *reader, const fcps_yaml_node *row, const char *learner)
{
  fcps_setting *own = fcps_reader_settings(reader, row, "settings");
  if (fcps_yaml_get(row, "preset") == NULL || own == NULL) return own;
  const fcps_setting *preset_settings = find_preset(reader, row, learner);
  fcps_setting *all = fcps_reader_merge_settings(reader, preset_settings, own);
  fcps_free(own);
  return all;
}

/* -- Reading -- */

enum { MOST_EPISODES = 1000000, LAST_ORDER = 1000, FILE_LIMIT = 1 << 24 };

static const char *const top_keys[] = {"name",   "title",    "order",    "about",  "caveat",   "task",
                                       "sweep",  "episodes", "evaluate", "seeds",  "contexts", "learners",
                                       "claims", "figures",  "lines",    "oracle", "panel",    NULL};
static const char *const task_keys[] = {"name", "settings", NULL};
static const char *const row_keys[] = {"label", "title", "learner", "settings", "task", "task_settings",
                                       "ours",  "note",  "paper",   "preset",   NULL};

/* -- The contexts, the task and the rows -- */

/* Reads `contexts: {boxes: [...]}`: the parts of the context space from which training contexts come. */
static void read_contexts(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *node)
{
  static const char *const keys[] = {"boxes", NULL};
  if (node == NULL) return;
  fcps_reader_only(reader, node, keys);
  const fcps_yaml_node *list = fcps_reader_node(reader, node, "boxes", FCPS_YAML_LIST);
  if (list == NULL) return;
  reader->status = fcps_boxes_read(reader->yaml, list, fcps_experiment_problem(experiment), &experiment->box_count,
                                   &experiment->boxes, reader->error);
}

/* Where in the file to report a refused setting: at its value if the file has one, else at `otherwise`. */
static const fcps_yaml_node *position_of(const fcps_yaml_node *settings, const char *field,
                                         const fcps_yaml_node *otherwise)
{
  const fcps_yaml_node *node = fcps_yaml_get(settings, field);
  return node != NULL ? node : otherwise;
}

/* Reads `task: cannon` or `task: {name: cannon, settings: {...}}`, and creates the task once, as a check. */
static void read_task(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *root)
{
  const fcps_yaml_node *node = fcps_yaml_get(root, "task");
  const bool is_map = node != NULL && node->kind == FCPS_YAML_MAP;
  if (is_map) fcps_reader_only(reader, node, task_keys);
  experiment->task = is_map ? fcps_reader_text(reader, node, "name") : fcps_reader_text(reader, root, "task");
  experiment->task_settings = fcps_reader_settings(reader, is_map ? node : NULL, "settings");
  if (reader->status != FCPS_OK) return;

  fcps_error refused = {0};
  const fcps_status status =
      fcps_task_create(&experiment->world, experiment->task, experiment->task_settings, 1, &refused);
  if (status != FCPS_OK) {
    const fcps_yaml_node *position = position_of(fcps_yaml_get(node, "settings"), refused.field, node);
    fcps_reader_refuse(reader, position, status, refused.field, "%s", refused.message);
  }
}

/* Reads `paper: {50: [-303, 34], ...}`: mean and standard deviation of the cumulative reward after 50 episodes. */
static void read_paper(fcps_reader *reader, const fcps_experiment *experiment, fcps_row *row,
                       const fcps_yaml_node *node)
{
  const fcps_yaml_node *map =
      fcps_yaml_get(node, "paper") != NULL ? fcps_reader_node(reader, node, "paper", FCPS_YAML_MAP) : NULL;
  if (map == NULL) return;
  row->paper = fcps_reader_allocate(reader, (size_t)map->count, sizeof *row->paper);
  for (int i = 0; i < map->count && reader->status == FCPS_OK; i++) {
    char *end;
    double values[2] = {0};
    const long long episode = strtoll(map->keys[i], &end, 10);
    if (*end != '\0' || episode < 1 || episode > experiment->episodes) {
      fcps_reader_refuse(reader, map->children[i], FCPS_ERR_BOUNDS, "paper",
                         "\"%.32s\" is not an episode of this experiment; choose from 1 to %lld", map->keys[i],
                         (long long)experiment->episodes);
    }
    fcps_reader_numbers(reader, map->children[i], "paper", 2, values);
    if (values[1] < 0) fcps_reader_refuse_deviation(reader, map->children[i]->children[1]);
    row->paper[row->paper_count++] = (fcps_paper_value){episode, values[0], values[1]};
  }
}

/* Creates the row's learner once, as a check: it must exist, accept its settings and fit the task. */
static void check_learner(fcps_reader *reader, const fcps_experiment *experiment, const fcps_row *row,
                          const fcps_yaml_node *node)
{
  fcps_learner *learner = NULL;
  fcps_error refused = {0};
  const fcps_status status = fcps_learner_create(&learner, fcps_experiment_row_problem(experiment, row), row->learner,
                                                 row->settings, 1, &refused);
  if (status != FCPS_OK) {
    const fcps_yaml_node *position =
        position_of(fcps_yaml_get(node, "settings"), refused.field, fcps_yaml_get(node, "learner"));
    fcps_reader_refuse(reader, position, status, refused.field, "%s", refused.message);
  } else if (experiment->box_count > 0 && fcps_learner_is_active(learner)) {
    fcps_reader_refuse(reader, fcps_yaml_get(node, "learner"), FCPS_ERR_UNSUPPORTED, "learner",
                       "%s chooses its contexts itself, so the boxes of `contexts` cannot limit them; leave out the "
                       "boxes or this learner",
                       row->learner);
  }
  fcps_learner_destroy(learner);
}

/* Reads a row of the list. If there is a sweep (`point` >= 0), reads the row of the series that has the swept value
 * number `point`. */
static void read_row(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *node, int point)
{
  fcps_row *row = &experiment->rows[experiment->row_count++];
  fcps_reader_only(reader, node, row_keys);
  row->label = row->series = fcps_reader_label(reader, node, "label");
  row->x = NAN;
  row->title = row->series_title = fcps_reader_text_or(reader, node, "title", row->label);
  row->learner = fcps_reader_text(reader, node, "learner");
  row->note = fcps_reader_text_or(reader, node, "note", NULL);
  row->is_ours = fcps_reader_bool_or(reader, node, "ours", false);
  row->settings = preset_read_settings(reader, node, row->learner);
  fcps_experiment_read_row_task(reader, experiment, row, node, point);
  read_paper(reader, experiment, row, node);
  for (int i = 0; i + 1 < experiment->row_count && reader->status == FCPS_OK; i++) {
    if (strcmp(experiment->rows[i].label, row->label) == 0) {
      fcps_reader_refuse(reader, fcps_yaml_get(node, "label"), FCPS_ERR_CONFLICT, "label",
                         "\"%s\" is already the label of another learner; each needs its own", row->label);
    }
  }
  if (reader->status == FCPS_OK) check_learner(reader, experiment, row, node);
}

static void read_rows(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *root)
{
  const fcps_yaml_node *list = fcps_reader_node(reader, root, "learners", FCPS_YAML_LIST);
  const int points = experiment->sweep.count > 0 ? experiment->sweep.count : 1;
  const int count = list != NULL ? list->count * points : 0;
  if (list != NULL && (count < 1 || count > FCPS_EXPERIMENT_MAX_ROWS)) {
    fcps_reader_refuse(reader, list, FCPS_ERR_BOUNDS, "learners", "expected from 1 to %d learners, got %d",
                       FCPS_EXPERIMENT_MAX_ROWS, count);
  }
  experiment->rows = fcps_reader_allocate(reader, (size_t)count, sizeof *experiment->rows);
  for (int i = 0; i < count && reader->status == FCPS_OK; i++)
    read_row(reader, experiment, list->children[i / points], experiment->sweep.count > 0 ? i % points : -1);
}

/* -- The whole file -- */

static void read_protocol(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *root)
{
  fcps_reader_only(reader, root, top_keys);
  experiment->name = fcps_reader_label(reader, root, "name");
  experiment->title = fcps_reader_text(reader, root, "title");
  experiment->about = fcps_reader_text_or(reader, root, "about", "");
  experiment->caveat = fcps_reader_text_or(reader, root, "caveat", "");
  experiment->order = fcps_yaml_get(root, "order") != NULL
                          ? (int)fcps_reader_integer(reader, root, "order", 0, LAST_ORDER)
                          : LAST_ORDER;
  experiment->episodes = fcps_reader_integer(reader, root, "episodes", 1, MOST_EPISODES);
  experiment->evaluate_every = fcps_reader_integer(reader, root, "evaluate", 1, MOST_EPISODES);

  const char *seeds = fcps_reader_text_or(reader, root, "seeds", "1-30");
  fcps_error refused = {0};
  if (reader->status == FCPS_OK && fcps_experiment_set_seeds(experiment, seeds, &refused) != FCPS_OK) {
    fcps_reader_refuse(reader, fcps_yaml_get(root, "seeds"), refused.status, "seeds", "%s", refused.message);
  }
}

static fcps_status name_file(fcps_experiment *experiment, const char *path, fcps_error *error)
{
  char *text = NULL;
  size_t length = 0;
  const fcps_status status = fcps_file_read(path, FILE_LIMIT, &text, &length, error);
  if (status == FCPS_OK) fcps_blob_id(text, length, experiment->file_id);
  fcps_free(text);
  return status;
}

static fcps_status read_experiment(fcps_experiment *experiment, fcps_error *error)
{
  fcps_reader reader = {.yaml = experiment->yaml, .error = error};
  const fcps_yaml_node *root = fcps_yaml_root(experiment->yaml);
  read_protocol(&reader, experiment, root);

  read_task(&reader, experiment, root);
  if (reader.status == FCPS_OK) read_contexts(&reader, experiment, fcps_yaml_get(root, "contexts"));
  fcps_experiment_read_sweep(&reader, experiment, fcps_yaml_get(root, "sweep"));
  read_rows(&reader, experiment, root);
  if (reader.status == FCPS_OK) reader.status = fcps_experiment_read_claims(experiment, error);
  if (reader.status == FCPS_OK) reader.status = fcps_experiment_read_figures(experiment, error);
  return reader.status;
}

fcps_status fcps_experiment_open(fcps_experiment **experiment, const char *path, fcps_error *error)
{
  if (experiment == NULL) return fcps_error_null(error, "experiment");
  *experiment = NULL;
  if (path == NULL) return fcps_error_null(error, "path");
  fcps_experiment *opened = fcps_allocate(1, sizeof *opened);
  if (opened == NULL) return fcps_error_memory(error);

  opened->is_held = fcps_allocate(1, sizeof *opened->is_held);
  fcps_status status =
      opened->is_held != NULL ? fcps_yaml_read_file(&opened->yaml, path, error) : fcps_error_memory(error);
  if (status == FCPS_OK) status = name_file(opened, path, error);
  if (status == FCPS_OK) status = read_experiment(opened, error);
  if (status != FCPS_OK) {
    fcps_experiment_destroy(opened);
    return status;
  }
  *experiment = opened;
  return FCPS_OK;
}

void fcps_experiment_destroy(fcps_experiment *experiment)
{
  if (experiment == NULL || (experiment->is_held != NULL && *experiment->is_held)) return;
  for (int i = 0; i < experiment->row_count; i++) {
    fcps_row *row = &experiment->rows[i];
    free(row->settings);
    free(row->changes);
    free(row->task_settings);
    fcps_task_destroy(row->world);
    free(row->words);
    free(row->paper);
  }
  free(experiment->boxes);
  free(experiment->rows);
  free(experiment->claims);
  free(experiment->figures);
  free(experiment->lines);
  free(experiment->panel.target);
  free(experiment->seeds);
  free(experiment->task_settings);
  fcps_task_destroy(experiment->world);
  fcps_yaml_destroy(experiment->yaml);
  free(experiment->is_held);
  free(experiment);
}

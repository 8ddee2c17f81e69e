/* SPDX-License-Identifier: Apache-2.0 */
/* The loop: order, evaluation, continuation, and all its endings. */
#include <fcps/lab/run.h>

#include "base/error.h"
#include "folder.h"
#include "lab/task/task_impl.h"

#include <stdlib.h>
#include <string.h>

/* -- A task that does what a test wants -- */

static const fcps_dimension goal_dim[] = {{.name = "goal", .lower = -1.0, .upper = 1.0}};
static const fcps_dimension push_dim[] = {{.name = "push", .lower = -1.0, .upper = 1.0}};
static const fcps_dimension place_dim[] = {{.name = "place"}};
static const double evaluation_goals[] = {-0.5, 0.0, 0.5};

typedef struct stub_state {
  int runs;
  int fail_from; /* rollouts from this one on fail */
  int break_at;  /* the simulator breaks at this rollout */
  bool is_outcome_absent;
} stub_state;

static fcps_status stub_reward(void *user, int count, const double *target, const double *environments,
                               const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? -fabs(target[0] - outcomes[i]) : -7.0;
  return FCPS_OK;
}

static void stub_context(const fcps_task *task, int64_t episode, double *target, double *environment)
{
  (void)task, (void)environment;
  target[0] = 0.1 * (double)(episode % 10);
}

static fcps_status stub_run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                            double *outcome, fcps_rollout *rollout)
{
  (void)environment;
  stub_state *state = task->state;
  const int run = episode >= 0 ? ++state->runs : 0;
  if (state->break_at && run == state->break_at) {
    return fcps_error_set(&task->error, FCPS_ERR_PROGRAM, "simulator", "it broke");
  }
  if (state->fail_from && run >= state->fail_from) {
    rollout->status = FCPS_ROLLOUT_FAILED;
    strcpy(task->message, "gripper slipped");
    return FCPS_OK;
  }
  outcome[0] = 0.8 * parameters[0];
  if (!state->is_outcome_absent) rollout->outcome = outcome;
  return FCPS_OK;
}

static void stub_destroy(void *state)
{
  (void)state;
}

static const fcps_task_ops stub_ops = {
    .info = {.name = "stub"}, .destroy = stub_destroy, .context = stub_context, .run = stub_run};

static fcps_task stub_task(stub_state *state)
{
  return (fcps_task){.ops = &stub_ops,
                     .state = state,
                     .problem = {.target = {1, goal_dim},
                                 .parameters = {1, push_dim},
                                 .outcome = {1, place_dim},
                                 .reward = stub_reward},
                     .evaluation = {.count = 3, .targets = evaluation_goals}};
}

/* -- A caller that takes notes -- */

enum { MOST = 64 };

typedef struct run_notes {
  int episodes, earlier, evaluations, stop_after;
  double target[MOST], parameters[MOST], outcome[MOST], reward[MOST];
  int64_t number[MOST], evaluated[MOST];
  fcps_rollout_status status[MOST];
  bool has_outcome[MOST];
  double means[MOST], mean_of_rewards[MOST];
  fcps_status answer;
} run_notes;

static fcps_status note_episode(void *user, const fcps_episode *episode)
{
  run_notes *notes = user;
  const int i = notes->episodes++;
  assert_true(i < MOST);
  notes->earlier += episode->is_earlier;
  notes->number[i] = episode->episode;
  notes->target[i] = episode->stored.result.rollout.target[0];
  notes->parameters[i] = episode->stored.result.rollout.parameters[0];
  notes->has_outcome[i] = episode->stored.result.rollout.outcome != NULL;
  notes->outcome[i] = episode->stored.result.rollout.outcome != NULL ? episode->stored.result.rollout.outcome[0] : NAN;
  notes->reward[i] = episode->stored.result.rollout.reward;
  notes->status[i] = episode->stored.result.rollout.status;
  return notes->answer;
}

static fcps_status note_offline(void *user, const fcps_offline *offline)
{
  run_notes *notes = user;
  const int i = notes->evaluations++;
  assert_true(i < MOST);
  notes->evaluated[i] = offline->episode;
  notes->means[i] = offline->mean;
  for (int j = 0; j < offline->count; j++)
    notes->mean_of_rewards[i] += offline->rewards[j] / offline->count;
  return FCPS_OK;
}

static bool is_enough(void *user)
{
  const run_notes *notes = user;
  return notes->stop_after > 0 && notes->episodes >= notes->stop_after;
}

static fcps_run_options options_for(run_notes *notes, int64_t episodes, int64_t evaluate_every)
{
  return (fcps_run_options){.episodes = episodes,
                            .evaluate_every = evaluate_every,
                            .stop = is_enough,
                            .on_episode = note_episode,
                            .on_offline = note_offline,
                            .user = notes};
}

static fcps_study *create_study(const char *path, const fcps_task *task)
{
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.problem = fcps_task_problem(task), .learner = "bo-fcps", .seed = 3};
  assert_ok(fcps_study_create(&study, path, &setup, NULL, NULL));
  return study;
}

/* -- The tests -- */

static void episodes_come_in_order_with_the_contexts_of_the_task(void **unused)
{
  (void)unused;
  stub_state state = {0};
  fcps_task task = stub_task(&state);
  fcps_study *study = create_study(NULL, &task);
  run_notes notes = {0};
  const fcps_run_options options = options_for(&notes, 12, -1);
  assert_ok(fcps_run(study, &task, &options, NULL));

  assert_int_equal(notes.episodes, 12);
  assert_int_equal(fcps_study_result_count(study), 12);
  for (int i = 0; i < 12; i++) {
    assert_int_equal(notes.number[i], i + 1);
    assert_near(notes.target[i], 0.1 * (i % 10), 1e-15);
    assert_near(notes.outcome[i], 0.8 * notes.parameters[i], 1e-15);
    assert_near(notes.reward[i], -fabs(notes.target[i] - notes.outcome[i]), 1e-15);
    assert_int_equal(notes.status[i], FCPS_ROLLOUT_OK);
  }
  fcps_study_close(study);
}

static void evaluations_come_every_so_often_and_at_the_end(void **unused)
{
  (void)unused;
  const struct {
    int64_t every;
    int count;
    int64_t at[3];
  } cases[] = {{4, 3, {4, 8, 10}}, {5, 2, {5, 10}}, {0, 1, {10}}, {-1, 0, {0}}};
  for (int i = 0; i < 4; i++) {
    stub_state state = {0};
    fcps_task task = stub_task(&state);
    fcps_study *study = create_study(NULL, &task);
    run_notes notes = {0};
    const fcps_run_options options = options_for(&notes, 10, cases[i].every);
    assert_ok(fcps_run(study, &task, &options, NULL));
    assert_int_equal(notes.evaluations, cases[i].count);
    for (int j = 0; j < notes.evaluations; j++) {
      assert_int_equal(notes.evaluated[j], cases[i].at[j]);
      assert_near(notes.means[j], notes.mean_of_rewards[j], 1e-12);
    }
    fcps_study_close(study);
  }
}

static void a_run_that_was_cut_off_goes_on_as_if_it_had_never_stopped(void **unused)
{
  (void)unused;
  stub_state state = {0};
  fcps_task task = stub_task(&state);
  const test_folder folder = folder_create();
  const char *path = folder_file(&folder, "run.fcps");
  run_notes whole = {0}, first = {0}, second = {0};
  fcps_study *study = create_study(NULL, &task);
  fcps_run_options options = options_for(&whole, 15, 5);
  assert_ok(fcps_run(study, &task, &options, NULL));
  fcps_study_close(study);

  study = create_study(path, &task);
  options = options_for(&first, 15, 5);
  first.stop_after = 7;
  assert_status(fcps_run(study, &task, &options, NULL), FCPS_ERR_STOPPED);
  fcps_study_close(study);

  /* earlier episodes are shown again, and then the others */
  const fcps_study_options again = {.problem = &task.problem};
  assert_ok(fcps_study_open(&study, path, &again, NULL));
  options = options_for(&second, 15, 5);
  assert_ok(fcps_run(study, &task, &options, NULL));
  assert_int_equal(second.earlier, 7);
  assert_int_equal(second.episodes, 15);
  assert_memory_equal(whole.parameters, second.parameters, 15 * sizeof(double));
  assert_memory_equal(whole.reward, second.reward, 15 * sizeof(double));
  assert_int_equal(second.evaluations, 3);
  assert_memory_equal(whole.means, second.means, 3 * sizeof(double));

  /* a run that has nothing left to do still evaluates */
  run_notes third = {0};
  options = options_for(&third, 15, 5);
  assert_ok(fcps_run(study, &task, &options, NULL));
  assert_int_equal(third.earlier, 15);
  assert_int_equal(third.episodes, 15);
  assert_int_equal(third.evaluations, 3);
  assert_memory_equal(third.means, whole.means, 3 * sizeof(double));
  assert_near(third.mean_of_rewards[2], third.means[2], 1e-12);
  fcps_study_close(study);
  folder_remove(&folder);
}

static void an_absent_outcome_is_scored_as_the_problem_says(void **unused)
{
  (void)unused;
  stub_state state = {.is_outcome_absent = true};
  fcps_task task = stub_task(&state);
  fcps_study *study = create_study(NULL, &task);
  run_notes notes = {0};
  const fcps_run_options options = options_for(&notes, 6, 0);
  assert_ok(fcps_run(study, &task, &options, NULL));
  assert_false(notes.has_outcome[0]);
  assert_near(notes.reward[0], -7.0, 0.0);
  assert_near(notes.means[0], -7.0, 1e-12);
  fcps_study_close(study);
}

static void a_run_is_given_up_when_most_rollouts_fail(void **unused)
{
  (void)unused;
  stub_state state = {.fail_from = 4};
  fcps_task task = stub_task(&state);
  fcps_study *study = create_study(NULL, &task);
  run_notes notes = {0};
  fcps_error error = {0};
  const fcps_run_options options = options_for(&notes, 50, -1);
  assert_status(fcps_run(study, &task, &options, &error), FCPS_ERR_FAILURE_RATE);
  assert_int_equal(notes.episodes, 7); /* 4 of 7 is the first majority */
  assert_int_equal(notes.status[6], FCPS_ROLLOUT_FAILED);
  assert_true(isnan(notes.reward[6]));
  assert_non_null(strstr(error.message, "gripper slipped"));
  assert_int_equal(fcps_study_result_count(study), 7); /* failures teach, too */
  fcps_study_close(study);
}

static void the_trial_of_a_simulator_that_breaks_is_run_again(void **unused)
{
  (void)unused;
  stub_state state = {.break_at = 3};
  fcps_task task = stub_task(&state);
  fcps_study *study = create_study(NULL, &task);
  run_notes notes = {0};
  fcps_error error = {0};
  const fcps_run_options options = options_for(&notes, 5, -1);
  assert_status(fcps_run(study, &task, &options, &error), FCPS_ERR_PROGRAM);
  assert_string_equal(error.field, "simulator");
  assert_int_equal(fcps_study_result_count(study), 2);
  assert_ok(fcps_run(study, &task, &options, &error));
  assert_int_equal(fcps_study_ask_count(study), 5);
  assert_int_equal(fcps_study_result_count(study), 5);
  fcps_study_close(study);
}

static void a_callers_own_status_ends_the_run(void **unused)
{
  (void)unused;
  stub_state state = {0};
  fcps_task task = stub_task(&state);
  fcps_study *study = create_study(NULL, &task);
  run_notes notes = {.answer = FCPS_ERR_IO};
  const fcps_run_options options = options_for(&notes, 5, -1);
  assert_status(fcps_run(study, &task, &options, NULL), FCPS_ERR_IO);
  assert_int_equal(notes.episodes, 1);
  fcps_study_close(study);
}

static void what_cannot_be_run_is_refused(void **unused)
{
  (void)unused;
  stub_state state = {0};
  fcps_task task = stub_task(&state);
  fcps_study *study = create_study(NULL, &task);
  run_notes notes = {0};
  fcps_error error = {0};
  const fcps_run_options negative = options_for(&notes, -1, -1), fine = options_for(&notes, 1, -1);
  assert_status(fcps_run(study, &task, &negative, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "episodes");
  const int outcomes = task.problem.outcome.count;
  task.problem.outcome.count = 0;
  assert_status(fcps_run(study, &task, &fine, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "outcome");
  assert_non_null(strstr(error.message, "the task's"));
  task.problem.outcome.count = outcomes;
  task.problem.reward = NULL;
  assert_status(fcps_run(study, &task, &fine, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "reward");
  fcps_study_close(study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(episodes_come_in_order_with_the_contexts_of_the_task),
      cmocka_unit_test(evaluations_come_every_so_often_and_at_the_end),
      cmocka_unit_test(a_run_that_was_cut_off_goes_on_as_if_it_had_never_stopped),
      cmocka_unit_test(an_absent_outcome_is_scored_as_the_problem_says),
      cmocka_unit_test(a_run_is_given_up_when_most_rollouts_fail),
      cmocka_unit_test(the_trial_of_a_simulator_that_breaks_is_run_again),
      cmocka_unit_test(a_callers_own_status_ends_the_run),
      cmocka_unit_test(what_cannot_be_run_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The external program of a problem file as the place where trials happen, once or several times at once.
 *
 * A mistake before the first usable answer is a bug of the program: it ends the run, and the ask stays unfinished. A
 * later mistake may belong to one trial (a sensor that failed), so the first one makes the trial fail, and only the
 * second one with the same words ends the run. These words contain no numbers, so that the same mistake is recognized.
 *
 * A program that ends before its first answer says nothing about the trial if it is alone. If another process of the
 * same program answers, the program works, and the trial has failed. Until then the result waits (judge_trial). */
#include "base/error.h"
#include "base/memory.h"
#include "problem/contexts.h"
#include "run/loop.h"
#include "run/program/external.h"
#include "study/inside.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* If a worker has never answered, and its program has ended UNANSWERED_LIMIT times without an answer, the worker gets
 * no more trials. */
enum { UNANSWERED_LIMIT = 2, MOST_NOTES = 8, NOTE_SIZE = 320, FAULT_SIZE = 240, MOST_BLAMED = 15 };

/* One of the programs. While it runs a trial, this struct belongs to the thread of the program. */
typedef struct program_worker {
  fcps_external *external;
  int64_t ask;    /* the ask of its last trial */
  int unanswered; /* how many trials ended the program before it had answered any ask; then their asks */
  int64_t unanswered_asks[UNANSWERED_LIMIT];
  bool is_left_out; /* the worker gets no more trials */
  int note_count;   /* number of warnings about the last answer, which the loop's thread passes on */
  char codes[MOST_NOTES][32], notes[MOST_NOTES][NOTE_SIZE];
} program_worker;

typedef struct program_runner {
  const fcps_problem_file *file;
  fcps_problem_file *own; /* set if `file` is a copy that may be changed; NULL otherwise */
  bool is_given;          /* the file was given by the caller, and is not that of the study */
  const fcps_study *study;
  const fcps_run_options *options, *given; /* the options with the guard of the study, and as the caller gave them */
  fcps_contexts *contexts;
  int count;
  program_worker *workers;
  const fcps_program_loop *loop;
  bool is_concurrent; /* each program has its own thread */
  atomic_bool is_halted;
  bool is_proven, has_warned; /* some program has answered; the user was warned of keys that are not used */
  int64_t rollouts, failures;
  char fault[FAULT_SIZE]; /* the mistake in the last unusable answer; "" if there was none */
  int64_t fault_ask;
  /* number of trials that failed because a program ended or wrote an unusable answer; then the names of the first of
   * their results */
  int blamed;
  char blamed_names[MOST_BLAMED * 24];
} program_runner;

/* -- In the thread of a worker -- */

/* Whether a program must stop. If there is only one program, the caller's thread waits for it. If there are several,
 * the caller is asked in the programs' threads, too, and not only by the loop, because a robot must stop even while the
 * learner computes the next ask. This call does not use the guard of the study, which belongs to the loop's thread. */
static bool must_stop(void *user)
{
  const program_runner *runner = user;
  const fcps_run_options *options = runner->is_concurrent ? runner->given : runner->options;
  if (runner->is_concurrent && atomic_load(&runner->is_halted)) return true;
  return options->stop != NULL && options->stop(options->user);
}

static void note(void *user, fcps_log_level level, const char *code, const char *message)
{
  program_worker *worker = user;
  (void)level;
  if (worker->note_count == MOST_NOTES) return;
  snprintf(worker->codes[worker->note_count], sizeof *worker->codes, "%s", code);
  snprintf(worker->notes[worker->note_count++], sizeof *worker->notes, "%s", message);
}

/* Adds to an error the number of its program, unless the error is about the run as a whole. */
static fcps_status name_worker(const program_runner *runner, int worker, fcps_status status, fcps_error *error)
{
  if (status != FCPS_ERR_PROGRAM || runner->count == 1) return status;
  const fcps_error why = *error;
  return fcps_error_set(error, status, why.field, "program %d of %d: %s", worker + 1, runner->count, why.message);
}

static fcps_status observe_context(void *self, int worker, int64_t episode, double *target, double *environment,
                                   fcps_error *error)
{
  program_runner *runner = self;
  if (runner->file->contexts != FCPS_CONTEXT_PROGRAM) {
    fcps_contexts_draw(runner->contexts, episode, target, environment);
    return FCPS_OK;
  }
  return name_worker(runner, worker,
                     fcps_external_context(runner->workers[worker].external, episode + 1, target, environment, error),
                     error);
}

static fcps_status run_trial(void *self, int worker, int64_t episode, const fcps_ask *ask, fcps_result *result,
                             fcps_error *error)
{
  (void)episode;
  program_runner *runner = self;
  runner->workers[worker].ask = ask->id;
  return name_worker(runner, worker, fcps_external_run(runner->workers[worker].external, ask, result, error), error);
}

static void halt(void *self)
{
  program_runner *runner = self;
  atomic_store(&runner->is_halted, true);
}

/* Ends a program in its own thread, so that several slow programs end at the same time. */
static void leave(void *self, int worker)
{
  program_runner *runner = self;
  fcps_external_end(runner->workers[worker].external, NULL);
}

/* -- In the thread of the loop -- */

/* Passes on the warnings about one answer. Further answers get no warnings, because they are alike. */
static void pass_notes_on(program_runner *runner, program_worker *worker)
{
  for (int i = 0; i < worker->note_count && !runner->has_warned; i++)
    fcps_log_say(&runner->options->log, FCPS_LOG_WARNING, worker->codes[i], "%s", worker->notes[i]);
  runner->has_warned |= worker->note_count > 0;
  worker->note_count = 0;
}

/* Warns that a program gets no more trials. Its trials count as failures, but say nothing about their parameters. The
 * warning names each of them as the first result of its ask. */
static void warn_left_out(const program_runner *runner, int number)
{
  const program_worker *worker = &runner->workers[number];
  char names[UNANSWERED_LIMIT * 24] = "";
  for (int i = 0; i < UNANSWERED_LIMIT; i++) {
    const size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%lld.1", i > 0 ? "," : "",
             (long long)worker->unanswered_asks[i]);
  }
  fcps_log_say(
      &runner->options->log, FCPS_LOG_WARNING, "W_PROGRAM_LEFT_OUT",
      "program %d of %d ended %d times and has answered nothing. It gets no more trials in this run. Its trials "
      "count as failures of their parameters. If the program was to blame, take them out: fcps study amend %s "
      "--drop %s",
      number + 1, runner->count, worker->unanswered, fcps_study_word(runner->study), names);
}

/* Gives no more trials to a program that has never answered, so that it does not use up the trials of the other
 * programs. */
static void leave_out(program_runner *runner, int number)
{
  program_worker *worker = &runner->workers[number];
  int left = 0;
  for (int i = 0; i < runner->count; i++)
    left += !runner->workers[i].is_left_out;
  if (worker->unanswered < UNANSWERED_LIMIT) worker->unanswered_asks[worker->unanswered] = worker->ask;
  if (++worker->unanswered < UNANSWERED_LIMIT || left == 1) return;
  worker->is_left_out = true;
  warn_left_out(runner, number);
}

/* Whether a program that has worked makes the same mistake for the second time. If so, these trials do not count. */
static bool is_fault_repeated(program_runner *runner, const fcps_external *external)
{
  const fcps_external_verdict verdict = fcps_external_judge(external);
  const char *fault = verdict.fault;
  if (*fault == '\0') return false;
  const bool is_repeated = strcmp(fault, runner->fault) == 0;
  if (!is_repeated) {
    snprintf(runner->fault, sizeof runner->fault, "%s", fault);
    runner->fault_ask = verdict.ask;
  }
  return is_repeated;
}

/* Notes the name of a result whose failure may not be caused by its parameters. It is the first result of its ask. */
static void blame(program_runner *runner, const program_worker *worker)
{
  const size_t length = strlen(runner->blamed_names);
  if (runner->blamed++ < MOST_BLAMED)
    snprintf(runner->blamed_names + length, sizeof runner->blamed_names - length, "%s%lld.1", length > 0 ? "," : "",
             (long long)worker->ask);
}

/* Warns of these results when the run has ended, with the command that takes them out. While trials go on, nobody would
 * read the warning. */
static void warn_of_blamed(const program_runner *runner)
{
  const bool is_one = runner->blamed == 1;
  if (runner->blamed == 0) return;
  fcps_log_say(&runner->options->log, FCPS_LOG_WARNING, "W_PROGRAM_FAILED",
               "%d %s because the program ended, or wrote what cannot be used. %s against %s parameters. If the "
               "program was to blame, take %s out: fcps study amend %s --drop %s%s",
               runner->blamed, is_one ? "trial failed" : "trials failed", is_one ? "It counts" : "They count",
               is_one ? "its" : "their", is_one ? "it" : "them", fcps_study_word(runner->study), runner->blamed_names,
               runner->blamed > MOST_BLAMED ? " (these are the first; `fcps study log` shows all)" : "");
}

/* Judges a trial. If a program ends before its first answer, either the program is broken or the trial has ended it. An
 * answer of another process of the program shows that the program works. */
static bool judge_trial(void *self, int number, const fcps_result *result, fcps_status *status, fcps_error *error)
{
  program_runner *runner = self;
  program_worker *worker = &runner->workers[number];
  const fcps_external_verdict verdict = fcps_external_judge(worker->external);
  const bool is_unproven = *status == FCPS_ERR_PROGRAM && verdict.is_unproven;
  runner->is_proven |= verdict.has_answered;
  if (is_unproven && !runner->is_proven) return false;
  if (is_unproven) leave_out(runner, number);
  if (is_unproven) *status = FCPS_OK;
  pass_notes_on(runner, worker);
  if (*status == FCPS_OK && is_fault_repeated(runner, worker->external))
    *status = name_worker(
        runner, number,
        fcps_external_refuse_again(worker->external, runner->fault_ask, fcps_study_word(runner->study), error), error);
  if (*status != FCPS_OK) return true;
  runner->rollouts++;
  runner->failures += result->rollout.status != FCPS_ROLLOUT_OK;
  if (verdict.is_to_blame) blame(runner, worker);
  return true;
}

static bool is_usable(void *self, int worker)
{
  const program_runner *runner = self;
  return !runner->workers[worker].is_left_out;
}

/* -- The file -- */

/* Reads the study's own file again, because an amendment by another process replaces the study's copy. */
static fcps_status own_file(const fcps_study *study, fcps_problem_file **file, fcps_error *error)
{
  const fcps_problem_file *there = fcps_study_file(study);
  if (there == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "the study was not made from a problem file: give one.");
  return fcps_problem_file_parse(file, there->text, strlen(there->text), there->file, NULL, error);
}

/* Refuses to run the program that a study names, unless the caller trusts the study: anybody may have written it. */
static fcps_status refuse_untrusted(const fcps_study *study, const fcps_problem_file *file, const char *what,
                                    fcps_error *error)
{
  return fcps_error_set(
      error, FCPS_ERR_ARGUMENT, "--problem",
      "the study %.100s says %s, and a worker uses only what its own user names: give --problem FILE, "
      "the problem file on this machine%s, or, if you trust all who can write the study, --trust-study",
      fcps_study_word(study), what, file->contexts == FCPS_CONTEXT_CSV ? "" : ", or --program COMMAND");
}

/* Writes the command of a study as text, as far as there is room. */
static void describe_command(const fcps_problem_file *file, size_t size, char *text)
{
  size_t used = (size_t)snprintf(text, size, "to run");
  for (const char *const *word = file->command; word != NULL && *word != NULL && used + 1 < size; word++)
    used += (size_t)snprintf(text + used, size - used, " %s", *word);
}

static fcps_status check_trust(const fcps_study *study, const fcps_problem_file *own, const fcps_program_loop *loop,
                               fcps_error *error)
{
  char what[160];
  if (loop->trusts_study) return FCPS_OK;
  if (loop->command == NULL && own->command != NULL) {
    describe_command(own, sizeof what, what);
    return refuse_untrusted(study, own, what, error);
  }
  if (own->contexts != FCPS_CONTEXT_CSV || loop->has_contexts) return FCPS_OK;
  snprintf(what, sizeof what, "to read contexts from %s", own->contexts_csv);
  return refuse_untrusted(study, own, what, error);
}

/* -- The programs -- */

/* Refuses more programs than the process has descriptors for. Each program needs four, and twice as many while it is
 * started. */
static fcps_status check_descriptors(int count, fcps_error *error)
{
  enum { EACH = 8, OTHERS = 64 };
  struct rlimit limit;
  const rlim_t needed = (rlim_t)count * EACH + OTHERS;
  if (count == 1 || getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "parallel",
                        "%d programs at once need up to %llu open files, and this process may have %llu; raise that "
                        "limit (`ulimit -n %llu`), or run fewer programs",
                        count, (unsigned long long)needed, (unsigned long long)limit.rlim_cur,
                        (unsigned long long)needed);
}

static fcps_status prepare_worker(program_runner *runner, int number, fcps_study *study, fcps_error *error)
{
  program_worker *worker = &runner->workers[number];
  const fcps_external_options options = {
      /* The program keeps the hold as long as it lives, so that no other run can begin meanwhile. */
      .program = {.hold = fcps_study_hold_file(study), .guarded = fcps_study_claimed_file(study), .worker = number + 1},
      .stop = must_stop,
      .user = runner,
      .log = {note, worker}};
  return fcps_external_create(&worker->external, runner->file, &options, error);
}

/* Replaces the command of the file by one that runs in the present folder. The table of contexts is still looked for
 * beside the file. */
static void replace_command(fcps_problem_file *file, const char *const *command)
{
  file->command = command;
  file->file = "";
  if (file->timeout_s <= 0) file->timeout_s = 1e6; /* A file without a program has no time limit. */
}

static fcps_status prepare(program_runner *runner, fcps_study *study, fcps_error *error)
{
  fcps_status status = fcps_run_check_file(study, runner->file, error);
  if (status == FCPS_OK) fcps_run_warn_of_file(study, runner->file, runner->is_given, &runner->given->log);
  if (status == FCPS_OK) status = check_descriptors(runner->count, error);
  if (status == FCPS_OK && !runner->loop->has_contexts)
    status = fcps_contexts_create(&runner->contexts, runner->file, fcps_study_seed(study), error);
  if (status == FCPS_OK && !runner->loop->is_shared) status = fcps_study_hold(study, error);
  if (status != FCPS_OK) return status;
  if (runner->loop->command != NULL) replace_command(runner->own, runner->loop->command);
  runner->workers = fcps_allocate((size_t)runner->count, sizeof *runner->workers);
  if (runner->workers == NULL) return fcps_error_memory(error);
  for (int i = 0; status == FCPS_OK && i < runner->count; i++)
    status = prepare_worker(runner, i, study, error);
  return status;
}

/* Fails if all rollouts of a run failed, also if the run is too short for the failure rule of the loop. */
static fcps_status check_all_failed(const program_runner *runner, const fcps_study *study, fcps_error *error)
{
  if (runner->rollouts == 0 || runner->failures < runner->rollouts) return FCPS_OK;
  return fcps_run_endings_all_failed(study, runner->failures, error);
}

/* Ends a program, and reports its processes that could not be ended. If the run failed, the error of the run is
 * kept. */
static fcps_status end_program(fcps_external *external, const fcps_run_options *options, fcps_status status,
                               fcps_error *error)
{
  fcps_error left = {0};
  if (external == NULL || fcps_external_end(external, &left) == FCPS_OK) return status;
  if (status == FCPS_OK) return fcps_error_set(error, left.status, left.field, "%s", left.message);
  fcps_log_say(&options->log, FCPS_LOG_WARNING, "W_PROGRAM_LEFT", "%s", left.message);
  return status;
}

static fcps_status end_programs(program_runner *runner, const fcps_run_options *options, fcps_status status,
                                fcps_error *error)
{
  for (int i = 0; runner->workers != NULL && i < runner->count; i++) {
    status = end_program(runner->workers[i].external, options, status, error);
    fcps_external_destroy(runner->workers[i].external);
  }
  free(runner->workers);
  return status;
}

static fcps_status run_programs(program_runner *self, fcps_study *study, fcps_error *error)
{
  const fcps_trial_runner runner = {.context = observe_context,
                                    .run = run_trial,
                                    .judge = judge_trial,
                                    .is_usable = is_usable,
                                    .halt = halt,
                                    .leave = leave,
                                    .has_own_contexts = self->file->contexts == FCPS_CONTEXT_PROGRAM,
                                    .is_concurrent = self->is_concurrent,
                                    .workers = self->count,
                                    .self = self};
  const fcps_status status = self->loop->run(self->loop->user, study, &runner, self->options, error);
  if (status != FCPS_ERR_PROGRAM) warn_of_blamed(self); /* The message of FCPS_ERR_PROGRAM names the result itself. */
  return status == FCPS_OK ? check_all_failed(self, study, error) : status;
}

/* Chooses the file whose program is run: the caller's or, if there is none, the study's own. The result is a copy that
 * may be changed. */
static fcps_status choose_file(const fcps_study *study, const fcps_problem_file *given, const fcps_program_loop *loop,
                               fcps_problem_file **chosen, fcps_error *error)
{
  if (given != NULL) return fcps_problem_file_parse(chosen, given->text, strlen(given->text), given->file, NULL, error);
  const fcps_status status = own_file(study, chosen, error);
  return status == FCPS_OK ? check_trust(study, *chosen, loop, error) : status;
}

fcps_status fcps_program_run_loop(fcps_study *study, const fcps_problem_file *file, const fcps_run_options *options,
                                  const fcps_program_loop *loop, fcps_error *error)
{
  fcps_problem_file *own = NULL;
  fcps_status status = fcps_run_check_parallel(options, error);
  if (status == FCPS_OK && (file == NULL || loop->command != NULL))
    status = choose_file(study, file, loop, &own, error);
  fcps_run_guard guard;
  const fcps_run_options guarded = fcps_run_guard_options(&guard, study, options);
  const int count = fcps_run_worker_count(options);
  program_runner self = {.file = own != NULL ? own : file,
                         .own = own,
                         .is_given = file != NULL,
                         .study = study,
                         .options = &guarded,
                         .given = options,
                         .loop = loop,
                         .is_concurrent = count > 1 || loop->is_shared,
                         .count = count};
  if (status == FCPS_OK) status = prepare(&self, study, error);
  if (status == FCPS_OK) status = run_programs(&self, study, error);
  status = end_programs(&self, options, status, error);
  fcps_contexts_destroy(self.contexts);
  fcps_problem_file_destroy(own);
  return status;
}

static fcps_status run_alone(void *user, fcps_study *study, const fcps_trial_runner *runner,
                             const fcps_run_options *options, fcps_error *error)
{
  (void)user;
  return fcps_run_loop(study, runner, options, error);
}

fcps_status fcps_run_program(fcps_study *study, const fcps_problem_file *file, const fcps_run_options *options,
                             fcps_error *error)
{
  static const fcps_program_loop alone = {.run = run_alone, .trusts_study = true};
  if (study == NULL) return fcps_error_null(error, "study");
  if (options == NULL) return fcps_error_null(error, "options");
  return fcps_program_run_loop(study, file, options, &alone, error);
}

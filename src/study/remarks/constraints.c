/* SPDX-License-Identifier: Apache-2.0 */
/* Results whose parameters break a constraint. They are kept and used, with a warning. */
#include "base/error.h"
#include "problem/problem.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#define CODE "W_CONSTRAINT"

/* The results after a sequence that break a constraint. */
typedef struct broken_set {
  int count, all, constraint; /* the constraint that the first one breaks */
  const fcps_stored_result *first;
} broken_set;

static bool breaks(const fcps_study *s, const fcps_stored_result *stored, int *constraint)
{
  const fcps_rollout *r = &stored->result.rollout;
  const fcps_status status =
      fcps_problem_find_broken(&s->problem, r->target, r->environment, r->parameters, constraint, NULL);
  return status == FCPS_OK && *constraint >= 0; /* in some contexts no parameters keep the constraints */
}

void fcps_study_warn_of_constraints(const fcps_study *s, const fcps_stored_result *stored)
{
  char command[STUDY_COMMAND_SIZE];
  int constraint;
  if (s->problem.constraint_count == 0 || !breaks(s, stored, &constraint)) return;
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, CODE,
               "the parameters break \"%.200s\". The result is stored and used as it is. If it is a mistake: %s",
               s->problem.constraints[constraint], fcps_study_drop_command(s, stored, command));
}

void fcps_study_warn_of_constraints_since(const fcps_study *s, int64_t sequence)
{
  broken_set set = {0};
  char name[STUDY_RESULT_NAME_SIZE];
  if (s->problem.constraint_count == 0) return;
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_stored_result *stored = &s->results[i];
    int constraint;
    if (stored->sequence <= sequence || !stored->is_used || stored->result.rollout.is_confirmed) continue;
    set.all++;
    if (!breaks(s, stored, &constraint) || set.count++ > 0) continue;
    set.first = stored;
    set.constraint = constraint;
  }
  if (set.count == 1) fcps_study_warn_of_constraints(s, set.first);
  if (set.count <= 1) return;
  fcps_study_name_result(set.first, name);
  fcps_log_say(
      &s->options.log, FCPS_LOG_WARNING, CODE,
      "the parameters of %d of %d results break a constraint; the first is result %s, with \"%.200s\". They are "
      "stored and used as they are",
      set.count, set.all, name, s->problem.constraints[set.constraint]);
}

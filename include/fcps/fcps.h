/* SPDX-License-Identifier: Apache-2.0 */
/* The whole public API of fcps: includes every other public header. Read problem.h for the words, learner.h for ask
 * and tell, policy.h for the learnt policy, study.h for asks and results that survive a crash; then run.h for the
 * loop with a program or a function of your own. The other headers are for special needs. Each header begins with an
 * example. */
#ifndef FCPS_FCPS_H
#define FCPS_FCPS_H

#include <fcps/base.h>
#include <fcps/door.h>
#include <fcps/format.h>
#include <fcps/learner.h>
#include <fcps/policy.h>
#include <fcps/primitive.h>
#include <fcps/problem.h>
#include <fcps/problem_file.h>
#include <fcps/run.h>
#include <fcps/run_work.h>
#include <fcps/space.h>
#include <fcps/study.h>
#include <fcps/study_check.h>
#include <fcps/study_lease.h>
#include <fcps/study_remarks.h>

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes that lie outside their range again and again: the range, or what was told, is in another unit.
 *
 * A model takes such an outcome as the end of the range. Where it does so often, it learns the range and not the
 * outcome. A few are no reason for doubt: each was said when it was told. */
#include "space/space.h"
#include "study/remarks.h"
#include "study/study_impl.h"
#include "study/word.h"

#define CODE "W_OUTSIDE_RANGE"

/* The share of the results that is too much, and how many there must be. */
static const double too_many = 0.1;
enum { LEAST_OUTSIDE = 3 };

void fcps_study_look_at_ranges(fcps_study *s)
{
  fcps_study_withdraw_remarks(s, CODE);
  for (int o = 0; o < s->problem.outcome.count; o++) {
    const fcps_dimension *dim = s->problem.outcome.dims + o;
    int told = 0, outside = 0;
    double last = 0.0;
    for (size_t i = 0; i < s->result_count; i++) {
      const fcps_rollout *r = &s->results[i].result.rollout;
      if (!fcps_study_has_outcome(s, &s->results[i])) continue;
      told++;
      if (r->is_confirmed || fcps_dimension_clip(dim, r->outcome[o]) == r->outcome[o]) continue;
      outside++;
      last = r->outcome[o];
    }
    if (outside < LEAST_OUTSIDE || !(outside > too_many * told)) continue;
    fcps_study_make_remark(
        s, CODE, dim->name, true,
        "%d of %d results of %.100s are outside its range, %.6g to %.6g (the last is %.6g); models take "
        "each as the end of the range. Another unit? Correct the range: fcps study amend %.200s --bounds "
        "%.100s=LOWER,UPPER; if the results are wrong, take them out with --drop",
        outside, told, dim->name, dim->lower, dim->upper, last, fcps_study_word(s), dim->name);
  }
}

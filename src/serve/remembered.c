/* SPDX-License-Identifier: Apache-2.0 */
/* Questions are compared byte by byte: one that is written differently is asked again, which is right as well. Requests
 * with values in their path are not remembered. */
#include "serve/lane.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* longer answers are files, which nobody asks for twice */
enum { ANSWER_MAX = 1 << 20 };

static void forget(fcps_remembered_item *item)
{
  free(item->question);
  fcps_free(item->answer.body);
  *item = (fcps_remembered_item){0};
}

void fcps_remembered_clear(fcps_remembered *r)
{
  for (int i = 0; i < FCPS_REMEMBERED_MAX; i++)
    forget(r->items + i);
}

static bool is_same(const fcps_remembered_item *item, const fcps_request *job)
{
  return item->operation == job->operation && item->length == job->length &&
         (job->length == 0 || memcmp(item->question, job->body, job->length) == 0);
}

bool fcps_remembered_find(fcps_remembered *r, int64_t sequence, fcps_request *job)
{
  if (sequence != r->sequence) fcps_remembered_clear(r);
  r->sequence = sequence;
  for (int i = 0; i < FCPS_REMEMBERED_MAX && job->query.value_count == 0; i++) {
    const fcps_remembered_item *item = r->items + i;
    if (!is_same(item, job)) continue;
    char *body = fcps_copy(item->answer.body, item->answer.length, 1);
    if (body == NULL) return false;
    job->answer = item->answer;
    job->answer.body = body;
    return true;
  }
  return false;
}

void fcps_remembered_add(fcps_remembered *r, const fcps_request *job)
{
  const fcps_answer *answer = &job->answer;
  if (job->query.value_count > 0 || answer->is_passing || answer->status != 200 || answer->length == 0 ||
      answer->length > ANSWER_MAX)
    return;
  fcps_remembered_item *item = r->items + r->next;
  forget(item);
  *item = (fcps_remembered_item){.operation = job->operation, .length = job->length, .answer = *answer};
  item->answer.body = fcps_copy(answer->body, answer->length, 1);
  item->question = job->length > 0 ? fcps_copy(job->body, job->length, 1) : NULL;
  if (item->answer.body == NULL || (job->length > 0 && item->question == NULL))
    forget(item);
  else
    r->next = (r->next + 1) % FCPS_REMEMBERED_MAX;
}

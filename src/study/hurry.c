/* SPDX-License-Identifier: Apache-2.0 */
/* Asks that come faster than the model can be fitted.
 *
 * No clock decides, so that the same records in the same order give the same asks on every machine and in every store. A worker
 * that runs a trial has a pending ask; one that does not, and asked lately, waits for an ask. With P asks pending there were
 * P + 1 workers, with the one that asks now, if none waited: so the last few times as many asks have as many clients. Where they
 * have more than twice as many, more workers wait than run. Workers that left are out of these asks soon. A worker that never
 * came back for a second ask waits for nothing: jobs that do one trial each, one after the other, have a name each.
 *
 * Only asks with a lease count: a person or a batch that asks for several at once waits for nothing.
 */
#include "study/hurry.h"

#include "base/error.h"
#include "learner/hurry.h"

#include <stdio.h>
#include <string.h>

/* asks that are looked at for each worker; the most asks that are looked at */
enum { ROUNDS = 4, MOST = 512 };

/* The note that a fit was put off. */
#define OLD_FIT_CODE "FIT_PUT_OFF"

/* -- Whether workers wait -- */

static size_t count_pending(const fcps_study *s)
{
  size_t count = 0;
  for (size_t i = 0; i < s->ask_count; i++)
    count += s->asks[i].state == FCPS_ASK_PENDING;
  return count;
}

/* Whether the client of ask `index` has none of the asks from `first` on before it. */
static bool is_new_client(const fcps_study *s, size_t first, size_t index)
{
  for (size_t i = first; i < index; i++)
    if (strcmp(s->asks[i].client, s->asks[index].client) == 0) return false;
  return true;
}

static bool has_come_back(const fcps_study *s, size_t index)
{
  for (size_t i = index; i-- > 0;)
    if (strcmp(s->asks[i].client, s->asks[index].client) == 0) return true;
  return false;
}

bool fcps_study_is_hurried(const fcps_study *s)
{
  const size_t running = count_pending(s) + 1, wanted = ROUNDS * running < MOST ? ROUNDS * running : MOST;
  const size_t first = s->ask_count > wanted ? s->ask_count - wanted : 0;
  size_t clients = 0;
  for (size_t i = first; i < s->ask_count; i++)
    clients += is_new_client(s, first, i) && has_come_back(s, i);
  return clients > 2 * running;
}

/* -- Saying it -- */

static void write_words(int fitted, size_t size, char *text)
{
  snprintf(text, size, "asks come faster than the model can be fitted: they use the fit of %d rollouts for a while",
           fitted);
}

fcps_status fcps_study_note_old_fit(fcps_study *s, bool *is_new, fcps_error *error)
{
  char text[160];
  int fitted = 0;
  *is_new = false;
  if (!fcps_learner_put_off_fit(s->learner, &fitted)) return FCPS_OK;
  write_words(fitted, sizeof text, text);
  for (size_t i = s->event_count; i-- > 0;) {
    const fcps_study_event *event = &s->events[i].event;
    if (strcmp(event->code, OLD_FIT_CODE) != 0) continue;
    if (strcmp(event->text, text) == 0) return FCPS_OK;
    break;
  }
  fcps_journal_record note = {.kind = FCPS_JOURNAL_NOTE, .client = OLD_FIT_CODE, .text = text};
  const fcps_status status = fcps_study_write(s, &note, error);
  *is_new = status == FCPS_OK;
  return status;
}

void fcps_study_say_old_fit(const fcps_study *s)
{
  char text[160];
  int fitted = 0;
  if (s->learner == NULL || !fcps_learner_put_off_fit(s->learner, &fitted)) return;
  write_words(fitted, sizeof text, text);
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_FIT_PUT_OFF", "%s", text);
}

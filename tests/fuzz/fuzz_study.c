/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a study, without the file around it: records and learner states that no fcps ever wrote. Thousands of them
 * a second, because a mutation changes what a record says and not where SQLite keeps it, and a problem is read once.
 *
 * An input is a byte for the learner, one for the problem, and a list of items. An item that begins with '=' is the learner's state: one byte, the sequence it was saved
 * at, two bytes of length, the text. Any other is a record: its kind, ask, other and status as one byte each, then for
 * each of its four rows of numbers a byte with their count (0xff: absent) and the numbers, then client and text as a
 * byte of length and the text.
 */
#include "fuzz.h"
#include "store/store.h"
#include "study/study_impl.h"
#include "study_use.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NUMBERS = 16, MOST_TEXT = 8192, MOST_LEARNERS = 32 };

/* A text of at most `length` bytes, without the bytes that no text has. */
static void take_text(input *in, size_t length, char text[MOST_TEXT])
{
  size_t used = 0;
  for (; length > 0 && in->size > 0; length--) {
    const uint8_t byte = take_byte(in);
    if (byte && used + 1 < MOST_TEXT) text[used++] = (char)byte;
  }
  text[used] = '\0';
}

static void take_numbers(input *in, double values[MOST_NUMBERS], fcps_numbers *numbers)
{
  const uint8_t count = take_byte(in);
  *numbers = (fcps_numbers){0, NULL};
  if (count == 0xff) return;
  *numbers = (fcps_numbers){count % MOST_NUMBERS, values};
  for (int i = 0; i < numbers->count; i++) {
    uint8_t bytes[sizeof(double)];
    for (size_t b = 0; b < sizeof bytes; b++)
      bytes[b] = take_byte(in);
    memcpy(&values[i], bytes, sizeof bytes);
  }
}

static void add_state(fcps_store *store, input *in)
{
  static char text[MOST_TEXT];
  char sequence[8];
  snprintf(sequence, sizeof sequence, "%d", take_byte(in));
  const size_t low = take_byte(in);
  take_text(in, low + 256u * take_byte(in), text);
  (void)fcps_store_set(store, "learner.sequence", sequence, NULL);
  (void)fcps_store_set(store, "learner.state", text, NULL);
}

static void add_record(fcps_store *store, input *in, uint8_t kind)
{
  static char client[MOST_TEXT], text[MOST_TEXT];
  double numbers[4][MOST_NUMBERS];
  int64_t sequence;
  fcps_journal_record record = {.kind = (fcps_journal_kind)kind, .reward = NAN, .hindsight_reward = NAN};
  record.ask = (int8_t)take_byte(in);
  record.other = (int8_t)take_byte(in);
  record.status = (int8_t)take_byte(in);
  take_numbers(in, numbers[0], &record.target);
  take_numbers(in, numbers[1], &record.environment);
  take_numbers(in, numbers[2], &record.parameters);
  take_numbers(in, numbers[3], &record.outcome);
  take_text(in, take_byte(in), client);
  take_text(in, take_byte(in), text);
  record.client = client;
  record.text = text;
  (void)fcps_store_append(store, &record, &sequence, NULL);
}

static fcps_store *make_store(input in)
{
  fcps_store *store = NULL;
  if (fcps_store_create(&store, "memory:", (fcps_store_options){0}, NULL) != FCPS_OK) abort();
  while (in.size > 0) {
    const uint8_t first = take_byte(&in);
    if (first == '=')
      add_state(store, &in);
    else
      add_record(store, &in, first);
  }
  if (fcps_store_commit(store, NULL) != FCPS_OK) abort();
  return store;
}

/* The study of this learner and problem, as it was before anything was stored; NULL if the two do not fit. It is the
 * same for all inputs. */
static fcps_study *empty_study(const fcps_learner_info *info, int problem, fcps_study **kept)
{
  fcps_setting settings[MOST_FUZZ_SETTINGS];
  cheap_settings(info, settings);
  const fcps_study_setup setup = {
      .text = fuzz_problems[problem], .text_name = "fuzz.yaml", .learner = info->name, .settings = settings};
  if (*kept == NULL && fcps_study_create(kept, NULL, &setup, NULL, NULL) != FCPS_OK) return NULL;
  fcps_study *study = *kept;
  const bool is_amended = study->learner_reset_sequence > 0;
  fcps_study_clear_index(study);
  if (is_amended && fcps_study_read_problem(study, NULL, NULL) != FCPS_OK) abort();
  fcps_study_drop_learner(study);
  fcps_study_drop_old_files(study);
  return study;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static fcps_study *kept[MOST_LEARNERS][FUZZ_PROBLEMS];
  input in = {data, size};
  if (count_learners() > MOST_LEARNERS) abort();
  const int learner = take_byte(&in) % count_learners(), problem = take_byte(&in) % FUZZ_PROBLEMS;
  fcps_study *study = empty_study(fcps_learner_info_at(learner), problem, &kept[learner][problem]);
  if (study == NULL) return 0;
  fcps_store_close(study->store);
  study->store = make_store(in);
  fcps_error error = {0};
  if (fcps_study_refresh(study, &error) == FCPS_OK)
    use_study(study);
  else if (!error.message[0])
    abort();
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The cache is a file of records of equal size (inputs, outcome, checksum). The file is read when the cache is opened.
 * New records are appended under a lock, so that several tasks, threads and processes can share the file. In memory, an
 * open-addressing hash table finds a record by its inputs. */
#include "lab/task/robot/rollout_cache.h"

#include "base/checksum.h"
#include "base/memory.h"
#include "base/study_file.h"
#include "format/file.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct fcps_cache {
  int file;
  size_t inputs, width; /* the number of inputs; the number of doubles in a record (inputs, outcome, checksum) */
  double *records;
  size_t count, capacity; /* the number of records; the room in `records`, in doubles */
  /* each slot has a record's number plus 1, or 0 if it is free; slot_count is a power of two */
  size_t *slots, slot_count;
};

static double checksum(const fcps_cache *cache, const double *record)
{
  return (double)(fcps_checksum_add(FCPS_CHECKSUM_START, record, (cache->width - 1) * sizeof *record) >>
                  11); /* keeps 53 bits, which a double holds exactly */
}

/* The slot that holds these inputs, or the free slot for them. */
static size_t *slot_of(const fcps_cache *cache, const double *inputs)
{
  const size_t size = cache->inputs * sizeof *inputs;
  size_t i = fcps_checksum_add(FCPS_CHECKSUM_START, inputs, size) & (cache->slot_count - 1);
  while (cache->slots[i] && memcmp(cache->records + (cache->slots[i] - 1) * cache->width, inputs, size) != 0)
    i = (i + 1) & (cache->slot_count - 1);
  return &cache->slots[i];
}

/* Keeps at least half of the slots free: if needed, makes a table of twice the size and fills it again. Returns false
 * if there is no memory. */
static bool grow_slots(fcps_cache *cache)
{
  if (2 * (cache->count + 1) <= cache->slot_count) return true;
  size_t wanted = cache->slot_count ? cache->slot_count : 1024;
  while (wanted < 4 * (cache->count + 1))
    wanted *= 2;
  size_t *slots = fcps_allocate(wanted, sizeof *slots);
  if (slots == NULL) return false;
  free(cache->slots);
  cache->slots = slots;
  cache->slot_count = wanted;
  for (size_t r = 0; r < cache->count; r++)
    *slot_of(cache, cache->records + r * cache->width) = r + 1;
  return true;
}

/* Adds a record to the memory and the hash table. Returns false if there is no memory. */
static bool add(fcps_cache *cache, const double *record)
{
  if (!fcps_reserve((void **)&cache->records, &cache->capacity, (cache->count + 1) * cache->width, sizeof(double)) ||
      !grow_slots(cache))
    return false;
  size_t *slot = slot_of(cache, record);
  if (*slot) return true; /* another task has already simulated this rollout */
  memcpy(cache->records + cache->count * cache->width, record, cache->width * sizeof *record);
  *slot = ++cache->count;
  return true;
}

/* Locks the file, and cuts off the incomplete record of a process that was killed, so that records stay aligned.
 * Returns false if that fails. The system releases the lock when the process ends. */
static bool lock(const fcps_cache *cache)
{
  struct stat status;
  if (flock(cache->file, LOCK_EX) != 0) return false;
  const off_t size = (off_t)(cache->width * sizeof(double));
  if (fstat(cache->file, &status) == 0 &&
      (status.st_size % size == 0 || ftruncate(cache->file, status.st_size - status.st_size % size) == 0))
    return true;
  flock(cache->file, LOCK_UN);
  return false;
}

/* Reads the records whose checksum is right, and ignores the others. Returns false if the file cannot be read or there
 * is no memory. */
static bool read_records(fcps_cache *cache)
{
  const size_t size = cache->width * sizeof(double);
  double *record = fcps_allocate(1, size);
  bool is_fine = record != NULL && grow_slots(cache) && lock(cache);
  if (is_fine) {
    FILE *stream = fdopen(dup(cache->file), "rb");
    while (stream != NULL && is_fine && fread(record, size, 1, stream) == 1)
      if (record[cache->width - 1] == checksum(cache, record)) is_fine = add(cache, record);
    is_fine = is_fine && stream != NULL;
    if (stream != NULL) fclose(stream);
    flock(cache->file, LOCK_UN);
  }
  free(record);
  return is_fine;
}

const char *fcps_cache_folder(void)
{
  const char *folder = getenv("FCPS_CACHE_DIR");
  return folder != NULL && *folder ? folder : NULL;
}

fcps_cache *fcps_cache_open(const char *version, int inputs, int outcomes)
{
  const char *folder = fcps_cache_folder();
  char path[4096];
  if (folder == NULL || fcps_file_make_directory(folder, NULL) != FCPS_OK) return NULL;
  if (snprintf(path, sizeof path, "%s/%s.rollouts", folder, version) >= (int)sizeof path) return NULL;

  /* the name may be a link to a study, which must not be changed */
  if (fcps_recognize_file(path) == FCPS_RECOGNIZED_STUDY) return NULL;

  fcps_cache *cache = fcps_allocate(1, sizeof *cache);
  if (cache == NULL) return NULL;
  cache->inputs = (size_t)inputs;
  cache->width = (size_t)(inputs + outcomes + 1);
  cache->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (cache->file < 0 || !read_records(cache)) {
    fcps_cache_close(cache);
    return NULL;
  }
  return cache;
}

void fcps_cache_close(fcps_cache *cache)
{
  if (cache == NULL) return;
  if (cache->file >= 0) close(cache->file);
  free(cache->records);
  free(cache->slots);
  free(cache);
}

bool fcps_cache_find(const fcps_cache *cache, const double *inputs, double *outcome)
{
  if (cache == NULL) return false;
  const size_t slot = *slot_of(cache, inputs);
  if (!slot) return false;
  const double *record = cache->records + (slot - 1) * cache->width;
  memcpy(outcome, record + cache->inputs, (cache->width - cache->inputs - 1) * sizeof *outcome);
  return true;
}

static bool append(const fcps_cache *cache, const double *record)
{
  const size_t size = cache->width * sizeof *record;
  if (!lock(cache)) return false;
  const bool is_whole = write(cache->file, record, size) == (ssize_t)size;
  flock(cache->file, LOCK_UN);
  return is_whole;
}

void fcps_cache_keep(fcps_cache *cache, const double *inputs, const double *outcome)
{
  if (cache == NULL) return;
  double *record = fcps_allocate(cache->width, sizeof *record);
  if (record == NULL) return;
  memcpy(record, inputs, cache->inputs * sizeof *inputs);
  memcpy(record + cache->inputs, outcome, (cache->width - cache->inputs - 1) * sizeof *outcome);
  record[cache->width - 1] = checksum(cache, record);
  if (cache->file >= 0 && !append(cache, record)) {
    close(cache->file); /* if the disk is full or the file is gone, goes on in memory */
    cache->file = -1;
  }
  add(cache, record);
  free(record);
}

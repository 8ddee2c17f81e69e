/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is stored about workers: results have the clients that reported them, and leases have the workers that hold
 * them. A client is a worker if its name has the form NAME/N and NAME is not that of a run. */
#include "wire/wire.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct worker_list {
  fcps_wire_worker *items;
  size_t count, capacity;
  bool has_memory;
} worker_list;

/* Reads the part of a client's name before the last slash. Returns false if the client is not a worker. */
static bool read_name(const char *client, char name[FCPS_WORKER_NAME])
{
  const char *slash = strrchr(client, '/');
  const size_t length = slash != NULL ? (size_t)(slash - client) : 0;
  if (length == 0 || length >= FCPS_WORKER_NAME || slash[1] == '\0' ||
      strspn(slash + 1, "0123456789") != strlen(slash + 1))
    return false;
  memcpy(name, client, length);
  name[length] = '\0';
  return strcmp(name, "run") != 0;
}

static fcps_wire_worker *find(worker_list *list, const char *client)
{
  char name[FCPS_WORKER_NAME];
  if (!list->has_memory || !read_name(client, name)) return NULL;
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i].name, name) == 0) return &list->items[i];
  list->has_memory = fcps_reserve((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items);
  if (!list->has_memory) return NULL;
  fcps_wire_worker *added = &list->items[list->count++];
  *added = (fcps_wire_worker){0};
  strcpy(added->name, name);
  return added;
}

fcps_wire_worker *fcps_wire_workers_list(const fcps_study *study, int *count)
{
  worker_list list = {.has_memory = true};
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    fcps_wire_worker *worker = find(&list, stored.result.client);
    if (worker == NULL) continue;
    if (worker->results++ == 0) worker->first_ms = stored.time_ms;
    worker->last_ms = stored.time_ms;
    worker->failed += stored.result.rollout.status != FCPS_ROLLOUT_OK;
  }
  fcps_lease lease;
  for (int i = 0; fcps_study_lease_at(study, i, &lease), lease.ask > 0; i++) {
    fcps_wire_worker *worker = find(&list, lease.worker);
    if (worker == NULL) continue;
    worker->leases++;
    worker->ended_leases += lease.has_ended;
  }
  *count = list.has_memory ? (int)list.count : 0;
  if (list.has_memory) return list.items != NULL ? list.items : fcps_allocate(1, sizeof *list.items);
  free(list.items);
  return NULL;
}

const char *fcps_wire_rate_text(double per_hour, char text[FCPS_WIRE_RATE_SIZE])
{
  const bool is_fast = per_hour >= 3600;
  const double rate = is_fast ? per_hour / 3600 : per_hour;
  const char *unit = is_fast ? "a second" : "an hour";
  if (rate < 9.95)
    snprintf(text, FCPS_WIRE_RATE_SIZE, "%.2g %s", rate, unit);
  else if (rate < 999.5)
    snprintf(text, FCPS_WIRE_RATE_SIZE, "%.0f %s", rate, unit);
  else
    snprintf(text, FCPS_WIRE_RATE_SIZE, "%d,%03d %s", (int)(rate + 0.5) / 1000, (int)(rate + 0.5) % 1000, unit);
  return text;
}

double fcps_wire_worker_rate(const fcps_wire_worker *worker)
{
  if (worker->results < 2 || worker->last_ms <= worker->first_ms) return 0;
  return (worker->results - 1) * 3.6e6 / (double)(worker->last_ms - worker->first_ms);
}

fcps_json *fcps_wire_workers_write(const fcps_study *study)
{
  int count = 0;
  fcps_wire_worker *workers = fcps_wire_workers_list(study, &count);
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < count; i++) {
    const fcps_wire_worker *worker = &workers[i];
    fcps_json *object = fcps_json_object();
    fcps_json_put(&object, "worker", fcps_json_from_text(worker->name));
    fcps_json_put(&object, "results", fcps_json_from_integer(worker->results));
    fcps_json_put(&object, "failed", fcps_json_from_integer(worker->failed));
    fcps_json_put(&object, "per_hour", fcps_json_from_number(fcps_wire_worker_rate(worker)));
    fcps_json_put(&object, "leases", fcps_json_from_integer(worker->leases));
    fcps_json_put(&object, "ended_leases", fcps_json_from_integer(worker->ended_leases));
    fcps_json_add(&list, object);
  }
  free(workers);
  return list;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The loop: listens, lets connections read and write, and takes what the lanes have finished.
 *
 * It never waits for a study. Lanes put finished jobs into a list under a lock, and wake the loop by an eventfd; only
 * one thread uses libevent. When the server ends, it first stops listening, then ends the connections that wait for a
 * request, and the loop returns when the last answer was sent. */
#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "serve/server_impl.h"

#include <fcps/base.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- The folder in which clients make studies: a server that is started again serves those that it has -- */

/* Only regular files count, because a link may lead anywhere. */

static int is_study(const struct dirent *entry)
{
  return entry->d_name[0] != '.' && fcps_file_ends_with(entry->d_name, ".fcps");
}

/* Returns the path of a study in the folder; NULL if the file is no study, or if memory ran out. */
static char *path_of(const char *folder, const char *name)
{
  char path[4096];
  struct stat there;
  if (fcps_file_join(folder, name, sizeof path, path, NULL) != FCPS_OK || lstat(path, &there) != 0 ||
      !S_ISREG(there.st_mode))
    return NULL;
  return fcps_copy_text(path);
}

static void free_paths(int count, char **paths)
{
  for (int i = 0; i < count; i++)
    free(paths[i]);
  free(paths);
}

/* Lists the study files (*.fcps) of a folder by name, as paths, which are freed with free_paths. Fails if the folder
 * does not exist, or if no file can be made in it. */
static fcps_status list_studies(const char *folder, int *count, char ***paths, fcps_error *error)
{
  struct dirent **entries = NULL;
  *count = 0;
  *paths = NULL;
  const int found = scandir(folder, &entries, is_study, alphasort);
  if (found < 0 || access(folder, W_OK | X_OK) != 0) {
    const int number = errno;
    for (int i = 0; i < found; i++)
      free(entries[i]);
    free(entries);
    return fcps_error_set(error, FCPS_ERR_IO, "--make", "no study can be made in %.200s: %s", folder, strerror(number));
  }
  *paths = fcps_allocate((size_t)found + 1, sizeof **paths);
  for (int i = 0; i < found; i++) {
    char *path = *paths != NULL ? path_of(folder, entries[i]->d_name) : NULL;
    if (path != NULL) (*paths)[(*count)++] = path;
    free(entries[i]);
  }
  free(entries);
  return *paths != NULL ? FCPS_OK : fcps_error_memory(error);
}

/* BEAT_S: seconds between the signs of life of a stream. ACCEPT_MS: milliseconds until accepting is tried again. END_S:
 * seconds for clients to read their last answers. GRACE_S: seconds for calls that had begun to be answered. */
enum { BEAT_S = 15, ACCEPT_MS = 100, END_S = 10, GRACE_S = 15 };

/* -- Jobs that are done -- */

void fcps_server_take_finished(void *user, fcps_request *job)
{
  fcps_server *s = user;
  const uint64_t one = 1;
  pthread_mutex_lock(&s->lock);
  job->next = s->finished;
  s->finished = job;
  pthread_mutex_unlock(&s->lock);
  (void)!write(s->wake, &one, sizeof one);
}

/* Reverses the list, which begins with the latest job. */
static fcps_request *reversed(fcps_request *job)
{
  fcps_request *first = NULL;
  while (job != NULL) {
    fcps_request *next = job->next;
    job->next = first;
    first = job;
    job = next;
  }
  return first;
}

static void on_finished(evutil_socket_t descriptor, short what, void *user)
{
  fcps_server *s = user;
  uint64_t count;
  (void)what;
  (void)!read(descriptor, &count, sizeof count);
  pthread_mutex_lock(&s->lock);
  fcps_request *job = s->finished;
  s->finished = NULL;
  pthread_mutex_unlock(&s->lock);
  for (job = reversed(job); job != NULL;) {
    fcps_request *next = job->next;
    fcps_dispatch_finished(s, job);
    job = next;
  }
  fcps_server_check_end(s);
}

/* -- Connections -- */

static void on_accept(struct evconnlistener *listener, evutil_socket_t descriptor, struct sockaddr *address, int length,
                      void *user)
{
  (void)listener;
  (void)address;
  (void)length;
  fcps_peer_accept(user, descriptor);
}

/* Stops accepting connections for a moment: without free descriptors it would fail again and again. */
static void on_accept_error(struct evconnlistener *listener, void *user)
{
  fcps_server *s = user;
  const struct timeval time = {0, ACCEPT_MS * 1000};
  evconnlistener_disable(listener);
  evtimer_add(s->wait, &time);
}

/* Ends the process although calls still compute, because they may take hours and nothing else can stop them. Nothing is
 * lost: acknowledged results are stored, and every other change is stored completely or not at all, as after a kill. */
static void give_up(fcps_server *s)
{
  fcps_log_say(&s->log, FCPS_LOG_WARNING, "W_CALLS_GIVEN_UP",
               "%d calls were not answered within %d s of the end; what was acknowledged is stored", s->job_count,
               GRACE_S);
  if (s->address.path != NULL) unlink(s->address.path);
  fflush(NULL);
  _exit(0);
}

static void on_wait(evutil_socket_t descriptor, short what, void *user)
{
  fcps_server *s = user;
  (void)descriptor;
  (void)what;
  if (s->is_ending && s->job_count > 0)
    give_up(s);
  else if (s->is_ending)
    event_base_loopbreak(s->base); /* The time for the last answers is over. */
  else if (s->listener != NULL)
    evconnlistener_enable(s->listener);
}

static void on_beat(evutil_socket_t descriptor, short what, void *user)
{
  (void)descriptor;
  (void)what;
  fcps_changes_beat(user);
}

/* -- The end -- */

void fcps_server_check_end(fcps_server *s)
{
  const struct timeval time = {END_S, 0}, grace = {GRACE_S, 0};
  if (!s->is_ending) return;
  if (s->job_count > 0) {
    if (!evtimer_pending(s->wait, NULL)) evtimer_add(s->wait, &grace);
  } else if (s->connection_count == 0) {
    event_base_loopbreak(s->base);
  } else if (!s->is_answered) {
    s->is_answered = true;
    evtimer_add(s->wait, &time); /* time for the last answers to be read */
  }
}

static void on_signal(evutil_socket_t number, short what, void *user)
{
  fcps_server *s = user;
  (void)what;
  if (s->is_ending) { /* The second signal ends the server at once. */
    signal((int)number, SIG_DFL);
    raise((int)number);
    return;
  }
  s->is_ending = true;
  evconnlistener_free(s->listener);
  s->listener = NULL;
  for (fcps_peer *peer = s->first, *after; peer != NULL; peer = after) {
    after = peer->after;
    fcps_peer_end(peer);
  }
  evtimer_del(s->wait);
  fcps_server_check_end(s);
}

/* -- The beginning -- */

static fcps_status name_hosts(fcps_server *s, const fcps_server_options *options, fcps_error *error)
{
  static const char *const local[] = {"127.0.0.1", "localhost", "[::1]"};
  char host[300];
  bool is_known = true;
  for (int i = 0; i < 3; i++) {
    if (s->address.path != NULL)
      snprintf(host, sizeof host, "%s", local[i]);
    else
      snprintf(host, sizeof host, "%s:%d", local[i], s->address.port);
    is_known &= fcps_guard_add_host(&s->guard, host);
  }
  snprintf(host, sizeof host, "%s:%d", s->address.host, s->address.port);
  if (s->address.path == NULL) is_known &= fcps_guard_add_host(&s->guard, host);
  s->guard.own_count = s->guard.host_count;
  for (int i = 0; i < options->host_count && is_known; i++) {
    is_known = fcps_guard_add_host(&s->guard, options->hosts[i]);
    if (!is_known)
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--host", "\"%.80s\" is not a name, or one too many",
                            options->hosts[i]);
  }
  return FCPS_OK;
}

static fcps_status take_token(fcps_server *s, const fcps_server_options *options, fcps_error *error)
{
  char place[4096];
  fcps_status status = FCPS_OK;
  if (options->token_file != NULL)
    snprintf(place, sizeof place, "%s", options->token_file);
  else
    status = fcps_token_place(sizeof place, place, error);
  return status == FCPS_OK ? fcps_token_take(place, s->guard.token, error) : status;
}

static fcps_status listen_there(fcps_server *s, const fcps_server_options *options, fcps_error *error)
{
  int descriptor = -1;
  fcps_status status = fcps_address_read(&s->address, options->listen, error);
  if (status == FCPS_OK && !s->address.is_local && !options->is_remote_allowed)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "--listen",
                            "%s can be reached from other machines, and this server does not encrypt. Listen on "
                            "127.0.0.1 and put a reverse proxy with TLS in front of it (docs/serve.md), or add "
                            "--allow-remote",
                            s->address.host);
  if (status == FCPS_OK) status = fcps_address_listen(&s->address, &descriptor, error);
  if (status != FCPS_OK) return status;
  s->listener = evconnlistener_new(s->base, on_accept, s, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, descriptor);
  if (s->listener == NULL) {
    close(descriptor);
    return fcps_error_memory(error);
  }
  evconnlistener_set_error_cb(s->listener, on_accept_error);
  if (s->address.path != NULL)
    snprintf(s->url, sizeof s->url, "unix:%s", s->address.path);
  else
    snprintf(s->url, sizeof s->url, "http://%s:%d/#token=%s", s->address.host, s->address.port, s->guard.token);
  return name_hosts(s, options, error);
}

/* Lets a hang-up end the server as SIGTERM does, unless it was started to outlive one (nohup). */
static bool watch_hang_up(fcps_server *s)
{
  struct sigaction now;
  if (sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN) return true;
  s->hang_up = evsignal_new(s->base, SIGHUP, on_signal, s);
  return s->hang_up != NULL && event_add(s->hang_up, NULL) == 0;
}

static fcps_status make_loop(fcps_server *s, fcps_error *error)
{
  s->base = event_base_new();
  s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  s->has_lock = pthread_mutex_init(&s->lock, NULL) == 0;
  if (s->base == NULL || s->wake < 0 || !s->has_lock) return fcps_error_memory(error);
  s->finished_event = event_new(s->base, s->wake, EV_READ | EV_PERSIST, on_finished, s);
  s->terminate = evsignal_new(s->base, SIGTERM, on_signal, s);
  s->interrupt = evsignal_new(s->base, SIGINT, on_signal, s);
  s->beat = event_new(s->base, -1, EV_PERSIST, on_beat, s);
  s->wait = evtimer_new(s->base, on_wait, s);
  const struct timeval time = {BEAT_S, 0};
  if (s->finished_event == NULL || s->terminate == NULL || s->interrupt == NULL || s->beat == NULL || s->wait == NULL ||
      event_add(s->finished_event, NULL) != 0 || event_add(s->terminate, NULL) != 0 ||
      event_add(s->interrupt, NULL) != 0 || !watch_hang_up(s) || event_add(s->beat, &time) != 0)
    return fcps_error_memory(error);
  return FCPS_OK;
}

/* Serves the studies that an earlier server made in the folder. If one cannot be opened, or its name is taken, the
 * others are still served. */
static void open_made(fcps_server *s, int count, char **paths)
{
  for (int i = 0; i < count; i++) {
    fcps_error why = {0};
    if (fcps_names_is_taken(&s->names, paths[i]))
      fcps_log_say(&s->log, FCPS_LOG_WARNING, "W_NOT_SERVED", "%s is not served: another study has its name", paths[i]);
    else if (fcps_dispatch_add_study(s, paths[i], &why) != FCPS_OK)
      fcps_log_say(&s->log, FCPS_LOG_WARNING, "W_NOT_SERVED", "%s is not served: %s", paths[i], why.message);
  }
}

static fcps_status open_named(fcps_server *s, const fcps_server_options *options, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < options->study_count && status == FCPS_OK; i++) {
    const size_t before = s->served_count;
    status = fcps_dispatch_add_study(s, options->studies[i], error);
    if (status == FCPS_OK && s->served_count == before)
      status =
          fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY",
                         "two studies have the name of %.200s; give one of them another name", options->studies[i]);
  }
  return status;
}

static fcps_status open_studies(fcps_server *s, const fcps_server_options *options, fcps_error *error)
{
  if (!fcps_names_create(&s->names, (size_t)s->limits.studies)) return fcps_error_memory(error);
  char *description = fcps_operation_openapi(fcps_route_own);
  if (description == NULL) return fcps_error_memory(error);
  s->description = (fcps_asset){"/openapi.json", "application/json", (unsigned char *)description, strlen(description)};
  const fcps_lane_options maker = {.folder = options->folder,
                                   .names = &s->names,
                                   .listeners = &s->listeners,
                                   .log = s->log,
                                   .finish = fcps_server_take_finished,
                                   .user = s};
  int made_count = 0;
  char **made = NULL;
  fcps_status status = options->folder != NULL ? list_studies(options->folder, &made_count, &made, error) : FCPS_OK;
  if (status == FCPS_OK) status = fcps_limits_check(&s->limits, options->study_count + made_count, error);
  if (status == FCPS_OK) status = fcps_lane_create(&s->maker, &maker, error);
  if (status == FCPS_OK) status = open_named(s, options, error);
  if (status == FCPS_OK) open_made(s, made_count, made);
  free_paths(made_count, made);
  return status;
}

fcps_status fcps_server_create(fcps_server **result, const fcps_server_options *options, fcps_error *error)
{
  fcps_server *s = fcps_allocate(1, sizeof *s);
  *result = NULL;
  if (s == NULL) return fcps_error_memory(error);
  s->wake = -1;
  s->log = options->log;
  s->study_maker = options->maker;
  fcps_status status = make_loop(s, error);
  fcps_limits_find(&s->limits, options->connections_max, options->folder != NULL);
  if (status == FCPS_OK) status = open_studies(s, options, error);
  s->connections_max = fcps_limits_connections(&s->limits, (int)s->served_count);
  if (status == FCPS_OK) status = take_token(s, options, error);
  if (status == FCPS_OK) status = listen_there(s, options, error);
  if (status == FCPS_OK)
    *result = s;
  else
    fcps_server_destroy(s);
  return status;
}

const char *fcps_server_url(const fcps_server *s)
{
  return s->url;
}

fcps_status fcps_server_run(fcps_server *s, fcps_error *error)
{
  if (event_base_dispatch(s->base) >= 0) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_INTERNAL, "", "the loop of the server ended by an error");
}

void fcps_server_destroy(fcps_server *s)
{
  if (s == NULL) return;
  while (s->first != NULL)
    fcps_peer_close(s->first);
  fcps_lane_destroy(s->maker);
  fcps_dispatch_remove_studies(s); /* Calls that are under way end first. */
  fcps_names_destroy(&s->names);
  fcps_free((void *)(uintptr_t)s->description.bytes);
  for (fcps_request *job = s->finished; job != NULL;) {
    fcps_request *next = job->next;
    fcps_request_destroy(job);
    job = next;
  }
  if (s->listener != NULL) evconnlistener_free(s->listener);
  struct event *const events[] = {s->finished_event, s->terminate, s->interrupt, s->hang_up, s->beat, s->wait};
  for (size_t i = 0; i < sizeof events / sizeof *events; i++)
    if (events[i] != NULL) event_free(events[i]);
  if (s->base != NULL) event_base_free(s->base);
  if (s->wake >= 0) close(s->wake);
  if (s->has_lock) pthread_mutex_destroy(&s->lock);
  if (s->address.path != NULL && s->url[0] != '\0') unlink(s->address.path);
  free(s);
}

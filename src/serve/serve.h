/* SPDX-License-Identifier: Apache-2.0 */
/* Studies over HTTP: one process that owns the studies, an API of JSON, and a page. */
#ifndef FCPS_SERVE_SERVE_H
#define FCPS_SERVE_SERVE_H

#include <fcps/study.h>

typedef struct fcps_server fcps_server;

typedef struct fcps_server_options {
  int study_count;
  const char *const *studies; /* paths of studies; the name of a study is that of its file without the ending */
  /* folder in which studies may be made, and whose studies are served; NULL: none can be made */
  const char *folder;
  const char *listen;     /* where to listen: "127.0.0.1:0" */
  bool is_remote_allowed; /* other machines may reach the server */
  int host_count;
  /* further host names under which the server may be called, such as that of a reverse proxy */
  const char *const *hosts;
  const char *token_file; /* file of the token; NULL: the usual one */
  /* the most simultaneous connections; 0: as many as the limit of open files allows, at most 4096 */
  int connections_max;
  /* makes the problem of studies that were made from an origin; NULL: such studies are refused */
  const fcps_study_maker *maker;
  fcps_log log; /* may be called from several threads */
} fcps_server_options;

/* Opens the studies and listens. From now on the server handles SIGTERM and SIGINT, and SIGHUP unless it is ignored. */
fcps_status fcps_server_create(fcps_server **server, const fcps_server_options *options, fcps_error *error);

/* Returns where the server listens: "http://127.0.0.1:8017/#token=...", or "unix:PATH" for a socket in the file
 * system. */
const char *fcps_server_url(const fcps_server *server);

/* Serves until SIGTERM, SIGINT or SIGHUP. Before it returns, all acknowledged results are stored and calls that had
 * begun are answered. */
fcps_status fcps_server_run(fcps_server *server, fcps_error *error);
void fcps_server_destroy(fcps_server *server);

#endif

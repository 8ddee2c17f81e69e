/* SPDX-License-Identifier: Apache-2.0 */
/* A path is found by its words, never by its text, so that no spelling of a path gets past a rule. */
#include "serve/route.h"

#include "serve/http/guard.h"
#include "serve/resources/resources.h"

#include <string.h>

#define STUDY "/v1/studies/{study}"

static const fcps_route routes[] = {
    {FCPS_HEAD_GET, "/v1/studies", FCPS_ROUTE_LIST, NULL},
    {FCPS_HEAD_POST, "/v1/studies", FCPS_ROUTE_MAKE, fcps_resource_make},
    {FCPS_HEAD_GET, "/v1/changes", FCPS_ROUTE_CHANGES, NULL},
    {FCPS_HEAD_GET, FCPS_ROUTE_PROOF_PATH, FCPS_ROUTE_PROOF, NULL},
    {FCPS_HEAD_GET, STUDY, FCPS_ROUTE_MODEL, fcps_resource_status},
    {FCPS_HEAD_GET, STUDY "/problem", FCPS_ROUTE_LOOK, fcps_resource_problem},
    {FCPS_HEAD_GET, STUDY "/asks", FCPS_ROUTE_LOOK, fcps_resource_asks},
    {FCPS_HEAD_GET, STUDY "/rollouts", FCPS_ROUTE_LOOK, fcps_resource_rollouts},
    {FCPS_HEAD_GET, STUDY "/rollouts.csv", FCPS_ROUTE_MODEL, fcps_resource_table},
    {FCPS_HEAD_GET, STUDY "/suspects", FCPS_ROUTE_MODEL, fcps_resource_suspects},
    {FCPS_HEAD_GET, STUDY "/events", FCPS_ROUTE_LOOK, fcps_resource_events},
    {FCPS_HEAD_GET, STUDY "/curve", FCPS_ROUTE_LOOK, fcps_resource_curve},
    {FCPS_HEAD_GET, STUDY "/health", FCPS_ROUTE_MODEL, fcps_resource_health},
    {FCPS_HEAD_GET, STUDY "/check-model", FCPS_ROUTE_MODEL, fcps_resource_check_model},
    {FCPS_HEAD_GET, STUDY "/policy", FCPS_ROUTE_MODEL, fcps_resource_policy},
    {FCPS_HEAD_GET, STUDY "/file", FCPS_ROUTE_LOOK, fcps_resource_file},
    {FCPS_HEAD_POST, STUDY "/best", FCPS_ROUTE_MODEL, fcps_resource_best},
    {FCPS_HEAD_POST, STUDY "/retarget", FCPS_ROUTE_MODEL, fcps_resource_retarget},
    {FCPS_HEAD_POST, STUDY "/map", FCPS_ROUTE_MODEL, fcps_resource_map},
    {FCPS_HEAD_POST, STUDY "/ask", FCPS_ROUTE_CHANGE, fcps_resource_ask},
    {FCPS_HEAD_POST, STUDY "/choose", FCPS_ROUTE_CHANGE, fcps_resource_choose},
    {FCPS_HEAD_POST, STUDY "/tell", FCPS_ROUTE_CHANGE, fcps_resource_tell},
    {FCPS_HEAD_POST, STUDY "/import", FCPS_ROUTE_CHANGE, fcps_resource_import},
    {FCPS_HEAD_POST, STUDY "/forget", FCPS_ROUTE_CHANGE, fcps_resource_forget},
    {FCPS_HEAD_POST, STUDY "/use", FCPS_ROUTE_CHANGE, fcps_resource_use},
    {FCPS_HEAD_POST, STUDY "/drop", FCPS_ROUTE_CHANGE, fcps_resource_drop},
    {FCPS_HEAD_POST, STUDY "/confirm", FCPS_ROUTE_CHANGE, fcps_resource_confirm},
    {FCPS_HEAD_POST, STUDY "/amend", FCPS_ROUTE_CHANGE, fcps_resource_amend},
    {FCPS_HEAD_GET, STUDY "/work", FCPS_ROUTE_LOOK, fcps_resource_work},
    {FCPS_HEAD_POST, STUDY "/lease", FCPS_ROUTE_CHANGE, fcps_resource_lease},
    {FCPS_HEAD_POST, STUDY "/renew", FCPS_ROUTE_LOOK, fcps_resource_renew},
    {FCPS_HEAD_POST, STUDY "/release", FCPS_ROUTE_LOOK, fcps_resource_release},
};
enum { ROUTES = sizeof routes / sizeof *routes };

const fcps_route *fcps_route_at(int index)
{
  return index >= 0 && index < ROUTES ? routes + index : NULL;
}

/* whether the words of a query are those of a path; *study is the word of {study} */
static bool matches(const char *path, const fcps_query *query, const char **study)
{
  *study = NULL;
  for (int i = 0; i < query->word_count; i++) {
    if (*path++ != '/') return false;
    const size_t length = strcspn(path, "/");
    if (strncmp(path, "{study}", length) == 0 && length == strlen("{study}"))
      *study = query->words[i];
    else if (strlen(query->words[i]) != length || strncmp(path, query->words[i], length) != 0)
      return false;
    path += length;
  }
  return *path == '\0';
}

size_t fcps_route_body_max(const fcps_route *route)
{
  enum { USUAL = 1 << 20 };
  return route->run == fcps_resource_import ? FCPS_GUARD_BODY_MAX : USUAL; /* a table may have years of results */
}

int fcps_route_find(fcps_head_method method, const fcps_query *query, const fcps_route **route, const char **study)
{
  int status = 404;
  for (int i = 0; i < ROUTES; i++) {
    if (!matches(routes[i].path, query, study)) continue;
    *route = routes + i;
    if (routes[i].method == method) return 0;
    status = 405;
  }
  *study = NULL;
  return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The latest answers of a lane that asks the model. Several pages ask the same of a study after each change: the model
 * is asked once. What was remembered of a study is forgotten when the study changes. */
#ifndef FCPS_SERVE_REMEMBERED_H
#define FCPS_SERVE_REMEMBERED_H

#include "serve/lane.h"

enum { FCPS_REMEMBERED_MAX = 12 };

typedef struct fcps_remembered_item {
  const fcps_operation *operation; /* NULL: empty */
  char *question;                  /* the body of the request */
  size_t length;
  fcps_answer answer;
} fcps_remembered_item;

/* Zeros are an empty one. */
typedef struct fcps_remembered {
  int64_t sequence; /* the last record of the study; all answers hold for it */
  int next;         /* the place for the next: the oldest gives way */
  fcps_remembered_item items[FCPS_REMEMBERED_MAX];
} fcps_remembered;

/* Answers a job as the same question was answered; false if it was not, or the study has changed. */
bool fcps_remembered_find(fcps_remembered *remembered, int64_t sequence, fcps_request *job);

/* Keeps a copy of the answer of a job, if it is one to keep: short enough, and no failure. */
void fcps_remembered_add(fcps_remembered *remembered, const fcps_request *job);

void fcps_remembered_clear(fcps_remembered *remembered);

#endif

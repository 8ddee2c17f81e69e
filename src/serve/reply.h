/* SPDX-License-Identifier: Apache-2.0 */
/* The head of an answer: its status, its length, and the headers by which a browser keeps a page from what it must not
 * do. */
#ifndef FCPS_SERVE_REPLY_H
#define FCPS_SERVE_REPLY_H

#include "serve/lane.h"

enum { FCPS_REPLY_HEAD_SIZE = 1536 };

/* Writes the head, with its empty line, into `text`, and returns its length. `study` names the file of an answer that
 * is to be saved; it may be NULL otherwise. A stream has no length. */
size_t fcps_reply_head(const fcps_answer *answer, const char *study, bool is_last, char text[FCPS_REPLY_HEAD_SIZE]);
size_t fcps_reply_stream_head(char text[FCPS_REPLY_HEAD_SIZE]);

#endif

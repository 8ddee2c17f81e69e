/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps serve`: serves studies over HTTP. It prints one line on standard output: the address, with the token behind a
 * "#". Browsers do not send what stands behind the "#". */
#include "base/error.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#ifdef FCPS_HAS_SERVE
#include "serve/serve.h"
#endif

#include <stdio.h>

enum { CONNECTIONS_USUAL = 4096, CONNECTIONS_MAX = 100000 };

typedef struct arguments {
  cli_argument_list studies;
  const char *listen, *folder, *token_file, *host;
  bool is_remote_allowed;
  int64_t connections;
  fcps_error error;
} arguments;

static const cli_argument table[] = {
    {CLI_ARGUMENT_TEXT, "listen", offsetof(arguments, listen), 'l', "ADDRESS",
     .help = "127.0.0.1:PORT (default; port 0: a free one), [::1]:PORT or unix:PATH"},
    {CLI_ARGUMENT_TEXT, "make", offsetof(arguments, folder), .value = "FOLDER",
     .help = "Clients may make new studies in this folder; the studies that it has already are served, too"},
    {CLI_ARGUMENT_TEXT, "token-file", offsetof(arguments, token_file), .value = "FILE",
     .help = "Where the token is kept (default: FCPS_TOKEN_FILE, else fcps/token in XDG_STATE_HOME or ~/.local/state)"},
    {CLI_ARGUMENT_TEXT, "host", offsetof(arguments, host), .value = "NAME",
     .help = "Another name of the server, such as that of a reverse proxy"},
    {CLI_ARGUMENT_SWITCH, "allow-remote", offsetof(arguments, is_remote_allowed),
     .help = "Listen where other machines reach it; nothing is encrypted, so put a reverse proxy with TLS before it"},
    {CLI_ARGUMENT_COUNT, "connections", offsetof(arguments, connections), .value = "N",
     .help = "The most connections at once (default: 4096, or what the limit of open files allows)"},
    {CLI_ARGUMENT_LIST, "STUDY", .offset = offsetof(arguments, studies), .is_optional = true},
    {0}};

static const char doc[] =
    "Serves studies over HTTP on this machine: a JSON API to ask and tell from any language, and a page that "
    "shows, "
    "live, what is being learnt. Prints the address of the page, with the token that every request needs. Ends on "
    "SIGTERM or Ctrl-C: acknowledged results are stored. docs/serve.md describes the API.\v"
    "Examples:\n"
    "  fcps serve throw.fcps\n"
    "  fcps serve throw.fcps push.fcps --listen 127.0.0.1:8017\n";

#ifdef FCPS_HAS_SERVE
static fcps_status serve(arguments *a)
{
  const fcps_server_options options = {.study_count = a->studies.count,
                                       .studies = a->studies.items,
                                       .folder = a->folder,
                                       .listen = a->listen,
                                       .is_remote_allowed = a->is_remote_allowed,
                                       .host_count = a->host != NULL,
                                       .hosts = &a->host,
                                       .token_file = a->token_file,
                                       .connections_max = (int)a->connections,
                                       .maker = cli_lab_maker(),
                                       .log = cli_log};
  fcps_server *server = NULL;
  fcps_status status = fcps_server_create(&server, &options, &a->error);
  if (status == FCPS_OK) printf("%s\n", fcps_server_url(server));
  if (status == FCPS_OK) status = cli_flush(&a->error);
  if (status == FCPS_OK) status = fcps_server_run(server, &a->error);
  fcps_server_destroy(server);
  return status;
}
#else
static fcps_status serve(arguments *a)
{
  return fcps_error_set(&a->error, FCPS_ERR_UNAVAILABLE, "serve",
                        "this fcps was built without libevent: install libevent-dev (scripts/setup does), and build it "
                        "again");
}
#endif

int cli_command_serve(int argc, char **argv)
{
  arguments a = {.listen = "127.0.0.1:0", .connections = CONNECTIONS_USUAL};
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK && a.studies.count == 0 && a.folder == NULL)
    status = fcps_error_set(&a.error, FCPS_ERR_ARGUMENT, "", "name at least one STUDY; --help says how");
  if (status == FCPS_OK && (a.connections < 1 || a.connections > CONNECTIONS_MAX))
    status = fcps_error_set(&a.error, FCPS_ERR_ARGUMENT, "--connections", "give a number from 1 to %d",
                            (int)CONNECTIONS_MAX);
  if (status == FCPS_OK) status = serve(&a);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

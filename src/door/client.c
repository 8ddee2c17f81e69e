/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a server. Each call has a connection of its own. Over TCP the server first proves on this connection that it
 * knows the token; only then the client sends the request with the token. If a server gives no proof, the caller gets
 * the answer of a server that refuses the token (401). */
#include "door/client.h"

#include "base/checksum.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "door/channel.h"
#include "door/token.h"
#include "format/file.h"
#include "format/json.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* LOOK_S: seconds for an answer from what is stored. COMPUTE_S: seconds for an answer for which a learner may have to
 * compute. FCPS_SERVER_WAIT replaces both. ANSWER_MAX: the most bytes of an answer; the largest answer is a copy of a
 * study. PROOF_MAX: the same for a proof. */
enum { LOOK_S = 60, COMPUTE_S = 3600, ANSWER_MAX = 1 << 30, PROOF_MAX = 1 << 13 };

static const char scheme[] = FCPS_CLIENT_SCHEME, socket_scheme[] = FCPS_CLIENT_SOCKET_SCHEME, mark[] = "#token=";

/* -- The URL -- */

static bool copy_part(char *to, size_t size, const char *from, size_t length)
{
  if (length == 0 || length >= size) return false;
  memcpy(to, from, length);
  to[length] = '\0';
  return true;
}

/* Reads HOST:PORT or [::1]:PORT. */
static bool read_place(fcps_client *c, const char *text, size_t length)
{
  const bool is_bracketed = text[0] == '[';
  const char *end = is_bracketed ? memchr(text, ']', length) : memchr(text, ':', length);
  if (end == NULL) return false;
  const char *colon = is_bracketed ? end + 1 : end;
  if (colon >= text + length || *colon != ':') return false;
  return copy_part(c->host, sizeof c->host, text + is_bracketed, (size_t)(end - text) - is_bracketed) &&
         copy_part(c->port, sizeof c->port, colon + 1, (size_t)(text + length - colon - 1)) &&
         strspn(c->port, "0123456789") == strlen(c->port);
}

static fcps_status check_port(const fcps_client *c, fcps_error *error)
{
  const int port = atoi(c->port); /* The text has at most seven digits. */
  if (port >= 1 && port <= 65535) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY", "%s is not a port; ports go from 1 to 65535", c->port);
}

/* Decodes %20 and the like, which browsers show. A % that begins no such code stays as it is. */
static void decode(char *text)
{
  char *to = text;
  for (const char *from = text; *from != '\0'; from++) {
    const int byte = fcps_percent_read(from);
    *to++ = byte >= 0 ? (char)byte : *from;
    if (byte >= 0) from += 2;
  }
  *to = '\0';
}

void fcps_client_encode(const char *name, size_t size, char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~";
  size_t used = 0;
  for (; *name != '\0' && used + 4 <= size; name++)
    used += (size_t)snprintf(text + used, size - used, strchr(plain, *name) != NULL ? "%c" : "%%%02X",
                             (unsigned char)*name);
  text[used] = '\0';
}

/* Reads the study's name from the path, which may begin with /v1/studies. */
static bool read_study(fcps_client *c, const char *path, size_t length)
{
  static const char whole[] = "/v1/studies/";
  if (length > strlen(whole) && strncmp(path, whole, strlen(whole)) == 0) {
    path += strlen(whole) - 1;
    length -= strlen(whole) - 1;
  }
  if (length > 1 && path[length - 1] == '/') length--;
  if (length <= 1) return true;
  if (memchr(path + 1, '/', length - 1) != NULL || !copy_part(c->name, sizeof c->name, path + 1, length - 1))
    return false;
  decode(c->name);
  fcps_client_encode(c->name, sizeof c->study, c->study);
  return true;
}

/* Reads PATH/STUDY of a socket in the file system: the study is behind the last slash, and PATH leads to the socket. If
 * the whole text leads to a socket, no study is named. */
static bool read_socket(fcps_client *c, const char *text, size_t length)
{
  char whole[sizeof c->socket + sizeof c->name];
  struct stat about;
  while (length > 1 && text[length - 1] == '/')
    length--;
  if (!copy_part(whole, sizeof whole, text, length)) return false;
  const bool is_socket = stat(whole, &about) == 0 && S_ISSOCK(about.st_mode);
  const char *slash = is_socket ? whole + length : strrchr(whole, '/');
  if (slash == NULL) slash = whole + length;
  snprintf(c->host, sizeof c->host, "localhost");
  return copy_part(c->socket, sizeof c->socket, whole, (size_t)(slash - whole)) && read_study(c, slash, strlen(slash));
}

/* Guesses the address that was meant. In http://HOST:PORTSTUDY a slash is missing, and http://HOST:PORT/STUDY/WORD has
 * a word too many. */
static bool guess(const char *url, size_t length, size_t size, char *meant)
{
  const size_t begin = strlen(scheme), place = strcspn(url + begin, "/#");
  const char *colon = memchr(url + begin, ':', place), *slash = url + begin + place;
  const size_t digits = colon != NULL ? strspn(colon + 1, "0123456789") : 0;
  const char *end = colon != NULL ? colon + 1 + digits : NULL;
  if (digits == 0) return false;
  if (end < slash)
    return snprintf(meant, size, "%.*s/%.*s", (int)(end - url), url, (int)(url + length - end), end) < (int)size;
  if (*slash != '/') return false;
  const size_t word = strcspn(slash + 1, "/#");
  return word > 0 && snprintf(meant, size, "%.*s", (int)(slash + 1 + word - url), url) < (int)size;
}

static fcps_status refuse_url(const char *url, size_t length, fcps_error *error)
{
  char meant[300];
  if (guess(url, length, sizeof meant, meant))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY", "\"%.*s\" is not http://HOST:PORT/STUDY; did you mean %s?",
                          (int)(length < 100 ? length : 100), url, meant);
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY",
                        "\"%.*s\" is not http://HOST:PORT/STUDY, such as http://127.0.0.1:8017/throw",
                        (int)(length < 100 ? length : 100), url);
}

/* -- The token -- */

static bool is_this_machine(const char *host)
{
  struct in_addr four;
  struct in6_addr six;
  if (strcmp(host, "localhost") == 0) return true;
  if (inet_pton(AF_INET, host, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return inet_pton(AF_INET6, host, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/* Reads the token from its file. The token in the usual file belongs to servers of this machine, so it is sent to no
 * other machine. */
static fcps_status find_token(fcps_client *c, fcps_error *error)
{
  const char *given = getenv("FCPS_TOKEN_FILE");
  if (!is_this_machine(c->host) && (given == NULL || *given == '\0'))
    return fcps_error_set(
        error, FCPS_ERR_ARGUMENT, "token",
        "%.100s is another machine, and your token is for servers of this one. Set FCPS_TOKEN_FILE to "
        "a file with the token of that server, or write its address with #token=...",
        c->host);
  char path[4096], token[FCPS_TOKEN_SIZE];
  fcps_status status = fcps_token_place(sizeof path, path, error);
  if (status == FCPS_OK) status = fcps_token_read(path, token, error);
  if (status == FCPS_OK) memcpy(c->token, token, sizeof token);
  return status;
}

/* Refuses an address with a token in a wrong place, without reading or repeating the token. */
static fcps_status check_secrets(const char *rest, size_t place, const char *fragment, fcps_error *error)
{
  const bool has_user = memchr(rest, '@', place) != NULL;
  if (!has_user && (fragment == NULL || strncmp(fragment, mark, strlen(mark)) == 0)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY",
                        "%s; write http://HOST:PORT/STUDY#token=TOKEN, or keep the token in its file (FCPS_TOKEN_FILE)",
                        has_user ? "an address has no user and no password before its host"
                                 : "behind the # of an address stands its token, as #token=TOKEN");
}

/* Reads http://HOST:PORT/STUDY, up to its fragment. */
static fcps_status read_url(fcps_client *c, const char *url, const char *fragment, fcps_error *error)
{
  const char *rest = url + strlen(scheme), *end = fragment != NULL ? fragment : rest + strlen(rest);
  const size_t place = strcspn(rest, "/#");
  const fcps_status secrets = check_secrets(rest, place, fragment, error);
  if (secrets != FCPS_OK) return secrets;
  if (!read_place(c, rest, place) || !read_study(c, rest + place, (size_t)(end - rest) - place))
    return refuse_url(url, (size_t)(end - url), error);
  return check_port(c, error);
}

static fcps_status read_socket_url(fcps_client *c, const char *url, const char *fragment, fcps_error *error)
{
  const char *rest = url + strlen(socket_scheme), *end = fragment != NULL ? fragment : rest + strlen(rest);
  const fcps_status secrets = check_secrets(rest, 0, fragment, error);
  if (secrets != FCPS_OK || read_socket(c, rest, (size_t)(end - rest))) return secrets;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY",
                        "\"%.*s\" is not unix:PATH/STUDY, such as unix:/run/user/1000/fcps.sock/throw; the path of a "
                        "socket has at most %d bytes",
                        (int)(end - url < 200 ? end - url : 200), url, (int)sizeof c->socket - 1);
}

fcps_status fcps_client_open(fcps_client *c, const char *url, const char *token, fcps_error *error)
{
  *c = (fcps_client){0};
  const char *fragment = strchr(url, '#');
  const bool has_port = strncmp(url, scheme, strlen(scheme)) == 0;
  const fcps_status status = has_port ? read_url(c, url, fragment, error) : read_socket_url(c, url, fragment, error);
  if (status != FCPS_OK) return status;
  if (token != NULL && strlen(token) >= sizeof c->token)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "token",
                          "this is longer than a token; give the line of a token file");
  if (token != NULL && copy_part(c->token, sizeof c->token, token, strlen(token))) return FCPS_OK;
  if (fragment != NULL && strncmp(fragment, mark, strlen(mark)) == 0 &&
      copy_part(c->token, sizeof c->token, fragment + strlen(mark), strlen(fragment + strlen(mark))))
    return FCPS_OK;
  return find_token(c, error);
}

void fcps_client_write_address(const fcps_client *c, size_t size, char *text)
{
  const bool is_six = strchr(c->host, ':') != NULL;
  if (c->socket[0] != '\0')
    snprintf(text, size, "%s%s/%s", socket_scheme, c->socket, c->study);
  else
    snprintf(text, size, is_six ? "http://[%s]:%s/%s" : "http://%s:%s/%s", c->host, c->port, c->study);
}

/* Returns the part of an address behind http:// or https://, also in --store=http://...; NULL if the text has no
 * address. */
static char *find_address(char *text)
{
  static const char *const schemes[] = {"http://", "https://"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    char *found = strstr(text, schemes[i]);
    if (found != NULL) return found + strlen(schemes[i]);
  }
  return NULL;
}

/* Hides a token in a wrong place, as in USER:TOKEN@HOST or behind a misspelt #token=. The token becomes points, and
 * the address is refused later. */
static void hide_misplaced(char *rest)
{
  const size_t place = strcspn(rest, "/#");
  char *at = memchr(rest, '@', place), *fragment = strchr(rest, '#');
  if (fragment != NULL) memset(fragment + 1, '.', strlen(fragment + 1));
  if (at != NULL) memset(rest, '.', (size_t)(at - rest));
}

bool fcps_client_take_token(char *text, fcps_client *owner)
{
  char *found = strstr(text, mark), *rest = find_address(text);
  fcps_error unwanted;
  if (strpbrk(text, " \t\n") != NULL) return false; /* A text with blanks is meant for people, and is not an address. */
  const bool is_taken =
      found != NULL && fcps_client_is_url(text) && fcps_client_open(owner, text, NULL, &unwanted) == FCPS_OK;
  if (found != NULL) memset(found, 0, strlen(found));
  if (rest != NULL) hide_misplaced(rest);
  return is_taken;
}

bool fcps_client_is_same_server(const fcps_client *one, const char *url)
{
  fcps_client other;
  fcps_error unwanted;
  return fcps_client_open(&other, url, "-", &unwanted) == FCPS_OK && strcmp(one->host, other.host) == 0 &&
         strcmp(one->port, other.port) == 0 && strcmp(one->socket, other.socket) == 0;
}

/* -- One call -- */

/* Returns the seconds within which an answer must come. A call that changes a study may have to wait until its
 * learner has computed. */
static int patience(const fcps_client *c, const char *path, const char *body)
{
  const char *given = getenv("FCPS_SERVER_WAIT");
  const int seconds = given != NULL ? atoi(given) : 0;
  if (c->wait_s > 0) return c->wait_s;
  if (seconds > 0) return seconds;
  return body != NULL && strchr(path + 1, '/') != strrchr(path, '/') ? COMPUTE_S : LOOK_S;
}

/* Writes the name under which the client calls the server: 127.0.0.1:8017, [::1]:8017, or localhost for a socket in the
 * file system. */
static void write_host(const fcps_client *c, size_t size, char *text)
{
  snprintf(text, size,
           c->port[0] == '\0'             ? "%s"
           : strchr(c->host, ':') != NULL ? "[%s]:%s"
                                          : "%s:%s",
           c->host, c->port);
}

static bool send_request(const fcps_client *c, fcps_channel *channel, const char *path, const char *body)
{
  char head[2048], host[sizeof c->host + 16], more[128] = "\r\n";
  write_host(c, sizeof host, host);
  const int length = snprintf(head, sizeof head,
                              "%s %.1000s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n",
                              body != NULL ? "POST" : "GET", path, host, c->token);
  if (body != NULL)
    snprintf(more, sizeof more, "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n", strlen(body));
  return length > 0 && length < (int)sizeof head && fcps_channel_send(channel, head, (size_t)length) &&
         fcps_channel_send(channel, more, strlen(more)) &&
         (body == NULL || fcps_channel_send(channel, body, strlen(body)));
}

static bool send_question(fcps_channel *channel, const char *nonce, const char *address, const char *host)
{
  char words[3 * FCPS_PROOF_ADDRESS_SIZE + 1], name[3 * 300], head[2048];
  fcps_client_encode(address, sizeof words, words);
  fcps_client_encode(host, sizeof name, name);
  const int length =
      snprintf(head, sizeof head, "GET /v1/proof?nonce=%s&address=%s&host=%s HTTP/1.1\r\nHost: %s\r\n\r\n", nonce,
               words, name, host);
  return length > 0 && length < (int)sizeof head && fcps_channel_send(channel, head, (size_t)length);
}

static bool holds_proof(const fcps_channel_answer *answer, const char *expected)
{
  fcps_json *json = NULL;
  if (answer->status != 200 || fcps_json_read(&json, answer->body, answer->length, "the proof", NULL) != FCPS_OK)
    return false;
  const char *proof = fcps_json_text(fcps_json_get(json, "proof"));
  const bool is_right = proof != NULL && strcmp(proof, expected) == 0;
  fcps_json_destroy(json);
  return is_right;
}

/* Makes the answer to a call if the server gave no proof. If the server was busy, or refused the address, its own
 * refusal is the answer; otherwise the answer says that the token was not sent. */
static void refuse_stranger(fcps_channel_answer *answer)
{
  static const char unknown[] =
      "{\"error\":{\"code\":\"E_TOKEN\",\"field\":\"\",\"message\":\"what listens there did not prove that it knows "
      "the token, so the token was not sent. Is it another program, or a server with another token? The token file of "
      "the server has the right one (FCPS_TOKEN_FILE, or #token=... of the address)\"}}";
  if (answer->status == 403 || answer->status == 429 || answer->status == 503) return;
  fcps_free(answer->body);
  *answer = (fcps_channel_answer){.status = 401, .body = fcps_copy_text(unknown), .length = strlen(unknown)};
}

/* Asks the server to prove that it knows the token. Returns false if it did not; *answer is then the answer to the
 * call, or empty if the server sent nothing. */
static bool is_proven(const fcps_client *c, fcps_channel *channel, fcps_channel_answer *answer)
{
  char nonce[FCPS_PROOF_NONCE_SIZE], address[FCPS_PROOF_ADDRESS_SIZE], host[sizeof c->host + 16],
      expected[FCPS_HMAC_SIZE];
  fcps_proof_address(channel->socket, false, address);
  write_host(c, sizeof host, host);
  if (!fcps_hex_draw(FCPS_PROOF_NONCE_LENGTH / 2, nonce) || !send_question(channel, nonce, address, host) ||
      !fcps_channel_receive(channel, PROOF_MAX, answer))
    return false;
  fcps_proof_write(c->token, nonce, address, host, expected);
  const bool is_right = holds_proof(answer, expected);
  if (is_right) {
    fcps_free(answer->body);
    *answer = (fcps_channel_answer){0};
  } else {
    refuse_stranger(answer);
  }
  return is_right;
}

/* Tells whether an answer has the type that was asked for. A page that a proxy sends with the status of success has
 * another type. */
static bool is_of_type(const fcps_channel_answer *answer, const char *type)
{
  return type == NULL || answer->status >= 300 ||
         (strncmp(answer->type, type, strcspn(type, ";")) == 0 && strlen(answer->type) == strcspn(type, ";"));
}

fcps_status fcps_client_call(const fcps_client *c, const char *path, const char *body, const char *type,
                             int *http_status, char **answer, size_t *length, fcps_error *error)
{
  fcps_channel channel;
  fcps_channel_answer got = {0};
  const int wait_s = patience(c, path, body), look_s = wait_s < LOOK_S || c->wait_s > 0 ? wait_s : LOOK_S;
  *answer = NULL;
  *http_status = -1;
  fcps_status status = fcps_channel_open(&channel, c, look_s, error);
  if (status != FCPS_OK) return status;
  if (c->socket[0] != '\0' || is_proven(c, &channel, &got)) {
    fcps_channel_wait(&channel, wait_s);
    *http_status = 0;
    (void)(send_request(c, &channel, path, body) && fcps_channel_receive(&channel, ANSWER_MAX, &got));
  }
  if (got.body != NULL && !is_of_type(&got, type)) {
    channel.failure = FCPS_CHANNEL_ODD;
    fcps_free(got.body);
    got = (fcps_channel_answer){0};
  }
  if (got.body != NULL)
    *http_status = got.status;
  else
    status = fcps_channel_explain(&channel, error);
  fcps_channel_close(&channel);
  if (*got.study != '\0' && c->identity != NULL) memcpy(c->identity, got.study, sizeof got.study);
  *answer = got.body;
  *length = got.length;
  return status;
}

/* -- The file of the token --
 *
 * A token is made once and then stays, so a page and a robot can still call a server that was started again. From the
 * first moment only its owner can read the file, and it is never reached through a symbolic link. */

fcps_status fcps_token_place(size_t size, char *path, fcps_error *error)
{
  const char *given = getenv("FCPS_TOKEN_FILE"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  int length = -1;
  if (given != NULL && *given != '\0')
    length = snprintf(path, size, "%s", given);
  else if (state != NULL && *state == '/')
    length = snprintf(path, size, "%s/fcps/token", state);
  else if (home != NULL && *home == '/')
    length = snprintf(path, size, "%s/.local/state/fcps/token", home);
  if (length > 0 && (size_t)length < size) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--token-file",
                        "there is no home folder to keep the token in; give --token-file FILE or FCPS_TOKEN_FILE");
}

/* Reads a token from an open file. If the file has other contents, its owner may need them, so the error does not say
 * to remove the file. */
static fcps_status read_open_file(int file, const char *path, char token[FCPS_TOKEN_SIZE], fcps_error *error)
{
  struct stat about;
  char text[FCPS_TOKEN_SIZE + 2] = "";
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid())
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, "token",
                         "this is not a token file of yours; name another one with --token-file or FCPS_TOKEN_FILE");
  const ssize_t length = read(file, text, sizeof text - 1);
  if (length > 0 && text[length - 1] == '\n') text[length - 1] = '\0';
  if (length < 0 || !fcps_hex_is(text, FCPS_TOKEN_LENGTH))
    return fcps_error_at(error, FCPS_ERR_FORMAT, path, 0, 0, "token",
                         "this is not a token file, which has one line of %d digits 0-9a-f; name another file with "
                         "--token-file or FCPS_TOKEN_FILE (fcps serve makes one that is not there)",
                         (int)FCPS_TOKEN_LENGTH);
  if ((about.st_mode & 077) != 0)
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, "token",
                         "others may read this file, so its token is not secret; remove it, and a new one is made");
  memcpy(token, text, FCPS_TOKEN_SIZE);
  return FCPS_OK;
}

fcps_status fcps_token_read(const char *path, char token[FCPS_TOKEN_SIZE], fcps_error *error)
{
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, "token",
                         "the token cannot be read: %s; fcps serve makes it, and FCPS_TOKEN_FILE names another file",
                         strerror(errno));
  const fcps_status status = read_open_file(file, path, token, error);
  close(file);
  return status;
}

static fcps_status make_folder_of(const char *path, fcps_error *error)
{
  char folder[4096];
  const char *slash = strrchr(path, '/');
  if (slash == NULL || slash == path) return FCPS_OK;
  snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
  return fcps_file_make_directory(folder, error);
}

fcps_status fcps_token_take(const char *path, char token[FCPS_TOKEN_SIZE], fcps_error *error)
{
  fcps_status status = make_folder_of(path, error);
  if (status != FCPS_OK) return status;
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0 && errno == EEXIST) return fcps_token_read(path, token, error);
  if (file < 0)
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, "token", "the token cannot be kept: %s", strerror(errno));
  char line[FCPS_TOKEN_SIZE + 1];
  const bool is_drawn = fcps_hex_draw(FCPS_TOKEN_LENGTH / 2, token);
  snprintf(line, sizeof line, "%s\n", is_drawn ? token : "");
  const bool is_kept = is_drawn && write(file, line, strlen(line)) == (ssize_t)strlen(line) && fsync(file) == 0;
  close(file);
  if (is_kept) return FCPS_OK;
  unlink(path);
  return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, "token", "the token could not be %s",
                       is_drawn ? "written" : "drawn: the system has no random numbers");
}

bool fcps_token_is(const char token[FCPS_TOKEN_SIZE], const char *text)
{
  const size_t length = strlen(text);
  unsigned difference = (unsigned)(length ^ FCPS_TOKEN_LENGTH);
  for (size_t i = 0; i < FCPS_TOKEN_LENGTH; i++)
    difference |= (unsigned char)token[i] ^ (unsigned char)(i < length ? text[i] : 0);
  return difference == 0;
}

/* -- The proof --
 *
 * Its message has one line for each value. No value contains a line feed, so different values never give the same
 * message. */

/* Writes an address in the same form at both ends: an IPv4 address within IPv6 (::ffff:127.0.0.1) becomes an IPv4
 * address, and the zone is left out because the two ends may name it differently. */
static void write_address(const struct sockaddr_storage *end, char address[FCPS_PROOF_ADDRESS_SIZE])
{
  const struct sockaddr_in *four = (const struct sockaddr_in *)end;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)end;
  char host[INET6_ADDRSTRLEN] = "";
  *address = '\0';
  if (end->ss_family != AF_INET && end->ss_family != AF_INET6) return;
  if (end->ss_family == AF_INET)
    inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
  else if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
    inet_ntop(AF_INET, six->sin6_addr.s6_addr + 12, host, sizeof host);
  else
    inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
  snprintf(address, FCPS_PROOF_ADDRESS_SIZE, strchr(host, ':') != NULL ? "[%s]:%d" : "%s:%d", host,
           ntohs(end->ss_family == AF_INET ? four->sin_port : six->sin6_port));
}

void fcps_proof_address(int connection, bool is_own, char address[FCPS_PROOF_ADDRESS_SIZE])
{
  struct sockaddr_storage end = {0};
  struct sockaddr *generic = (struct sockaddr *)&end;
  socklen_t length = sizeof end;
  *address = '\0';
  const int failed = is_own ? getsockname(connection, generic, &length) : getpeername(connection, generic, &length);
  if (failed == 0) write_address(&end, address);
}

void fcps_proof_write(const char *token, const char *nonce, const char *address, const char *host,
                      char proof[FCPS_HMAC_SIZE])
{
  char message[512];
  snprintf(message, sizeof message, "fcps server\n%.40s\n%.64s\n%.300s\n", nonce, address, host);
  fcps_hmac(token, strlen(token), message, strlen(message), proof);
}

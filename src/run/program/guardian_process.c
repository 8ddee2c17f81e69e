/* SPDX-License-Identifier: Apache-2.0 */
/* The guardian itself: the process that starts the program and outlives it.
 *
 * It is a copy of a process that may have many threads, so it calls only functions that are safe after fork: it
 * allocates no memory and prints nothing. It blocks all signals. It keeps only three descriptors: its channel, the hold
 * and the study file.
 *
 * On Linux it is a subreaper: whatever the program starts becomes the guardian's own child when its parent ends,
 * whichever group or session it has moved to. So its list of children is all that it needs to end everything: it kills
 * its children, their children become its own, until the list is empty. On a system without subreapers it ends the
 * process group of the program. */
#ifdef __linux__
#define _GNU_SOURCE /* syscall, vfork */
#endif
#include "run/program/guardian.h"

#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#endif

extern char **environ;

/* The numbers of the guardian's descriptors. */
enum { CHANNEL = 3, HOLD, KEPT, INPUT, OUTPUT, ERRORS, FIRST_FREE };

enum { MOST_TOLD = 256, LIST_SIZE = 4096, NAP_MS = 5, LONG_NAP_MS = 100, WATCH_MS = 50, MOST_DESCRIPTORS = 65536 };

/* The exit codes with which a shell says why it could not start a program. */
enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* -- What the system offers: all that is not POSIX is here -- */

/* Makes this process the parent of orphans among its descendants. */
static void adopt_orphans(void)
{
#ifdef PR_SET_CHILD_SUBREAPER
  prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
  prctl(PR_SET_NAME, "guardian", 0L, 0L, 0L);
#endif
}

/* Makes the program end with its guardian, however the guardian ends. The guardian has only one thread, so the signal
 * comes when its process ends. */
static void die_with(pid_t guardian)
{
#ifdef PR_SET_PDEATHSIG
  prctl(PR_SET_PDEATHSIG, (long)SIGKILL, 0L, 0L, 0L);
#endif
  if (getppid() != guardian) _exit(EXIT_NOT_EXECUTABLE);
}

/* Returns a descriptor that can be polled for the end of a process; -1 if the system has none. The caller then checks
 * at intervals. */
static int open_process(pid_t pid)
{
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, pid, 0);
#else
  (void)pid;
  return -1;
#endif
}

/* Returns a descriptor that can be polled for children that end or are adopted; -1 if the system has none. The caller
 * then checks at intervals. */
static int open_children(void)
{
#ifdef __linux__
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  return signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
#else
  return -1;
#endif
}

static void close_from(int first)
{
#ifdef SYS_close_range
  if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0) return;
#endif
  const long limit = sysconf(_SC_OPEN_MAX);
  for (int file = first; file < MOST_DESCRIPTORS && file < limit; file++)
    close(file);
}

/* Lists the children of this process, dead or alive, as numbers separated by spaces; "" if the system does not say. */
static void read_children(char list[LIST_SIZE])
{
  ssize_t length = 0;
#ifdef __linux__
  const int file = open("/proc/thread-self/children", O_RDONLY);
  if (file >= 0) {
    length = read(file, list, LIST_SIZE - 1);
    close(file);
  }
#endif
  list[length > 0 ? length : 0] = '\0';
}

/* -- Small things that are safe after fork -- */

static void report_to(int channel, guardian_report_kind kind, int value)
{
  const guardian_report report = {(int32_t)kind, value};
  (void)!write(channel, &report, sizeof report);
}

static void report(guardian_report_kind kind, int value)
{
  report_to(CHANNEL, kind, value);
}

/* Returns the next number of a list in which a space follows each number; 0 if there is none, or if the last number was
 * cut off. */
static pid_t next_number(const char **list)
{
  pid_t number = 0;
  for (; **list >= '0' && **list <= '9'; ++*list)
    number = number * 10 + (**list - '0');
  if (**list != ' ') return 0;
  ++*list;
  return number;
}

/* -- The beginning -- */

/* Moves the descriptors to the numbers that the guardian uses, and closes all others. Returns false if nothing was
 * changed. */
static bool settle(const fcps_guardian_launch *launch, int channel)
{
  enum { COUNT = FIRST_FREE - CHANNEL };
  const int from[COUNT] = {channel, launch->hold, launch->kept, launch->ends[0], launch->ends[1], launch->ends[2]};
  int copy[COUNT];
  /* The old and new numbers may overlap, so the descriptors are first moved out of the way. */
  for (int i = 0; i < COUNT; i++) {
    copy[i] = from[i] >= 0 ? fcntl(from[i], F_DUPFD, FIRST_FREE) : -1;
    if (from[i] >= 0 && copy[i] < 0) return false;
  }
  for (int i = 0; i < COUNT; i++) {
    if (copy[i] < 0) close(CHANNEL + i);
    if (copy[i] >= 0 && dup2(copy[i], CHANNEL + i) < 0) _exit(1);
  }
  for (int file = 0; file < CHANNEL; file++)
    close(file);
  close_from(FIRST_FREE);
  return true;
}

static _Noreturn void become_program(const fcps_guardian_launch *launch, pid_t guardian)
{
  static const int defaults[] = {SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGCHLD};
  sigset_t none;
  setpgid(0, 0);
  die_with(guardian);
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
    signal(defaults[i], SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int i = 0; i < 3; i++)
    if (dup2(INPUT + i, i) < 0) _exit(EXIT_NOT_EXECUTABLE);
  close(CHANNEL);
  close_from(HOLD + 1); /* The hold stays open: as long as a process has it, the study is held. */
  if (launch->folder != NULL && chdir(launch->folder) != 0) _exit(EXIT_NOT_EXECUTABLE);
  /* The guardian itself reads no environment variable. */
  if (launch->environment != NULL) environ = launch->environment;
  execvp(launch->command[0], (char *const *)(uintptr_t)launch->command);
  _exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

/* Starts the program, if possible without copying the memory of this process. */
static pid_t start_program(const fcps_guardian_launch *launch)
{
  const pid_t guardian = getpid();
#ifdef __linux__
  const pid_t program = vfork();
#else
  const pid_t program = fork();
#endif
  if (program == 0) become_program(launch, guardian);
  return program;
}

/* -- The program -- */

/* What a guardian knows about its program. */
typedef struct charge {
  pid_t program;
  int children_file; /* descriptor to poll for the end of a child; -1: none */
  bool has_reported; /* the end of the program was reported */
  int told_count;
  pid_t told[MOST_TOLD]; /* the processes that got TERM */
} charge;

/* Whether the program has ended; reports it once. The program is not reaped, so that its process group keeps its
 * number. */
static bool has_ended(charge *c)
{
  siginfo_t info;
  memset(&info, 0, sizeof info);
  if (waitid(P_PID, (id_t)c->program, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != c->program)
    return false;
  /* The value is a status as of waitpid: the exit code in the second byte, or the signal in the first. */
  if (!c->has_reported)
    report(GUARDIAN_ENDED, info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : info.si_status & 0x7f);
  c->has_reported = true;
  return true;
}

/* Discards the signals that announced the end of children. The caller looks at the children next. */
static void forget_signals(const charge *c)
{
  char bytes[1024];
  while (c->children_file >= 0 && read(c->children_file, bytes, sizeof bytes) > 0)
    continue;
}

/* -- What the program has started -- */

static void tell_once(charge *c, pid_t pid)
{
  if (getpgid(pid) == c->program) return; /* The process got TERM together with its group. */
  for (int i = 0; i < c->told_count; i++)
    if (c->told[i] == pid) return;
  if (c->told_count == MOST_TOLD) return; /* The list is full: further processes get no TERM, only KILL. */
  c->told[c->told_count++] = pid;
  kill(pid, SIGTERM);
  kill(pid, SIGCONT); /* A stopped process does not react to TERM until it continues. */
}

/* Names a process that cannot be ended: in a report to fcps, and in the lock file, for others that find the study
 * held. */
static void name_left(pid_t process)
{
  char line[64] = "\nprocess ", digits[16];
  size_t length = strlen(line), count = 0;
  struct stat info;
  report(GUARDIAN_LEFT, process);
  for (; process > 0 && count < sizeof digits; process /= 10)
    digits[count++] = (char)('0' + process % 10);
  while (count > 0)
    line[length++] = digits[--count];
  static const char rest[] = " could not be ended";
  memcpy(line + length, rest, sizeof rest - 1);
  length += sizeof rest - 1;
  if (fstat(HOLD, &info) == 0) (void)!pwrite(HOLD, line, length, info.st_size);
}

/* Sends a signal to all children except the program, reaps those that have ended, and returns how many are left.
 * SIGTERM goes to each process only once; 0 sends nothing. */
static int count_others(charge *c, int signal_number, bool is_named)
{
  char list[LIST_SIZE];
  const char *rest = list;
  int count = 0;
  read_children(list);
  for (pid_t pid = next_number(&rest); pid != 0; pid = next_number(&rest)) {
    if (pid == c->program || waitpid(pid, NULL, WNOHANG) != 0) continue;
    count++;
    if (signal_number == SIGTERM) tell_once(c, pid);
    if (signal_number == SIGKILL) kill(pid, SIGKILL);
    if (is_named) name_left(pid);
  }
  return count;
}

/* -- Until the end of everything -- */

/* Waits until the program ends, the order to end comes, or the process that could give it is gone. Returns how many
 * milliseconds the program may take to end without a signal. */
static int watch(charge *c, pid_t parent)
{
  struct pollfd ends[3] = {{.fd = CHANNEL, .events = POLLIN},
                           {.fd = c->children_file, .events = POLLIN},
                           {.fd = open_process(parent), .events = POLLIN}};
  const int wait_ms = ends[1].fd >= 0 && ends[2].fd >= 0 ? -1 : WATCH_MS;
  for (;;) {
    forget_signals(c);
    if (has_ended(c)) return 0;
    count_others(c, 0, false); /* Reaps orphans that have ended. */
    /* Another child of the parent may have a copy of the other end of the channel. So the end of the parent itself
     * counts, not only the end of the channel. */
    if (getppid() != parent) return GUARDIAN_ORPHAN_MS;
    if (poll(ends, 3, wait_ms) <= 0 || !ends[0].revents) continue;
    guardian_order order;
    return read(CHANNEL, &order, sizeof order) == (ssize_t)sizeof order ? order.patience_ms : GUARDIAN_ORPHAN_MS;
  }
}

/* Sends a signal to the program, whichever group it is in, and to its original group. */
static void signal_program(const charge *c, int signal_number)
{
  if (getpgid(c->program) != c->program) kill(c->program, signal_number);
  kill(-c->program, signal_number);
  /* A process that is stopped reacts to SIGTERM only after it is continued. */
  if (signal_number == SIGTERM) kill(-c->program, SIGCONT);
}

/* Waits until all processes have ended, and sends them a signal meanwhile. Returns false if the time was too short. If
 * the signal is 0, waits only for the program. */
static bool all_end_within(charge *c, int limit_ms, int signal_number)
{
  const double limit = fcps_clock_seconds() + limit_ms / 1000.0;
  if (signal_number != 0) signal_program(c, signal_number);
  for (;;) {
    /* The order matters: an orphan becomes a child of this process before its parent counts as ended. */
    const bool is_gone = has_ended(c);
    if (count_others(c, signal_number, false) == 0 && is_gone) return true;
    if (fcps_clock_seconds() >= limit || (signal_number == 0 && is_gone)) return false;
    forget_signals(c);
    poll(&(struct pollfd){.fd = c->children_file, .events = POLLIN}, 1, NAP_MS);
  }
}

static void end_all(charge *c, int patience_ms)
{
  if (all_end_within(c, patience_ms, 0)) return;
  if (all_end_within(c, GUARDIAN_KILL_AFTER_MS, SIGTERM)) return;
  if (all_end_within(c, GUARDIAN_NAME_AFTER_MS, SIGKILL)) return;
  /* The program is in a call that cannot be interrupted, or belongs to another user. It is named, and waited for. */
  if (!has_ended(c)) name_left(c->program);
  count_others(c, SIGKILL, true);
  while (!all_end_within(c, LONG_NAP_MS, SIGKILL))
    continue;
}

_Noreturn void fcps_guardian_live(const fcps_guardian_launch *launch, int channel, pid_t parent)
{
  charge c = {0};
  signal(SIGCHLD, SIG_DFL);
  setpgid(0, 0);
  adopt_orphans();
  const bool is_settled = settle(launch, channel);
  c.program = is_settled ? start_program(launch) : -1;
  if (c.program < 0) {
    report_to(is_settled ? CHANNEL : channel, GUARDIAN_UNBORN, 0);
    report_to(is_settled ? CHANNEL : channel, GUARDIAN_OVER, 0);
    _exit(1);
  }
  setpgid(c.program, c.program); /* Parent and child both set the group, so that it is set by whoever is first. */
  for (int file = INPUT; file <= ERRORS; file++)
    close(file);
  c.children_file = open_children();
  report(GUARDIAN_STARTED, c.program);
  const int patience_ms = watch(&c, parent);
  end_all(&c, patience_ms);
  waitpid(c.program, NULL, WNOHANG);
  report(GUARDIAN_OVER, 0);
  _exit(0);
}

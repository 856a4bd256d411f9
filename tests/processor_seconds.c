// Runs a command, and writes the processor seconds (user and system) that it and its ended children took into a file:
//
//   processor_seconds FOLDER NAME COMMAND...      FOLDER/NAME
//
// The command's exit code is its own; where a signal ends the command, the same one ends this.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

// Names of parametrised suites have slashes, and files have none.
static void keep(const char* folder, const char* name, double seconds) {
  char path[4096];
  const int begin = snprintf(path, sizeof path, "%s/", folder);
  if (begin + (int)strlen(name) >= (int)sizeof path) return;
  strcpy(path + begin, name);
  for (char* c = path + begin; *c != '\0'; ++c)
    if (*c == '/') *c = ':';
  FILE* const file = fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%.2f\n", seconds);
  fclose(file);
}

int main(int count, char** words) {
  if (count < 4) {
    fprintf(stderr, "usage: processor_seconds FOLDER NAME COMMAND...\n");
    return 2;
  }
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // ctest ends what takes too long
    execvp(words[3], words + 3);
    perror(words[3]);
    _exit(127);
  }
  int status = 0;
  struct rusage used;
  while (wait4(child, &status, 0, &used) < 0) {}
  keep(words[1], words[2], seconds_of(used.ru_utime) + seconds_of(used.ru_stime));
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  return WEXITSTATUS(status);
}

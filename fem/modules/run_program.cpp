#include "fem/modules/run_program.hpp"

#include "device/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace ritz {

std::optional<ProgramOutcome> run_program(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorKind::no_compiler, fmt::format("no pipe to '{}': {}", arguments[0], std::strerror(errno)));
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int status = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (status != 0) {
    close(ends[0]);
    if (status == ENOENT || status == EACCES) return std::nullopt;
    throw Error(ErrorKind::no_compiler, fmt::format("'{}' cannot be started: {}", arguments[0], std::strerror(status)));
  }
  ProgramOutcome outcome{};
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (got > 0) outcome.output.append(buffer, static_cast<std::size_t>(got));
    else if (errno != EINTR) break;
  }
  close(ends[0]);
  int ended = 0;
  while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {}
  outcome.exit = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
  return outcome;
}

}  // namespace ritz

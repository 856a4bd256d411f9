#include "device/process/process_start.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace ritz {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// At least so long ago: the system's note is the tick before the start. 0: not known.
double age_by_the_system() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/stat", "r"), std::fclose);
  char line[1024];
  if (!file || std::fgets(line, sizeof line, file.get()) == nullptr) return 0;
  const char* field = std::strrchr(line, ')');  // the program's name, field 2, may hold anything
  for (int number = 2; field != nullptr && number < 22; ++number) field = std::strchr(field + 1, ' ');
  if (field == nullptr) return 0;
  const double tick = 1 / double(sysconf(_SC_CLK_TCK));
  return seconds_of(CLOCK_BOOTTIME) - (std::strtod(field, nullptr) + 1) * tick;
}

}  // namespace

double process_age() {
  using Clock = std::chrono::steady_clock;
  static const double age = std::max(age_by_the_system(), seconds_of(CLOCK_THREAD_CPUTIME_ID));
  static const Clock::time_point then = Clock::now();  // later than that age, which is one of at least
  return age + std::chrono::duration<double>(Clock::now() - then).count();
}

void keep_standard_streams_open() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", O_RDWR);  // takes the lowest number that is free
}

}  // namespace ritz

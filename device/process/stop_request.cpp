#include "device/process/stop_request.hpp"

#include "device/process/stop_source.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include <pthread.h>
#include <unistd.h>

#include <fmt/core.h>

namespace ritz {
namespace {

using Clock = std::chrono::steady_clock;  // a jump of the wall clock is no time passed

std::atomic<int> received{0};
std::atomic<Clock::rep> deadline{std::numeric_limits<Clock::rep>::max()};
std::atomic<double> time_limit{0};

struct Slot {
  std::atomic<int> state{0};  // 0 free, 1 being filled, 2 valid
  std::array<char, 4096> path{};
};
std::array<Slot, 8> slots;

void remove_promised_files() {
  for (Slot& slot : slots)
    if (slot.state.load() == 2) ::unlink(slot.path.data());
}

// Only what signal-safety(7) allows.
void on_signal(int signal) {
  int none = 0;
  if (received.compare_exchange_strong(none, signal)) return;
  remove_promised_files();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

// The program around Ritz, if it is to be asked.
std::mutex asking;
std::function<bool()> around;
std::atomic<bool> is_to_be_asked{false};
std::atomic<Clock::rep> asked_last{0};

void ask_the_program_around() {
  if (!is_to_be_asked.load(std::memory_order_relaxed)) return;
  constexpr Clock::duration pause = std::chrono::milliseconds(20);
  const Clock::rep now = Clock::now().time_since_epoch().count();
  if (now - asked_last.load(std::memory_order_relaxed) < pause.count()) return;
  const std::unique_lock alone(asking, std::try_to_lock);
  if (!alone || !around) return;
  asked_last = now;
  int none = 0;
  if (around()) received.compare_exchange_strong(none, SIGINT);
}

bool late() { return Clock::now().time_since_epoch().count() >= deadline.load(std::memory_order_relaxed); }

const char* name_of_signal(int signal) {
  return signal == SIGINT    ? "Ctrl-C (SIGINT)"
         : signal == SIGTERM ? "SIGTERM"
         : signal == SIGHUP  ? "SIGHUP"
                             : "a signal";
}

}  // namespace

namespace {

// Held by the watching thread while the process ends: nobody enters or leaves long work then.
std::mutex entering;
int long_works = 0;  // under way, one within the other
std::function<int()> end_of_long_work;

[[noreturn]] void end_process(int code) {
  remove_promised_files();
  std::fflush(nullptr);
  if (const int signal = received.load(); signal != 0 && code == static_cast<int>(exit_of_signal(signal))) {
    std::signal(signal, SIG_DFL);  // the shell is to see that a signal ended us
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    ::raise(signal);
  }
  std::_Exit(code);
}

void* watch(void*) {
  constexpr std::chrono::milliseconds glance{50}, grace{500};
  Clock::time_point asked{};
  while (true) {
    timespec pause{0, std::chrono::nanoseconds(glance).count()};
    ::nanosleep(&pause, nullptr);
    if (received.load() == 0 && !late()) continue;
    if (asked == Clock::time_point{}) asked = Clock::now();
    if (Clock::now() - asked < grace) continue;
    const std::lock_guard ends(entering);
    if (long_works > 0) end_process(end_of_long_work());
  }
}

}  // namespace

LongWork::LongWork() {
  throw_if_stop_requested();
  const std::lock_guard enters(entering);
  ++long_works;
}

LongWork::~LongWork() {
  const std::lock_guard leaves(entering);
  --long_works;
}

void end_long_work_by(std::function<int()> ending) {
  end_of_long_work = std::move(ending);
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the others: they interrupt waits
  pthread_attr_t little;
  ::pthread_attr_init(&little);
  ::pthread_attr_setstacksize(&little, std::size_t{1} << 20);
  ::pthread_attr_setdetachstate(&little, PTHREAD_CREATE_DETACHED);
  pthread_t watcher;
  ::pthread_create(&watcher, &little, watch, nullptr);  // without one, stops wait for the work
  ::pthread_attr_destroy(&little);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void listen_for_stop_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;  // nohup, background jobs
    action = {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART | SA_NODEFER;  // the raise above must end the process from within the handler
    ::sigaction(signal, &action, nullptr);
  }
}

void set_time_limit(double seconds) {
  time_limit = seconds;
  if (!(seconds > 0)) {
    deadline = std::numeric_limits<Clock::rep>::max();
    return;
  }
  // A limit beyond the clock's range is none.
  constexpr double longest = 1e9;
  if (seconds < longest)
    deadline = (Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)))
                   .time_since_epoch()
                   .count();
}

int stop_signal() noexcept { return received.load(); }

StopSource::StopSource(std::function<bool()> asked) {
  const std::lock_guard alone(asking);
  around = std::move(asked);
  is_to_be_asked = true;
}

StopSource::~StopSource() {
  const std::lock_guard alone(asking);
  is_to_be_asked = false;
  around = {};
  received = 0;
}

std::string stop_reason() {
  if (const int signal = received.load()) return fmt::format("stopped by {}", name_of_signal(signal));
  return late() ? fmt::format("stopped at the time limit of {} s", time_limit.load()) : "";
}

void throw_if_stop_requested() {
  ask_the_program_around();
  const int signal = received.load(std::memory_order_relaxed);
  if (signal == 0 && !late()) return;
  throw Error(kind_of_stop(signal != 0 ? exit_of_signal(signal) : time_is_up), stop_reason(),
              "what was committed before is whole; what was being computed is lost",
              signal != 0 ? "" : "give it more time with --time-limit, or a coarser mesh");
}

RemovedWhenStopped::RemovedWhenStopped(const std::string& path) noexcept {
  if (path.size() >= slots[0].path.size()) return;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    int free = 0;
    if (!slots[i].state.compare_exchange_strong(free, 1)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].state = 2;
    slot_ = static_cast<int>(i);
    return;
  }
}

RemovedWhenStopped::~RemovedWhenStopped() {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state = 0;
}

}  // namespace ritz

#include "io/results/background.hpp"

#include <chrono>
#include <utility>

namespace ritz {

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Background::throw_if_failed() const {
  if (error_) std::rethrow_exception(error_);
}

void Background::post(std::function<void()> job) {
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !next_ || error_; });
    throw_if_failed();
    next_ = std::move(job);
  }
  changed_.notify_all();
}

void Background::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return (!next_ && !busy_) || error_; });
  throw_if_failed();
}

void Background::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return next_ || ends_; });
    if (!next_ || error_) return;
    std::function<void()> job = std::exchange(next_, nullptr);
    busy_ = true;
    lock.unlock();
    changed_.notify_all();
    const auto start = std::chrono::steady_clock::now();
    std::exception_ptr error;
    try {
      job();
    } catch (...) { error = std::current_exception(); }
    job = nullptr;  // frees the memory of the job before others run
    lock.lock();
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    busy_ = false;
    error_ = error;
    changed_.notify_all();
    if (error_) return;
  }
}

}  // namespace ritz

// Errors inside OpenMP regions. An exception that leaves such a region ends the program, so threads that allocate or
// throw run their work through this, and the first error is thrown again after the region.
//
//   ParallelErrors errors;
//   #pragma omp parallel for
//   for (...) errors.run([&] { ... });      // does nothing once something has failed
//   errors.rethrow();
#pragma once

#include <atomic>
#include <exception>

namespace ritz {

class ParallelErrors {
 public:
  template <class F>
  void run(const F& f) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      f();
    } catch (...) {
      if (!failed_.exchange(true)) error_ = std::current_exception();
    }
  }
  bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }
  void rethrow() {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr error_;
};

}  // namespace ritz

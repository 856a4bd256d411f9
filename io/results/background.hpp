// Work beside the computation, one job after the other in one thread: results are written while the next ones are
// computed. At most one job waits while another runs, so at most two steps of results are held.
//
//   Background writing;
//   writing.post([fields = std::move(fields), &] { series.write(mesh, {.point_fields = fields}); });
//   writing.wait();   // all is done, or the error of the first job that failed
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace ritz {

class Background {
 public:
  Background() = default;
  Background(const Background&) = delete;
  ~Background();  // waits; an error not fetched by wait() is lost

  // Waits while another job waits. Throws what an earlier job threw; after that, jobs are not taken any more.
  using Job = std::function<void()>;
  void post(Job job);
  void wait();
  double seconds() const { return seconds_; }  // that jobs took, after wait()

 private:
  void work();
  void throw_if_failed() const;

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Job next_;
  std::exception_ptr error_;
  bool busy_ = false, ends_ = false;
  double seconds_ = 0;
};

}  // namespace ritz

// Increments of a load path: where they end, and how long the next one is after what the last ones took. Places count
// stages: 1.25 is a quarter of the second stage. Plain numbers; the state goes into checkpoints.
//
//   const LoadPath path({1, 0}, 4);                       // loads on, loads off, each in four increments
//   double to = path.next(at, size.next);                 // at most size.next further
//   size = after_success(size, to - at, steps, limits);   // or after_failure()
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ritz {

// Parts of a stage. Fixed increments n have 1 / n three times, but for halvings.
struct IncrementLimits {
  double first = 1, smallest = 1e-4, largest = 1;
  double cut = 0.25;  // factor after a failure
};

struct IncrementSize {
  double next = 0;
  int successes = 2;  // since the last failure
};

IncrementSize first_size(const IncrementLimits& limits);
// taken: its length; steps: Newton's.
IncrementSize after_success(const IncrementSize& size, double taken, int steps, const IncrementLimits& limits);
// nullopt: it would fall below the smallest one.
std::optional<IncrementSize> after_failure(double tried, const IncrementLimits& limits);

class LoadPath {
 public:
  LoadPath() = default;
  // parts [stage]: of the loads at its end. per_stage: fixed increments; 0: their sizes are chosen. durations [stage]:
  // empty: the path takes no time.
  LoadPath(std::vector<double> parts, int per_stage, std::vector<double> durations = {})
      : parts_(std::move(parts)), per_stage_(per_stage), durations_(std::move(durations)) {}

  double end() const { return static_cast<double>(parts_.size()); }
  int count() const { return per_stage_ * static_cast<int>(parts_.size()); }  // of fixed increments; 0: not known
  double part(double at) const;                                               // of the loads
  double time(double at) const;                                               // since the begin of the path
  bool takes_time(double at) const;                                           // do increments that begin here?
  double next(double at, double size) const;  // never beyond the end of a stage or of a fixed increment
  bool is_stop(double at) const;              // ends an increment that is shown and counted
  bool begins_stage(double at) const { return at == static_cast<double>(static_cast<int>(at)); }

 private:
  // The stage that ends here or contains the place, and the share of it that is passed.
  struct InStage {
    std::size_t stage;
    double share;
  };
  InStage in_stage(double at) const;
  // The last end of a fixed increment or stage up to `at`, in such lengths.
  double grid() const { return per_stage_ > 0 ? per_stage_ : 1; }

  std::vector<double> parts_;
  int per_stage_ = 0;
  std::vector<double> durations_;
};

}  // namespace ritz

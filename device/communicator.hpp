// The ranks that work on one problem: one today. The numbers that a solver's host code reads from a device are sums
// over all ranks, and this is the only way to them: with more ranks the exchange belongs here, and no solver changes.
//
//   Communicator(device).sum(numbers.data(), values);       // values[k] = sum over ranks of numbers[k]; waits
//
//   PendingSum sums(device, 6);                              // in a constructor
//   sums.begin(numbers.data(), 6);                           // behind what is launched so far
//   ...                                                      // launches that need no number of it
//   sums.finish(values);                                     // waits for the sum, not for those launches
#pragma once

#include "device/device.hpp"

#include <memory>
#include <span>

namespace ritz {

class Communicator {
 public:
  explicit Communicator(const Device& device) : device_(device) {}
  int rank() const { return 0; }
  int ranks() const { return 1; }

  // mine: [sums.size()] in the device's memory
  void sum(const double* mine, std::span<double> sums) const;
  double sum(const double* mine) const;
  // The same with the largest of the ranks' numbers in place of their sum.
  void largest(const double* mine, std::span<double> values) const;
  double largest(const double* mine) const;
  // Count over all ranks of what each owns: unknowns, cells.
  Index total(Index owned) const { return owned; }

 private:
  Device device_;
};

// A sum whose result the host looks at later. One at a time.
class PendingSum {
 public:
  PendingSum(const Device& device, int most);
  void begin(const double* mine, int count);
  void finish(std::span<double> sums);

 private:
  Device device_;
  std::unique_ptr<ScalarRead> read_;
};

}  // namespace ritz

// Sums of numbers in a device's memory: of this process, or over all ranks where the device is that of arrays divided
// among ranks (Device::with_sums; device/ranks/ranks.hpp makes it). Host code of solvers gets its numbers here alone.
//
//   Communicator(x.device()).sum(numbers.data(), values);   // values[k] = sum over ranks of numbers[k]; waits
//   Communicator(device).complete(numbers.data(), 2);       // the same in place, for kernels that read them
//
//   PendingSum sums(device, 6);                              // in a constructor
//   sums.begin(numbers.data(), 6);                           // after what is launched so far
//   ...                                                      // launches that need no number of it
//   sums.finish(values);                                     // waits for the sum, not for those launches
#pragma once

#include "device/device.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ritz {

// How numbers of this rank are combined with those of others, in one call of all of them.
struct SumsOverRanks {
  virtual ~SumsOverRanks() = default;
  int rank = 0, count = 1;
  virtual void sum(std::span<double> numbers) const = 0;
  virtual void largest(std::span<double> numbers) const = 0;
  virtual std::vector<Index> of_all(Index mine) const = 0;  // [rank]
  // In place of sum, numbers in the device's memory, without a wait of the host; false: not between these devices.
  virtual bool sum_on_device(const Device& device, double* numbers, int count) const = 0;
};
// Throws Error: Exit::internal where one array is divided among ranks and the other is not.
void check_same_ranks(const Device& a, const Device& b);

class Communicator {
 public:
  explicit Communicator(const Device& device) : device_(device) {}
  int rank() const;
  int ranks() const;

  // mine: [sums.size()] in the device's memory
  void sum(const double* mine, std::span<double> sums) const;
  double sum(const double* mine) const;
  // The same with the largest of the ranks' numbers in place of their sum.
  void largest(const double* mine, std::span<double> values) const;
  double largest(const double* mine) const;
  // Numbers in the device's memory become their sums over all ranks. One rank: nothing happens.
  void complete(double* numbers, int count) const;
  // Such numbers, once they are complete. Waits.
  void read(const double* complete, std::span<double> values) const;
  // For numbers of the host.
  double sum_of(double mine) const;
  double largest_of(double mine) const;
  // Count over all ranks of what each owns: unknowns, cells.
  Index total(Index owned) const;

 private:
  Device device_;
};

// A complete sum at which the host looks later. One at a time.
class PendingSum {
 public:
  PendingSum(const Device& device, int most);
  void begin(const double* complete, int count);
  void finish(std::span<double> sums);

 private:
  Device device_;
  std::unique_ptr<ScalarRead> read_;
};

}  // namespace ritz

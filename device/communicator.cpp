#include "device/communicator.hpp"

#include "device/error.hpp"

#include <array>

namespace ritz {
void check_same_ranks(const Device& a, const Device& b) {
  if (a.sums() != b.sums())
    throw Error(ErrorKind::internal, "an array divided among ranks was combined with one that is not", "", "");
}

int Communicator::rank() const { return device_.sums() == nullptr ? 0 : device_.sums()->rank; }
int Communicator::ranks() const { return device_.sums() == nullptr ? 1 : device_.sums()->count; }

void Communicator::sum(const double* mine, std::span<double> sums) const {
  device_.machine().read_scalars(sums.data(), mine, static_cast<int>(sums.size()));
  if (device_.sums() != nullptr) device_.sums()->sum(sums);
}

double Communicator::sum(const double* mine) const {
  double value = 0;
  sum(mine, {&value, 1});
  return value;
}

void Communicator::largest(const double* mine, std::span<double> values) const {
  device_.machine().read_scalars(values.data(), mine, static_cast<int>(values.size()));
  if (device_.sums() != nullptr) device_.sums()->largest(values);
}

double Communicator::largest(const double* mine) const {
  double value = 0;
  largest(mine, {&value, 1});
  return value;
}

void Communicator::complete(double* numbers, int count) const {
  const SumsOverRanks* const together = device_.sums();
  if (together == nullptr) return;
  if (together->sum_on_device(device_, numbers, count)) return;
  std::array<double, 16> few{};
  std::vector<double> many(static_cast<std::size_t>(count) > few.size() ? static_cast<std::size_t>(count) : 0);
  const std::span<double> sums(many.empty() ? few.data() : many.data(), static_cast<std::size_t>(count));
  sum(numbers, sums);
  device_.machine().copy_to_device(numbers, sums.data(), Index{sizeof(double)} * count);
}

void Communicator::read(const double* complete, std::span<double> values) const {
  device_.machine().read_scalars(values.data(), complete, static_cast<int>(values.size()));
}

double Communicator::sum_of(double mine) const {
  if (device_.sums() != nullptr) device_.sums()->sum({&mine, 1});
  return mine;
}

double Communicator::largest_of(double mine) const {
  if (device_.sums() != nullptr) device_.sums()->largest({&mine, 1});
  return mine;
}

Index Communicator::total(Index owned) const {
  if (device_.sums() == nullptr) return owned;
  Index sum = 0;
  for (const Index each : device_.sums()->of_all(owned)) sum += each;
  return sum;
}

PendingSum::PendingSum(const Device& device, int most)
    : device_(device), read_(device.machine().make_scalar_read(most)) {}

void PendingSum::begin(const double* complete, int count) { device_.machine().begin_read(*read_, complete, count); }

void PendingSum::finish(std::span<double> sums) {
  device_.machine().finish_read(*read_, sums.data(), static_cast<int>(sums.size()));
}

}  // namespace ritz

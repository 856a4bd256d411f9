#include "device/communicator.hpp"

#include <array>
#include <utility>

namespace ritz {
namespace {

const SumsOverRanks* together = nullptr;  // null: this process alone

}  // namespace

const SumsOverRanks* use_sums_over_ranks(const SumsOverRanks* sums) { return std::exchange(together, sums); }

int Communicator::rank() const { return together == nullptr ? 0 : together->rank; }
int Communicator::ranks() const { return together == nullptr ? 1 : together->count; }

void Communicator::sum(const double* mine, std::span<double> sums) const {
  device_.machine().read_scalars(sums.data(), mine, static_cast<int>(sums.size()));
  if (together != nullptr) together->sum(sums);
}

double Communicator::sum(const double* mine) const {
  double value = 0;
  sum(mine, {&value, 1});
  return value;
}

void Communicator::largest(const double* mine, std::span<double> values) const {
  device_.machine().read_scalars(values.data(), mine, static_cast<int>(values.size()));
  if (together != nullptr) together->largest(values);
}

double Communicator::largest(const double* mine) const {
  double value = 0;
  largest(mine, {&value, 1});
  return value;
}

void Communicator::complete(double* numbers, int count) const {
  if (together == nullptr) return;
  if (together->sum_on_device && together->sum_on_device(device_, numbers, count)) return;
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
  if (together != nullptr) together->sum({&mine, 1});
  return mine;
}

double Communicator::largest_of(double mine) const {
  if (together != nullptr) together->largest({&mine, 1});
  return mine;
}

Index Communicator::total(Index owned) const {
  Index sum = 0;
  if (together == nullptr) return owned;
  for (const Index each : together->of_all(owned)) sum += each;
  return sum;
}

PendingSum::PendingSum(const Device& device, int most)
    : device_(device), read_(device.machine().make_scalar_read(most)) {}

void PendingSum::begin(const double* complete, int count) { device_.machine().begin_read(*read_, complete, count); }

void PendingSum::finish(std::span<double> sums) {
  device_.machine().finish_read(*read_, sums.data(), static_cast<int>(sums.size()));
}

}  // namespace ritz

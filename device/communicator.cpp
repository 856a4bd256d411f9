#include "device/communicator.hpp"

namespace ritz {

void Communicator::sum(const double* mine, std::span<double> sums) const {
  device_.machine().read_scalars(sums.data(), mine, static_cast<int>(sums.size()));
}

double Communicator::sum(const double* mine) const {
  double value = 0;
  device_.machine().read_scalars(&value, mine, 1);
  return value;
}

void Communicator::largest(const double* mine, std::span<double> values) const {
  device_.machine().read_scalars(values.data(), mine, static_cast<int>(values.size()));
}

double Communicator::largest(const double* mine) const {
  double value = 0;
  device_.machine().read_scalars(&value, mine, 1);
  return value;
}

PendingSum::PendingSum(const Device& device, int most)
    : device_(device), read_(device.machine().make_scalar_read(most)) {}

void PendingSum::begin(const double* mine, int count) { device_.machine().begin_read(*read_, mine, count); }

void PendingSum::finish(std::span<double> sums) {
  device_.machine().finish_read(*read_, sums.data(), static_cast<int>(sums.size()));
}

}  // namespace ritz

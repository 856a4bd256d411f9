// On a CPU the numbers are in host memory: they are read once, so that loops keep the quotient in a register.
#pragma once

#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND {

class DeviceRatio {
 public:
  DeviceRatio(const Device& device, const double* numerator, const double* denominator) {
    const LaunchScope launch(device, "ratio");
    value_ = *denominator > 0 ? *numerator / *denominator : 0.0;
  }
  constexpr double value() const { return value_; }
  constexpr double at(Index) const { return value(); }

 private:
  double value_;
};

class DeviceQuotient {
 public:
  DeviceQuotient(const Device& device, const double* number) {
    const LaunchScope launch(device, "number");
    value_ = *number;
  }
  DeviceQuotient(const Device& device, const double* numerator, const double* denominator) {
    const LaunchScope launch(device, "ratio");
    value_ = *denominator != 0 ? *numerator / *denominator : 0.0;
  }
  constexpr double value() const { return value_; }

 private:
  double value_;
};

// A functor of numbers on the device, as a kernel takes it: here they are there, and ready() does the arithmetic once.
template <class F>
auto with_numbers(const F& f) {
  return f.ready();
}

}  // namespace ritz::RITZ_BACKEND

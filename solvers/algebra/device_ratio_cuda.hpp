// On a GPU the numbers are still to be written when the launch is queued: every thread reads them, once (ready()).
#pragma once

#include "device/device.hpp"

namespace ritz::RITZ_BACKEND {

struct KnownRatio {
  double known;
  constexpr double value() const { return known; }
  constexpr double at(Index) const { return known; }
};

class DeviceRatio {
 public:
  DeviceRatio(const Device&, const double* numerator, const double* denominator)
      : numerator_(numerator), denominator_(denominator) {}
  constexpr double value() const { return *denominator_ > 0 ? *numerator_ / *denominator_ : 0.0; }
  constexpr double at(Index) const { return value(); }
  constexpr KnownRatio ready() const { return {value()}; }

 private:
  const double *numerator_, *denominator_;
};

class DeviceQuotient {
 public:
  DeviceQuotient(const Device&, const double* number) : numerator_(number), denominator_(nullptr) {}
  DeviceQuotient(const Device&, const double* numerator, const double* denominator)
      : numerator_(numerator), denominator_(denominator) {}
  constexpr double value() const {
    if (denominator_ == nullptr) return *numerator_;
    return *denominator_ != 0 ? *numerator_ / *denominator_ : 0.0;
  }
  constexpr KnownRatio ready() const { return {value()}; }

 private:
  const double *numerator_, *denominator_;
};

// A functor of numbers on the device, as a kernel takes it: every thread calls ready() (launch_cuda.hpp).
template <class F>
const F& with_numbers(const F& f) {
  return f;
}

}  // namespace ritz::RITZ_BACKEND

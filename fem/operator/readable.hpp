// Private to fem/operator.
#pragma once

#include "device/array.hpp"

#include <span>

namespace ritz {

// Numbers of the host where kernels can read them: a copy on machines with memory of their own.
template <class T>
class Readable {
 public:
  Readable() = default;
  Readable(const Device& device, std::span<const T> numbers) : data_(numbers.data()) {
    if (!device.machine().is_apart() || numbers.empty()) return;
    copy_ = Array<T>(device, numbers, "coefficients");
    data_ = copy_.data();
  }
  const T* data() const { return data_; }

 private:
  Array<T> copy_;
  const T* data_ = nullptr;
};

}  // namespace ritz

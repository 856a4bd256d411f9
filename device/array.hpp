// A block of numbers on one device. The owner of its memory, and movable only. `upload`, `download` and `host` are
// the only ways across; each is counted in the device's traffic.
//
//   Array<double> x(device, 1000, "vectors");   x.fill_zero();   std::vector<double> values = x.host();
#pragma once

#include "device/device.hpp"
#include "device/staging.hpp"

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ritz {

[[noreturn]] void throw_size_mismatch(Index size, Index given);  // Error: Exit::internal

template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  // `size` numbers, not initialised.
  Array(const Device& device, Index size, const char* tag) : device_(device), size_(size) {
    if (size > 0) data_ = static_cast<T*>(device.memory().allocate(size * Index{sizeof(T)}, tag));
  }
  Array(const Device& device, std::span<const T> values, const char* tag)
      : Array(device, static_cast<Index>(values.size()), tag) {
    upload(values);
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() {
    if (data_ != nullptr) device_.memory().release(data_);
  }

  Index size() const { return size_; }
  Index bytes() const { return size_ * Index{sizeof(T)}; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }  // valid in kernels on its device only
  const T* data() const { return data_; }
  const Device& device() const { return device_; }

  void upload(std::span<const T> values) {
    check_size(static_cast<Index>(values.size()));
    if (size_ > 0) copy_to_device(device_, data_, values.data(), bytes());
  }
  void download(std::span<T> values) const {
    check_size(static_cast<Index>(values.size()));
    if (size_ > 0) copy_to_host(device_, values.data(), data_, bytes());
  }
  std::vector<T> host() const {
    std::vector<T> values(static_cast<std::size_t>(size_));
    download(values);
    return values;
  }
  void copy_from(const Array& other) {
    check_size(other.size());
    if (size_ > 0) device_.machine().copy_on_device(data_, other.data_, bytes());
  }
  void fill_zero() {
    if (size_ > 0) device_.machine().fill_zero(data_, bytes());
  }
  void swap(Array& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  void check_size(Index size) const {
    if (size != size_) throw_size_mismatch(size_, size);
  }

  Device device_;
  T* data_ = nullptr;
  Index size_ = 0;
};

using Vector = Array<double>;

}  // namespace ritz

// The contents of an array for the host to read: the array itself where the host can access it, else a copy (a
// transfer). The array must outlive the view.
//
//   const HostView<double> values(array);   values[3];   values.span();
//   const HostView<double> some(device, array.data() + 5, 20);
#pragma once

#include "device/array.hpp"

#include <span>
#include <vector>

namespace ritz {

template <class T>
class HostView {
 public:
  explicit HostView(const Array<T>& array) : HostView(array.device(), array.data(), array.size()) {}
  // `size` numbers in the memory of a device.
  HostView(const Device& device, const T* numbers, Index size) : size_(size) {
    if (size == 0) return;
    const bool host_reads_it = device.info().kind == "cpu";
    if (!host_reads_it) {
      copy_.resize(static_cast<std::size_t>(size));
      copy_to_host(device, copy_.data(), numbers, size * Index{sizeof(T)});
    }
    data_ = host_reads_it ? numbers : copy_.data();
  }
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;

  const T* data() const { return data_; }
  const T& operator[](Index i) const { return data_[i]; }
  std::span<const T> span() const { return {data_, static_cast<std::size_t>(size_)}; }

 private:
  Index size_;
  std::vector<T> copy_;
  const T* data_ = nullptr;
};

}  // namespace ritz

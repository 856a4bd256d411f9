// The contents of an array for the host to read: the array itself where the host can access it, else a copy (a
// transfer). The array must outlive the view.
//
//   const HostView<double> values(array);   values[3];   values.span();
#pragma once

#include "device/array.hpp"

#include <span>
#include <vector>

namespace ritz {

template <class T>
class HostView {
 public:
  explicit HostView(const Array<T>& array) : size_(array.size()) {
    if (array.empty()) return;
    const bool host_reads_it = array.device().info().kind == "cpu";
    if (!host_reads_it) copy_ = array.host();
    data_ = host_reads_it ? array.data() : copy_.data();
  }
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;

  const T& operator[](Index i) const { return data_[i]; }
  std::span<const T> span() const { return {data_, static_cast<std::size_t>(size_)}; }

 private:
  Index size_;
  std::vector<T> copy_;
  const T* data_ = nullptr;
};

}  // namespace ritz

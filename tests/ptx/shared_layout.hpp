// Places of a function's arrays in shared memory. Those that functions share with kernels come first. Between arrays of
// a kernel lie red zones, which nobody may touch: an array's end is no other's beginning.
#pragma once

#include "tests/ptx/module.hpp"

#include <algorithm>

namespace ritz::ptx {

class SharedLayout {
 public:
  using Offsets = std::map<std::string, std::uint32_t, std::less<>>;
  SharedLayout(Function& function, Offsets& fixed, std::uint32_t& fixed_bytes)
      : f_(function), fixed_(fixed), fixed_bytes_(fixed_bytes) {}

  void call_functions() { calls_functions_ = true; }  // a kernel, before its own arrays get their places

  std::uint32_t offset(std::string_view name, const Variable& v) {
    if (const auto fixed = fixed_.find(name); fixed != fixed_.end()) {
      take_fixed();
      return fixed->second;
    }
    Offsets& known = f_.is_entry ? own_ : fixed_;
    if (const auto found = known.find(name); found != known.end()) return found->second;
    if (calls_functions_) take_fixed();
    std::uint32_t& end = f_.is_entry ? end_ : fixed_bytes_;
    const auto alignment = static_cast<std::uint32_t>(v.alignment), bytes = static_cast<std::uint32_t>(v.bytes);
    const std::uint32_t at = f_.is_entry ? after_red_zone(end, alignment) : aligned(end, alignment);
    end = at + bytes;
    declared_ = aligned(declared_, alignment) + bytes;
    known[std::string(name)] = at;
    return at;
  }

  // Arrays whose size the launch gives begin at f.shared_room.
  void finish(bool has_dynamic) {
    if (calls_functions_) take_fixed();
    f_.shared_bytes = aligned(declared_, 16);
    f_.shared_room = has_dynamic ? after_red_zone(end_, 16) : aligned(end_, 16);
  }

 private:
  static constexpr std::uint32_t red_zone_bytes = 64;

  static std::uint32_t aligned(std::uint32_t at, std::uint32_t alignment) {
    return (at + alignment - 1) / alignment * alignment;
  }
  std::uint32_t after_red_zone(std::uint32_t end, std::uint32_t alignment) {
    if (end == 0) return 0;
    const std::uint32_t at = aligned(end + red_zone_bytes, alignment);
    f_.red_zones.emplace_back(end, at);
    return at;
  }
  void take_fixed() {
    end_ = std::max(end_, fixed_bytes_);
    declared_ = std::max(declared_, fixed_bytes_);
  }

  Function& f_;
  Offsets& fixed_;
  std::uint32_t& fixed_bytes_;
  Offsets own_;
  std::uint32_t end_ = 0, declared_ = 0;  // with red zones, and without
  bool calls_functions_ = false;
};

}  // namespace ritz::ptx

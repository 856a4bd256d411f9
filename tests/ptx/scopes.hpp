// Names of a function's registers, variables and labels: those of a block in braces hide those around it.
#pragma once

#include "tests/ptx/decode.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ritz::ptx {

class Scopes {
 public:
  using Path = std::vector<std::size_t>;  // numbers of the blocks from the function's to the innermost
  struct Range {                          // %r<8>
    std::int32_t at;
    std::uint32_t count;
    std::uint8_t bytes;
  };
  struct Names {
    std::map<std::string, Range, std::less<>> ranges;  // by their prefix
    std::map<std::string, Register, std::less<>> registers;
    std::map<std::string, Slot, std::less<>> slots;  // of the .param space
    std::map<std::string, std::uint32_t, std::less<>> locals, labels;
  };

  Scopes() { open(); }
  void open() {
    scopes_.emplace_back();
    path_.push_back(scopes_.size() - 1);
  }
  bool close() {  // false: there is a brace too many
    if (path_.size() < 2) return false;
    path_.pop_back();
    return true;
  }
  const Path& path() const { return path_; }
  Names& here() { return scopes_[path_.back()]; }
  const std::vector<Names>& all() const { return scopes_; }

  // Bytes from one register of a range to the next.
  static std::int32_t step(std::uint8_t bytes) {
    return bytes == 0 ? 4 : std::max<std::int32_t>(bytes * lanes, register_alignment);
  }

  template <class T>
  std::optional<T> find(std::map<std::string, T, std::less<>> Names::*kind, std::string_view name,
                        const Path& path) const {
    for (auto scope = path.rbegin(); scope != path.rend(); ++scope) {
      const auto& all = scopes_[*scope].*kind;
      if (const auto found = all.find(name); found != all.end()) return found->second;
    }
    return std::nullopt;
  }

  std::optional<Register> find_register(std::string_view name) const {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    std::uint32_t number = 0;
    if (digits < name.size()) std::from_chars(name.data() + digits, name.data() + name.size(), number);
    for (auto scope = path_.rbegin(); scope != path_.rend(); ++scope) {
      const Names& names = scopes_[*scope];
      if (const auto found = names.registers.find(name); found != names.registers.end()) return found->second;
      if (digits == name.size()) continue;
      const auto found = names.ranges.find(name.substr(0, digits));
      if (found != names.ranges.end() && number < found->second.count)
        return Register{found->second.at + static_cast<std::int32_t>(number) * step(found->second.bytes),
                        found->second.bytes};
    }
    return std::nullopt;
  }

 private:
  std::vector<Names> scopes_;
  Path path_;
};

Term read_term(Text& text, const Scopes& scopes);  // an operand

}  // namespace ritz::ptx

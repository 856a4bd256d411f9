// Values of any kind as one message, and back: numbers and plain structs by their bytes, lists and texts with their
// length before them. Both ranks run the same program, so what is unpacked in the order in which it was packed is
// equal.
//
//   Packed message;   message.add(3).add(std::vector{1.0, 2.0}).add(name);   ranks.send(1, message.take());
//   Unpacked from(text);   const int three = from.get<int>();   auto numbers = from.list<double>();
#pragma once

#include "device/error.hpp"
#include "device/function_ref.hpp"

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ritz {

class Ranks;  // device/ranks/ranks.hpp

template <class T>
concept PlainBytes = std::is_trivially_copyable_v<T>;

class Packed {
 public:
  template <PlainBytes T>
  Packed& add(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  template <PlainBytes T>
  Packed& add(const std::vector<T>& list) {
    add(list.size());
    if (!list.empty()) bytes_.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
    return *this;
  }
  Packed& add(const std::string& text) {
    add(text.size());
    bytes_ += text;
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Unpacked {
 public:
  // The text must outlive this.
  explicit Unpacked(std::string_view text) : rest_(text) {}

  template <PlainBytes T>
  T get() {
    T value;
    std::memcpy(&value, next(sizeof value), sizeof value);
    return value;
  }
  template <PlainBytes T>
  void get(T& value) {
    value = get<T>();
  }
  template <PlainBytes T>
  std::vector<T> list() {
    const auto size = get<std::size_t>();
    std::vector<T> result(size);
    if (size > 0) std::memcpy(result.data(), next(size * sizeof(T)), size * sizeof(T));
    return result;
  }
  std::string text() {
    const auto size = get<std::size_t>();
    return {next(size), size};
  }

 private:
  const char* next(std::size_t bytes) {
    if (bytes > rest_.size())
      throw Error(ErrorKind::internal, "a message between ranks is shorter than what it should hold");
    const char* const at = rest_.data();
    rest_.remove_prefix(bytes);
    return at;
  }
  std::string_view rest_;
};

// take(rank, text) for the text of each rank in turn: on the first one alone, or on all. So a rank has one text of
// another at a time. All ranks call it.
enum class Receivers : std::uint8_t { first, all };
void each_text(Ranks& ranks, const std::string& mine, Receivers receivers,
               FunctionRef<void(int rank, std::string_view text)> take);

// text(rank) of the first rank, to each of the others in turn: that of this rank, empty on the first one. All ranks
// call it.
std::string dealt_text(Ranks& ranks, FunctionRef<std::string(int rank)> text);

}  // namespace ritz

// Work of a foreign library in a process of its own. A file made to do harm, or damaged by accident, may crash VTK or
// HDF5, run them in circles, or let them ask for all memory; in a child process that becomes an Error that names the
// file, and this process goes on. Private to io.
//
//   ChildProcess child({.file = path, .library = "VTK"}, [&](Channel& parent) {
//     ChildProcess::respond(parent, [&] { return read(path); }, [](Channel& to, const auto& values) {
//     to.put_numbers(values); });
//   });
//   const auto values = child.answer([](Channel& from) { return from.numbers<double>(); });
//
// Only the work's bytes come back: what the child changes in its memory is lost.
#pragma once

#include "device/error.hpp"
#include "device/function_ref.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ritz {

// One end of a connection of two processes: numbers, arrays and texts, in the byte order of this machine.
class Channel {
 public:
  explicit Channel(int descriptor = -1) : descriptor_(descriptor) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  void connect(int descriptor) { descriptor_ = descriptor; }
  // An array beyond so many bytes is taken for the end of the other process's mind.
  void limit(std::uint64_t bytes) { limit_ = bytes; }

  template <class T>
  void put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    write({reinterpret_cast<const char*>(&value), sizeof value});
  }
  template <class T>
  void put_numbers(std::span<const T> values) {
    put<std::uint64_t>(values.size());
    write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  template <class T>
  void put_numbers(const std::vector<T>& values) {
    put_numbers(std::span<const T>(values));
  }
  void put_text(std::string_view text) { put_numbers(std::span<const char>(text.data(), text.size())); }
  void put_texts(const std::vector<std::string>& texts);
  void flush();  // what was put is on its way

  template <class T>
  T get() {
    T value;
    read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> numbers() {
    std::vector<T> values(count(sizeof(T)));
    read(reinterpret_cast<char*>(values.data()), values.size() * sizeof(T));
    return values;
  }
  std::string text();
  std::vector<std::string> texts();

  struct Closed {};  // thrown where the other process is gone

 private:
  void write(std::string_view bytes);
  void write_now(std::string_view bytes);
  void read(char* bytes, std::size_t size);
  std::size_t count(std::size_t size_of_each);

  int descriptor_;
  std::uint64_t limit_ = std::uint64_t(-1);
  std::string written_;      // and not flushed
  std::vector<char> ahead_;  // read from the other process, and not taken
  std::size_t ahead_begin_ = 0, ahead_end_ = 0;
};

struct ChildWork {
  std::string file;     // that it reads
  std::string library;  // that it reads it with: "VTK"
};

class ChildProcess {
 public:
  // Forks, and runs `work` there. The child may take the memory that the host has left, and 60 s of processor time with
  // one more for each megabyte of the file. Libraries that `work` needs must be loaded before: another thread may hold
  // the loader's lock. Throws Error: Exit::resources where no process can be started.
  ChildProcess(ChildWork about, FunctionRef<void(Channel&)> work);
  ~ChildProcess();  // ends the child
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  Channel& channel() { return channel_; }
  // Returns what `take` makes of the next answer, after `ask` has put a question. Throws the Error that the child met
  // instead, Error: Exit::mesh where it crashed or ran into its limits, and the error of a stop request that comes
  // meanwhile.
  template <class Ask, class Take>
  auto answer(const Ask& ask, const Take& take) {
    try {
      ask();
      throw_its_error();
      return take(channel_);
    } catch (const Channel::Closed&) { fail(); }
  }
  template <class Take>
  auto answer(const Take& take) {
    return answer([] {}, take);
  }

  // In the child: sends what `compute` returns, or the error that it throws.
  template <class Compute, class Send>
  static void respond(Channel& parent, const Compute& compute, const Send& send) {
    const auto tell = [&parent](const Error* error, std::string_view other) {
      parent.put(error != nullptr ? Answer::error : other.empty() ? Answer::no_memory : Answer::other);
      if (error != nullptr) {
        parent.put(error->kind());
        for (const std::string& text : {error->message(), error->why(), error->fix()}) parent.put_text(text);
      } else if (!other.empty()) {
        parent.put_text(other);
      }
      parent.flush();
    };
    try {
      const auto value = compute();
      parent.put(Answer::good);
      send(parent, value);
      parent.flush();
    } catch (const Error& error) { tell(&error, {}); } catch (const std::bad_alloc&) {
      tell(nullptr, {});
    } catch (const std::length_error&) {  // a size beyond all memory
      tell(nullptr, {});
    } catch (const std::exception& error) { tell(nullptr, *error.what() == 0 ? "an unknown error" : error.what()); }
  }

 private:
  enum class Answer : char { good, error, no_memory, other };
  void throw_its_error();
  [[noreturn]] void fail();  // the child is gone

  ChildWork about_;
  double seconds_;  // of processor time that it may take
  int process_ = -1;
  Channel channel_;
};

}  // namespace ritz

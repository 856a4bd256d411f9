// Manners of a guest in Python's process: work runs without the interpreter's lock, one call at a time, and obeys
// Ctrl-C; errors become exceptions of ritz/_errors.py.
#pragma once

#include "device/array.hpp"
#include "device/error.hpp"
#include "device/process/stop_source.hpp"
#include "solvers/algebra/solver_progress.hpp"

#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <span>
#include <vector>

namespace ritz::python {

namespace py = pybind11;

// C-contiguous arrays; the callers in Python convert, so that a copy is made in one place.
using Doubles = py::array_t<double, py::array::c_style>;
using Longs = py::array_t<std::int64_t, py::array::c_style>;
using Ints = py::array_t<std::int32_t, py::array::c_style>;

template <class T, int Flags>
std::span<const T> span_of(const py::array_t<T, Flags>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

inline std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

// Python code that a call of Ritz runs in this thread: "a progress callback"; null: none.
inline const char*& guest_in_guest() {
  thread_local const char* what = nullptr;
  return what;
}

// Python's own code within a call of Ritz.
class CallsBack {
 public:
  explicit CallsBack(const char* what) : before_(guest_in_guest()) { guest_in_guest() = what; }
  ~CallsBack() { guest_in_guest() = before_; }
  CallsBack(const CallsBack&) = delete;
  CallsBack& operator=(const CallsBack&) = delete;

 private:
  const char* before_;
  const py::gil_scoped_acquire lock_;
};

// `progress`: called with a text, ten times a second at most; an exception of it ends the work. None: nobody.
template <class Work>
void without_the_lock(const Work& work, const py::object& progress = py::none()) {
  if (guest_in_guest() != nullptr)
    throw Error(ErrorKind::other_input, fmt::format("a call of Ritz within {} of another one", guest_in_guest()),
                "one call is at work at a time, and the other one has not ended",
                "note what is to be computed, and call Ritz when the other call has returned");
  std::optional<py::error_already_set> interrupted;
  const bool tells = !progress.is_none();
  {
    const py::gil_scoped_release release;
    const std::lock_guard alone(one_at_a_time());
    const StopSource source([&] {
      const CallsBack python("a signal handler");
      if (interrupted || PyErr_CheckSignals() == 0) return interrupted.has_value();
      interrupted.emplace();
      return true;
    });
    const auto tell = [&](const std::string& text) {
      const CallsBack python("a progress callback");
      if (interrupted) return;
      try {
        progress(text);
      } catch (py::error_already_set& error) { interrupted.emplace(error); }
    };
    std::optional<SolverListener> listener;
    if (tells) listener.emplace(tell);
    try {
      work();
    } catch (const std::exception&) {
      if (!interrupted) throw;
    }
  }
  if (interrupted) throw py::error_already_set(*interrupted);
}

// Ends an object of Ritz while no other call is at work: its libraries are called on the way. A call at work waits for
// Python at times, and so does who waits for it, with its lock.
struct EndsAlone {
  template <class T>
  void operator()(T* object) const {
    std::unique_lock<std::mutex> alone(one_at_a_time(), std::defer_lock);
    if (guest_in_guest() == nullptr) {  // else this thread's call is at work
      const py::gil_scoped_release release;
      alone.lock();
    }
    const CallsBack python("the end of an object");  // for the objects within this one
    delete object;
  }
};

// An array that takes the values over: no copy.
inline py::array_t<double> adopt(std::vector<double>&& values, std::vector<py::ssize_t> shape) {
  auto* const kept = new std::vector<double>(std::move(values));
  return py::array_t<double>(std::move(shape), kept->data(),
                             py::capsule(kept, [](void* p) { delete static_cast<std::vector<double>*>(p); }));
}
inline py::array_t<double> adopt(Vector&& values) {
  if (values.device().info().kind != "cpu") {
    std::vector<double> host = values.host();
    const auto size = static_cast<py::ssize_t>(host.size());
    return adopt(std::move(host), {size});
  }
  auto* const kept = new Vector(std::move(values));
  return py::array_t<double>({static_cast<py::ssize_t>(kept->size())}, kept->data(),
                             py::capsule(kept, [](void* p) { delete static_cast<Vector*>(p); }));
}

void bind_errors(py::module_& module);
void bind_models(py::module_& module);
void bind_solver(py::module_& module);
void bind_runs(py::module_& module);
void bind_shown(py::module_& module);

}  // namespace ritz::python

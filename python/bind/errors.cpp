#include "io/results/error_catalogue.hpp"
#include "python/bind/guest.hpp"

#include <new>
#include <string>

namespace ritz::python {
namespace {

py::object exception_of(const Error& error) {
  const ErrorSubject& subject = error.subject();
  py::list several;
  if (const auto* const list = dynamic_cast<const Errors*>(&error))
    for (const Error& each : list->list()) several.append(exception_of(each));
  return py::module_::import("ritz._errors")
      .attr("make")(static_cast<int>(error.exit()), entry_of(error).name, error.message(), error.why(), error.fix(),
                    subject.key, subject.value, subject.place, several);
}

}  // namespace

void bind_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const py::object exception = exception_of(error);
      PyErr_SetObject(py::type::handle_of(exception).ptr(), exception.ptr());
    }
  });
}

}  // namespace ritz::python

// Older versions of pybind11 read arrays of NumPy 2 wrongly, without an error.
void require_no_newer_arrays() {
#if PYBIND11_VERSION_HEX < 0x020C0000
  const auto version = pybind11::module_::import("numpy").attr("__version__").cast<std::string>();
  if (std::stoi(version) >= 2)
    throw pybind11::import_error("NumPy " + version + " with a module that was built for NumPy 1: build Ritz with " +
                                 "pybind11 2.12 or newer, or use NumPy 1");
#endif
}

PYBIND11_MODULE(_ritz, module) {
  require_no_newer_arrays();
  ritz::python::bind_errors(module);
  ritz::python::bind_solver(module);
  ritz::python::bind_runs(module);
  ritz::python::bind_shown(module);
  ritz::python::bind_models(module);
}

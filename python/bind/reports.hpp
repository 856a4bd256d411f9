// How a system was solved, as a dictionary: the fields of ritz.Report.
#pragma once

#include "python/bind/guest.hpp"
#include "solvers/algebra/solve_report.hpp"

namespace ritz::python {

inline py::dict report_of(const SolveReport& r) {
  py::dict d;
  d["method"] = r.method;
  d["preconditioner"] = r.preconditioner;
  d["reason"] = name_of(r.reason);
  d["converged"] = r.converged();
  d["iterations"] = r.iterations;
  d["residual"] = r.true_relative_residual;
  d["choice"] = r.choice;
  d["fallbacks"] = py::cast(r.fallbacks);
  d["history"] = py::cast(r.history);
  d["advice"] = r.converged() ? "" : advice_for(r.reason);
  d["where"] = r.where;
  return d;
}

}  // namespace ritz::python

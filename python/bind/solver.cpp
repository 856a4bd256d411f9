// Ritz's matrix, its solvers and its multigrid for matrices of SciPy; python/ritz/_solver.py is the caller.
#include "python/bind/guest.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/linear/solver_cache.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace ritz::python {
namespace {

// Devices stay for the process, with the memory that their pools hold.
Device device_named(const std::string& name, int threads) {
  static std::map<std::pair<std::string, int>, Device> devices;
  const auto found = devices.find({name, threads});
  return found != devices.end() ? found->second
                                : devices.emplace(std::pair{name, threads}, Device::named(name, threads)).first->second;
}

py::dict report_of(const SolveReport& r) {
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

// The values are copied once, into memory that Ritz aligns; its solver stays from one right-hand side to the next.
class Matrix {
 public:
  Matrix(const Longs& offsets, const Ints& columns, const Doubles& values, int block, const Doubles& coordinates,
         int dimension, const std::string& device, int threads)
      : dimension_(dimension) {
    without_the_lock([&] {
      const Device on = device_named(device, threads);
      A_.emplace(std::make_shared<const SparsityPattern>(on, span_of(offsets), span_of(columns)), block);
      A_->values().upload(span_of(values));
      if (dimension > 0) coordinates_ = Vector(on, span_of(coordinates), "coordinates");
    });
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  const SparseMatrix& matrix() const { return *A_; }
  const Vector* coordinates() const { return dimension_ > 0 ? &coordinates_ : nullptr; }
  int dimension() const { return dimension_; }

  void set_values(const Doubles& values) {
    without_the_lock([&] {
      A_->values().upload(span_of(values));
      cache_.values_changed(true);
    });
  }

  py::array_t<double> apply(const Doubles& x) const {
    Vector y;
    without_the_lock([&] {
      const Vector on_device(A_->device(), span_of(x), "vectors");
      y = Vector(A_->device(), A_->rows(), "vectors");
      A_->apply(on_device, y);
    });
    return adopt(std::move(y));
  }

  py::tuple solve(const Doubles& b, const Doubles& start, const std::string& method, const std::string& preconditioner,
                  double tolerance, int max_iterations, const std::string& promise) {
    Vector x;
    SolveReport report;
    without_the_lock([&] {
      const Vector right(A_->device(), span_of(b), "vectors");
      x = Vector(A_->device(), span_of(start), "vectors");
      report = solve_linear(*A_, right, x,
                            {.method = linear_method_named(method),
                             .preconditioner = preconditioner_named(preconditioner),
                             .relative = tolerance,
                             .max_iterations = max_iterations,
                             .promise = promise == "positive_definite" ? MatrixPromise::positive_definite
                                        : promise == "symmetric"       ? MatrixPromise::symmetric
                                                                       : MatrixPromise::none,
                             .cache = &cache_},
                            {.coordinates = coordinates(), .dimension = dimension_});
    });
    return py::make_tuple(adopt(std::move(x)), report_of(report));
  }

 private:
  std::optional<SparseMatrix> A_;
  Vector coordinates_;
  int dimension_;
  SolverCache cache_;  // goes before the matrix
};

class Multigrid {
 public:
  explicit Multigrid(std::shared_ptr<Matrix> matrix) : matrix_(std::move(matrix)) {
    without_the_lock([&] {
      cycle_.emplace(matrix_->matrix(), SmoothedAggregationOptions{.coordinates = matrix_->coordinates(),
                                                                   .dimension = matrix_->dimension()});
    });
  }
  py::array_t<double> apply(const Doubles& b) const {
    Vector x;
    without_the_lock([&] {
      const Vector right(cycle_->device(), span_of(b), "vectors");
      x = Vector(cycle_->device(), cycle_->rows(), "vectors");
      cycle_->apply(right, x);
    });
    return adopt(std::move(x));
  }
  void refresh() {
    without_the_lock([&] { cycle_->refresh(); });
  }
  py::list levels() const {
    py::list result;
    for (const SmoothedAggregation::Level& each : cycle_->levels())
      result.append(py::make_tuple(each.unknowns, each.nonzeros));
    return result;
  }
  double operator_complexity() const { return cycle_->operator_complexity(); }

 private:
  std::shared_ptr<Matrix> matrix_;
  std::optional<SmoothedAggregation> cycle_;
};

// A view of the values for NumPy, on a CPU; the matrix stays as long as the view.
py::object view_of_values(const py::object& self) {
  const SparseMatrix& A = self.cast<const Matrix&>().matrix();
  if (A.device().info().kind != "cpu") return py::none();
  const py::ssize_t b = A.block_size();
  return py::array_t<double>({static_cast<py::ssize_t>(A.pattern().nonzeros()), b, b}, A.values().data(), self);
}

}  // namespace

void bind_solver(py::module_& module) {
  py::class_<Matrix, std::shared_ptr<Matrix>>(module, "Matrix")
      .def(py::init<const Longs&, const Ints&, const Doubles&, int, const Doubles&, int, const std::string&, int>())
      .def("set_values", &Matrix::set_values)
      .def("apply", &Matrix::apply)
      .def("solve", &Matrix::solve)
      .def_property_readonly("device", [](const Matrix& m) { return m.matrix().device().description(); })
      .def_property_readonly("values", &view_of_values);
  py::class_<Multigrid>(module, "Multigrid")
      .def(py::init<std::shared_ptr<Matrix>>())
      .def("apply", &Multigrid::apply)
      .def("refresh", &Multigrid::refresh)
      .def_property_readonly("levels", &Multigrid::levels)
      .def_property_readonly("operator_complexity", &Multigrid::operator_complexity);
}

}  // namespace ritz::python

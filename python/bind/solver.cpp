// Ritz's matrix, its solvers and its multigrid for matrices of SciPy; python/ritz/_solver.py is the caller.
#include "device/lent_memory.hpp"
#include "python/bind/reports.hpp"
#include "solvers/eigen/eigen_solver.hpp"
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

// Positions of unknowns and near-null vectors, for multigrid and orders of elimination.
struct Geometry {
  Vector coordinates = {};
  int dimension = 0;  // 0: no coordinates
  Vector near_null = {};
  int near_null_count = 0;  // 0: rigid motions

  SolverGeometry for_solver() const {
    return {.coordinates = dimension > 0 ? &coordinates : nullptr, .dimension = dimension};
  }
  SmoothedAggregationOptions for_multigrid() const {
    return {.coordinates = dimension > 0 ? &coordinates : nullptr,
            .dimension = dimension,
            .near_null = near_null_count > 0 ? &near_null : nullptr,
            .near_null_count = near_null_count};
  }
};

// Its values are a copy, or those of the caller's array, which it never changes; its solver stays from one right-hand
// side to the next.
class Matrix {
 public:
  // near_null: [unknown][near_null_count]; 0: rigid motions.
  Matrix(const Longs& offsets, const Ints& columns, const Doubles& values, bool share, int block,
         const Doubles& coordinates, int dimension, const Doubles& near_null, int near_null_count,
         const std::string& device, int threads)
      : geometry_{.dimension = dimension, .near_null_count = near_null_count} {
    without_the_lock([&] {
      const Device on = device_named(device, threads);
      const auto pattern = std::make_shared<const SparsityPattern>(on, span_of(offsets), span_of(columns));
      if (share && !on.machine().is_apart()) emplace_over(values, pattern, block);
      else emplace_copy(values, pattern, block);
      if (dimension > 0) geometry_.coordinates = Vector(on, span_of(coordinates), "coordinates");
      if (near_null_count > 0) geometry_.near_null = Vector(on, span_of(near_null), "near-null space");
    });
  }
  // The same pattern with other values.
  Matrix(const Matrix& like, const Doubles& values) {
    without_the_lock([&] { emplace_copy(values, like.A_->shared_pattern(), like.A_->block_size()); });
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  const SparseMatrix& matrix() const { return *A_; }
  const Geometry& geometry() const { return geometry_; }

  // Are the values in the caller's array?
  bool shares() const { return shares_; }

  void set_values(const Doubles& values, bool share) {
    without_the_lock([&] {
      if (!shares_) {
        A_->values().upload(span_of(values));
      } else {  // the caller's array stays as it is
        Vector next;
        if (share) next = array_over(values, A_->device());
        else next = Vector(A_->device(), span_of(values), "matrix");
        A_->values().swap(next);
      }
      cache_.values_changed(true);
    });
    if (shares_) kept_ = share ? values : Doubles();
    shares_ = shares_ && share;
  }
  // Numbers were written into the array of values.
  void values_changed() {
    without_the_lock([&] { cache_.values_changed(true); });
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
                  double tolerance, int max_iterations, const std::string& promise, const py::object& progress) {
    Vector x;
    SolveReport report;
    without_the_lock(
        [&] {
          const Vector right(A_->device(), span_of(b), "vectors");
          x = Vector(A_->device(), span_of(start), "vectors");
          report = solve_linear(*A_, right, x, options(method, preconditioner, tolerance, max_iterations, promise),
                                geometry_.for_solver());
        },
        progress);
    return py::make_tuple(adopt(std::move(x)), report_of(report));
  }

  // Right-hand sides [column][row].
  py::tuple solve_columns(const Doubles& B, const std::string& method, const std::string& preconditioner,
                          double tolerance, int max_iterations, const std::string& promise,
                          const py::object& progress) {
    const auto columns = static_cast<int>(B.shape(0)), rows = static_cast<int>(B.shape(1));
    std::vector<double> solved(static_cast<std::size_t>(B.size()));
    std::vector<SolveReport> reports;
    without_the_lock(
        [&] {
          const auto length = static_cast<std::size_t>(rows);
          MultiVector right(A_->device(), rows, columns), X(A_->device(), rows, columns);
          for (int j = 0; j < columns; ++j)
            right.set_column(
                j, Vector(A_->device(), span_of(B).subspan(static_cast<std::size_t>(j) * length, length), "vectors"));
          reports = solve_linear(*A_, right, X, options(method, preconditioner, tolerance, max_iterations, promise),
                                 geometry_.for_solver());
          Vector x(A_->device(), rows, "vectors");
          for (int j = 0; j < columns; ++j) {
            X.get_column(j, x);
            x.download(std::span(solved).subspan(static_cast<std::size_t>(j) * length, length));
          }
        },
        progress);
    py::list told;
    for (const SolveReport& each : reports) told.append(report_of(each));
    return py::make_tuple(adopt(std::move(solved), {columns, rows}), told);
  }

 private:
  void emplace_copy(const Doubles& values, const std::shared_ptr<const SparsityPattern>& pattern, int block) {
    A_.emplace(pattern, block);
    A_->values().upload(span_of(values));
  }
  void emplace_over(const Doubles& values, const std::shared_ptr<const SparsityPattern>& pattern, int block) {
    if (values.size() == 0) return emplace_copy(values, pattern, block);
    {
      const LentMemory lent(pattern->device(), const_cast<double*>(values.data()), values.nbytes());
      A_.emplace(pattern, block);
      shares_ = lent.taken();
    }
    if (!shares_) return emplace_copy(values, pattern, block);
    const CallsBack python("an array that is kept");
    kept_ = values;
  }
  static Vector array_over(const Doubles& values, const Device& device) {
    const LentMemory lent(device, const_cast<double*>(values.data()), values.nbytes());
    return Vector(device, values.size(), "matrix");
  }

  LinearSolverOptions options(const std::string& method, const std::string& preconditioner, double tolerance,
                              int max_iterations, const std::string& promise) {
    return {.method = linear_method_named(method),
            .preconditioner = preconditioner_named(preconditioner),
            .relative = tolerance,
            .max_iterations = max_iterations,
            .multigrid = geometry_.for_multigrid(),
            .promise = promise == "positive_definite" ? MatrixPromise::positive_definite
                       : promise == "symmetric"       ? MatrixPromise::symmetric
                                                      : MatrixPromise::none,
            .cache = &cache_};
  }

  Doubles kept_;  // the caller's array that the matrix shares
  bool shares_ = false;
  std::optional<SparseMatrix> A_;
  Geometry geometry_;
  SolverCache cache_;  // goes before the matrix
};

template <class... Given>
std::shared_ptr<Matrix> make_matrix(const Given&... given) {
  return {new Matrix(given...), EndsAlone{}};
}

class Multigrid {
 public:
  explicit Multigrid(std::shared_ptr<Matrix> matrix) : matrix_(std::move(matrix)) {
    without_the_lock([&] { cycle_.emplace(matrix_->matrix(), matrix_->geometry().for_multigrid()); });
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

// The lowest eigenvalues of K x = lambda M x, or those in a band; vectors [mode][unknown], M-orthonormal.
py::tuple eigs(const Matrix& K, const Matrix& M, int count, const std::optional<std::pair<double, double>>& band,
               double tolerance, const std::string& method, int zero_count, const py::object& progress) {
  EigenSolution modes;
  std::vector<double> vectors;
  const Index rows = K.matrix().rows();
  without_the_lock(
      [&] {
        EigenOptions options{.count = count,
                             .relative = tolerance,
                             .method = method == "lanczos"  ? EigenMethod::lanczos
                                       : method == "lobpcg" ? EigenMethod::lobpcg
                                                            : EigenMethod::automatic,
                             .zero_count = zero_count,
                             .multigrid = K.geometry().for_multigrid()};
        if (band) options.band = EigenBand{band->first, band->second};
        modes = solve_eigen(K.matrix(), M.matrix(), options, K.geometry().for_solver());
        Vector x(K.matrix().device(), rows, "vectors");
        for (std::size_t k = 0; modes.vectors && k < modes.values.size(); ++k) {
          modes.vectors->get_column(static_cast<int>(k), x);
          const std::vector<double> host = x.host();
          vectors.insert(vectors.end(), host.begin(), host.end());
        }
      },
      progress);
  py::dict report;
  report["method"] = modes.method;
  report["reason"] = name_of(modes.reason);
  report["converged"] = modes.converged();
  report["iterations"] = modes.iterations;
  report["verified"] = modes.verified;
  report["verification"] = modes.verification;
  report["choice"] = modes.choice;
  report["residuals"] = modes.residuals;
  const auto found = static_cast<py::ssize_t>(vectors.size()) / std::max<py::ssize_t>(rows, 1);
  return py::make_tuple(modes.values, adopt(std::move(vectors), {found, static_cast<py::ssize_t>(rows)}), report);
}

// A view of the values for NumPy, on a CPU; the matrix stays as long as the view.
py::object view_of_values(const py::object& self) {
  const SparseMatrix& A = self.cast<const Matrix&>().matrix();
  if (A.device().info().kind != "cpu") return py::none();
  const py::ssize_t b = A.block_size();
  py::array_t<double> view({static_cast<py::ssize_t>(A.pattern().nonzeros()), b, b}, A.values().data(), self);
  if (self.cast<const Matrix&>().shares()) view.attr("setflags")(py::arg("write") = false);
  return view;
}

}  // namespace

void bind_solver(py::module_& module) {
  py::class_<Matrix, std::shared_ptr<Matrix>>(module, "Matrix")
      .def(py::init(&make_matrix<Longs, Ints, Doubles, bool, int, Doubles, int, Doubles, int, std::string, int>))
      .def(py::init(&make_matrix<Matrix, Doubles>))
      .def("set_values", &Matrix::set_values)
      .def("values_changed", &Matrix::values_changed)
      .def_property_readonly("shares", &Matrix::shares)
      .def("apply", &Matrix::apply)
      .def("solve", &Matrix::solve)
      .def("solve_columns", &Matrix::solve_columns)
      .def_property_readonly("device", [](const Matrix& m) { return m.matrix().device().description(); })
      .def_property_readonly("values", &view_of_values);
  module.def("eigs", &eigs);
  module.def("why_no_gpu", [] { return list_devices().why_no_gpu; });
  py::class_<Multigrid, std::unique_ptr<Multigrid, EndsAlone>>(module, "Multigrid")
      .def(py::init<std::shared_ptr<Matrix>>())
      .def("apply", &Multigrid::apply)
      .def("refresh", &Multigrid::refresh)
      .def_property_readonly("levels", &Multigrid::levels)
      .def_property_readonly("operator_complexity", &Multigrid::operator_complexity);
}

}  // namespace ritz::python

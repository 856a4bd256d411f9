// Flow through a porous body with the flux as a field of its own, by Raviart and Thomas's elements: what leaves a cell
// enters its neighbour, to rounding. Orders of convergence of flux and pressure, by a direct solver.
#include "ritz.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

using namespace ritz;
constexpr double pi = std::numbers::pi;

template <class F>
PointFunction of(F f) {  // f(x, y) at all points
  return [f](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = f(x[3 * i], x[3 * i + 1]);
  };
}

// p = sin(pi x) sin(pi y) in the unit square is zero at its sides, which is the natural condition; q = -grad p.
int main() {
  const PointFunction p = of([](double x, double y) { return std::sin(pi * x) * std::sin(pi * y); });
  const PointFunction q_x = of([](double x, double y) { return -pi * std::cos(pi * x) * std::sin(pi * y); });
  const PointFunction q_y = of([](double x, double y) { return -pi * std::sin(pi * x) * std::cos(pi * y); });
  const PointFunction less = of([](double x, double y) { return -2 * pi * pi * std::sin(pi * x) * std::sin(pi * y); });
  std::vector<std::array<double, 2>> errors;  // of flux and pressure
  double imbalance = 0;
  for (const Index n : {8, 16, 32}) {
    const Mesh mesh = rectangle(n, n, {1, 1}, CellKind::tri3, {.random = 0.1});
    const MixedFormValue flow = MixedPoisson<2>{1};
    const Spaces spaces = spaces_of(flow, mesh, Device::named("cpu"));
    const FormValue source(Load<1, 2, 0>{}, {less});  // the balance is -div q + source = 0
    const FieldsOperator equations(spaces, {MixedIntegral::over_all_cells(flow)},
                                   {Integral::over_all_cells(source).of_field(1)});
    Vector u = equations.zeros(), r = equations.zeros();
    equations.residual(u, r);
    BlockOperator K = equations.make_matrix();
    equations.assemble(u, K);
    const SparseMatrix A = sparse_matrix(K.device(), host_matrix(K));
    throw_unless_converged(DirectSolver(A, DirectSolver::Kind::symmetric).solve(r, u));
    axpby(0, r, -1, u);
    equations.residual(u, r);
    imbalance = std::max(imbalance, max_abs(equations.layout().part(r, 1)));
    errors.push_back(
        {VectorField(equations, 0, u).l2_error({q_x, q_y}), l2_error(spaces[1], equations.layout().part(u, 1), {p})});
    std::printf("%2d cells a side: error of flux %.4f, of pressure %.4f\n", int(n), errors.back()[0], errors.back()[1]);
  }
  const double order[] = {std::log2(errors[1][0] / errors[2][0]), std::log2(errors[1][1] / errors[2][1])};
  std::printf("orders %.2f and %.2f, largest imbalance of a cell %.0e\n", order[0], order[1], imbalance);
  return std::abs(order[0] - 1) < 0.1 && std::abs(order[1] - 1) < 0.1 && imbalance < 1e-12 ? 0 : 1;
}

// A preconditioner of one's own: steps of Richardson's iteration with the diagonal, by verbs on vectors of the device.
#include "ritz.hpp"

#include <cmath>
#include <cstdio>
using namespace ritz;

class Richardson final : public LinearOperator {
 public:
  Richardson(const SparseMatrix& K, int steps)
      : K_(K), inverse_(inverse_diagonal(K.diagonal())), rest_(K.device(), K.rows(), "vectors"), steps_(steps) {}
  const Device& device() const override { return K_.device(); }
  Index rows() const override { return K_.rows(); }
  void apply(const Vector& x, Vector& y) const override {
    multiply(inverse_, x, y);
    axpby(0, x, damping, y);
    for (int step = 1; step < steps_; ++step) {  // y += damping D^-1 (x - K y)
      K_.apply(y, rest_);
      axpby(1, x, -1, rest_);
      multiply(inverse_, rest_, rest_);
      axpy(damping, rest_, y);
    }
  }
  std::string name() const override { return "Richardson"; }

 private:
  static constexpr double damping = 0.6;
  const SparseMatrix& K_;
  Vector inverse_;
  mutable Vector rest_;
  int steps_;
};

int main() {
  const Mesh mesh = box(24, 24, 24, {1, 1, 1}, CellKind::hex8);
  HeatConduction heat(mesh);
  heat.material("all", {.conductivity = 1});
  heat.loads.source("all", 1);
  for (const char* side : {"x0", "x1", "y0", "y1", "z0", "z1"}) heat.loads.temperature(side, 0);
  const Model model = heat.model(Device::named("auto"));
  const Operator equations(model.space, model.equations);
  const Constraints cold = make_constraints(model);
  const Vector zero = model.space.zeros();
  Vector load = model.space.zeros(), u = model.space.zeros();
  equations.residual(zero, load);  // minus the load
  axpby(0, zero, -1, load);
  cold.set_zero(load);
  SparseMatrix K = equations.make_matrix();
  equations.assemble(zero, K);
  K.eliminate(cold.mask(), 1.0);

  const Richardson one(K, 1), three(K, 3);
  const SolveReport jacobi = ConjugateGradient{.relative = 1e-10}.solve(K, load, u, &one);
  fill(0, u);
  const SolveReport own = ConjugateGradient{.relative = 1e-10}.solve(K, load, u, &three);
  std::printf("largest value %.6f; %d iterations with one step, %d with three\n", max_abs(u), jacobi.iterations,
              own.iterations);
  const bool right = std::abs(max_abs(u) - 0.0562) < 3e-4;  // by a series
  return right && own.iterations < 0.7 * jacobi.iterations ? 0 : 1;
}

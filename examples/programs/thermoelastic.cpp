// A layer that is compressed at once gets warm and loses its heat: displacement and temperature in one operator,
// coupled both ways, by GMRES with a block triangular preconditioner. One implicit step from rest has a closed form.
#include "ritz.hpp"

#include <cmath>
#include <cstdio>

using namespace ritz;

// Young's modulus, Poisson's ratio, expansion, conductivity, heat capacity per volume, temperature, and a layer of
// thickness L under a pressure, after a step of length dt. SI.
struct Layer {
  double young, poisson, expansion, conductivity, capacity, T0, L, pressure, dt;

  Lame lame() const { return Lame::from(young, poisson); }
  double modulus() const { return lame().lambda + 2 * lame().mu; }  // without strain across
  double stress() const { return (3 * lame().lambda + 2 * lame().mu) * expansion; }
  // The balance of heat times dt / T0, as ThermoElasticity wants an implicit step.
  ThermoElasticity<2> form() const {
    return {lame().lambda, lame().mu, stress(), stress(), capacity / T0, dt * conductivity / T0};
  }
};

struct Answer {
  double temperature, displacement;  // at the insulated surface that is pressed
};

// Stress is -p everywhere: M u' = stress t - p. So (c + T0 stress^2 / M) t - dt k t'' = T0 stress p / M, t(0) = t'(L) =
// 0.
Answer closed_form(const Layer& l) {
  const double capacity = l.capacity + l.T0 * l.stress() * l.stress() / l.modulus();
  const double adiabatic = l.T0 * l.stress() * l.pressure / l.modulus() / capacity;
  const double kappa = std::sqrt(capacity / (l.dt * l.conductivity)), kL = kappa * l.L;
  return {adiabatic * (1 - 1 / std::cosh(kL)),
          (l.stress() * adiabatic * (l.L - std::tanh(kL) / kappa) - l.pressure * l.L) / l.modulus()};
}

struct Computed {
  Answer answer;
  int iterations;
};

// The layer lies on a cold rigid ground at x = 0; n cells through it.
Computed computed(const Layer& layer, Index n) {
  const Mesh mesh = rectangle(n, n, {layer.L, layer.L}, CellKind::quad4);
  const MixedFormValue form = layer.form();
  const Spaces spaces = spaces_of(form, mesh, Device::named("auto"));
  const FieldsOperator equations(spaces, {MixedIntegral::over_all_cells(form)},
                                 {Integral::over(FormValue(Pressure<2>{layer.pressure}), mesh.region("x1"))});
  FieldsConstraints fixed(spaces);
  fixed[0].prescribe(mesh.region("x0"), 0, 0.0, "ground");
  for (const char* side : {"y0", "y1"}) fixed[0].prescribe(mesh.region(side), 1, 0.0, "no strain across");
  fixed[1].prescribe(mesh.region("x0"), 0, 0.0, "cold");
  fixed.finish();

  Vector u = equations.zeros(), r = equations.zeros(), du = equations.zeros();
  BlockOperator K = equations.make_matrix();
  equations.residual(u, r);
  fixed.set_zero(r);
  equations.assemble(u, K);
  fixed.eliminate(K, 1);
  // Schur complement of the temperature: its own block, and a mass for the heat of the strain that it causes.
  const ThermoElasticity<2> f = layer.form();
  const Operator heat(spaces[1],
                      {Integral::over_all_cells(Mass<1, 2>{f.capacity + f.stress * f.heating / layer.modulus()}),
                       Integral::over_all_cells(Diffusion<2>{f.conductivity})});
  SparseMatrix schur = heat.make_matrix();
  heat.assemble({}, schur);
  fixed[1].eliminate(schur, 1);
  const SmoothedAggregationOptions rigid{.coordinates = &spaces[0].coordinates(), .dimension = 2};
  const BlockPreconditioner M(
      K, {{.by = "multigrid", .matrix = K.square(0), .multigrid = rigid}, {.by = "multigrid", .matrix = &schur}},
      BlockTriangle::upper);
  const SolveReport report = Gmres{.relative = 1e-10, .restart = 60}.solve(K, r, du, &M);
  throw_unless_converged(report);
  axpy(-1, du, u);
  const std::vector<Point> corner{{layer.L, layer.L, 0}};
  return {{values_at(spaces[1], equations.layout().part(u, 1), corner)[0],
           values_at(spaces[0], equations.layout().part(u, 0), corner)[0]},
          report.iterations};
}

int main() {
  bool right = true;
  const Layer steel{210e9, 0.3, 12e-6, 50, 3.6e6, 293, 0.01, 100e6, 1};
  // Water in clay is the same, with its pressure for the temperature (Biot 1941): 3 K expansion = 1, permeability over
  // viscosity for the conductivity, storage for the capacity. Here the coupling is strong.
  const double bulk = 1e7 / (3 * (1 - 2 * 0.3));
  const Layer clay{1e7, 0.3, 1 / (3 * bulk), 1e-10, 4e-10, 1, 1, 1e5, 100};
  for (const auto& [name, layer] : {std::pair{"steel", steel}, {"wet clay", clay}}) {
    const Answer exact = closed_form(layer);
    double error = 0;
    for (const Index n : {8, 16, 32, 64}) {
      const auto [answer, iterations] = computed(layer, n);
      error =
          std::abs(answer.temperature / exact.temperature - 1) + std::abs(answer.displacement / exact.displacement - 1);
      std::printf("%s, %2d cells a side: %.6g K, %.6g m, relative error %.1e, %d iterations\n", name, int(n),
                  answer.temperature, answer.displacement, error, iterations);
      right = right && iterations <= 30;
    }
    std::printf("%s, closed form: %.6g K, %.6g m\n", name, exact.temperature, exact.displacement);
    right = right && error < 2e-4;
  }
  return right ? 0 : 1;
}

// A known solution of diffusion and of elasticity, and the errors of elements beside it: what tables of convergence are
// made of.
//
//   const NormErrors errors = solve_known(mesh, {.dimension = 2, .components = 1}, order, device);
#pragma once

#include "device/device.hpp"
#include "mesh/cell_geometry.hpp"
#include "mesh/mesh.hpp"

#include <cmath>

namespace ritz {

inline constexpr double known_lambda = 1.2, known_mu = 0.8;  // of elasticity; plane strain in two dimensions

// u_c = sin(k_c . x + c + 0.3): waves in directions without symmetry.
struct KnownWaves {
  int dimension, components;
  double k(int c, int d) const {
    static constexpr double directions[3][3] = {{2.1, -1.3, 0.9}, {-0.8, 1.9, 1.4}, {1.2, 0.7, -1.8}};
    return d < dimension ? directions[c][d] : 0;
  }
  double phase(const Point& x, int c) const {
    double sum = c + 0.3;
    for (int d = 0; d < dimension; ++d) sum += k(c, d) * x[static_cast<std::size_t>(d)];
    return sum;
  }
  double value(const Point& x, int c) const { return std::sin(phase(x, c)); }
  double slope(const Point& x, int c, int d) const { return k(c, d) * std::cos(phase(x, c)); }
  // -div of the flux: grad u, or lambda tr(eps) I + 2 mu eps, by hand.
  double source(const Point& x, int c) const {
    double laplacian = 0, grad_div = 0;
    for (int d = 0; d < dimension; ++d) laplacian -= k(c, d) * k(c, d) * value(x, c);
    if (components == 1) return -laplacian;
    for (int d = 0; d < components; ++d) grad_div -= k(d, d) * k(d, c) * value(x, d);
    return -(known_mu * laplacian + (known_lambda + known_mu) * grad_div);
  }
};

struct NormErrors {
  double l2 = 0, h1 = 0;  // of values, of gradients (seminorm), by quadrature
};

// -div flux(u) = f with elements of an order, u given on the whole boundary. The load is the mass matrix times nodal
// values of f. Throws Error: Exit::not_converged when the linear system is not solved to 1e-10.
NormErrors solve_known(const Mesh& mesh, const KnownWaves& waves, int order, const Device& device);

}  // namespace ritz

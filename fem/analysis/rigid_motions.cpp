#include "fem/analysis/rigid_motions.hpp"

#include "solvers/algebra/vectors.hpp"

namespace ritz {
namespace {

double force_of(const Equations& equations, std::span<const double> u) {
  Vector at_u = equations.zeros(), at_rest = equations.zeros();
  equations.residual(Vector(equations.device(), u, "vectors"), at_u);
  equations.residual(equations.zeros(), at_rest);
  axpy(-1.0, at_rest, at_u);
  return norm2(at_u);
}

}  // namespace

void require_rigid(const Equations& equations, std::span<const std::vector<double>> motions,
                   const std::string& origin) {
  for (const std::vector<double>& motion : motions) {
    std::vector<double> strains = motion;  // as large, in other directions: of all components in turn
    for (std::size_t i = 0; i < strains.size(); i += 5) strains[i] = -strains[i];
    if (force_of(equations, motion) <= 1e-7 * force_of(equations, strains)) continue;
    Error error(ErrorKind::relation, "the body moves freely, and its rigid rotations strain it",
                "the order of the field is below that of the mesh, whose cells are bent",
                "omit [space] order, or hold the body by supports");
    if (!origin.empty()) throw std::move(error).at(origin);
    throw error;
  }
}

}  // namespace ritz

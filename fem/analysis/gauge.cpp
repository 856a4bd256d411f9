#include "fem/analysis/gauge.hpp"

#include "device/error.hpp"
#include "fem/operator/fields_operator.hpp"
#include "fem/preconditioners/edge_preconditioner.hpp"
#include "fem/space/fields_constraints.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

bool has_one_unknown_for_each_edge(const FieldsOperator& equations) {
  const FunctionSpace& space = equations.space(0);
  return std::ranges::all_of(space.mesh().blocks(), [&](const CellBlock& block) {
    return space.element(block.kind).node_count() == std::ssize(traits(block.kind).edges);
  });
}

}  // namespace

bool may_need_gauge(const Equations& equations) {
  const auto* const one = dynamic_cast<const FieldsOperator*>(&equations);
  return one != nullptr && one->field_count() == 1 && one->terms().family(0) == Family::edge &&
         has_one_unknown_for_each_edge(*one);
}

Gauge gauge_of(const Equations& of_edges, const Supports& supports, const Vector& b) {
  constexpr double weak = 1e-4, nothing = 1e-10, small = 0.02, zero = 1e-13;
  const auto& equations = dynamic_cast<const FieldsOperator&>(of_edges);
  if (supports.has_dependent())
    throw Error(ErrorKind::several_fields,
                fmt::format("equations between unknowns of the field of edges '{}' were given",
                            equations.terms().field_name(0)),
                "the gradients in it would have to satisfy them, too",
                "prescribe values, or join the parts in the mesh");
  const EdgeGradients gradients(equations.space(0), dynamic_cast<const FieldsConstraints&>(supports)[0]);
  const Vector none = equations.zeros();
  Vector at_none = equations.zeros();
  equations.residual(none, at_none);
  const double stiffness = gradients.stiffness(equations.device(), [&](const Vector& x, Vector& y) {
    equations.residual(x, y);
    axpy(-1.0, at_none, y);
    supports.set_zero(y);
  });
  // Edges along the body: gradients are held over its size, about b L^2 / (30 a).
  const int dimension = equations.space(0).mesh().dimension();
  const double along = std::pow(static_cast<double>(gradients.corner_count()), 1.0 / dimension);
  if (stiffness * along * along > weak) return {};
  Gauge gauge{.is_free = stiffness < zero};
  const double size = norm2(b);
  Vector part(b.device(), std::span<const double>(gradients.part_of(b.host())), "vectors");
  const double share = size > 0 ? norm2(part) / size : 0;
  if (share > small)
    throw Error(ErrorKind::not_free_of_divergence,
                fmt::format("the load of '{}' is not free of divergence: {:.2g} % of it works on gradients",
                            equations.terms().field_name(0), 100 * share),
                gauge.is_free ? "the matrix maps gradients to zero, so the equations have no solution"
                              : "only a small term, a gauge, holds gradients: they would be most of the solution, and "
                                "depend on that term alone",
                "close the current within the mesh, or let it leave where the field is prescribed along the surface; "
                "give currents per area that follow the conductor");
  if (share <= nothing) return gauge;
  gauge.notice = fmt::format(
      "the load of '{}' is not quite free of divergence: {:.2g} % of it, which works on gradients, was left out",
      equations.terms().field_name(0), 100 * share);
  gauge.left_out = std::move(part);
  return gauge;
}

}  // namespace ritz

#include "fem/analysis/complex_modes.hpp"

#include "device/error.hpp"
#include "fem/analysis/own_model.hpp"
#include "mesh/direction.hpp"
#include "mesh/point_algebra.hpp"
#include "solvers/algebra/dense_general.hpp"
#include "solvers/algebra/multi_vector.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

namespace ritz {
namespace {

using Values = std::vector<double>;

// Columns of the space.
MultiVector columns_of(const ModalSpace& space) {
  const OwnModel& own = *space.model;
  MultiVector columns(own.equations().device(), own.layout().total(), space.columns(), "eigenvectors");
  Values q(static_cast<std::size_t>(space.columns()), 0.0);
  for (std::size_t k = 0; k < q.size(); ++k) {
    q[k] = 1;
    columns.set_column(static_cast<int>(k), space.own_motion(q));
    q[k] = 0;
  }
  return columns;
}

// change(x, at, y) with the first of three unknowns of each node.
template <class Change>
Values by_nodes(const Values& x, int components, const Change& change) {
  Values y(x.size(), 0.0);
  for (std::size_t at = 0; at < x.size(); at += static_cast<std::size_t>(components)) change(at, y);
  return y;
}

Point point_at(const Values& x, std::size_t at) { return {x[at], x[at + 1], x[at + 2]}; }
void add_point(const Point& p, std::size_t at, Values& y) {
  for (std::size_t d = 0; d < 3; ++d) y[at + d] += p[d];
}

// Matrices on the columns: viscous and gyroscopic forces, and the stiffness without that of motions that turn along.
// Values have the unknowns of the space's model.
struct Projected {
  Projected(const Model& model, const ModalSpace& space, const ComplexModal& analysis)
      : n(static_cast<std::size_t>(space.columns())), forces(n * n, 0.0), stiffness(n * n, 0.0), own_(*space.model) {
    for (std::size_t k = 0; k < n; ++k) {
      const int column = static_cast<int>(k);
      stiffness[k * n + k] = space.stiffness[k];
      forces[k * n + k] = 2 * analysis.damping.ratio_of(space, column) * std::sqrt(space.stiffness[k] * space.mass[k]);
      if (k < static_cast<std::size_t>(space.modes.rigid_count))
        forces[k * n + k] = analysis.damping.viscous(space, column);
    }
    if (analysis.dashpots.empty() && analysis.discs.empty() && !analysis.frame && !model.turning) return;
    const MultiVector columns = columns_of(space);
    for (const Dashpot& each : analysis.dashpots)
      add(
          columns, [&](const Values& x) { return pressed(each, x); }, 1, forces);
    for (const SpinningDisc& each : analysis.discs)
      add(
          columns, [&](const Values& x) { return tilted(each, x); }, 1, forces);
    if (analysis.frame) turn(model, *analysis.frame, columns);
    if (model.turning) add_gyroscopic(model.turning->gyroscopic, model.turning->axis, 1, columns);
  }

  std::size_t n;
  Values forces, stiffness;  // [row][column]

 private:
  static void add(const MultiVector& columns, const std::function<Values(const Values&)>& apply, double factor,
                  Values& to) {
    MultiVector images(columns.device(), columns.rows(), columns.columns(), "eigenvectors");
    Vector x(columns.device(), columns.rows(), "vectors");
    for (int j = 0; j < columns.columns(); ++j) {
      columns.get_column(j, x);
      const Values y = apply(x.host());
      images.set_column(j, Vector(x.device(), std::span<const double>(y), "vectors"));
    }
    const Values products = gram(columns, images);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * products[i];
  }

  int components(int field = 0) const { return own_.spaces()[static_cast<std::size_t>(field)].components(); }

  Values pressed(const Dashpot& dashpot, const Values& x) const {
    Values y(x.size(), 0.0);
    for (const Node node : dashpot.nodes) {
      const std::optional<Index> first = own_.first_unknown(dashpot.field, node);
      for (int c = 0; first && c < std::min(components(dashpot.field), 3); ++c) {
        const auto i = static_cast<std::size_t>(*first + c);
        y[i] += dashpot.viscosity[static_cast<std::size_t>(c)] / static_cast<double>(dashpot.nodes.size()) * x[i];
      }
    }
    return y;
  }

  // The moment that a disc meets where its axis turns at a rate: H (rate x axis).
  Values tilted(const SpinningDisc& disc, const Values& x) const {
    Values y(x.size(), 0.0);
    const double momentum = disc.polar * disc.speed / static_cast<double>(disc.nodes.size());
    const Point axis = unit_direction(disc.axis);
    for (const Node node : disc.nodes) {
      const std::optional<Index> first = own_.first_unknown(disc.field, node);
      if (!first) continue;
      const auto at = static_cast<std::size_t>(*first + 3);
      Point moment = cross(point_at(x, at), axis);
      for (double& each : moment) each *= momentum;
      add_point(moment, at, y);
    }
    return y;
  }

  // Forces of linear equations.
  static Values forces_of(const Equations& equations, const Values& x) {
    const Vector v(equations.device(), std::span<const double>(x), "vectors");
    Vector f = equations.zeros();
    equations.residual(v, f);
    return f.host();
  }

  // factor times the forces of the integrals on v x axis, of displacements and of rotations.
  void add_gyroscopic(const std::vector<Integral>& integrals, const Point& axis, double factor,
                      const MultiVector& columns) {
    const std::shared_ptr<const Equations> equations = own_.of({integrals});
    add(
        columns, [&](const Values& x) { return forces_of(*equations, turned(x, components(), axis)); }, factor, forces);
  }
  // v x axis; in the plane the axis stands across it.
  static Values turned(const Values& x, int components, const Point& axis) {
    Values y(x.size(), 0.0);
    const auto size = static_cast<std::size_t>(components), each = std::min<std::size_t>(size, 3);
    for (std::size_t at = 0; at < x.size(); at += each) {
      Point v{};
      for (std::size_t c = 0; c < each; ++c) v[c] = x[at + c];
      const Point t = cross(v, axis);
      for (std::size_t c = 0; c < each; ++c) y[at + c] = t[c];
    }
    return y;
  }

  // M (2 w x v) and -w^2 M (u across the axis). The mass of a node is the same along all axes.
  void turn(const Model& model, const TurningFrame& frame, const MultiVector& columns) {
    const Point axis = unit_direction(frame.axis);
    add_gyroscopic(model.inertia, axis, -2 * frame.speed, columns);
    const std::shared_ptr<const Equations> masses = own_.of({model.inertia});
    add(
        columns,
        [&](const Values& x) {
          return forces_of(*masses, by_nodes(x, components(), [&](std::size_t at, Values& y) {
            const Point u = point_at(x, at);
            const double along = dot(axis, u);
            add_point({u[0] - along * axis[0], u[1] - along * axis[1], u[2] - along * axis[2]}, at, y);
          }));
        },
        -frame.speed * frame.speed, stiffness);
  }

  const OwnModel& own_;
};

// The matrix of (s q, q'), for columns of unit mass, with a frequency s so that its parts are of one size.
std::vector<std::complex<double>> first_order_matrix(const ModalSpace& space, const Projected& parts, double s) {
  const std::size_t n = parts.n;
  std::vector<std::complex<double>> A(4 * n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    A[i * 2 * n + n + i] = s;
    for (std::size_t j = 0; j < n; ++j) {
      const double mass = std::sqrt(space.mass[i] * space.mass[j]);
      A[(n + i) * 2 * n + j] = -parts.stiffness[i * n + j] / mass / s;
      A[(n + i) * 2 * n + n + j] = -parts.forces[i * n + j] / mass;
    }
  }
  return A;
}

// Turns the phase of a motion so that its largest column is real and positive, and its size to unit modal mass.
void normalise(const ModalSpace& space, std::vector<std::complex<double>>& q) {
  std::complex<double> largest = 0;
  double mass = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    mass += space.mass[k] * std::norm(q[k]);
    if (std::abs(q[k]) * (1 - 1e-9) > std::abs(largest)) largest = q[k];
  }
  if (!(mass > 0)) return;
  const std::complex<double> factor = std::conj(largest) / std::abs(largest) / std::sqrt(mass);
  for (std::complex<double>& each : q) each *= factor;
}

}  // namespace

double ComplexMode::frequency() const { return value.imag() / (2 * std::numbers::pi); }

double ComplexMode::ratio() const { return value == 0.0 ? 0 : -value.real() / std::abs(value); }

ModalBasis complex_basis(const Model& model, ModalBasis basis, const ComplexModal& analysis) {
  const Spaces spaces = model.spaces();
  const Layout layout = layout_of(spaces);
  for (const Dashpot& each : analysis.dashpots) {
    const int components = spaces[static_cast<std::size_t>(each.field)].components();
    for (int c = 0; c < std::min(components, 3); ++c) {
      if (each.viscosity[static_cast<std::size_t>(c)] == 0) continue;
      Values& force = basis.more_forces.emplace_back(static_cast<std::size_t>(layout.total()), 0.0);
      for (const Node node : each.nodes)
        force[static_cast<std::size_t>(layout.first(each.field) + Index{node} * components + c)] =
            1.0 / static_cast<double>(each.nodes.size());
    }
  }
  return basis;
}

void check(const Model& model, const ComplexModal& analysis) {
  const Spaces spaces = model.spaces();
  const auto turns = [&](const SpinningDisc& each) {
    return spaces[static_cast<std::size_t>(each.field)].components() == 6;
  };
  if (!std::ranges::all_of(analysis.discs, turns))
    throw Error(ErrorKind::vibration, "a spinning disc at nodes without rotations",
                "it resists the turning of its axis", "take beams or shells there, or a rotation of solids");
  if (model.has_fields() && (analysis.frame || model.turning))
    throw Error(ErrorKind::vibration, "complex modes of several fields in a turning frame",
                "Coriolis' forces are those of one displacement", "take solids alone, or discs on beams");
  if (analysis.frame && model.space.components() != 3)
    throw Error(ErrorKind::vibration, "a turning frame of a model that has not three displacements a node",
                "rotary inertia of beams and shells differs from axis to axis",
                "take solids, or [rotation] of a shaft, whose frame stands still");
  if (!model.turning) return;
  if (analysis.frame || !analysis.discs.empty())
    throw Error(ErrorKind::vibration,
                fmt::format("a rotation of the model and {}", analysis.frame ? "a turning frame" : "spinning discs"),
                "the same forces would count twice", "omit one; discs are masses with their moments of inertia");
  if (model.rigid == RigidModes::axisymmetric)
    throw Error(ErrorKind::vibration, "complex modes of a turning body of revolution",
                "Coriolis' forces turn it about its axis, and the model knows no such motion",
                "model the body in three dimensions, or take real modes");
}

std::vector<ComplexMode> complex_modes(const Model& model, const ModalSpace& space, const ComplexModal& analysis) {
  check(model, analysis);
  const Projected parts(model, space, analysis);
  double s = 0;
  for (int k = 0; k < space.columns(); ++k) s = std::max(s, 2 * std::numbers::pi * space.frequency(k));
  if (analysis.frame) s = std::max(s, std::abs(analysis.frame->speed));
  if (!(s > 0)) throw Error(ErrorKind::vibration, "complex modes of rigid motions alone", {}, "ask for more modes");
  const GeneralEigen eigen = general_eigen(first_order_matrix(space, parts, s), 2 * static_cast<int>(parts.n));
  double lowest = s;  // the lowest frequency of an elastic column sets the scale of zero
  for (int k = space.modes.rigid_count; k < space.columns(); ++k)
    lowest = std::min(lowest, 2 * std::numbers::pi * space.frequency(k));
  std::vector<ComplexMode> modes;
  int zeros = 0;
  for (std::size_t k = 0; k < eigen.values.size(); ++k) {
    std::complex<double> value = eigen.values[k];
    if (std::abs(value.imag()) <= 1e-10 * std::abs(value)) value = value.real();
    // Zero is a double eigenvalue: rounding moves it by a root.
    if (space.modes.rigid_count > 0 && std::abs(value) <= 1e-6 * lowest + 1e-7 * s) value = 0;
    if (value.imag() < 0 || (value == 0.0 && ++zeros % 2 == 0)) continue;
    ComplexMode& mode = modes.emplace_back(ComplexMode{value, {}});
    for (std::size_t i = 0; i < parts.n; ++i)
      mode.q.push_back(eigen.vectors[k * 2 * parts.n + i] / std::sqrt(space.mass[i]));
    normalise(space, mode.q);
  }
  std::ranges::stable_sort(modes, {}, [](const ComplexMode& each) { return std::abs(each.value); });
  if (std::ssize(modes) > space.mode_count()) modes.resize(static_cast<std::size_t>(space.mode_count()));
  return modes;
}

}  // namespace ritz

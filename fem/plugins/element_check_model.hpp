// Helpers of the checks of forms and of whole elements: host vectors, and equations on a small mesh.
#pragma once

#include "device/function_ref.hpp"
#include "fem/operator/operator.hpp"
#include "fem/plugins/element_check.hpp"
#include "fem/plugins/element_check_order.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace ritz {

using Numbers = std::vector<double>;

inline double norm(const Numbers& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

inline double dot(const Numbers& x, const Numbers& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

inline Numbers sum(double a, const Numbers& x, double b, const Numbers& y) {
  Numbers z(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) z[i] = a * x[i] + b * y[i];
  return z;
}

// Difference relative to `scale`; 0 where both vanish. NaN stays NaN, which no limit allows.
inline double relative(double difference, double scale) { return difference == 0 ? 0 : difference / scale; }

// Relative size of r(3u + v) - 3r(u) - r(v), each r less r(0): rounding alone where the residual r is linear.
template <class Model>
double nonlinearity(const Model& model, const Numbers& u, const Numbers& v) {
  const Numbers start = model.residual(Numbers(u.size(), 0.0));
  const Numbers a = sum(1, model.residual(u), -1, start), b = sum(1, model.residual(v), -1, start);
  const Numbers both = sum(1, model.residual(sum(3, u, 1, v)), -1, start);
  return relative(norm(sum(1, both, -1, sum(3, a, 1, b))), norm(a) + norm(b));
}

// A form on a mesh, with host vectors in the order of the space.
struct CheckModel {
  CheckModel(const Mesh& mesh, const FormOnDevice& f, const SpaceOptions& options)
      : space(mesh, f.form.components, f.device, options), equations(space, integrals(mesh, f.form)) {}

  static std::vector<Integral> integrals(const Mesh& mesh, const FormValue& form) {
    if (form.cell == static_cast<int>(CellKind::vertex1)) {
      std::vector<Node> nodes(static_cast<std::size_t>(mesh.node_count()));
      std::iota(nodes.begin(), nodes.end(), Node{0});
      return {Integral::at_nodes(form, std::move(nodes))};
    }
    if (form.codimension == 0) return {Integral::over_all_cells(form)};
    std::vector<Integral> list;
    for (const Region& region : mesh.regions())
      if (region.kind == RegionKind::facets) list.push_back(Integral::over(form, region));
    return list;
  }
  Vector up(const Numbers& x) const { return Vector(space.device(), std::span<const double>(x), "vectors"); }
  Numbers residual(const Numbers& u) const {
    Vector r = space.zeros();
    equations.residual(up(u), r);
    return r.host();
  }
  Numbers action(const Numbers& u, const Numbers& x) const {
    Vector y = space.zeros();
    equations.action(up(u), up(x), y);
    return y.host();
  }
  SparseMatrix matrix(const Numbers& u) const {
    SparseMatrix K = equations.make_matrix();
    equations.assemble(up(u), K);
    return K;
  }
  Numbers product(const SparseMatrix& K, const Numbers& x) const {
    Vector y = space.zeros();
    K.apply(up(x), y);
    return y.host();
  }
  // (J x) by central differences of the residual.
  Numbers difference(const Numbers& u, const Numbers& x, double h = 1e-5) const {
    return sum(0.5 / h, residual(sum(1, u, h, x)), -0.5 / h, residual(sum(1, u, -h, x)));
  }
  Numbers values(FunctionRef<double(const Point&, int)> field) const { return nodal_values(space, field); }

  FunctionSpace space;
  Operator equations;
};

// Results of the checks at one place.
struct CheckList {
  std::string on;  // "hex8, order 2"
  std::vector<CheckResult> results = {};
  enum class Limit { greatest, least };

  void add(const std::string& check, double number, double limit, const std::string& note,
           Limit kind = Limit::greatest) {
    const bool at_least = kind == Limit::least;
    const bool passed = at_least ? number >= limit : number <= limit;  // NaN: no
    results.push_back({check, on, passed, number, limit, at_least, note});
  }
  void add_failure(const std::string& check, const std::string& note) {
    results.push_back({check, on, false, NAN, 0, false, note});
  }
};

// A form or a structural element on a mesh, by the first of several devices, and three fields of its unknowns: u of
// this amplitude, v and w of amplitude 1.
struct CheckedForm {
  const std::vector<FormOnDevice>& devices;
  const FormRecord& record;
  double amplitude;
  const Mesh& mesh;
  SpaceOptions space;
  CheckModel model;
  Numbers u, v, w;

  CheckedForm(const std::vector<FormOnDevice>& on, const FormRecord& of, double size, const Mesh& cells,
              const SpaceOptions& options = {});
  const FormOnDevice& form() const { return devices.front(); }
  CheckModel with(const FormOnDevice& other) const { return {mesh, other, space}; }
};

// fem/plugins/checked_form.cpp: checks of forms and structural elements alike.
bool check_finite(const CheckedForm& s, CheckList& results);
void check_linear(const CheckedForm& s, CheckList& results);
void check_load(const CheckedForm& s, CheckList& results);  // of a form without a matrix
void check_tangent(const CheckedForm& s, CheckList& results);
void check_balance(const CheckedForm& s, CheckList& results);
void check_backends(const CheckedForm& s, CheckList& results);
// fem/plugins/element_check_state.cpp: of those with internal variables.
void check_states(const CheckedForm& s, CheckList& results);

// fem/plugins/element_check_balance.cpp: of r at u, forces that a body exerts on itself: their sum, and that of their
// moments, which vanish; relative to the sums of the magnitudes. Moments are taken where the nodes are, or have moved
// to by displacements that are not small.
double imbalance(const CheckModel& model, const FormRecord& record, const Numbers& u, const Numbers& r);

// fem/plugins/whole_element_check.cpp: some cells of the kind, a crooked line, a bent surface of distorted cells, or a
// distorted box.
Mesh cells_to_check(CellKind kind);
// check_form() calls it.
std::vector<CheckResult> check_whole_element(const std::vector<FormOnDevice>& devices, const FormRecord& record,
                                             const FormCheckOptions& options);

}  // namespace ritz

#include "fem/results/curl_results.hpp"

#include "fem/results/vector_field.hpp"
#include "device/error.hpp"
#include "mesh/cell_geometry.hpp"
#include "mesh/curved_cells.hpp"
#include "mesh/point_algebra.hpp"
#include "solvers/algebra/vectors.hpp"

#include <array>
#include <numeric>
#include <optional>

namespace ritz {
namespace {

// The members of a form's fields at a centroid, one after the other, as FluxesAtPoint takes them.
class FieldsAtCentroids {
 public:
  FieldsAtCentroids(const FieldsOperator& equations, const Vector& u) : equations_(equations) {
    for (int k = 0; k < equations.field_count(); ++k) {
      const bool is_vector =
          equations.terms().family(k) == Family::facet || equations.terms().family(k) == Family::edge;
      vectors_.push_back(is_vector ? std::optional<VectorField>(std::in_place, equations, k, u) : std::nullopt);
      numbers_.push_back(equations.layout().part(u, k).host());
    }
  }

  void add(int field, Index cell, std::vector<double>& members) const {
    const FunctionSpace& space = equations_.space(field);
    const auto dimension = static_cast<std::size_t>(space.mesh().dimension());
    const Point xi = reference_centroid(space.mesh().kind_of(cell));
    const auto k = static_cast<std::size_t>(field);
    if (!vectors_[k]) return add_nodal(space, numbers_[k], cell, xi, members);
    const auto [value, derivative] = vectors_[k]->at(cell, xi);
    const std::size_t derivatives = equations_.terms().family(field) == Family::edge && dimension == 3 ? 3 : 1;
    members.insert(members.end(), value.begin(), value.begin() + static_cast<std::ptrdiff_t>(dimension));
    members.insert(members.end(), derivative.begin(), derivative.begin() + static_cast<std::ptrdiff_t>(derivatives));
  }

 private:
  // value[component], gradient[component][direction]
  static void add_nodal(const FunctionSpace& space, const std::vector<double>& u, Index cell, const Point& xi,
                        std::vector<double>& members) {
    const auto c = static_cast<std::size_t>(space.components()),
               dimension = static_cast<std::size_t>(space.mesh().dimension());
    std::vector<Node> nodes;
    space.nodes_of(cell, nodes);
    std::vector<double> functions(nodes.size());
    std::vector<Point> slopes(nodes.size());
    space.element(space.mesh().kind_of(cell)).evaluate(xi, functions, slopes);
    std::array<Point, 3> t = CellMap(space.mesh(), cell).tangents(xi);
    if (dimension == 2) t[2] = {0, 0, 1};
    const double determinant = dot(t[0], cross(t[1], t[2]));
    const std::size_t first = members.size();
    members.resize(first + c * (1 + dimension), 0.0);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t i = 0; i < c; ++i) {
        const double each = u[static_cast<std::size_t>(nodes[a]) * c + i];
        members[first + i] += functions[a] * each;
        for (std::size_t d = 0; d < dimension; ++d) {
          const Point row = cross(t[(d + 1) % 3], t[(d + 2) % 3]);
          for (std::size_t j = 0; j < dimension; ++j)
            members[first + c + i * dimension + j] += each * slopes[a][d] * row[j] / determinant;
        }
      }
  }

  const FieldsOperator& equations_;
  std::vector<std::optional<VectorField>> vectors_;  // [field]; none where it has no vectors
  std::vector<std::vector<double>> numbers_;         // [field]
};

std::size_t member_count(const FieldFacts& field, int dimension) {
  switch (field.family) {
    case Family::edge: return static_cast<std::size_t>(dimension == 3 ? 6 : 3);
    case Family::facet: return static_cast<std::size_t>(dimension + 1);
    default: return static_cast<std::size_t>(field.components * (1 + dimension));
  }
}

// Adds the fluxes of one form, in its cells, to those of the field's curl.
void add_fluxes(const FieldsOperator& equations, const MixedIntegral& integral, int field,
                const FieldsAtCentroids& fields, std::vector<double>& sums) {
  const MixedFormValue& form = integral.form;
  const int own = integral.position_of(field);
  if (form.codimension > 0 || own < 0) return;
  const Mesh& mesh = equations.space(field).mesh();
  std::vector<Index> cells = integral.cells;
  if (integral.everywhere) {
    cells.resize(static_cast<std::size_t>(mesh.cell_count()));
    std::iota(cells.begin(), cells.end(), Index{0});
  }
  std::vector<double> places;
  std::vector<Point> centroids;
  for (const Index cell : cells) {
    centroids.push_back(reference_centroid(mesh.kind_of(cell)));
    const Point x = CellMap(mesh, cell).at(centroids.back());
    places.insert(places.end(), x.begin(), x.end());
  }
  std::vector<std::vector<double>> given;
  for (const PointFunction& each : form.numbers.given)
    each(EvaluationPoints(places, mesh, cells, centroids), equations.time().t, given.emplace_back(cells.size()));
  const auto D = static_cast<std::size_t>(mesh.dimension());
  std::size_t before = D;  // of the curl's flux among all: after the values of its field
  std::size_t count = 0;
  for (int k = 0; k < form.field_count(); ++k) {
    const std::size_t members = member_count(form.fields[static_cast<std::size_t>(k)], mesh.dimension());
    if (k < own) before += members;
    count += members;
  }
  const std::size_t curls = D == 3 ? 3 : 1;
  std::vector<double> u, fluxes(count), numbers(given.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    u.clear();
    for (int k = 0; k < form.field_count(); ++k)
      fields.add(integral.fields.empty() ? k : integral.fields[static_cast<std::size_t>(k)], cells[i], u);
    for (std::size_t g = 0; g < given.size(); ++g) numbers[g] = given[g][i];
    form.fluxes(form.numbers.bytes.data(), &places[3 * i], numbers.data(), u.data(), fluxes.data());
    for (std::size_t c = 0; c < curls; ++c)
      sums[static_cast<std::size_t>(cells[i]) * curls + c] += integral.factor * fluxes[before + c];
  }
}

}  // namespace

CurlResults curl_results(const FieldsOperator& equations, int field, const Vector& u) {
  if (equations.terms().family(field) != Family::edge)
    throw Error(ErrorKind::internal, "the curl of a field that is not one of edges was asked for");
  const Mesh& mesh = equations.space(field).mesh();
  const std::size_t curls = mesh.dimension() == 3 ? 3 : 1;
  const FieldsAtCentroids fields(equations, u);
  CurlResults result;
  std::vector<double> members;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    members.clear();
    fields.add(field, cell, members);
    for (std::size_t i = 0; i < 3; ++i)
      result.values.push_back(i < static_cast<std::size_t>(mesh.dimension()) ? members[i] : 0);
    result.curls.insert(result.curls.end(), members.end() - static_cast<std::ptrdiff_t>(curls), members.end());
  }
  result.fluxes.resize(result.curls.size(), 0.0);
  for (const MixedIntegral& each : equations.terms().integrals())
    if (!each.is_rate) add_fluxes(equations, each, field, fields, result.fluxes);
  return result;
}

Works works(const FieldsOperator& equations, const Vector& u) {
  Vector with = equations.zeros(), without = equations.zeros();
  equations.residual(u, with);
  equations.residual(equations.zeros(), without);
  const double of_loads = -dot(u, without);
  return {0.5 * (dot(u, with) + of_loads), of_loads};
}

}  // namespace ritz

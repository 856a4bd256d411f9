#include "fem/results/strain_variation.hpp"

#include "fem/cells/reference_element.hpp"
#include "fem/results/error_laws.hpp"
#include "mesh/curved_cells.hpp"
#include "mesh/quadrature.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace ritz {
namespace {

constexpr Index sampled_cells = 20'000;

bool is_simplex(CellKind kind) { return traits(kind).dimension + 1 == traits(kind).corner_count; }

bool has_linear_cells(const FunctionSpace& space) {
  return std::ranges::all_of(space.mesh().blocks(), [&](const CellBlock& block) {
    return space.element(block.kind).node_count() == traits(block.kind).corner_count;
  });
}

// Inverse of the matrix with these columns [axis][component], and its determinant.
struct Inverse {
  double rows[3][3], determinant;
  Inverse(std::array<Point, 3> t, int dimension) {
    if (dimension == 2) t[2] = {0, 0, 1};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const auto a = static_cast<std::size_t>((i + 1) % 3), b = static_cast<std::size_t>((i + 2) % 3);
        const auto c = static_cast<std::size_t>((j + 1) % 3), d = static_cast<std::size_t>((j + 2) % 3);
        rows[i][j] = t[a][c] * t[b][d] - t[a][d] * t[b][c];
      }
    determinant = t[0][0] * rows[0][0] + t[0][1] * rows[0][1] + t[0][2] * rows[0][2];
    for (auto& row : rows)
      for (double& entry : row) entry /= determinant;
  }
};

template <class Law>
class Variation {
 public:
  Variation(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model)
      : space_(space), mesh_(space.mesh()), u_(u), model_(model), nodes_of_(space) {}

  double share() {
    const bool thin = is_thin();
    if (thin) average();
    // Simplices are judged by all of them: a sample has no neighbours.
    const Index stride = thin ? 1 : std::max<Index>(1, mesh_.cell_count() / sampled_cells);
    double varying = 0, total = 0;
    for (Index cell = 0; cell < mesh_.cell_count(); cell += stride) {
      const CellKind kind = mesh_.kind_of(cell);
      if (!is_simplex(kind)) add_inside(cell, varying, total);
      else if (thin) add_around(cell, varying, total);
      else total += energy_of(points_of(cell), cell, {});
    }
    return is_rigid(space_, u_, model_, total * static_cast<double>(stride)) ? 0 : varying / total;
  }

 private:
  static constexpr std::size_t M = Law::M;
  using Strain = std::array<double, M>;
  struct At {
    double weight;
    Strain strain;
  };
  struct Tables {
    QuadratureRule rule;
    std::vector<std::vector<double>> values;    // [point][node]
    std::vector<std::vector<Point>> gradients;  // [point][node]
  };

  // Is a mesh of triangles or tetrahedra about one cell thick? With all vertices at the boundary there are about as
  // many triangles as vertices, else twice as many; about three times as many tetrahedra, else five to six times.
  bool is_thin() const {
    Index cells = 0;
    for (const CellBlock& block : mesh_.blocks())
      if (is_simplex(block.kind)) cells += block.cell_count();
    const double each = static_cast<double>(cells) / static_cast<double>(mesh_.node_count());
    return cells > 0 && each < (mesh_.dimension() == 3 ? 4.5 : 1.7);
  }

  const Tables& tables_of(CellKind kind) {
    const auto found = tables_.find(kind);
    if (found != tables_.end()) return found->second;
    const ReferenceElement& element = space_.element(kind);
    Tables tables{quadrature(element.shape, is_simplex(element.shape) ? 1 : 2), {}, {}};
    for (const Point& xi : tables.rule.points)
      element.evaluate(xi, tables.values.emplace_back(element.nodes.size()),
                       tables.gradients.emplace_back(element.nodes.size()));
    return tables_.emplace(kind, std::move(tables)).first->second;
  }

  const std::vector<At>& points_of(Index cell) {
    constexpr auto C = static_cast<std::size_t>(Law::C), G = static_cast<std::size_t>(Law::G);
    const Tables& t = tables_of(mesh_.kind_of(cell));
    const CellMap map(mesh_, cell);
    const auto nodes = nodes_of_(cell);
    points_.clear();
    for (std::size_t q = 0; q < t.rule.points.size(); ++q) {
      const Inverse inverse(map.tangents(t.rule.points[q]), mesh_.dimension());
      const double radius = Law::revolution ? map.at(t.rule.points[q])[0] : 1;
      double g[3][3] = {}, radial = 0;
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        const double* const value = &u_[static_cast<std::size_t>(nodes[a]) * C];
        const Point& slope = t.gradients[q][a];
        radial += t.values[q][a] * value[0];
        for (std::size_t i = 0; i < G; ++i) {
          double along = 0;
          for (std::size_t d = 0; d < G; ++d) along += inverse.rows[d][i] * slope[d];
          for (std::size_t c = 0; c < C; ++c) g[c][i] += value[c] * along;
        }
      }
      At at{t.rule.weights[q] * inverse.determinant * radius, {}};
      Law::recovered(g, radial / radius, at.strain.data());
      points_.push_back(at);
    }
    return points_;
  }

  double energy_of(const std::vector<At>& points, Index cell, const Strain& without) const {
    const auto c = static_cast<std::size_t>(cell);
    const auto& numbers = model_.numbers[model_.by_cell            ? c
                                         : model_.material.empty() ? 0
                                                                   : static_cast<std::size_t>(model_.material[c])];
    double sum = 0;
    for (const At& at : points) {
      Strain e = at.strain;
      for (std::size_t m = 0; m < M; ++m) e[m] -= without[m];
      sum += at.weight * Law::energy(numbers, model_.plane_stress, e.data());
    }
    return sum * model_.weight;
  }

  void add_inside(Index cell, double& varying, double& total) {
    const std::vector<At>& points = points_of(cell);
    Strain mean{};
    double volume = 0;
    for (const At& at : points) {
      volume += at.weight;
      for (std::size_t m = 0; m < M; ++m) mean[m] += at.weight * at.strain[m];
    }
    for (double& each : mean) each /= volume;
    varying += energy_of(points, cell, mean);
    total += energy_of(points, cell, {});
  }

  // The means around vertices.
  void average() {
    means_.assign(static_cast<std::size_t>(mesh_.node_count()), {});
    volumes_.assign(means_.size(), 0.0);
    for (Index cell = 0; cell < mesh_.cell_count(); ++cell)
      for (const At& at : points_of(cell))
        for (const Node node : corners(cell)) {
          const auto n = static_cast<std::size_t>(node);
          volumes_[n] += at.weight;
          for (std::size_t m = 0; m < M; ++m) means_[n][m] += at.weight * at.strain[m];
        }
  }

  void add_around(Index cell, double& varying, double& total) {
    const auto nodes = corners(cell);
    Strain mean{};
    for (const Node node : nodes)
      for (std::size_t m = 0; m < M; ++m)
        mean[m] += means_[static_cast<std::size_t>(node)][m] /
                   (volumes_[static_cast<std::size_t>(node)] * static_cast<double>(nodes.size()));
    const std::vector<At>& points = points_of(cell);
    varying += energy_of(points, cell, mean);
    total += energy_of(points, cell, {});
  }

  std::span<const Node> corners(Index cell) const {
    return mesh_.nodes_of(cell).first(static_cast<std::size_t>(traits(mesh_.kind_of(cell)).corner_count));
  }

  const FunctionSpace& space_;
  const Mesh& mesh_;
  std::span<const double> u_;
  const ErrorModel& model_;
  FunctionSpace::CellNodes nodes_of_;
  std::map<CellKind, Tables> tables_;
  std::vector<At> points_;       // of the present cell
  std::vector<Strain> means_;    // [node]
  std::vector<double> volumes_;  // [node] of the cells around
};

}  // namespace

double strain_variation(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model) {
  if (!has_linear_cells(space)) return 0;
  switch (model.physics) {
    case ErrorPhysics::solid: return Variation<Solid>(space, u, model).share();
    case ErrorPhysics::plane: return Variation<Plane>(space, u, model).share();
    case ErrorPhysics::axisymmetric: return Variation<Revolution>(space, u, model).share();
    default: return 0;
  }
}

}  // namespace ritz

#include "fem/results/error_estimate.hpp"

#include "device/parallel_errors.hpp"
#include "fem/cells/tabulation.hpp"
#include "fem/results/error_laws.hpp"
#include "fem/results/polynomial_fit.hpp"
#include "fem/results/recovery_patches.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/quality/quality.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ritz {
namespace {

// A rule on a reference cell, and all functions at its points.
struct CellPoints {
  std::size_t count = 0, nodes = 0, places = 0, corners = 0;
  std::vector<double> weights;
  std::vector<double> values;  // of the field [point][node]
  std::vector<Point> gradients;
  std::vector<double> map_values;  // of the cell's map [point][node of the map]
  std::vector<Point> map_gradients;
  std::vector<double> corner_values;  // of the linear cell [point][corner]
};

CellPoints tabulate(const ReferenceElement& element, const ReferenceElement& map, const QuadratureRule& rule) {
  const ReferenceElement linear = cell_element(element.shape);
  CellPoints t{.count = rule.points.size(),
               .nodes = element.nodes.size(),
               .places = map.nodes.size(),
               .corners = linear.nodes.size(),
               .weights = rule.weights};
  const auto at = [](const ReferenceElement& e, const Point& xi, std::vector<double>& all_values,
                     std::vector<Point>& all_gradients) {
    std::vector<double> values(e.nodes.size());
    std::vector<Point> gradients(e.nodes.size());
    e.evaluate(xi, values, gradients);
    all_values.insert(all_values.end(), values.begin(), values.end());
    all_gradients.insert(all_gradients.end(), gradients.begin(), gradients.end());
  };
  std::vector<Point> unused;
  for (const Point& xi : rule.points) {
    at(element, xi, t.values, t.gradients);
    at(map, xi, t.map_values, t.map_gradients);
    at(linear, xi, t.corner_values, unused);
  }
  return t;
}

// The reduced (superconvergent) points; those of order 1 have the centre alone.
QuadratureRule sampling_rule(const ReferenceElement& element) {
  return quadrature(element.shape, element.order == 1 ? 1 : evaluation_degree(element.shape, element.order));
}

struct Jacobian {
  double inverse[3][3], determinant;
};

template <int D>
Jacobian jacobian(const CellPoints& t, std::size_t q, const Point* x) {
  double J[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < D; ++i)
    for (int d = 0; d < D; ++d) J[i][d] = 0;
  for (std::size_t a = 0; a < t.places; ++a) {
    const Point& slope = t.map_gradients[q * t.places + a];
    for (std::size_t i = 0; i < D; ++i)
      for (std::size_t d = 0; d < D; ++d) J[i][d] += x[a][i] * slope[d];
  }
  Jacobian result;
  auto& K = result.inverse;
  for (int i = 0; i < 3; ++i)
    for (int d = 0; d < 3; ++d) {
      const int j = (i + 1) % 3, k = (i + 2) % 3, e = (d + 1) % 3, f = (d + 2) % 3;
      K[d][i] = J[j][e] * J[k][f] - J[j][f] * J[k][e];
    }
  result.determinant = J[0][0] * K[0][0] + J[1][0] * K[0][1] + J[2][0] * K[0][2];
  for (auto& row : K)
    for (double& entry : row) entry /= result.determinant;
  return result;
}

// The solution in the cells of a mesh: nodes, values, and tables of functions at points of each kind of cell.
template <class Law>
class SolutionInCells {
 public:
  static constexpr std::size_t C = Law::C, G = Law::G;
  // Tables for the cells of a block that share a map.
  struct Tables {
    CellPoints samples, points;
    bool constant;  // is the strain the same all over a cell?
  };
  struct Scratch {
    FunctionSpace::CellNodes nodes_of;
    std::vector<Point> x;
    std::vector<double> u;
  };

  SolutionInCells(const FunctionSpace& of, std::span<const double> u) : space(of), mesh(of.mesh()), u_(u) {
    for (const CellBlock& block : mesh.blocks()) {
      const ReferenceElement& element = space.element(block.kind);
      const int extra = Law::revolution ? 1 : 0;
      const QuadratureRule samples = sampling_rule(element),
                           points = quadrature(element.shape,
                                               mass_degree(element.shape, element.quadrature_order()) + extra);
      const auto make = [&](const ReferenceElement& map, bool straight) {
        const bool simplex = element.shape == CellKind::tri3 || element.shape == CellKind::tet4;
        return Tables{tabulate(element, map, samples), tabulate(element, map, points),
                      simplex && straight && element.quadrature_order() == 1 && !Law::revolution};
      };
      const ReferenceElement linear = cell_element(element.shape);
      straight_.push_back(make(linear, true));
      own_.push_back(make(cell_element(block.kind), false));
      curved_.push_back(block.curved.empty() ? Tables{} : make(element_of(block.curved.functions), false));
    }
  }

  Scratch scratch() const { return {FunctionSpace::CellNodes(space), {}, {}}; }
  int threads() const { return space.device().threads(); }
  std::size_t samples_in(std::size_t block) const { return own_[block].samples.count; }  // of each cell

  // Reads the cell; the tables of its kind.
  const Tables& load(std::size_t block_number, Index cell, Scratch& s) const {
    const CellBlock& block = mesh.blocks()[block_number];
    const std::span<const Point> own = block.curved.of(cell - block.first_cell);
    const Tables& t = !own.empty()              ? curved_[block_number]
                      : space.is_straight(cell) ? straight_[block_number]
                                                : own_[block_number];
    if (!own.empty()) s.x.assign(own.begin(), own.end());
    else {
      const auto nodes = block.cell(cell - block.first_cell);
      s.x.resize(t.points.places);
      for (std::size_t a = 0; a < s.x.size(); ++a) {
        const auto p = mesh.point(nodes[a]);
        s.x[a] = {p[0], p[1], p[2]};
      }
    }
    const auto nodes = s.nodes_of(cell);
    s.u.resize(nodes.size() * C);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t c = 0; c < C; ++c) s.u[a * C + c] = u_[static_cast<std::size_t>(nodes[a]) * C + c];
    return t;
  }

  static Point place(const CellPoints& t, std::size_t q, const Point* x) {
    Point p{};
    for (std::size_t a = 0; a < t.places; ++a)
      for (std::size_t i = 0; i < G; ++i) p[i] += t.map_values[q * t.places + a] * x[a][i];
    return p;
  }

  // Strain at a point.
  static void strain(const CellPoints& t, std::size_t q, const Jacobian& J, const Scratch& s, double radius,
                     double* out) {
    double reference[3][3] = {}, g[3][3] = {}, radial = 0;
    for (std::size_t a = 0; a < t.nodes; ++a) {
      const Point& slope = t.gradients[q * t.nodes + a];
      for (std::size_t c = 0; c < C; ++c)
        for (std::size_t d = 0; d < G; ++d) reference[c][d] += slope[d] * s.u[a * C + c];
      if constexpr (Law::revolution) radial += t.values[q * t.nodes + a] * s.u[a * C];
    }
    for (std::size_t c = 0; c < C; ++c)
      for (std::size_t i = 0; i < G; ++i)
        for (std::size_t d = 0; d < G; ++d) g[c][i] += reference[c][d] * J.inverse[d][i];
    Law::recovered(g, Law::revolution ? radial / radius : 0, out);
  }

  const FunctionSpace& space;
  const Mesh& mesh;

 private:
  std::span<const double> u_;
  std::vector<Tables> straight_, own_, curved_;  // [block]
};

// Strains at the reduced points of all cells.
struct Samples {
  std::vector<Index> first, width;  // [block] the first one, and their number in a cell
  std::vector<Point> places;        // [sample]
  std::vector<double> values;       // [sample][M]
  std::size_t of(std::size_t block, Index cell) const {
    return static_cast<std::size_t>(first[block] + cell * width[block]);
  }
};

template <class Law>
Samples sampled(const SolutionInCells<Law>& solution) {
  constexpr std::size_t M = Law::M;
  Samples result;
  Index count = 0;
  for (std::size_t b = 0; b < solution.mesh.blocks().size(); ++b) {
    result.first.push_back(count);
    result.width.push_back(static_cast<Index>(solution.samples_in(b)));
    count += solution.mesh.blocks()[b].cell_count() * result.width.back();
  }
  result.places.resize(static_cast<std::size_t>(count));
  result.values.resize(static_cast<std::size_t>(count) * M);
  ParallelErrors errors;
#pragma omp parallel num_threads(solution.threads())
  {
    auto s = solution.scratch();
    for (std::size_t b = 0; b < solution.mesh.blocks().size(); ++b) {
      const CellBlock& block = solution.mesh.blocks()[b];
#pragma omp for schedule(static)
      for (Index k = 0; k < block.cell_count(); ++k)
        errors.run([&] {
          const CellPoints& t = solution.load(b, block.first_cell + k, s).samples;
          for (std::size_t q = 0; q < t.count; ++q) {
            const std::size_t at = result.of(b, k) + q;
            result.places[at] = solution.place(t, q, s.x.data());
            solution.strain(t, q, jacobian<static_cast<int>(Law::G)>(t, q, s.x.data()), s, result.places[at][0],
                            &result.values[at * M]);
          }
        });
    }
  }
  errors.rethrow();
  return result;
}

// Polynomials of the strain around the vertices.
template <class Law>
struct Recovered {
  RecoveryPatches patches;
  Monomials monomials;
  std::vector<LocalAxes> axes;       // [patch]
  std::vector<double> coefficients;  // [patch][monomial][M]
  Index shallow = 0;

  const double* of(Index patch) const { return &coefficients[first(patch)]; }
  double* of(Index patch) { return &coefficients[first(patch)]; }
  std::size_t first(Index patch) const { return static_cast<std::size_t>(patch * monomials.count()) * Law::M; }
};

// The polynomial fit of one thread.
struct PatchFit {
  NormalEquations equations;
  std::vector<double> basis;
  std::vector<Index> cells;
  std::vector<std::size_t> samples = {};
  std::vector<Point> points = {};
  std::vector<double> weights = {};
};

// Measured: with more, quadratic cells at the boundary of coarse meshes are smoothed too much, with less, linear ones
// too little.
double weight_around(int order) { return order == 1 ? 1 : 0.1; }

std::size_t block_of(const Mesh& mesh, Index cell) {
  const auto blocks = mesh.blocks();
  if (blocks.size() == 1) return 0;
  return static_cast<std::size_t>(std::ranges::upper_bound(blocks, cell, {}, &CellBlock::first_cell) - blocks.begin()) -
         1;
}

// [cell] 1; empty: all.
using ChosenCells = std::span<const std::uint8_t>;

bool is_chosen(ChosenCells chosen, Index cell) { return chosen.empty() || chosen[static_cast<std::size_t>(cell)] != 0; }

// [patch] 1: those around the corners of chosen cells; empty: all.
std::vector<std::uint8_t> wanted_patches(const Mesh& mesh, const RecoveryPatches& patches, ChosenCells chosen) {
  if (chosen.empty()) return {};
  std::vector<std::uint8_t> wanted(static_cast<std::size_t>(patches.count()), 0);
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    if (is_chosen(chosen, cell))
      for (const Node corner : patches.corners(cell)) wanted[static_cast<std::size_t>(patches.of(corner, cell))] = 1;
  return wanted;
}

// The polynomial of a patch through the samples of cells. Returns the number of monomials that these do not determine,
// which are left out.
template <class Law>
int fit_through(const Mesh& mesh, int order, const Samples& samples, std::span<const Index> cells,
                std::span<const Index> own, Index patch, PatchFit& fit, Recovered<Law>& result) {
  fit.points.clear();
  fit.samples.clear();
  fit.weights.clear();
  for (const Index cell : cells) {
    const std::size_t b = block_of(mesh, cell);
    const std::size_t begin = samples.of(b, cell - mesh.blocks()[b].first_cell);
    for (std::size_t at = begin; at < begin + static_cast<std::size_t>(samples.width[b]); ++at) {
      fit.samples.push_back(at);
      fit.points.push_back(samples.places[at]);
      fit.weights.push_back(own.size() == cells.size() || std::ranges::binary_search(own, cell) ? 1
                                                                                                : weight_around(order));
    }
  }
  LocalAxes& axes = result.axes[static_cast<std::size_t>(patch)];
  axes.set(static_cast<int>(Law::G), fit.points);
  fit.equations.clear();
  for (std::size_t i = 0; i < fit.points.size(); ++i) {
    double local[3];
    axes.take(static_cast<int>(Law::G), fit.points[i].data(), local);
    result.monomials.at(local, fit.basis.data());
    fit.equations.add(fit.basis.data(), &samples.values[fit.samples[i] * Law::M], fit.weights[i]);
  }
  return fit.equations.solve(result.of(patch));
}

// Patches that surround their vertex have polynomials through their own samples; others through those of the cells
// around them, too, with less weight.
template <class Law>
Recovered<Law> recovered(const SolutionInCells<Law>& solution, const Samples& samples, const ErrorModel& model,
                         ChosenCells chosen) {
  const Mesh& mesh = solution.mesh;
  const int order = solution.space.order();
  Recovered<Law> result{RecoveryPatches(mesh, model.material), Monomials(static_cast<int>(Law::G), order), {}, {}};
  const RecoveryPatches& patches = result.patches;
  const std::vector<std::uint8_t> wanted = wanted_patches(mesh, patches, chosen);
  const int n = result.monomials.count();
  const Index count = patches.count();
  result.coefficients.resize(static_cast<std::size_t>(count * n) * Law::M);
  result.axes.resize(static_cast<std::size_t>(count));
  Index shallow = 0;
  ParallelErrors errors;
#pragma omp parallel num_threads(solution.threads()) reduction(+ : shallow)
  {
    std::optional<PatchFit> own;
    errors.run([&] {
      own.emplace(
          PatchFit{NormalEquations(n, static_cast<int>(Law::M)), std::vector<double>(static_cast<std::size_t>(n)), {}});
    });
#pragma omp for schedule(dynamic, 256)
    for (Index patch = 0; patch < count; ++patch)
      errors.run([&] {
        if (!wanted.empty() && wanted[static_cast<std::size_t>(patch)] == 0) return;
        const std::span<const Index> cells = patches.cells(patch);
        if (patches.is_inner(patch) && fit_through(mesh, order, samples, cells, cells, patch, *own, result) == 0)
          return;
        patches.wider(patch, own->cells);
        const bool is_shallow = fit_through(mesh, order, samples, own->cells, cells, patch, *own, result) > 0;
        if (is_shallow) own->equations.solve_turning(result.monomials, result.of(patch));
        shallow += is_shallow && is_chosen(chosen, cells.front());
      });
  }
  errors.rethrow();
  result.shallow = shallow;
  return result;
}

const std::array<double, 2>& numbers_of(const ErrorModel& model, Index cell) {
  const auto c = static_cast<std::size_t>(cell);
  if (model.by_cell) return model.numbers[c];
  return model.numbers[model.material.empty() ? 0 : static_cast<std::size_t>(model.material[c])];
}

template <class Law>
void integrate_over(const SolutionInCells<Law>& solution, const Recovered<Law>& fits, const ErrorModel& model,
                    std::size_t b, Index cell, typename SolutionInCells<Law>::Scratch& s, std::vector<double>& basis,
                    DiscretisationError& result) {
  const auto n = static_cast<std::size_t>(fits.monomials.count()), at = static_cast<std::size_t>(cell);
  constexpr std::size_t M = Law::M;
  const CellBlock& block = solution.mesh.blocks()[b];
  const auto& tables = solution.load(b, cell, s);
  const CellPoints& t = tables.points;
  const auto corners = block.cell(cell - block.first_cell).first(t.corners);
  Index patch[8];
  for (std::size_t v = 0; v < t.corners; ++v) patch[v] = fits.patches.of(corners[v], cell);
  const std::array<double, 2>& numbers = numbers_of(model, cell);
  double squares = 0, energy = 0, magnitude = 0, volume = 0, own[M] = {};
  Jacobian J;
  for (std::size_t q = 0; q < t.count; ++q) {
    const Point x = solution.place(t, q, s.x.data());
    if (q == 0 || !tables.constant) {
      J = jacobian<static_cast<int>(Law::G)>(t, q, s.x.data());
      solution.strain(t, q, J, s, x[0], own);
    }
    double difference[M];
    for (std::size_t m = 0; m < M; ++m) difference[m] = -own[m];
    for (std::size_t v = 0; v < t.corners; ++v) {
      double local[3];
      fits.axes[static_cast<std::size_t>(patch[v])].take(static_cast<int>(Law::G), x.data(), local);
      fits.monomials.at(local, basis.data());
      const double* coefficients = fits.of(patch[v]);
      for (std::size_t i = 0; i < n; ++i) {
        const double share = t.corner_values[q * t.corners + v] * basis[i];
        for (std::size_t m = 0; m < M; ++m) difference[m] += share * coefficients[i * M + m];
      }
    }
    const double weight = t.weights[q] * J.determinant * model.weight * (Law::revolution ? x[0] : 1);
    squares += weight * Law::energy(numbers, model.plane_stress, difference);
    energy += weight * Law::energy(numbers, model.plane_stress, own);
    magnitude += weight * Law::magnitude(numbers, model.plane_stress, difference);
    volume += weight;
  }
  result.squares[at] = squares;
  result.energies[at] = energy;
  result.volumes[at] = volume;
  result.magnitudes[at] = std::sqrt(std::max(0.0, magnitude) / volume);
}

template <class Law>
DiscretisationError integrated(const SolutionInCells<Law>& solution, const Recovered<Law>& fits,
                               const ErrorModel& model, ChosenCells chosen) {
  const auto cell_count = static_cast<std::size_t>(solution.mesh.cell_count());
  DiscretisationError result;
  for (std::vector<double>* each : {&result.squares, &result.magnitudes, &result.energies, &result.volumes})
    each->resize(cell_count);
  result.shallow = fits.shallow;
  ParallelErrors errors;
#pragma omp parallel num_threads(solution.threads())
  {
    auto s = solution.scratch();
    std::vector<double> basis;
    errors.run([&] { basis.resize(static_cast<std::size_t>(fits.monomials.count())); });
    for (std::size_t b = 0; b < solution.mesh.blocks().size(); ++b) {
      const CellBlock& block = solution.mesh.blocks()[b];
#pragma omp for schedule(static)
      for (Index k = 0; k < block.cell_count(); ++k)
        errors.run([&] {
          if (is_chosen(chosen, block.first_cell + k))
            integrate_over(solution, fits, model, b, block.first_cell + k, s, basis, result);
        });
    }
  }
  errors.rethrow();
  return result;
}

template <class Law>
DiscretisationError estimate(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model,
                             ChosenCells chosen) {
  const SolutionInCells<Law> solution(space, u);
  const Samples samples = sampled(solution);
  return integrated(solution, recovered(solution, samples, model, chosen), model, chosen);
}

}  // namespace

double DiscretisationError::relative() const {
  return error + solution > 0 ? std::sqrt(error / (error + solution)) : 0;
}

namespace {

bool is_of_revolution(ErrorPhysics physics) {
  return physics == ErrorPhysics::axisymmetric || physics == ErrorPhysics::axisymmetric_heat;
}

DiscretisationError estimated(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model,
                              std::span<const std::uint8_t> chosen) {
  const auto by = [&]<class Law>(Law) { return estimate<Law>(space, u, model, chosen); };
  switch (model.physics) {
    case ErrorPhysics::solid: return by(Solid{});
    case ErrorPhysics::plane: return by(Plane{});
    case ErrorPhysics::axisymmetric: return by(Revolution{});
    case ErrorPhysics::axisymmetric_heat: return by(Heat<2, true>{});
    default: return space.mesh().dimension() == 3 ? by(Heat<3, false>{}) : by(Heat<2, false>{});
  }
}

}  // namespace

// Against strains of the size of u over that of the body.
bool is_rigid(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model, double energy) {
  double largest = 0, stiffness = 0;
  for (const double value : u) largest = std::max(largest, std::abs(value));
  for (const auto& [first, second] : model.numbers) stiffness = std::max(stiffness, std::abs(first) + 2 * second);
  const Mesh& mesh = space.mesh();
  const BoundingBox box = bounding_box(mesh);
  const double strain = largest / box.diagonal();
  double volume = model.weight * (is_of_revolution(model.physics) ? box.high[0] : 1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(mesh.dimension()); ++i) volume *= box.high[i] - box.low[i];
  return energy <= 1e-16 * stiffness * strain * strain * volume;
}

DiscretisationError estimate_error(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model) {
  DiscretisationError error = estimated(space, u, model, {});
  sum_up(space, u, model, error);
  return error;
}

DiscretisationError estimate_error_in(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model,
                                      std::span<const std::uint8_t> chosen) {
  return estimated(space, u, model, chosen);
}

void sum_up(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model,
            DiscretisationError& error) {
  for (std::size_t cell = 0; cell < error.squares.size(); ++cell) {
    error.error += error.squares[cell];
    error.solution += error.energies[cell];
  }
  if (is_rigid(space, u, model, error.error + error.solution)) error.error = 0;
}

Index host_of_estimate(const FunctionSpace& space) {
  const Mesh& mesh = space.mesh();
  const int dimension = mesh.dimension(), components = space.components();
  const Index columns = components == 1 ? dimension : dimension == 3 ? 6 : 4;
  Index cells = 0, corners = 0, samples = 0;
  std::vector<std::uint8_t> is_vertex(static_cast<std::size_t>(mesh.node_count()), 0);
  for (const CellBlock& block : mesh.blocks()) {
    const auto width = static_cast<std::size_t>(traits(block.kind).corner_count);
    cells += block.cell_count();
    corners += block.cell_count() * static_cast<Index>(width);
    samples += block.cell_count() * static_cast<Index>(sampling_rule(space.element(block.kind)).points.size());
    for (Index cell = 0; cell < block.cell_count(); ++cell)
      for (const Node node : block.cell(cell).first(width)) is_vertex[static_cast<std::size_t>(node)] = 1;
  }
  const Index vertices = std::ranges::count(is_vertex, 1);
  const auto sizes = [](Index count, std::size_t bytes) { return count * static_cast<Index>(bytes); };
  const auto numbers = static_cast<std::size_t>(columns) * sizeof(double);
  const Index lists = sizes(2 * mesh.node_count(), sizeof(Index)) + sizes(corners, sizeof(Index)) +
                      sizes(vertices, sizeof(Index) + sizeof(Node) + 1);
  const Index fits = sizes(
      vertices, sizeof(LocalAxes) + static_cast<std::size_t>(Monomials(dimension, space.order()).count()) * numbers);
  return sizes(space.unknown_count(), sizeof(double)) + lists + fits + sizes(samples, sizeof(Point) + numbers) +
         sizes(cells, 4 * sizeof(double) + sizeof(std::int32_t) + sizeof(Index));
}

}  // namespace ritz

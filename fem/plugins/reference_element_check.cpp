#include "device/error.hpp"
#include "mesh/quadrature.hpp"
#include "fem/plugins/element_check_model.hpp"
#include "fem/forms/diffusion.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

// The maps of a facet's reference cell onto itself: two cells may see a common facet in any of these ways.
std::vector<std::function<Point(const Point&)>> symmetries(CellKind shape) {
  if (shape == CellKind::line2) return {[](const Point& x) { return Point{-x[0], 0, 0}; }};
  if (shape == CellKind::tri3)
    return {[](const Point& x) {
              return Point{x[1], x[0], 0};
            },
            [](const Point& x) {
              return Point{1 - x[0] - x[1], x[0], 0};
            }};
  // quad4
  return {[](const Point& x) { return Point{x[1], x[0], 0}; }, [](const Point& x) { return Point{-x[1], x[0], 0}; }};
}

struct ShapeFunctions {
  Numbers values;
  std::vector<Point> slopes;
};

ShapeFunctions functions_at(const ReferenceElement& e, const Point& x) {
  ShapeFunctions result{Numbers(e.nodes.size()), std::vector<Point>(e.nodes.size())};
  e.evaluate(x, result.values, result.slopes);
  return result;
}

std::vector<Point> sample_points(const ReferenceElement& e) { return quadrature(e.shape, 7).points; }

double off(double x) { return std::isfinite(x) ? std::abs(x) : INFINITY; }

// Numbers written where there is room for no node, or not written at all.
bool has_one_function_per_node(const ReferenceElement& e, CheckList& results) {
  constexpr double untouched = -1.2345e300;
  constexpr std::size_t room = 64;  // after those of the nodes
  const std::size_t n = e.nodes.size();
  std::vector<double> values(n + room, untouched);
  std::vector<Point> gradients(n + room, Point{untouched, untouched, untouched});
  e.evaluate(sample_points(e).front(), std::span(values).first(n), std::span(gradients).first(n));
  double wrong = 0;
  for (std::size_t a = 0; a < n + room; ++a)
    for (const double number : {values[a], gradients[a][0]}) wrong += (number == untouched) != (a >= n);
  results.add("one function per node", wrong, 0,
              fmt::format("values and slopes that are missing, or too many for {} nodes", n));
  return wrong == 0;
}

void check_nodal_values(const ReferenceElement& e, CheckList& results) {
  double worst = 0;
  for (std::size_t a = 0; a < e.nodes.size(); ++a) {
    const Numbers values = functions_at(e, e.nodes[a]).values;
    for (std::size_t b = 0; b < values.size(); ++b) worst = std::max(worst, off(values[b] - (a == b ? 1 : 0)));
  }
  results.add("nodal", worst, 1e-10, "shape functions at nodes: 1 at the own one, 0 at the others");
}

void check_unity(const ReferenceElement& e, CheckList& results) {
  double worst = 0;
  for (const Point& x : sample_points(e)) {
    double sum = -1;
    for (const double v : functions_at(e, x).values) sum += v;
    worst = std::max(worst, off(sum));
  }
  results.add("partition of unity", worst, 1e-10, "sum of the shape functions less 1");
}

void check_gradients(const ReferenceElement& e, CheckList& results) {
  constexpr double h = 1e-5;
  double worst = 0, largest = 1;
  for (const Point& x : sample_points(e))
    for (std::size_t d = 0; d < static_cast<std::size_t>(e.dimension()); ++d) {
      Point low = x, high = x;
      low[d] -= h;
      high[d] += h;
      const Numbers before = functions_at(e, low).values, after = functions_at(e, high).values;
      const std::vector<Point> slopes = functions_at(e, x).slopes;
      for (std::size_t a = 0; a < slopes.size(); ++a) {
        worst = std::max(worst, off((after[a] - before[a]) / (2 * h) - slopes[a][d]));
        largest = std::max(largest, std::abs(slopes[a][d]));
      }
    }
  results.add("gradients", worst / largest, 1e-6, "against differences of the values");
}

// Polynomials up to the order come out of their values at the nodes.
void check_completeness(const ReferenceElement& e, CheckList& results) {
  double worst = 0;
  const int p = e.order, in_y = e.dimension() > 1 ? p : 0, in_z = e.dimension() > 2 ? p : 0;
  for (int i = 0; i <= p; ++i)
    for (int j = 0; j <= std::min(in_y, p - i); ++j)
      for (int k = 0; k <= std::min(in_z, p - i - j); ++k) {
        const auto f = [&](const Point& x) { return std::pow(x[0], i) * std::pow(x[1], j) * std::pow(x[2], k); };
        for (const Point& x : sample_points(e)) {
          double value = -f(x);
          const Numbers values = functions_at(e, x).values;
          for (std::size_t a = 0; a < values.size(); ++a) value += values[a] * f(e.nodes[a]);
          worst = std::max(worst, off(value));
        }
      }
  results.add("complete", worst, 1e-9, fmt::format("polynomials of degree {} from their nodal values", p));
}

// Elements that say they are products of one-dimensional ones run by sum factorisation: they had better be.
void check_product(const ReferenceElement& e, CheckList& results) {
  if (e.line_nodes.empty()) return;
  const std::size_t n = e.line_nodes.size(), d = static_cast<std::size_t>(e.dimension());
  double worst = std::abs(std::pow(double(n), double(d)) - double(e.nodes.size()));
  const auto line = [&](std::size_t a, double x) {
    double v = 1;
    for (std::size_t b = 0; b < n; ++b)
      if (b != a) v *= (x - e.line_nodes[b]) / (e.line_nodes[a] - e.line_nodes[b]);
    return v;
  };
  for (const Point& x : sample_points(e)) {
    const Numbers values = functions_at(e, x).values;
    for (std::size_t a = 0; a < values.size() && worst < 1; ++a) {
      double expected = 1;
      for (std::size_t i = 0, rest = a; i < d; ++i, rest /= n) expected *= line(rest % n, x[i]);
      worst = std::max(worst, off(values[a] - expected));
    }
  }
  results.add("product", worst, 1e-10, "values against the product of Lagrange functions at line_nodes");
}

// Largest value on the facet of functions of other nodes.
double others_on(const ReferenceElement& e, int facet, const Trace& trace) {
  const Facet& table = traits(e.shape).facets[static_cast<std::size_t>(facet)];
  const std::span<const Point> corners = reference_nodes(e.shape);
  double worst = 0;
  for (const auto& q : quadrature(table.kind, 5).points) {
    const std::vector<double> shape = shape_values(table.kind, Point{q[0], q[1], q[2]});
    Point x{};
    for (std::size_t c = 0; c < shape.size(); ++c)
      for (std::size_t d = 0; d < 3; ++d) x[d] += shape[c] * corners[static_cast<std::size_t>(table.nodes[c])][d];
    const Numbers values = functions_at(e, x).values;
    for (std::size_t a = 0; a < values.size(); ++a)
      if (std::ranges::find(trace.nodes, static_cast<int>(a)) == trace.nodes.end())
        worst = std::max(worst, off(values[a]));
  }
  return worst;
}

// Largest change of a facet's functions when it is turned or mirrored onto itself.
double change_by_symmetry(const ReferenceElement& t) {
  std::vector<double> here(t.nodes.size()), there(t.nodes.size());
  std::vector<Point> unused(t.nodes.size());
  double worst = 0;
  for (const auto& turn : symmetries(t.shape)) {
    std::vector<std::size_t> image;
    for (const Point& node : t.nodes) {
      const auto found =
          std::ranges::find_if(t.nodes, [&](const Point& other) { return distance(other, turn(node)) < 1e-9; });
      if (found == t.nodes.end())
        throw Error(ErrorKind::plugin,
                    fmt::format("the node ({:.4g}, {:.4g}) of a facet has no mirror image there", node[0], node[1]));
      image.push_back(static_cast<std::size_t>(found - t.nodes.begin()));
    }
    for (const auto& q : quadrature(t.shape, 5).points) {
      const Point x{q[0], q[1], q[2]};
      t.evaluate(x, here, unused);
      t.evaluate(turn(x), there, unused);
      for (std::size_t a = 0; a < here.size(); ++a) worst = std::max(worst, off(here[a] - there[image[a]]));
    }
  }
  return worst;
}

// On a facet only its own functions live, and what they do there depends neither on the facet nor on how it is
// turned.
void check_continuity(const ReferenceElement& e, CheckList& results) {
  const auto facets = static_cast<int>(traits(e.shape).facets.size());
  if (e.dimension() < 2) return;
  double others = 0, turned = 0;
  std::string failure;
  for (int f = 0; f < facets && failure.empty(); ++f) {
    try {
      const Trace trace = trace_of(e, f);
      others = std::max(others, others_on(e, f, trace));
      turned = std::max(turned, change_by_symmetry(trace.element));
    } catch (const Error& error) { failure = error.message(); }
  }
  if (!failure.empty()) return results.add_failure("continuous", failure);
  results.add("continuous", std::max(others, turned), 1e-9,
              "facet functions of other nodes, and change when the facet is turned");
}

}  // namespace

std::vector<CheckResult> check_functions(const ReferenceElement& element) {
  CheckList results{.on = std::string(traits(element.shape).name)};
  // It may write out of bounds and is not called again.
  if (!has_one_function_per_node(element, results)) return std::move(results.results);
  check_nodal_values(element, results);
  check_unity(element, results);
  check_gradients(element, results);
  check_completeness(element, results);
  check_product(element, results);
  check_continuity(element, results);
  return std::move(results.results);
}

std::vector<CheckResult> check_element(const ReferenceElement& element, const Device& device) {
  std::vector<CheckResult> results = check_functions(element);
  if (element.dimension() < 2 || !results.front().passed) return results;
  const auto with = [&](const auto& form) {
    FormCheckOptions options;
    options.element = element;
    return check_form({{device, form}}, record_of<std::decay_t<decltype(form)>>(), options);
  };
  for (CheckResult& result : element.dimension() == 3 ? with(Diffusion<3>{1}) : with(Diffusion<2>{1})) {
    result.check = "diffusion: " + result.check;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace ritz

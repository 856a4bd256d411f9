#include "fem/sensitivity/array_derivative.hpp"

#include "fem/space/region_nodes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// Nodes of one colour share no cell. [node]; the number of colours.
int colour_nodes(const Mesh& mesh, std::vector<int>& colour) {
  const auto nodes = static_cast<std::size_t>(mesh.node_count());
  std::vector<std::vector<Index>> cells(nodes);
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    for (const Node node : mesh.nodes_of(cell)) cells[static_cast<std::size_t>(node)].push_back(cell);
  colour.assign(nodes, -1);
  int count = 0;
  std::vector<std::size_t> taken_by;  // [colour] the last node that saw it around itself
  for (std::size_t n = 0; n < nodes; ++n) {
    for (const Index cell : cells[n])
      for (const Node other : mesh.nodes_of(cell))
        if (const int c = colour[static_cast<std::size_t>(other)]; c >= 0) taken_by[static_cast<std::size_t>(c)] = n;
    const auto free = std::ranges::find_if(taken_by, [n](std::size_t by) { return by != n; });
    colour[n] = static_cast<int>(free - taken_by.begin());
    if (free == taken_by.end()) taken_by.push_back(nodes);
    count = std::max(count, colour[n] + 1);
  }
  return count;
}

// A formula of fourth order for a derivative: the steps and their weights.
using Differences = std::array<std::pair<double, double>, 5>;
constexpr Differences central{{{1.0, 2.0 / 3}, {-1.0, -2.0 / 3}, {2.0, -1.0 / 12}, {-2.0, 1.0 / 12}, {0.0, 0.0}}};
constexpr Differences above{{{0.0, -25.0 / 12}, {1.0, 4.0}, {2.0, -3.0}, {3.0, 4.0 / 3}, {4.0, -1.0 / 4}}};
constexpr Differences below{{{0.0, 25.0 / 12}, {-1.0, -4.0}, {-2.0, 3.0}, {-3.0, -4.0 / 3}, {-4.0, 1.0 / 4}}};

// h. The formulas are off by about (h / d)^4, rounding by 1e-16 / h; d: the distance of a pole, which elastic constants
// have where Poisson's ratio is 0.5.
constexpr double relative_step = 1e-5;

std::vector<double> steps_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  const double mean = sum > 0 ? sum / static_cast<double>(values.size()) : 1;
  std::vector<double> steps;
  for (const double value : values) steps.push_back(relative_step * (value != 0 ? std::abs(value) : mean));
  return steps;
}

// A variable that is differenced: moved by so many of its steps, which throws where it may not stand, and the work
// there.
struct Moved {
  std::function<void(double)> move;
  std::function<std::vector<double>()> work;
};

// [cell] d(work)/d(step), by steps of this scale. Throws where the variable moves to a value that is not allowed;
// central steps keep well away from that.
std::vector<double> difference(const Moved& variable, const Differences& formula, double scale) {
  if (&formula == &central)
    for (const double room : {100.0, -100.0}) variable.move(room * scale);
  std::vector<double> sum;
  for (const auto& [steps, weight] : formula) {
    if (weight == 0) continue;
    variable.move(scale * steps);
    const std::vector<double> work = variable.work();
    sum.resize(work.size(), 0.0);
    for (std::size_t i = 0; i < work.size(); ++i) sum[i] += weight / scale * work[i];
  }
  return sum;
}

// By the first formula that stays within the bounds of the variable; none: nothing, and why the first was refused.
std::vector<double> difference_within_bounds(const Moved& variable, std::optional<Error>& refused) {
  for (const auto& [formula, scale] : {std::pair{&central, 1.0}, {&central, 1e-3}, {&above, 1.0}, {&below, 1.0}}) {
    try {
      return difference(variable, *formula, scale);
    } catch (const Error& error) {
      if (error.exit() != Exit::model && error.exit() != Exit::input) throw;
      if (!refused) refused = error;
    }
  }
  return {};
}

// An array that ends as it was.
class Restored {
 public:
  explicit Restored(MeshField& array) : array_(array), values_(array.values()) {}
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;
  ~Restored() { array_.set(values_); }

 private:
  MeshField& array_;
  const std::vector<double> values_;
};

// Differences in the entries of an array, each in the cells that it reaches.
class ArrayDerivative {
 public:
  ArrayDerivative(const Mesh& mesh, MeshField& array, const ArrayWork& of)
      : mesh_(mesh), array_(array), restored_(array), work_(of), base_(array.values()), step_(steps_of(base_)) {}

  void subtract_from(std::vector<double>& result) {
    std::vector<int> colour(result.size(), 0);
    const int colours = array_.at_nodes() ? colour_nodes(mesh_, colour) : 1;
    std::vector<std::vector<std::size_t>> of_colour(static_cast<std::size_t>(colours));
    for (std::size_t i = 0; i < colour.size(); ++i) of_colour[static_cast<std::size_t>(colour[i])].push_back(i);
    for (const std::vector<std::size_t>& entries : of_colour) subtract_work(entries, result);
    array_.set(base_);
    work_.numbers_changed();
  }

 private:
  void move(std::span<const std::size_t> entries, double steps) {
    std::vector<double> moved = base_;
    for (const std::size_t i : entries) moved[i] += steps * step_[i];
    array_.set(std::move(moved));
    work_.numbers_changed();
  }

  // For entries that share no cell. Where no formula stays within the bounds of all of them, each half has its own.
  void subtract_work(std::span<const std::size_t> entries, std::vector<double>& result) {
    std::optional<Error> refused;
    const Moved variable{[&](double steps) { move(entries, steps); }, work_.in_cells};
    if (const std::vector<double> work = difference_within_bounds(variable, refused); !work.empty())
      return subtract(entries, work, result);
    if (entries.size() < 2) throw Error(*refused);
    subtract_work(entries.first(entries.size() / 2), result);
    subtract_work(entries.subspan(entries.size() / 2), result);
  }

  void subtract(std::span<const std::size_t> entries, const std::vector<double>& work, std::vector<double>& result) {
    if (!array_.at_nodes()) {
      for (const std::size_t i : entries) result[i] -= work[i] / step_[i];
      return;
    }
    std::vector<std::uint8_t> moved(result.size(), 0);
    for (const std::size_t i : entries) moved[i] = 1;
    for (Index cell = 0; cell < mesh_.cell_count(); ++cell)
      for (const Node node : mesh_.nodes_of(cell))
        if (const auto i = static_cast<std::size_t>(node); moved[i] != 0)
          result[i] -= work[static_cast<std::size_t>(cell)] / step_[i];
  }

  const Mesh& mesh_;
  MeshField& array_;
  const Restored restored_;
  const ArrayWork& work_;
  const std::vector<double> base_, step_;
};

}  // namespace

void subtract_by_work(const Mesh& mesh, MeshField& array, const ArrayWork& work, std::vector<double>& result) {
  ArrayDerivative(mesh, array, work).subtract_from(result);
}

void subtract_by_work(const ModelNumber& number, FunctionRef<std::vector<double>(const Model&)> work,
                      std::vector<double>& result) {
  const double step = relative_step * (number.value != 0 ? std::abs(number.value) : number.scale);
  std::optional<Model> model;
  std::optional<Error> refused;
  const std::vector<double> by_steps = difference_within_bounds(
      {[&](double steps) { model = number.at(number.value + steps * step); }, [&] { return work(*model); }}, refused);
  if (by_steps.empty()) throw Error(*refused);
  for (std::size_t cell = 0; cell < result.size(); ++cell) result[cell] -= by_steps[cell] / step;
}

void add_by_prescribed(const FunctionSpace& space, MeshField& array, const std::string& name,
                       std::span<const PrescribedValue* const> supports, std::span<const double> by_prescribed,
                       std::vector<double>& result) {
  const auto components = static_cast<std::size_t>(space.components());
  const std::vector<double> base = array.values(), step = steps_of(base);
  std::vector<double> moved = base;
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += step[i];
  const Restored restored(array);
  for (const PrescribedValue* const support : supports) {
    const RegionNodes at(space, *support->region);
    const std::vector<Node>& nodes = at.nodes();
    std::vector<double> values(nodes.size()), before(nodes.size());
    support->value.at(at.points(), 0, before);
    array.set(moved);
    support->value.at(at.points(), 0, values);
    array.set(base);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (values[i] == before[i]) continue;
      if (!array.at_nodes() || !space.isoparametric())
        throw Error(ErrorKind::analysis, fmt::format("the derivative by the array '{}' of prescribed values", name),
                    "the values are those at the nodes of the field",
                    "give an array for each node, and leave [space] order to the mesh");
      const auto node = static_cast<std::size_t>(space.mesh_node_of(nodes[i]));
      const auto unknown =
          static_cast<std::size_t>(nodes[i]) * components + static_cast<std::size_t>(support->component);
      result[node] += by_prescribed[unknown] * (values[i] - before[i]) / step[node];
    }
  }
}

}  // namespace ritz

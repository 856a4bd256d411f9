#include "fem/analysis/load_samples.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ritz {
namespace {

constexpr std::size_t most_points = 8;  // of a function
constexpr double same_time = 1e-9;      // over the whole time: closer instants are one
constexpr double rounding = 1e-12;      // over the values: a smaller range is none

// A function and some of the points where it acts.
struct Sampled {
  PointFunction value;
  std::vector<double> points;  // [point][3]
  std::vector<Index> cells;    // [point]; none: not in cells
};

void add_middle(const Mesh& mesh, std::span<const Node> nodes, std::vector<double>& points) {
  Point middle{};
  for (const Node node : nodes)
    for (std::size_t c = 0; c < 3; ++c) middle[c] += mesh.point(node)[c] / static_cast<double>(nodes.size());
  points.insert(points.end(), middle.begin(), middle.end());
}

// Calls use(i) for a few indices below the count, spread evenly.
template <class Use>
void spread(std::size_t count, const Use& use) {
  const std::size_t parts = std::min(count, most_points);
  for (std::size_t k = 0; k < parts; ++k) use((2 * k + 1) * count / (2 * parts));
}

void add_integral(const Mesh& mesh, const Integral& integral, std::vector<Sampled>& to) {
  Sampled sampled{constant(0), {}, {}};
  const auto add_cell = [&](Index cell) {
    add_middle(mesh, mesh.nodes_of(cell), sampled.points);
    sampled.cells.push_back(cell);
  };
  if (integral.everywhere)
    spread(static_cast<std::size_t>(mesh.cell_count()), [&](std::size_t i) { add_cell(static_cast<Index>(i)); });
  spread(integral.cells.size(), [&](std::size_t i) { add_cell(integral.cells[i]); });
  spread(integral.facets.size(),
         [&](std::size_t i) { add_middle(mesh, mesh.nodes_of(integral.facets[i]), sampled.points); });
  spread(integral.nodes.size(), [&](std::size_t i) { add_middle(mesh, {&integral.nodes[i], 1}, sampled.points); });
  for (const PointFunction& each : integral.form.given)
    if (each.varies_in_time()) to.push_back({each, sampled.points, sampled.cells});
}

std::vector<Sampled> functions_of(const Model& model) {
  std::vector<Sampled> result;
  const Mesh& mesh = model.space.mesh();
  for (const std::vector<Integral>* integrals : {&model.equations, &model.capacity})
    for (const Integral& each : *integrals) add_integral(mesh, each, result);
  for (const std::vector<MixedIntegral>* integrals : {&model.of_fields.equations, &model.of_fields.capacity})
    for (const MixedIntegral& each : *integrals)
      add_integral(mesh, {each.form.numbers, each.everywhere, each.cells, each.facets}, result);
  for (const PrescribedValue& each : model.supports) {
    if (!each.vector.empty() || !each.value.varies_in_time()) continue;
    const FunctionSpace& space = each.field == 0 ? model.space : model.others[static_cast<std::size_t>(each.field - 1)];
    Sampled sampled{each.value.function(), {}, {}};
    const std::vector<Node> nodes = space.nodes_in(*each.region);
    spread(nodes.size(), [&](std::size_t i) {
      const Point x = space.point(nodes[i]);
      sampled.points.insert(sampled.points.end(), x.begin(), x.end());
    });
    result.push_back(std::move(sampled));
  }
  return result;
}

// Appends the values at t; those before where there are none: the evolution will say so when it gets there.
void add_values(const Mesh& mesh, const Sampled& sampled, double t, const std::vector<double>& before,
                std::vector<double>& to) {
  const std::size_t first = to.size(), count = sampled.points.size() / 3;
  to.resize(first + count);
  const std::span<double> values = std::span(to).subspan(first);
  try {
    if (sampled.cells.empty()) sampled.value(sampled.points, t, values);
    else sampled.value({sampled.points, mesh, sampled.cells}, t, values);
  } catch (const Error&) {
    for (std::size_t i = 0; i < count; ++i) values[i] = before.empty() ? 0 : before[first + i];
  }
}

// By the largest range at one of the function's points; zero where nothing but rounding changes.
void divide_by_range(std::size_t first, std::size_t count, std::vector<std::vector<double>>& values) {
  double range = 0, size = 0;
  for (std::size_t s = first; s < first + count; ++s) {
    double low = INFINITY, high = -INFINITY;
    for (const std::vector<double>& each : values) {
      low = std::min(low, each[s]);
      high = std::max(high, each[s]);
    }
    range = std::max(range, high - low);
    size = std::max({size, std::abs(low), std::abs(high)});
  }
  for (std::vector<double>& each : values)
    for (std::size_t s = first; s < first + count; ++s) each[s] = range > rounding * size ? each[s] / range : 0;
}

}  // namespace

LoadSamples::LoadSamples(const Model& model, double begin, double end, std::span<const double> instants) {
  const std::vector<Sampled> functions = functions_of(model);
  if (functions.empty()) return;
  for (int k = 0; k <= even_count; ++k) instants_.push_back(begin + (end - begin) * k / even_count);
  instants_.back() = end;
  for (const double t : instants)
    if (t > begin && t < end) instants_.push_back(t);
  std::ranges::sort(instants_);
  const auto same = std::ranges::unique(instants_);
  instants_.erase(same.begin(), same.end());
  for (const double t : instants_) {
    std::vector<double> values;
    for (const Sampled& each : functions)
      add_values(model.space.mesh(), each, t, values_.empty() ? std::vector<double>() : values_.back(), values);
    values_.push_back(std::move(values));
  }
  std::size_t first = 0;
  for (const Sampled& each : functions) {
    divide_by_range(first, each.points.size() / 3, values_);
    first += each.points.size() / 3;
  }
}

std::vector<double> LoadSamples::at(double t) const {
  const auto behind = std::ranges::upper_bound(instants_, t);
  if (behind == instants_.end()) return values_.back();
  if (behind == instants_.begin()) return values_.front();
  const auto k = static_cast<std::size_t>(behind - instants_.begin());
  const double part = (t - instants_[k - 1]) / (instants_[k] - instants_[k - 1]);
  std::vector<double> result = values_[k];
  for (std::size_t s = 0; s < result.size(); ++s) result[s] = part * result[s] + (1 - part) * values_[k - 1][s];
  return result;
}

// A fan of lines from t narrows with each sample (the swinging door of Bristol, ISA Trans. 29, 1990).
double LoadSamples::reach(double t, double end) const {
  if (values_.empty()) return end;
  const double closest = same_time * (instants_.back() - instants_.front());
  auto next = std::ranges::upper_bound(instants_, t + closest);
  const std::vector<double> first = at(t);
  std::vector<double> low(first.size(), -INFINITY), high(first.size(), INFINITY);
  double result = std::min(end, next == instants_.end() ? end : *next);
  while (true) {
    const bool is_end = next == instants_.end() || *next >= end - closest;
    const double time = is_end ? end : *next;
    const std::vector<double> value = is_end ? at(end) : values_[static_cast<std::size_t>(next - instants_.begin())];
    bool is_near = true, open = true;
    for (std::size_t s = 0; s < first.size(); ++s) {
      const double slope = (value[s] - first[s]) / (time - t), room = tolerance / (time - t);
      is_near = is_near && slope >= low[s] && slope <= high[s];
      low[s] = std::max(low[s], slope - room);
      high[s] = std::min(high[s], slope + room);
      open = open && low[s] <= high[s];
    }
    if (is_near) result = time;
    if (is_end || !open) return result;
    ++next;
  }
}

}  // namespace ritz

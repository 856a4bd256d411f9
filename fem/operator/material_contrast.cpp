#include "fem/operator/material_contrast.hpp"

#include "device/kernels.hpp"
#include "fem/forms/form_record.hpp"
#include "fem/launch/element_arguments.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ritz {
namespace {

bool makes_cells_stiff(const FormValue& form) { return form.has_matrix && form.codimension == 0 && form.cell < 0; }

const FormRecord* record_of(const Operator& equations, const FormValue& form) {
  const std::string name = form_record_name(form.name.c_str()), &backend = equations.space().device().backend();
  return has_kernels(backend, form.module, name)
             ? static_cast<const FormRecord*>(find_kernels(backend, form.module, name))
             : nullptr;
}

double number_at(const FormValue& form, std::size_t place) {
  double value = 0;
  std::memcpy(&value, form.bytes.data() + place, sizeof value);
  return value;
}

// Contrast of plain numbers: over the whole body.
double contrast_of_parameters(const Operator& equations) {
  // form and which of its numbers -> least and largest value
  std::map<std::pair<std::string, std::size_t>, std::pair<double, double>> ranges;
  const auto add = [&](const FormValue& form, std::size_t which, double value) {
    if (!(value > 0)) return;
    auto& [least, largest] = ranges.try_emplace({form.name, which}, value, value).first->second;
    least = std::min(least, value);
    largest = std::max(largest, value);
  };
  for (const Integral& integral : equations.integrals()) {
    const FormValue& form = integral.form;
    const FormRecord* record = makes_cells_stiff(form) ? record_of(equations, form) : nullptr;
    if (record == nullptr) continue;
    for (std::size_t i = 0; i < std::min(form.given.size(), static_cast<std::size_t>(record->given_count)); ++i) {
      const PointExpression& each = form.given[i].expression();
      const bool is_stiffness = record->given[i].above >= 0;  // coordinates of axes are none
      if (is_stiffness && each.is_number()) add(form, largest_form + i, each.number());
    }
    for (int p = 0; p < record->parameter_count; ++p)
      for (int i = 0; i < record->parameters[p].count; ++i) {
        const std::size_t place = record->parameters[p].offset + static_cast<std::size_t>(i) * sizeof(double);
        add(form, place, number_at(form, place));
      }
  }
  double contrast = 1;
  for (const auto& [parameter, range] : ranges) contrast = std::max(contrast, range.second / range.first);
  return contrast;
}

// The first number of a form at the centres of cells: by a formula, or else one for all. Nothing: it has none.
std::vector<double> values_on(const Operator& equations, const FormValue& form, std::span<const Index> cells,
                              std::span<const double> centres) {
  std::vector<double> values(cells.size());
  if (!form.given.empty()) {
    form.given.front()(EvaluationPoints(centres, equations.space().mesh(), cells), equations.time().t, values);
    return values;
  }
  const FormRecord* record = record_of(equations, form);
  if (record == nullptr || record->parameter_count == 0) return {};
  std::ranges::fill(values, number_at(form, record->parameters[0].offset));
  return values;
}

std::vector<double> centres_of(const Mesh& mesh, std::span<const Index> cells) {
  std::vector<double> centres(3 * cells.size(), 0.0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto nodes = mesh.nodes_of(cells[i]);
    for (const Node node : nodes)
      for (int d = 0; d < mesh.dimension(); ++d)
        centres[3 * i + static_cast<std::size_t>(d)] +=
            mesh.point(node)[static_cast<std::size_t>(d)] / double(nodes.size());
  }
  return centres;
}

// Contrast of formulas: in the cells around a node, since gentle variation makes no jump. The first form on a cell
// counts.
double contrast_around_nodes(const Operator& equations) {
  const Mesh& mesh = equations.space().mesh();
  const auto node_count = static_cast<std::size_t>(mesh.node_count());
  std::vector<float> least(node_count, std::numeric_limits<float>::max()), largest(node_count, 0);
  std::vector<bool> seen(static_cast<std::size_t>(mesh.cell_count()));
  for (const Integral& integral : equations.integrals()) {
    if (!makes_cells_stiff(integral.form)) continue;
    const Index count = integral.everywhere ? mesh.cell_count() : static_cast<Index>(integral.cells.size());
    constexpr Index most = 1 << 17;  // at a time, so that positions need little memory, and threads have enough to do
    for (Index first = 0; first < count; first += most) {
      std::vector<Index> cells;
      for (Index i = first; i < std::min(count, first + most); ++i) {
        const Index cell = integral.everywhere ? i : integral.cells[static_cast<std::size_t>(i)];
        if (!seen[static_cast<std::size_t>(cell)]) cells.push_back(cell);
        seen[static_cast<std::size_t>(cell)] = true;
      }
      const std::vector<double> values = values_on(equations, integral.form, cells, centres_of(mesh, cells));
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (!(values[i] > 0)) continue;
        for (const Node node : mesh.nodes_of(cells[i])) {
          float &low = least[static_cast<std::size_t>(node)], &high = largest[static_cast<std::size_t>(node)];
          low = std::min(low, static_cast<float>(values[i]));
          high = std::max(high, static_cast<float>(values[i]));
        }
      }
    }
  }
  double contrast = 1;
  for (std::size_t node = 0; node < node_count; ++node)
    if (largest[node] > 0) contrast = std::max(contrast, double(largest[node]) / double(least[node]));
  return contrast;
}

}  // namespace

double material_contrast(const Operator& equations) {
  const bool varies = std::ranges::any_of(equations.integrals(), [](const Integral& each) {
    return makes_cells_stiff(each.form) && each.form.varies_in_space();
  });
  return std::max(contrast_of_parameters(equations), varies ? contrast_around_nodes(equations) : 1.0);
}

}  // namespace ritz

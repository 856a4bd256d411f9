#include "fem/operator/element_terms.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/launch/affine_cells.hpp"
#include "fem/materials/from_cell_law.hpp"
#include "fem/operator/affine_cells.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace ritz {

bool has_states(const ElementTerms& terms) {
  return std::ranges::any_of(terms.integrals(), [](const Integral& each) { return !each.form.state_start.empty(); });
}

void check_size(const FunctionSpace& space, Index size) {
  if (size != space.unknown_count()) throw_size_mismatch(space.unknown_count(), size);
}

const double* data_or_zero(const FunctionSpace& space, const Vector& u) {
  if (u.empty()) return nullptr;
  check_size(space, u.size());
  return u.data();
}

// Whole elements need their own kind of cell; forms need quadrature, which lines and surfaces in space do not have.
void ElementTerms::check_cells(const FormValue& form, const ElementGroup& group) const {
  const bool in_space = space_.mesh().structural() && traits(group.kind).dimension < 3;
  const bool has_nodes = space_.isoparametric() || group.kind == CellKind::vertex1;
  if (form.cell >= 0 ? group.kind == static_cast<CellKind>(form.cell) && has_nodes : !in_space) return;
  if (form.cell < 0)
    throw Error(
        ErrorKind::load_on_nothing,
        fmt::format("the form '{}' was asked for on cells of kind {} in space", form.name, traits(group.kind).name),
        "forms of three dimensions act in solids", "use a whole element (ritz element list)");
  if (!has_nodes)
    throw Error(
        ErrorKind::load_on_nothing,
        fmt::format("the element '{}' stands on the nodes of the mesh, but the space has nodes of its own", form.name),
        {}, "omit [space] order");
  throw Error(ErrorKind::load_on_nothing,
              fmt::format("the element '{}' stands on cells of kind {}, but was given {} of kind {}", form.name,
                          traits(static_cast<CellKind>(form.cell)).name, group.element_count, traits(group.kind).name),
              {}, "take another element for them, or mesh them again");
}

ElementTerms::ElementTerms(const FunctionSpace& space, std::vector<Integral> integrals,
                           std::shared_ptr<const Time> time, ElementLists lists)
    : space_(space),
      integrals_(std::move(integrals)),
      time_(std::move(time)),
      has_connectivity_(lists != ElementLists::when_needed),
      points_(space) {
  for (const Integral& integral : integrals_)
    if (static_cast<int>(integral.form.given.size()) != integral.form.given_count)
      throw Error(ErrorKind::internal,
                  fmt::format("form '{}' needs {} numbers at every point, {} are given", integral.form.name,
                              integral.form.given_count, integral.form.given.size()));
  for (const Integral& integral : integrals_)
    if (integral.form.cell >= 0
            ? integral.form.components > space.components() || integral.form.dimension != space.mesh().dimension()
            : integral.form.components != space.components() || integral.form.dimension != space.mesh().dimension())
      throw Error(
          ErrorKind::internal,
          fmt::format("form '{}' has {} components in {} dimensions, the space {} in {}", integral.form.name,
                      integral.form.components, integral.form.dimension, space.components(), space.mesh().dimension()));
  groups_ = std::make_shared<std::vector<ElementGroup>>(element_groups(space, integrals_, lists));
  for (const ElementGroup& group : *groups_)
    for (const int i : group.integrals) check_cells(integral(i).form, group);
}

bool ElementTerms::by_tensors(const ElementGroup& group, const FormValue& form) const {
  if (form.cell >= 0) return false;
  const ReferenceElement& e = *group.element;
  return !e.line_nodes.empty() && form.codimension == 0 &&
         points_.table(group, quadrature_degree(form, group)).line != nullptr &&
         has_kernels(space_.device().backend(), form.module,
                     tensor_kernel_name(form.kernels.c_str(), e.order, e.dimension()));
}

namespace {

ElementKernel kernel_of(const FormKernels& table, OperatorTask task) {
  switch (task) {
    case OperatorTask::residual: return table.residuals;
    case OperatorTask::matrix: return table.matrices;
    case OperatorTask::action: return table.actions;
    case OperatorTask::diagonal: return table.diagonals;
    case OperatorTask::evaluate: return table.evaluate;
  }
  return nullptr;
}

bool takes_tensors(OperatorTask task) { return task == OperatorTask::action || task == OperatorTask::diagonal; }

// The kernels of actions on affine cells where there are some and all of the group's cells are affine, else nullptr.
const FormKernels* affine_kernels(const FunctionSpace& space, const ElementGroup& group, const FormValue& form) {
  const Device& device = space.device();
  const std::string name =
      affine_tensor_kernel_name(form.kernels.c_str(), group.element->order, group.element->dimension());
  if (!has_kernels(device.backend(), form.module, name)) return nullptr;
  if (!all_affine(space.mesh(), group, device.threads())) return nullptr;
  return &kernels<FormKernels>(device, form.module, name);
}

}  // namespace

const FormKernels& ElementTerms::kernels_of(Task task, const ElementGroup& group, const FormValue& form) const {
  if (form.cell >= 0) return kernels<FormKernels>(space_.device(), form.module, whole_kernel_name(form.name.c_str()));
  const auto named = [&](const std::string& family, int nodes) {
    return form_kernel_name(family.c_str(), nodes, traits(group.kind).dimension);
  };
  if (takes_tensors(task) && by_tensors(group, form))
    return kernels<FormKernels>(
        space_.device(), form.module,
        tensor_kernel_name(form.kernels.c_str(), group.element->order, group.element->dimension()));
  // as Shape has it (fem/launch/element_points.hpp)
  const bool linear_cell = group.node_count() <= 1 << traits(group.kind).dimension;
  const bool fits = !linear_cell || group.node_count() == group.geometry->node_count();
  for (const std::string* family : {&form.cell_kernels, &form.kernels}) {
    const std::string special = named(*family, group.node_count());
    if (!fits || family->empty() || !has_kernels(space_.device().backend(), form.module, special)) continue;
    const FormKernels& own = kernels<FormKernels>(space_.device(), form.module, special);
    if (kernel_of(own, task) != nullptr) return own;
  }
  return kernels<FormKernels>(space_.device(), form.module, named(form.kernels, 0));
}

int ElementTerms::degree_of(Task task, const ElementGroup& group, const Integral& integral) const {
  if (integral.form.cell >= 0) return 0;
  // Then it is known at the points of the residual only.
  const bool keeps = !integral.form.state_start.empty() || !integral.form.cell_kernels.empty();
  return task == Task::evaluate && !keeps ? evaluation_degree(traits(group.kind).linear, order_of(group))
                                          : quadrature_degree(integral.form, group);
}

namespace {

// Vectors of a cell, and their numbers at a point, of the form of an assumed gradient with this name.
struct CellFormSizes {
  int coupled = 0, rows = 0;
};
template <Space space, CellGradient gradient, bool symmetric, bool large>
void find(std::string_view name, CellFormSizes& sizes) {
  using F = FromCellLaw<space, gradient, symmetric, large>;
  if (name == F::name) sizes = {F::coupled, F::rows};
}
template <Space space, bool symmetric>
void find_in(std::string_view name, CellFormSizes& sizes) {
  find<space, CellGradient::mean_dilatation, symmetric, false>(name, sizes);
  if constexpr (space != Space::revolution) {
    find<space, CellGradient::incompatible_modes, symmetric, false>(name, sizes);
    find<space, CellGradient::incompatible_modes, symmetric, true>(name, sizes);
  }
  if constexpr (space == Space::solid && symmetric) find<space, CellGradient::uniform, true, false>(name, sizes);
}

// Records and vectors of a cell, as fem/launch/cell_gradients.hpp lays them out.
int numbers_of_cell(const FormValue& form, int points) {
  if (form.cell_kernels.empty()) return 0;
  CellFormSizes sizes;
  find_in<Space::solid, true>(form.cell_kernels, sizes);
  find_in<Space::solid, false>(form.cell_kernels, sizes);
  find_in<Space::plane, true>(form.cell_kernels, sizes);
  find_in<Space::plane, false>(form.cell_kernels, sizes);
  find_in<Space::revolution, true>(form.cell_kernels, sizes);
  find_in<Space::revolution, false>(form.cell_kernels, sizes);
  return points * (10 + sizes.coupled * sizes.rows) + 9 + sizes.coupled * sizes.coupled;
}

}  // namespace

// Strain, stress, moduli and forces of all points at a time, as far as 128 MiB hold: enough for a GPU to be busy. At
// least those of one batch.
Index ElementTerms::law_workspace() const {
  if (!space_.device().machine().is_apart()) return 0;
  constexpr Index most = Index{16} << 20, numbers = 9 + 6 + 6 + 36 + 90;
  Index needed = 0, batch = 0;
  for (const ElementGroup& group : *groups_)
    for (const int i : group.integrals) {
      const Integral& one = integral(i);
      if (one.form.law.kernel.empty()) continue;
      const int points = std::max(points_.table(group, degree_of(Task::residual, group, one)).point_count,
                                  points_.table(group, degree_of(Task::evaluate, group, one)).point_count);
      const Index of_batch =
          (points * (numbers + std::ssize(one.form.state_start)) + numbers_of_cell(one.form, points)) * lane_count;
      needed = std::max(needed, of_batch * group.batch_count());
      batch = std::max(batch, of_batch);
    }
  return std::max(std::min(needed, most), batch);
}

AssemblyTerm ElementTerms::term(Task task, const ElementGroup& group, const Integral& integral) const {
  const bool tensors = takes_tensors(task) && by_tensors(group, integral.form);
  const FormKernels* affine = tensors && task == Task::action ? affine_kernels(space_, group, integral.form) : nullptr;
  const FormKernels& found = affine != nullptr ? *affine : kernels_of(task, group, integral.form);
  write_connectivity();
  AssemblyTerm term{};
  const bool whole = integral.form.cell >= 0;
  const int degree = degree_of(task, group, integral);
  term.kernel = kernel_of(found, task);
  if (task == Task::action) term.single_kernel = found.single_actions;
  term.arguments.form = integral.form.bytes.data();
  term.arguments.components = space_.components();
  term.arguments.factor = integral.factor;
  term.arguments.time = *time_;
  if (whole) term.arguments.table.node_count = term.arguments.table.geometry_node_count = group.node_count();
  else term.arguments.table = points_.table(group, degree);
  term.arguments.nodes = group.nodes.data();
  term.arguments.geometry_nodes = group.geometry_nodes().data();
  term.arguments.coordinates = coordinates_of(space_, group).data();
  points_.give(term.arguments, group, degree, integral.form, time_->t);
  if (!integral.form.state_start.empty()) term.arguments.state = points_.state(group, integral).data();
  if (!integral.form.law.kernel.empty()) term.arguments.law = &points_.law(integral, law_workspace());
  if (tensors) term.arguments.point_geometry = points_.geometry(group, term.arguments.table);
  return term;
}

// Terms of plans point to the bytes, too.
void ElementTerms::set_numbers(const std::vector<FormValue>& forms) {
  for (std::size_t i = 0; i < forms.size(); ++i) {
    integrals_[i].form.bytes = forms[i].bytes;
    integrals_[i].form.given = forms[i].given;
  }
  points_.forget_fields_but_of(forms);
  points_.update_coefficients(PointData::Which::all, time_->t);
}

void ElementTerms::write_connectivity() const {
  if (!std::exchange(has_connectivity_, true)) write_nodes_of_cells(space_, *groups_);
}

void ElementTerms::forget_connectivity() const {
  points_.forget_geometry();
  forget_nodes_of_cells(*groups_);
  has_connectivity_ = false;
}

}  // namespace ritz

// Which kernels an operator runs on which cells, with which tables and numbers at points.
#include "fem/operator/operator.hpp"

#include "device/kernels.hpp"
#include "fem/launch/affine_cells.hpp"
#include "fem/launch/point_geometry.hpp"
#include "fem/operator/affine_cells.hpp"
#include "fem/operator/chunk_lists.hpp"
#include "fem/operator/given_numbers.hpp"

#include <algorithm>

namespace ritz {

ReferenceTable Operator::table(const ElementGroup& group, int degree) const {
  const std::tuple key{group.element, group.geometry.get(), degree};
  const auto found = tables_.find(key);
  if (found != tables_.end()) return found->second.table();
  return tables_.try_emplace(key, space_->device(), *group.element, *group.geometry, quadrature(group.kind, degree))
      .first->second.table();
}

// Are actions and diagonals of the form on these cells run by sum factorisation?
bool Operator::by_tensors(const ElementGroup& group, const FormValue& form) const {
  if (form.cell >= 0) return false;
  const ReferenceElement& e = *group.element;
  return !e.line_nodes.empty() && form.codimension == 0 &&
         table(group, quadrature_degree(form, group)).line != nullptr &&
         has_kernels(space_->device().backend(), form.module,
                     tensor_kernel_name(form.kernels.c_str(), e.order, e.dimension()));
}

// Geometry of curved cells, made at the first call.
const double* Operator::point_geometry(const ElementGroup& group, const ReferenceTable& table) const {
  if (group.geometry->order == 1) return nullptr;
  Vector& stored = point_geometry_[{&group, table.point_count}];
  if (stored.empty()) {
    stored = Vector(space_->device(),
                    group.batch_count() * table.point_count * point_geometry_entries(table.dimension) * lane_count,
                    "point geometry");
    ElementArguments arguments{};
    arguments.table = table;
    arguments.geometry_nodes = group.geometry_nodes().data();
    arguments.coordinates = coordinates_of(*space_, group).data();
    arguments.batch_count = group.batch_count();
    kernels<PointGeometryKernels>(space_->device(), "ritz_fem_kernels", "point geometry")
        .store(space_->device(), arguments, stored.data());
  }
  return stored.data();
}

// At all points of a rule, made at the first call.
const double* Operator::given_numbers(const ElementGroup& group, int degree, const Integral& integral) const {
  if (integral.form.given_count == 0) return nullptr;
  Vector& stored = given_[{&group, &integral, degree}];
  if (stored.empty()) {
    const QuadratureRule& rule = quadrature(group.kind, degree);
    Vector numbers(space_->device(), given_count(group, rule, integral.form), "given numbers");
    given_at_points(*space_, group, rule, integral.form, time_.t, fields_, numbers);
    stored = std::move(numbers);
  }
  return stored.data();
}

namespace {

ElementKernel kernel_of(const FormKernels& table, Operator::Task task) {
  switch (task) {
    case Operator::Task::residual: return table.residuals;
    case Operator::Task::matrix: return table.matrices;
    case Operator::Task::action: return table.actions;
    case Operator::Task::diagonal: return table.diagonals;
    case Operator::Task::evaluate: return table.evaluate;
  }
  return nullptr;
}

bool takes_tensors(Operator::Task task) { return task == Operator::Task::action || task == Operator::Task::diagonal; }

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

const FormKernels& Operator::kernels_of(Task task, const ElementGroup& group, const FormValue& form) const {
  if (form.cell >= 0) return kernels<FormKernels>(space_->device(), form.module, whole_kernel_name(form.name.c_str()));
  const auto named = [&](int nodes) {
    return form_kernel_name(form.kernels.c_str(), nodes, traits(group.kind).dimension);
  };
  if (takes_tensors(task) && by_tensors(group, form))
    return kernels<FormKernels>(
        space_->device(), form.module,
        tensor_kernel_name(form.kernels.c_str(), group.element->order, group.element->dimension()));
  const std::string special = named(group.node_count());
  // as Shape has it (fem/launch/element_points.hpp)
  const bool linear_cell = group.node_count() <= 1 << traits(group.kind).dimension;
  const bool fits = !linear_cell || group.node_count() == group.geometry->node_count();
  if (fits && has_kernels(space_->device().backend(), form.module, special)) {
    const FormKernels& own = kernels<FormKernels>(space_->device(), form.module, special);
    if (kernel_of(own, task) != nullptr) return own;
  }
  return kernels<FormKernels>(space_->device(), form.module, named(0));
}

// For the only integral of a group: whether its kernels can sum the results of a chunk, which must fit in shared
// memory.
bool Operator::can_sum_chunks(Task task, const ElementGroup& group, const std::vector<int>& integrals) const {
  if (integrals.size() != 1) return false;
  const Integral& integral = integrals_[static_cast<std::size_t>(integrals.front())];
  if (!integral.form.linear) return false;  // it may work with point tangents
  const FormKernels& found = kernels_of(task, group, integral.form);
  if (task == Task::action) return found.sums_actions;
  return task == Task::matrix && found.sums_matrices && table(group, degree_of(task, group, integral)).point_count == 1;
}

// Whether a GPU's kernels of all matrices of a group store half of their blocks: of symmetric forms, but for those of
// simplices that sum chunks, and for whole elements. Sources of halves have fifteen bits.
bool Operator::can_halve(const ElementGroup& group, const std::vector<int>& integrals, Index chunk_batches) const {
  if (chunk_batches * half_count(group.node_count()) * lane_count > transposed_source) return false;
  return std::ranges::all_of(integrals, [&](int i) {
    const FormValue& form = integrals_[static_cast<std::size_t>(i)].form;
    return form.symmetric && form.cell < 0 && !kernels_of(Task::matrix, group, form).sums_matrices;
  });
}

int Operator::degree_of(Task task, const ElementGroup& group, const Integral& integral) const {
  if (integral.form.cell >= 0) return 0;
  const bool keeps = !integral.form.state_start.empty();  // then it is known at the points of the residual only
  return task == Task::evaluate && !keeps ? evaluation_degree(traits(group.kind).linear, order_of(group))
                                          : quadrature_degree(integral.form, group);
}

// Strain, stress, moduli and forces of all points at a time, as far as 128 MiB hold: enough for a GPU to be busy. At
// least those of one batch.
Index Operator::law_workspace_size() const {
  if (!space_->device().machine().is_apart()) return 0;
  constexpr Index most = Index{16} << 20, numbers = 9 + 6 + 6 + 36 + 90;
  Index needed = 0, batch = 0;
  for (const ElementGroup& group : groups_)
    for (const int i : group.integrals) {
      const Integral& integral = integrals_[static_cast<std::size_t>(i)];
      if (integral.form.law.kernel.empty()) continue;
      const int points = std::max(table(group, degree_of(Task::residual, group, integral)).point_count,
                                  table(group, degree_of(Task::evaluate, group, integral)).point_count);
      const Index one = points * (numbers + std::ssize(integral.form.state_start)) * lane_count;
      needed = std::max(needed, one * group.batch_count());
      batch = std::max(batch, one);
    }
  return std::max(std::min(needed, most), batch);
}

// Kernels hold its address.
const LawWithInputs& Operator::law_of(const Integral& integral) const {
  const FormValue& form = integral.form;
  LawWithInputs& law = laws_[&integral];
  if (const Index size = law_workspace_size(); law_workspace_.size() < size) {
    law_workspace_ = Vector(space_->device(), size, "laws at points");
    law_workspace_.fill_zero();  // residuals load moduli with the stress and do not use them
  }
  law = {{.kernel = kernels<LawKernel>(space_->device(), form.law.module, form.law.kernel),
          .law = form.bytes.data(),
          .measure = form.law.measure,
          .plane_stress = form.law.plane_stress,
          .state = static_cast<int>(form.state_start.size()),
          .workspace = law_workspace_.data(),
          .workspace_size = law_workspace_.size()},
         form.law.free_strains,
         form.law.has_axes};
  return law;
}

AssemblyTerm Operator::make_term(Task task, const ElementGroup& group, const Integral& integral) const {
  const bool tensors = takes_tensors(task) && by_tensors(group, integral.form);
  const FormKernels* affine = tensors && task == Task::action ? affine_kernels(*space_, group, integral.form) : nullptr;
  const FormKernels& found = affine != nullptr ? *affine : kernels_of(task, group, integral.form);
  AssemblyTerm term{};
  const bool whole = integral.form.cell >= 0;
  const int degree = degree_of(task, group, integral);
  term.kernel = kernel_of(found, task);
  if (task == Task::action) term.single_kernel = found.single_actions;
  term.arguments.form = integral.form.bytes.data();
  term.arguments.components = space_->components();
  term.arguments.factor = integral.factor;
  term.arguments.time = time_;
  if (whole) term.arguments.table.node_count = term.arguments.table.geometry_node_count = group.node_count();
  else term.arguments.table = table(group, degree);
  term.arguments.nodes = group.nodes.data();
  term.arguments.geometry_nodes = group.geometry_nodes().data();
  term.arguments.coordinates = coordinates_of(*space_, group).data();
  term.arguments.given = given_numbers(group, degree, integral);
  if (!integral.form.state_start.empty()) term.arguments.state = state_of(group, integral).data();
  if (!integral.form.law.kernel.empty()) term.arguments.law = &law_of(integral);
  if (tensors) term.arguments.point_geometry = point_geometry(group, term.arguments.table);
  return term;
}

template <class Holds>
bool Operator::all_tangents(const Holds& holds) const {
  for (const ElementGroup& group : groups_)
    for (const int i : group.integrals) {
      const FormValue& form = integrals_[static_cast<std::size_t>(i)].form;
      if (form.has_matrix && !holds(group, form)) return false;
    }
  return true;
}

bool Operator::can_assemble() const {
  return all_tangents(
      [](const ElementGroup& group, const FormValue&) { return has_lists(group.node_count() * group.node_count()); });
}

bool Operator::can_act() const {
  return all_tangents([&](const ElementGroup& group, const FormValue& form) {
    return form.cell >= 0 || has_kernels(space_->device().backend(), form.module,
                                         form_kernel_name(form.kernels.c_str(), 0, traits(group.kind).dimension));
  });
}

// Whole elements of cells have one order.
bool Operator::can_coarsen() const {
  return space_->order() > 1 && can_act() && all_tangents([](const ElementGroup&, const FormValue& form) {
           return form.cell < 0 || form.cell == static_cast<int>(CellKind::vertex1);
         });
}

bool Operator::can_act_in_single() const {
  return all_tangents([&](const ElementGroup& group, const FormValue& form) {
    return kernels_of(Task::action, group, form).single_actions != nullptr;
  });
}

bool Operator::acts_quickly() const {
  return all_tangents([&](const ElementGroup& group, const FormValue& form) {
    return form.linear || form.codimension > 0 || form.cell >= 0 || keeping_tangents(group, form) != nullptr;
  });
}

bool Operator::sum_factorised() const {
  return all_tangents([&](const ElementGroup& group, const FormValue& form) { return by_tensors(group, form); });
}

}  // namespace ritz

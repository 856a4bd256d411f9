// Tangents kept at quadrature points: Operator::point_tangents and its company.
#include "fem/operator/operator.hpp"

#include "device/kernels.hpp"

#include <algorithm>

namespace ritz {
namespace {

constexpr int entries = 45;  // of a symmetric tangent of three components in three directions

const FormKernels* tangent_kernels(const Device& device, int components, int nodes, int dimension) {
  const std::string name = tangent_kernel_name(components, nodes, dimension);
  return has_kernels(device.backend(), "ritz_fem_kernels", name)
             ? &kernels<FormKernels>(device, "ritz_fem_kernels", name)
             : nullptr;
}

}  // namespace

Index PointTangents::bytes() const {
  Index sum = 0;
  for (const Part& part : parts) sum += part.values.bytes();
  return sum;
}

// Kernels of forms whose tangents are kept; null for others.
const FormKernels* Operator::keeping_tangents(const ElementGroup& group, const FormValue& form) const {
  if (form.cell >= 0 || form.codimension != 0 || !form.has_matrix) return nullptr;
  const std::string name = form_kernel_name(form.kernels.c_str(), 0, traits(group.kind).dimension);
  if (!has_kernels(space_->device().backend(), form.module, name)) return nullptr;
  const FormKernels& found = kernels<FormKernels>(space_->device(), form.module, name);
  return found.tangents != nullptr ? &found : nullptr;
}

// use(group, integral, kernels)
template <class Use>
void Operator::each_with_tangents(const Use& use) const {
  for (const ElementGroup& group : groups_)
    for (const int i : group.integrals)
      if (const FormKernels* found = keeping_tangents(group, integrals_[static_cast<std::size_t>(i)].form))
        use(group, i, *found);
}

MemoryNeeds Operator::point_tangent_needs() const {
  MemoryNeeds needs;
  each_with_tangents([&](const ElementGroup& group, int i, const FormKernels&) {
    const int points = table(group, quadrature_degree(integrals_[static_cast<std::size_t>(i)].form, group)).point_count;
    needs.array<float>("point tangents", group.batch_count() * points * entries * lane_count);
  });
  return needs;
}

PointTangents Operator::point_tangents(const Vector& u) const {
  PointTangents result;
  each_with_tangents([&](const ElementGroup& group, int i, const FormKernels& found) {
    const Integral& integral = integrals_[static_cast<std::size_t>(i)];
    AssemblyTerm term = make_term(Task::residual, group, integral);
    PointTangents::Part& part = result.parts.emplace_back(i, quadrature_degree(integral.form, group), &group.elements);
    part.values =
        Array<float>(space_->device(), group.batch_count() * term.arguments.table.point_count * entries * lane_count,
                     "point tangents");
    term.arguments.u = given_or_zero(u);
    term.arguments.tangents = part.values.data();
    term.arguments.batch_count = group.batch_count();
    found.tangents(space_->device(), term.arguments);
  });
  return result;
}

// Terms of a group whose tangents are kept take them, tabulated at their points.
void Operator::take_tangents(const Plan& plan, std::size_t g, const PointTangents& tangents,
                             std::vector<AssemblyTerm>& terms) const {
  const ElementGroup& group = groups_[static_cast<std::size_t>(plan.groups[g])];
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const auto part = std::ranges::find_if(tangents.parts, [&](const PointTangents::Part& p) {
      return p.integral == plan.integrals[g][t] && (p.elements == &group.elements || *p.elements == group.elements);
    });
    if (part == tangents.parts.end()) continue;
    const Device& device = space_->device();
    const FormKernels* found = plan.task == Task::action ? tangent_kernels(device, 3, group.node_count(), 3) : nullptr;
    if (found == nullptr) found = tangent_kernels(device, 3, 0, 3);
    terms[t].kernel = plan.task == Task::action   ? found->single_actions
                      : plan.task == Task::matrix ? found->matrices
                                                  : found->diagonals;
    terms[t].arguments.tangents = const_cast<float*>(part->values.data());
    terms[t].arguments.table = table(group, part->degree);
  }
}

void Operator::action(const PointTangents& tangents, const Vector& u, const Array<float>& x, Array<float>& y,
                      const MarkedNodes* marked, const Ghosts* arriving) const {
  action_with(&tangents, u, x, y, marked, arriving);
}

Vector Operator::diagonal(const PointTangents& tangents, const Vector& u) const { return diagonal_with(&tangents, u); }

void Operator::assemble(const PointTangents& tangents, const Vector& u, SparseMatrix& matrix) const {
  assemble_with(&tangents, u, matrix);
}

void Operator::assemble_once(const PointTangents& tangents, const Vector& u, SparseMatrix& matrix) const {
  assemble_once_with(&tangents, u, matrix);
}

}  // namespace ritz

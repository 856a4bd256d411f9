#include "fem/operator/linearisation.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/task_plans.hpp"

#include <algorithm>

namespace ritz {
namespace {

constexpr int tangent_entries = 45;  // of a symmetric tangent of three components in three directions

const FormKernels* tangent_kernels(const Device& device, int components, int nodes, int dimension) {
  const std::string name = tangent_kernel_name(components, nodes, dimension);
  return has_kernels(device.backend(), "ritz_fem_kernels", name)
             ? &kernels<FormKernels>(device, "ritz_fem_kernels", name)
             : nullptr;
}

// use(group, number of the integral, kernels)
template <class Use>
void each_that_keeps_tangents(const ElementTerms& terms, const Use& use) {
  for (const ElementGroup& group : terms.groups())
    for (const int i : group.integrals)
      if (const FormKernels* found = kernels_that_keep_tangents(terms, group, terms.integral(i).form))
        use(group, i, *found);
}

}  // namespace

Index PointTangents::bytes() const {
  Index sum = 0;
  for (const Part& part : parts) sum += part.values.bytes();
  return sum;
}

const FormKernels* kernels_that_keep_tangents(const ElementTerms& terms, const ElementGroup& group,
                                              const FormValue& form) {
  if (form.cell >= 0 || form.codimension != 0 || !form.has_matrix || !form.cell_kernels.empty()) return nullptr;
  const std::string name = form_kernel_name(form.kernels.c_str(), 0, traits(group.kind).dimension);
  if (!has_kernels(terms.device().backend(), form.module, name)) return nullptr;
  const FormKernels& found = kernels<FormKernels>(terms.device(), form.module, name);
  return found.tangents != nullptr ? &found : nullptr;
}

MemoryNeeds needs_of_point_tangents(const ElementTerms& terms) {
  MemoryNeeds needs;
  each_that_keeps_tangents(terms, [&](const ElementGroup& group, int i, const FormKernels&) {
    const int degree = quadrature_degree(terms.integral(i).form, group);
    const int points = terms.points().table(group, degree).point_count;
    needs.array<float>("point tangents", group.batch_count() * points * tangent_entries * lane_count);
  });
  return needs;
}

PointTangents point_tangents(const Operator& equations, const Vector& u) {
  const ElementTerms& terms = equations.terms();
  PointTangents result;
  each_that_keeps_tangents(terms, [&](const ElementGroup& group, int i, const FormKernels& found) {
    const Integral& integral = terms.integral(i);
    AssemblyTerm term = terms.term(OperatorTask::residual, group, integral);
    PointTangents::Part& part = result.parts.emplace_back(i, quadrature_degree(integral.form, group), &group.elements);
    const Index points = group.batch_count() * term.arguments.table.point_count;
    part.values = Array<float>(terms.device(), points * tangent_entries * lane_count, "point tangents");
    term.arguments.u = data_or_zero(terms.space(), u);
    term.arguments.tangents = part.values.data();
    term.arguments.batch_count = group.batch_count();
    found.tangents(terms.device(), term.arguments);
  });
  return result;
}

void take_tangents(const TaskTerms& terms, const TaskPlan& plan, std::size_t g, const PointTangents& tangents,
                   std::vector<AssemblyTerm>& of_group) {
  const ElementGroup& group = plan.elements(g);
  const Device& device = terms.fields().front().device();
  for (std::size_t t = 0; t < of_group.size(); ++t) {
    const auto part = std::ranges::find_if(tangents.parts, [&](const PointTangents::Part& p) {
      return p.integral == plan.integrals[g][t] && (p.elements == &group.elements || *p.elements == group.elements);
    });
    if (part == tangents.parts.end()) continue;
    const bool acts = plan.job.task == OperatorTask::action;
    const FormKernels* found = acts ? tangent_kernels(device, 3, group.node_count(), 3) : nullptr;
    if (found == nullptr) found = tangent_kernels(device, 3, 0, 3);
    of_group[t].kernel = acts ? found->single_actions : plan.job.is_matrix() ? found->matrices : found->diagonals;
    of_group[t].arguments.tangents = const_cast<float*>(part->values.data());
    of_group[t].arguments.table = terms.points().table(group, part->degree);
  }
}

MarkedNodes marked_nodes(const Operator& equations, const Constraints& constraints) {
  equations.terms().write_connectivity();
  MarkedNodes marked;
  marked.prescribed = constraints.mask().data();
  for (const ElementGroup& group : equations.terms().groups()) {
    std::vector<Node> nodes(group.host_nodes.begin(), group.host_nodes.end());
    for (Node& node : nodes)
      for (int c = 0; c < equations.space().components(); ++c)
        if (constraints.is_prescribed(node, c)) {
          node = ~node;
          break;
        }
    marked.nodes.emplace_back(equations.device(), std::span<const Node>(nodes), "connectivity");
  }
  return marked;
}

Linearisation::Linearisation(const Operator& equations, const Vector& u, const PointTangents* kept)
    : equations_(&equations), u_(data_or_zero(equations.space(), u)), kept_(kept) {}

void Linearisation::check(const SparseMatrix& matrix) const {
  const FunctionSpace& space = equations_->space();
  if (matrix.shared_pattern() != space.pattern() || matrix.block_size() != space.components())
    throw Error(ErrorKind::internal, "a matrix of another space was given to assemble", {},
                "take it from make_matrix()");
}

void Linearisation::action(const Vector& x, Vector& y, const MarkedNodes* marked, const Ghosts* arriving) const {
  check_size(equations_->space(), x.size());
  check_size(equations_->space(), y.size());
  TaskPlans& plans = equations_->plans();
  plans.run(plans.plan({OperatorTask::action}),
            {.u = u_, .target = y.data(), .direction = x.data(), .marked = marked, .arriving = arriving});
}

void Linearisation::action(const Array<float>& x, Array<float>& y, const MarkedNodes* marked,
                           const Ghosts* arriving) const {
  check_size(equations_->space(), x.size());
  check_size(equations_->space(), y.size());
  TaskPlans& plans = equations_->plans();
  plans.run_single(plans.plan({OperatorTask::action}),
                   {.u = u_, .single_direction = x.data(), .marked = marked, .tangents = kept_, .arriving = arriving},
                   y.data());
}

Vector Linearisation::diagonal() const {
  Vector d = equations_->space().zeros();
  TaskPlans& plans = equations_->plans();
  plans.run(plans.plan_of_few_runs({OperatorTask::diagonal}), {.u = u_, .target = d.data(), .tangents = kept_});
  return d;
}

void Linearisation::assemble(SparseMatrix& matrix) const {
  check(matrix);
  TaskPlans& plans = equations_->plans();
  plans.run(plans.plan({OperatorTask::matrix}), {.u = u_, .target = matrix.values().data(), .tangents = kept_});
}

void Linearisation::assemble_once(SparseMatrix& matrix) const {
  check(matrix);
  TaskPlans& plans = equations_->plans();
  const TaskJob job{OperatorTask::matrix};
  if (equations_->device().machine().is_apart() || plans.made().contains(job)) assemble(matrix);
  else plans.run(plans.plan_of_one_run(job), {.u = u_, .target = matrix.values().data(), .tangents = kept_});
  plans.forget_assembly();
}

SparseMatrix tangent_matrix(const Operator& equations, const Vector& u) {
  auto phase = equations.space().device().profile().phase("assembly");
  SparseMatrix matrix = equations.make_matrix();
  Linearisation(equations, u).assemble_once(matrix);
  return matrix;
}

}  // namespace ritz

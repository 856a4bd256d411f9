#include "fem/operator/abilities.hpp"

#include "device/kernels.hpp"
#include "fem/operator/chunk_lists.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/linearisation.hpp"

namespace ritz {
namespace {

// holds(group, form) of those that have a tangent
template <class Holds>
bool all_tangents(const ElementTerms& terms, const Holds& holds) {
  for (const ElementGroup& group : terms.groups())
    for (const int i : group.integrals) {
      const FormValue& form = terms.integral(i).form;
      if (form.has_matrix && !holds(group, form)) return false;
    }
  return true;
}

}  // namespace

bool can_assemble(const Operator& equations) {
  return all_tangents(equations.terms(), [](const ElementGroup& group, const FormValue&) {
    return has_lists(group.node_count() * group.node_count());
  });
}

bool can_act(const Operator& equations) {
  return all_tangents(equations.terms(), [&](const ElementGroup& group, const FormValue& form) {
    const auto general = [&] { return form_kernel_name(form.kernels.c_str(), 0, traits(group.kind).dimension); };
    return form.cell >= 0 || has_kernels(equations.device().backend(), form.module, general());
  });
}

// Whole elements of cells have one order.
bool can_coarsen(const Operator& equations) {
  return equations.space().order() > 1 && can_act(equations) &&
         all_tangents(equations.terms(), [](const ElementGroup&, const FormValue& form) {
           return form.cell < 0 || form.cell == static_cast<int>(CellKind::vertex1);
         });
}

bool can_act_in_single(const Operator& equations) {
  const ElementTerms& terms = equations.terms();
  return all_tangents(terms, [&](const ElementGroup& group, const FormValue& form) {
    return terms.kernels_of(OperatorTask::action, group, form).single_actions != nullptr;
  });
}

bool sum_factorised(const Operator& equations) {
  const ElementTerms& terms = equations.terms();
  return all_tangents(terms,
                      [&](const ElementGroup& group, const FormValue& form) { return terms.by_tensors(group, form); });
}

bool acts_quickly(const Operator& equations) {
  const ElementTerms& terms = equations.terms();
  return all_tangents(terms, [&](const ElementGroup& group, const FormValue& form) {
    return form.linear || form.codimension > 0 || form.cell >= 0 ||
           kernels_that_keep_tangents(terms, group, form) != nullptr;
  });
}

}  // namespace ritz

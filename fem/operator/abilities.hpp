// Tasks for which the forms of an operator have kernels and lists.
#pragma once

namespace ritz {

class Operator;

bool can_assemble(const Operator& equations);  // have element matrices few enough entries? Not hexahedra of order 4
bool can_act(const Operator& equations);       // has every form kernels for any element, which actions need?
// Is the order above 1, and has every form kernels for elements of a lower one? P-multigrid needs them.
bool can_coarsen(const Operator& equations);
bool can_act_in_single(const Operator& equations);  // in single precision, all elements
bool sum_factorised(const Operator& equations);     // are the actions of all elements?
bool acts_quickly(const Operator& equations);  // is every form on cells linear, or are its tangents kept at points?

}  // namespace ritz

#include "apps/cases/shared_model.hpp"
#include "fem/operator/task_plans.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

// Right-hand sides join nothing.
bool join_the_same(const LinearEquations& a, const LinearEquations& b) {
  return a.begin == b.begin && std::ranges::equal(a.terms, b.terms, [](const UnknownTerm& x, const UnknownTerm& y) {
           return x.node == y.node && x.component == y.component && x.factor == y.factor;
         });
}

}  // namespace

void SharedModel::forget_equations() {
  settle();
  reuse.clear();
  equations.clear();
}

const Mesh& SharedModel::mesh_for(const std::string& key, FunctionRef<Mesh()> make) {
  if (mesh && mesh_key == key) return *mesh;
  forget_equations();
  space = {};
  fields.clear();
  mesh.reset();
  mesh = make();
  mesh_key = key;
  return *mesh;
}

const FunctionSpace& SharedModel::space_for(const std::string& key, FunctionRef<FunctionSpace()> make) {
  if (space && space_key == key) return space;
  forget_equations();
  space = {};  // before another one takes memory
  space = make();
  space_key = key;
  return space;
}

Operator& SharedModel::equations_for(const FunctionSpace& on, std::vector<Integral> integrals, ElementLists lists) {
  if (sweeps)
    for (const std::unique_ptr<Operator>& each : equations)
      if (each->space() == on && each->inputs().set_numbers(integrals)) return *each;
  if (sweeps && equations.size() > 2) forget_equations();  // stiffness and mass at most
  return *equations.emplace_back(std::make_unique<Operator>(on, std::move(integrals), lists));
}

void SharedModel::join(const Constraints& supports) {
  if (!sweeps) return;
  const std::vector<LinearEquations>& relations = supports.equations();
  const bool same_mask = relations.empty() || prescribed_ == supports.host_mask();
  if (same_mask && std::ranges::equal(relations_, relations, join_the_same)) return;
  forget_equations();
  supports.space().couple(nullptr);
  relations_ = relations;
  prescribed_ = supports.host_mask();
}

std::vector<std::string> SharedModel::take_steps_down() {
  std::vector<std::string> steps;
  for (const auto& each : equations)
    for (std::string& step : each->plans().take_steps_down()) steps.push_back(std::move(step));
  return steps;
}

}  // namespace ritz

#include "fem/multigrid/p_multigrid_needs.hpp"

#include "fem/multigrid/coarser_integrals.hpp"
#include "fem/multigrid/p_multigrid.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/operator/space_needs.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace ritz {
namespace {

using Task = Operator::Task;

// A space with its operator, for the time of the count.
struct LevelNeeds {
  LevelNeeds(const Operator& finer, const SpaceOptions& options)
      : space(finer.space().mesh(), finer.space().components(), finer.space().device(), options),
        equations(space, coarser_integrals(finer.integrals(), space), ElementLists::counted) {}
  FunctionSpace space;
  Operator equations;
};

// Transfers use the lists and connectivities of operators whose groups are all cells and nothing else
// (fem/multigrid/space_transfer.cpp).
bool transfers_share(const Operator& equations) {
  Index cells = 0;
  for (const ElementGroup& group : equations.terms().groups()) {
    if (group.elements.empty()) return false;
    cells += static_cast<Index>(group.elements.size());
  }
  return cells == equations.space().mesh().cell_count();
}

MemoryNeeds cell_lists(const Operator& equations) {
  return MemoryNeeds().bytes("connectivity", bytes_of_cells(equations.terms().groups()));
}

MemoryNeeds taken_since(const std::map<std::string, Index>& before, const MemoryPool& pool) {
  MemoryNeeds taken;
  for (const auto& [tag, bytes] : pool.statistics().live_by_tag) {
    const auto then = before.find(tag);
    taken.bytes(tag, bytes - (then == before.end() ? 0 : then->second));
  }
  return taken;
}

}  // namespace

// Follows the constructor of PCycle in fem/multigrid/p_multigrid.cpp.
PMultigridNeeds p_multigrid_needs(const Operator& equations, PMultigridPlan plan) {
  const MemoryPool& pool = equations.space().device().memory();
  const bool single = can_act(equations) && can_act_in_single(equations);
  const Index real = single ? sizeof(float) : sizeof(double);
  const int degree = SmoothedAggregationOptions{}.smoothing_degree;
  PMultigridNeeds needs;
  std::vector<std::unique_ptr<LevelNeeds>> levels;
  const Operator* fine = &equations;
  for (bool last = false; !last;) {
    const Index n = fine->space().unknown_count();
    last = fine->space().order() <= 3;
    const auto before = pool.statistics().live_by_tag;
    levels.push_back(std::make_unique<LevelNeeds>(*fine, PMultigrid::coarser_order(fine->space())));
    const Operator& coarse = levels.back()->equations;
    const Index coarse_n = coarse.space().unknown_count();
    const MemoryNeeds made = taken_since(before, pool), action = OperatorNeeds(*fine).of(Task::action),
                      back = OperatorNeeds(coarse).of(Task::action);
    needs.live += made;
    needs.live += OperatorNeeds(coarse).states();
    needs.live.array<std::uint8_t>("constraints", coarse_n);
    needs.live.bytes("p-multigrid", 6 * MemoryPool::block_size(real * n));  // D^-1, weights, b, x, d, q
    // Numbers that chunks share, there and back. Lists of the way back.
    needs.live.bytes("transfer",
                     real * (action.of("assembly buffers") + back.of("assembly buffers")) / Index{sizeof(double)});
    needs.live.bytes("assembly lists", back.of("assembly lists"));
    if (!transfers_share(*fine))
      needs.live.bytes("assembly lists", action.of("assembly lists"))
          .bytes("connectivity", bytes_of_cells(fine->terms().groups()) + bytes_of_cells(coarse.terms().groups()));
    needs.cycle += (2 * degree + 1) * double(made.of("connectivity") + action.of("assembly lists") + 8 * real * n +
                                             MatrixFree::point_needs(*fine).total());
    if (!last) {
      needs.live += MatrixFree::point_needs(coarse);
      needs.live += OperatorNeeds(coarse).of({Task::diagonal, Task::action});
      // marked; its diagonal
      needs.live.bytes("connectivity", made.of("connectivity")).array<double>("vectors", coarse_n);
    }
    fine = &coarse;
  }
  const FunctionSpace& space = fine->space();
  const SpaceNeeds coarsest = needs_of(space, 1, false);
  HierarchyShape shape = hierarchy_shape(*fine, coarsest);
  if (plan.divided) shape.inverse = 0;
  const HierarchyNeeds hierarchy = hierarchy_needs(shape, true);
  const MemoryNeeds matrix = coarsest.pattern + coarsest.matrix();
  MemoryNeeds assembly = OperatorNeeds(*fine).assembled_once(coarsest.size.pairs);
  assembly.bytes("assembly lists", OperatorNeeds(*fine).making_lists({Task::matrix}, coarsest.size.pairs));
  needs.set_up = needs.live + matrix +
                 larger(plan.shifted ? assembly + coarsest.matrix() + cell_lists(*fine) : assembly, hierarchy.set_up);
  needs.lists_on_a_gpu = OperatorNeeds(*fine).lists_on_a_gpu(coarsest.size.pairs);
  needs.live += coarsest.pattern + hierarchy.live;
  if (plan.divided) needs.live += coarsest.matrix();  // which the cycle reads
  needs.live.array<double>("p-multigrid", space.unknown_count(), 2)
      .bytes("p-multigrid", MemoryPool::block_size(real * space.unknown_count()));
  needs.cycle += 5 * 0.65 * double(coarsest.matrix().total());
  return needs;
}

PMultigridNeeds p_multigrid_needs(const Operator& equations, const DividedField& field, bool shifted) {
  PMultigridNeeds needs = p_multigrid_needs(equations, {.shifted = shifted, .divided = true});
  const FunctionSpace& space = equations.space();
  const int dimension = space.mesh().dimension(), components = space.components();
  const Index nodes =
      std::min(field.replicated, field.ghosts->total() * components / (dimension == 3 ? 8 : 4)) / components;
  const MemoryNeeds whole =
      hierarchy_needs({nodes, 27 * nodes, components, dimension, Nesting::none, false}, true).live;
  needs.live += whole;
  needs.set_up += whole;
  return needs;
}

}  // namespace ritz

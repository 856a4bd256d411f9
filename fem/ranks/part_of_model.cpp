#include "fem/ranks/part_of_model.hpp"

#include "fem/ranks/cell_states.hpp"
#include "fem/ranks/own_field.hpp"
#include "fem/ranks/own_fields.hpp"

#include <algorithm>
#include <iterator>

namespace ritz {
namespace {

// Lists of the next operator among those of all.
PointStates::Values next_lists(const PointStates::Values& all, std::size_t count, std::size_t& next) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(next);
  next += count;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

bool PartOfModel::has_states_of(const Operator& one) { return one.facts().has_states; }

Vector PartOfModel::own(const Vector& of_all) const {
  Vector mine = equations().zeros();
  layout().own(of_all, mine);
  return mine;
}

Vector PartOfModel::own(std::span<const double> of_all) const {
  Vector all(equations_of_all().device(), of_all, "vectors");
  return layout().is_divided() && !all.empty() ? own(all) : std::move(all);
}

Vector PartOfModel::gathered(const Vector& x) const { return layout().is_divided() ? layout().gathered(x) : own(x); }

PointStates::Values PartOfModel::own_states(const PointStates::Values& of_all) const {
  PointStates::Values result;
  std::size_t next = 0;
  each_with_states([&](const Operator& whole, const Operator& mine, const std::vector<Index>& cells) {
    const CellStates places(whole);
    const std::vector<double> numbers = places.of(next_lists(of_all, places.lists(), next), cells);
    std::ranges::move(CellStates(mine).placed(numbers, mine.states().values()), std::back_inserter(result));
  });
  return result;
}

PointStates::Values PartOfModel::states_of_all(const PointStates::Values& own) const {
  PointStates::Values result;
  std::size_t next = 0;
  each_with_states([&](const Operator& whole, const Operator& mine, const std::vector<Index>& cells) {
    const PointStates::Values lists = next_lists(own, CellStates(mine).lists(), next);
    std::ranges::move(ritz::states_of_all(mine, lists, cells, whole.terms(), whole.states().values(), layout().ranks()),
                      std::back_inserter(result));
  });
  return result;
}

std::unique_ptr<PartOfModel> part_of(const Equations& equations, const Supports& supports,
                                     const LinearSolverOptions& options) {
  if (options.ranks == nullptr) return nullptr;
  if (const auto* const one = dynamic_cast<const Operator*>(&equations))
    return std::make_unique<OwnField>(*one, dynamic_cast<const Constraints&>(supports), options);
  return std::make_unique<OwnFields>(dynamic_cast<const FieldsOperator&>(equations),
                                     dynamic_cast<const FieldsConstraints&>(supports), options.ranks);
}

}  // namespace ritz

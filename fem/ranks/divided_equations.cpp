#include "fem/ranks/divided_equations.hpp"

#include "device/error.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/operator/evaluate.hpp"
#include "fem/operator/task_plans.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace ritz {

DividedSpace::Parts DividedSpace::parts_for(const Operator& equations, const LinearSolverOptions& options,
                                            const Ranks& ranks) {
  const bool whole =
      without_matrix(equations, options) && parts_of_whole_cells(equations.space(), ranks.count()).all_have;
  return whole ? Parts::whole_cells : Parts::equal;
}

DividedSpace::DividedSpace(const FunctionSpace& whole, Parts parts, Ranks& ranks)
    : whole_(whole),
      parts_(parts),
      first_(parts == Parts::equal ? equal_parts(whole, ranks.count())
                                   : parts_of_whole_cells(whole, ranks.count()).first) {
  auto phase = whole.device().profile().phase("cut");
  own_ = std::make_shared<const RankPart>(cutter().part(ranks.rank()), whole.device(), ranks);
}

SpaceCutter DividedSpace::cutter() const {
  return {whole_, first_, parts_ == Parts::equal ? SpaceCutter::Cells::along_curve : SpaceCutter::Cells::inner_first};
}

PartIntegrals DividedSpace::integrals(const std::vector<Integral>& all) const {
  return cutter().integrals(ranks().rank(), all);
}

PartSupports DividedSpace::supports(const Constraints& constraints, const PartCouplings* couplings) const {
  const auto rank = static_cast<std::size_t>(ranks().rank());
  const Index begin = first_[rank], end = first_[rank + 1];
  const std::vector<Index>& reached = own_->ghosts()->reached();
  PartSupports result = supports_of(constraints, whole_.components(), begin, end, reached);
  if (couplings != nullptr) result.coupled = couplings->of(begin, end, reached);
  return result;
}

DividedEquations::DividedEquations(const Operator& equations, std::shared_ptr<const DividedSpace> space)
    : space_(std::move(space)) {
  auto phase = equations.space().device().profile().phase("cut");
  own_ = std::make_shared<PartEquations>(space_->own(), space_->integrals(equations.integrals()));
}

void DividedEquations::follow(const Operator& equations) {
  if (!std::exchange(numbers_are_taken_, true)) own_->set_numbers(space_->integrals(equations.integrals()));
  if (newest_states_ == Newest::here && equations.facts().has_states) {
    newest_states_ = Newest::everywhere;
    own_->set_states(CellStates(equations).of(equations.states().values(), space_->own()->part().cells()));
  }
  own_->take(place_of(equations));
}

void DividedEquations::compute(const Operator& equations, PartTask task, const Vector& u, const Vector& x, Vector& y) {
  follow(equations);
  own_->compute(task, u, x, y);
}

void DividedEquations::residual(const Operator& equations, const Vector& u, Vector& r) {
  compute(equations, PartTask::residual, u, {}, r);
}

void DividedEquations::action(const Operator& equations, const Vector& u, const Vector& x, Vector& y) {
  compute(equations, PartTask::action, u, x, y);
}

void DividedEquations::transposed_action(const Operator& equations, const Vector& u, const Vector& x, Vector& y) {
  compute(equations, PartTask::transposed_action, u, x, y);
}

void DividedEquations::commit(const Operator& equations, const Vector& u) {
  Vector none;
  compute(equations, PartTask::commit, u, {}, none);
  newest_states_ = Newest::on_parts;
}

void DividedEquations::evaluate(const Operator& equations, const Vector& u, const std::string& form,
                                DerivedFields& fields) {
  follow(equations);
  const auto k = static_cast<std::size_t>(fields.components);
  const std::vector<double> elsewhere = std::exchange(fields.at_space_nodes, {});
  const auto packed = [&] {
    const DerivedFields own = own_->evaluate(u, form);
    return Packed().add(space_->own()->part().cells()).add(own.at_nodes).add(own.at_cells).take();
  };
  const std::string own = packed();
  if (results_go_to_ == Receivers::all || space_->ranks().rank() == 0) {
    fields.at_cells.assign(static_cast<std::size_t>(equations.space().mesh().cell_count()) * k, 0.0);
    fields.at_space_nodes.reserve(static_cast<std::size_t>(equations.space().node_count()) * k);
    for (Index node = 0; node < equations.space().node_count(); ++node)
      fields.at_space_nodes.insert(fields.at_space_nodes.end(), elsewhere.begin(), elsewhere.end());
  }
  each_text(space_->ranks(), own, results_go_to_, [&](int rank, std::string_view text) {
    Unpacked from(text);
    const std::vector<Index> cells = from.list<Index>();
    const std::vector<double> at_nodes = from.list<double>(), at_cells = from.list<double>();
    if (at_cells.empty()) return;                              // the rank has none of these integrals
    const std::size_t width = at_cells.size() / cells.size();  // more than k where it has one of several laws alone
    const auto copy_row = [&](const std::vector<double>& rows, std::size_t row, std::vector<double>& to,
                              std::size_t place) {
      std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(row * width), k,
                  to.begin() + static_cast<std::ptrdiff_t>(place * k));
    };
    const auto first = static_cast<std::size_t>(space_->own()->ghosts()->first()[static_cast<std::size_t>(rank)]);
    for (std::size_t node = 0; node < at_nodes.size() / width; ++node)
      copy_row(at_nodes, node, fields.at_space_nodes, first + node);
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
      copy_row(at_cells, cell, fields.at_cells, static_cast<std::size_t>(cells[cell]));
  });
}

DerivedFields evaluate_for_the_first(const Operator& equations, const Vector& u, const std::string& form) {
  auto* const divided = dynamic_cast<DividedEquations*>(equations.plans().over_ranks());
  return divided != nullptr ? divided->evaluate_for_the_first(equations, u, form) : evaluate(equations, u, form);
}

DerivedFields DividedEquations::evaluate_for_the_first(const Operator& equations, const Vector& u,
                                                       const std::string& form) {
  results_go_to_ = Receivers::first;
  DerivedFields fields = ritz::evaluate(equations, u, form);
  results_go_to_ = Receivers::all;
  return fields;
}

void DividedEquations::bring_states(const Operator& equations) {
  if (newest_states_ != Newest::on_parts) return;
  newest_states_ = Newest::everywhere;
  const CellStates places(equations);
  PointStates::Values all = equations.states().values();
  each_text(space_->ranks(), Packed().add(space_->own()->part().cells()).add(own_->states()).take(), Receivers::all,
            [&](int, std::string_view text) {
              Unpacked from(text);
              const std::vector<Index> cells = from.list<Index>();
              places.place(cells, from.list<double>(), all);
            });
  equations.states().set(all);
  newest_states_ = Newest::everywhere;
}

void DividedEquations::reset_states() {
  newest_states_ = Newest::everywhere;
  own_->equations().states().reset();
}

DividedEquations* divide_among_ranks(const Operator& equations, const LinearSolverOptions& options, Ranks& ranks) {
  auto* divided = dynamic_cast<DividedEquations*>(equations.plans().over_ranks());
  if (divided != nullptr && divided->space()->parts() == DividedSpace::Parts::whole_cells) return divided;
  const DividedSpace::Parts parts = DividedSpace::parts_for(equations, options, ranks);
  if (divided != nullptr && divided->space()->parts() == parts) return divided;
  if (divided != nullptr) divided->bring_states(equations);
  auto space = std::make_shared<const DividedSpace>(equations.space(), parts, ranks);
  const auto made = std::make_shared<DividedEquations>(equations, std::move(space));
  if (equations.states().were_made()) made->states_were_set();
  equations.plans().divide(made);
  return made.get();
}

void divide_like(const Equations& equations, const Equations& others) {
  const auto* const one = dynamic_cast<const Operator*>(&equations);
  const auto* const divided =
      one != nullptr ? dynamic_cast<const DividedEquations*>(one->plans().over_ranks()) : nullptr;
  if (divided == nullptr) return;
  const auto& other = dynamic_cast<const Operator&>(others);
  const auto made = std::make_shared<DividedEquations>(other, divided->space());
  if (other.states().were_made()) made->states_were_set();
  other.plans().divide(made);
}

}  // namespace ritz

#include "fem/ranks/divided_equations.hpp"

#include "device/error.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/operator/evaluate.hpp"
#include "fem/operator/task_plans.hpp"
#include "fem/ranks/cell_states.hpp"

#include <algorithm>
#include <utility>

namespace ritz {

DividedSpace::Parts DividedSpace::parts_for(const Operator& equations, const LinearSolverOptions& options,
                                            const Ranks& ranks) {
  const bool whole =
      without_matrix(equations, options) && parts_of_whole_cells(equations.space(), ranks.count()).all_have;
  return whole ? Parts::whole_cells : Parts::equal;
}

namespace {

SpacePart part_with_ghosts(PartData data, const FunctionSpace& whole, Ranks& ranks) {
  auto ghosts = std::make_shared<const Ghosts>(ranks, data.last - data.first, data.reached);
  return {std::move(data), ranks.among_all(whole.device()), std::move(ghosts), whole};
}

}  // namespace

DividedSpace::DividedSpace(const FunctionSpace& whole, Parts parts, Ranks& ranks)
    : whole_(whole),
      parts_(parts),
      first_(parts == Parts::equal ? equal_parts(whole, ranks.count())
                                   : parts_of_whole_cells(whole, ranks.count()).first),
      part_(part_with_ghosts(cutter().part(ranks.rank()), whole, ranks)),
      layout_(std::vector<Layout::Field>{field_of(part_.space())}) {
  ranks.connect(whole.device());
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
  const std::vector<Index>& reached = ghosts()->reached();
  PartSupports result = supports_of(constraints, whole_.components(), begin, end, reached);
  if (couplings != nullptr) result.coupled = couplings->of(begin, end, reached);
  return result;
}

Constraints DividedSpace::own(const Constraints& constraints) const {
  const PartSupports own = supports(constraints, nullptr);
  DependentNodeRows relations;
  if (own.related) {
    const auto rank = static_cast<std::size_t>(ranks().rank());
    relations = relations_of(constraints, first_[rank], first_[rank + 1], {}, FollowedUnknowns::all);
  }
  Constraints mine = part_.constraints(own.held, own.related ? &relations : nullptr);
  mine.take_values(constraints);
  return mine;
}

Vector DividedSpace::own(const Vector& all) const {
  Vector mine(space().device(), layout_.total(), "vectors");
  rows().take(all, mine);
  return mine;
}

Vector DividedSpace::with_ghosts(const Vector& own) const {
  Vector here = space().zeros();
  if (!own.empty()) layout_.fetch(0, own, here);
  return here;
}

DividedEquations::DividedEquations(const Operator& equations, std::shared_ptr<const DividedSpace> space)
    : DividedEquations(space, space->integrals(equations.integrals())) {}

DividedEquations::DividedEquations(std::shared_ptr<const DividedSpace> space, PartIntegrals integrals)
    : space_(std::move(space)),
      integral_of_(std::move(integrals.integral_of)),
      own_(space_->space(), std::move(integrals.integrals)) {}

Operator& DividedEquations::own(const Operator& equations) {
  if (leads_) return own_;
  if (!std::exchange(numbers_are_taken_, true) &&
      !own_.inputs().set_numbers(space_->integrals(equations.integrals()).integrals))
    throw Error(ErrorKind::internal, "the equations of a part have got other forms or places");
  if (newest_states_ == Newest::here && equations.facts().has_states) {
    newest_states_ = Newest::everywhere;
    take_states(equations, space_->part().cells(), own_);
  }
  for (std::size_t i = 0; i < integral_of_.size(); ++i)
    own_.inputs().set_factor(i, equations.integrals()[integral_of_[i]].factor);
  own_.inputs().set_time(equations.time());
  return own_;
}

Operator& DividedEquations::lead(const Operator& equations) {
  own(equations);
  leads_ = true;
  return own_;
}

void DividedEquations::follow() {
  leads_ = false;
  if (own_.facts().has_states) states_have_changed();
}

Vector DividedEquations::with_ghosts(const Vector& all) const {
  return space_->with_ghosts(all.empty() ? Vector() : space_->own(all));
}

// Results at owned nodes [node][component] and in all cells of the part.
DerivedFields DividedEquations::evaluate_own(const Operator& equations, const Vector& u, const std::string& form,
                                             LawResults of_laws) {
  DerivedFields fields = ritz::evaluate(own(equations), with_ghosts(u), form, of_laws);
  if (!space_->space().isoparametric()) fields.at_nodes = std::move(fields.at_space_nodes);
  fields.at_nodes.resize(static_cast<std::size_t>(ghosts().owned() * fields.components));
  return fields;
}

DerivedFields DividedEquations::evaluate_for_the_first(const Operator& equations, const Vector& u,
                                                       const std::string& form, LawResults of_laws) {
  const FunctionSpace& whole = equations.space();
  DerivedFields fields{.components = results_of(equations.terms(), {OperatorTask::evaluate, form})};
  if (fields.components == 0) return fields;
  const auto k = static_cast<std::size_t>(fields.components);
  const auto packed = [&] {
    const DerivedFields mine = evaluate_own(equations, u, form, of_laws);
    return Packed().add(space_->part().cells()).add(mine.at_nodes).add(mine.at_cells).take();
  };
  const std::string mine = packed();
  const bool is_first = space_->ranks().rank() == 0;
  if (is_first) {
    const std::vector<double> elsewhere = results_elsewhere(equations, form, fields.components);
    fields.at_cells.assign(static_cast<std::size_t>(whole.mesh().cell_count()) * k, 0.0);
    fields.at_space_nodes.reserve(static_cast<std::size_t>(whole.node_count()) * k);
    for (Index node = 0; node < whole.node_count(); ++node)
      fields.at_space_nodes.insert(fields.at_space_nodes.end(), elsewhere.begin(), elsewhere.end());
  }
  each_text(space_->ranks(), mine, Receivers::first, [&](int rank, std::string_view text) {
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
    const auto first = static_cast<std::size_t>(ghosts().first()[static_cast<std::size_t>(rank)]);
    for (std::size_t node = 0; node < at_nodes.size() / width; ++node)
      copy_row(at_nodes, node, fields.at_space_nodes, first + node);
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
      copy_row(at_cells, cell, fields.at_cells, static_cast<std::size_t>(cells[cell]));
  });
  if (!is_first) return fields;
  fields.at_nodes = whole.to_mesh(fields.at_space_nodes, fields.components);
  if (whole.isoparametric()) fields.at_space_nodes = {};
  return fields;
}

DerivedFields evaluate_for_the_first(const Operator& equations, const Vector& u, const std::string& form,
                                     LawResults of_laws) {
  auto* const divided = dynamic_cast<DividedEquations*>(equations.states().over_ranks());
  return divided != nullptr ? divided->evaluate_for_the_first(equations, u, form, of_laws)
                            : evaluate(equations, u, form, of_laws);
}

void DividedEquations::bring_states(const ElementTerms& terms, PointStates& states) {
  if (newest_states_ != Newest::on_parts) return;
  newest_states_ = Newest::everywhere;
  ritz::bring_states(own_, space_->part().cells(), terms, states, space_->ranks());
  newest_states_ = Newest::everywhere;
}

void DividedEquations::reset_states() {
  newest_states_ = Newest::everywhere;
  own_.states().reset();
}

namespace {

DividedEquations& divide(const Operator& equations, std::shared_ptr<const DividedSpace> space) {
  const auto made = std::make_shared<DividedEquations>(equations, std::move(space));
  if (equations.states().were_made()) made->states_were_set();
  ritz::divide(equations, made);
  return *made;
}

}  // namespace

DividedEquations& divide_among_ranks(const Operator& equations, const LinearSolverOptions& options, Ranks& ranks) {
  auto* divided = dynamic_cast<DividedEquations*>(equations.states().over_ranks());
  if (divided != nullptr && divided->space()->parts() == DividedSpace::Parts::whole_cells) return *divided;
  const DividedSpace::Parts parts = DividedSpace::parts_for(equations, options, ranks);
  if (divided != nullptr && divided->space()->parts() == parts) return *divided;
  if (divided != nullptr) divided->bring_states(equations.terms(), equations.states());
  auto phase = equations.space().device().profile().phase("cut");
  return divide(equations, std::make_shared<const DividedSpace>(equations.space(), parts, ranks));
}

DividedEquations* divide_like(const Equations& equations, const Equations& others) {
  const auto* const one = dynamic_cast<const Operator*>(&equations);
  const auto* const divided =
      one != nullptr ? dynamic_cast<const DividedEquations*>(one->states().over_ranks()) : nullptr;
  if (divided == nullptr) return nullptr;
  const auto& other = dynamic_cast<const Operator&>(others);
  auto* const known = dynamic_cast<DividedEquations*>(other.states().over_ranks());
  if (known != nullptr && known->space() == divided->space()) return known;
  auto phase = other.space().device().profile().phase("cut");
  return &divide(other, divided->space());
}

}  // namespace ritz

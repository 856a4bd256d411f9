#include "fem/ranks/divided_equations.hpp"

#include "device/error.hpp"
#include "fem/ranks/rank_orders.hpp"
#include "fem/ranks/rank_plugins.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

std::int32_t parts_made = 0, equations_made = 0;  // by the first rank

}  // namespace

DividedSpace::Parts DividedSpace::parts_for(const Operator& equations, const LinearSolverOptions& options,
                                            const Ranks& ranks) {
  const bool whole =
      without_matrix(equations, options) && parts_of_whole_cells(equations.space(), ranks.count()).all_have;
  return whole ? Parts::whole_cells : Parts::equal;
}

DividedSpace::DividedSpace(const FunctionSpace& whole, Parts parts, Ranks& ranks)
    : whole_(whole),
      ranks_(ranks),
      parts_(parts),
      number_(parts_made++),
      first_(parts == Parts::equal ? equal_parts(whole, ranks.count())
                                   : parts_of_whole_cells(whole, ranks.count()).first),
      reached_(static_cast<std::size_t>(ranks.count())) {
  auto phase = whole.device().profile().phase("cut");
  SpaceCutter cut = cutter();
  const auto part_of = [&](int rank) {
    PartData part = cut.part(rank);
    reached_[static_cast<std::size_t>(rank)] = part.reached;
    return part;
  };
  for (int rank = 1; rank < ranks.count(); ++rank) {
    Packed to;
    to.add(Order::make_part).add(number_);
    add_plugins(to);
    add(to, part_of(rank));
    ranks.send(rank, to.take());
  }
  own_ = std::make_shared<const RankPart>(part_of(0), whole.device(), ranks);
}

DividedSpace::~DividedSpace() {
  try {
    order_all(ranks_, Packed().add(Order::forget_part).add(number_).take());
  } catch (const Error&) {  // the job ends
  }
}

SpaceCutter DividedSpace::cutter() const {
  return {whole_, first_, parts_ == Parts::equal ? SpaceCutter::Cells::along_curve : SpaceCutter::Cells::inner_first};
}

std::vector<PartIntegrals> DividedSpace::integrals(const std::vector<Integral>& all) const {
  SpaceCutter cut = cutter();
  std::vector<PartIntegrals> result;
  for (int rank = 0; rank < ranks_.count(); ++rank) result.push_back(cut.integrals(rank, all));
  return result;
}

PartSupports DividedSpace::supports(int rank, const Constraints& constraints, const PartCouplings* couplings) const {
  const auto r = static_cast<std::size_t>(rank);
  PartSupports result = supports_of(constraints, whole_.components(), first_[r], first_[r + 1], reached_[r]);
  if (couplings != nullptr) result.coupled = couplings->of(first_[r], first_[r + 1], reached_[r]);
  return result;
}

DividedEquations::DividedEquations(const Operator& equations, std::shared_ptr<const DividedSpace> space)
    : space_(std::move(space)), number_(equations_made++) {
  auto phase = equations.space().device().profile().phase("cut");
  look_for_functions(equations);
  std::vector<PartIntegrals> parts = space_->integrals(equations.integrals());
  for (int rank = 1; rank < space_->ranks().count(); ++rank) {
    Packed to;
    to.add(Order::make_equations).add(number_).add(space_->number());
    add_plugins(to);
    add(to, parts[static_cast<std::size_t>(rank)]);
    space_->ranks().send(rank, to.take());
  }
  own_ = std::make_shared<PartEquations>(space_->own(), std::move(parts.front()));
}

DividedEquations::~DividedEquations() {
  try {
    order_all(space_->ranks(), Packed().add(Order::forget_equations).add(number_).take());
  } catch (const Error&) {  // the job ends
  }
}

void DividedEquations::look_for_functions(const Operator& equations) {
  asks_ = std::ranges::any_of(equations.integrals(), [](const Integral& i) { return !i.form.given.empty(); });
  varies_ = equations.varies_in_time();
}

// Do ranks evaluate functions for a task? Numbers at points stay until the time or the functions change.
bool DividedEquations::asks_at(const Operator& equations, PartTask task) {
  if (!asks_) return false;
  const double now = equations.time().t;
  const bool is_new = asked_at_.emplace(task, now).second;
  const bool moved = varies_ && std::ranges::any_of(asked_at_, [now](const auto& each) { return each.second != now; });
  time_has_moved(now);
  return is_new || moved;
}

void DividedEquations::time_has_moved(double t) {
  for (auto& [task, time] : asked_at_) time = t;
}

// Orders a task of all ranks, whose words these are; returns what follows when all functions have been evaluated here.
std::function<void()> DividedEquations::begin(const Operator& equations, PartTask functions, Packed words) {
  follow(equations);
  const EquationsPlace place = place_of(equations);
  const bool asks = asks_at(equations, functions);
  words.add(asks);
  add(words, place);
  order_all(space_->ranks(), words.take());
  own_->take(place);
  return [this, &equations, asks] {
    if (asks) answer_questions(space_->ranks(), equations);
  };
}

void DividedEquations::compute(const Operator& equations, PartTask task, const Vector& u, const Vector& x, Vector& y) {
  own_->compute(task, u.empty(), u, x, y,
                begin(equations, task == PartTask::commit ? PartTask::residual : task,
                      Packed().add(Order::compute).add(number_).add(task).add(u.empty())));
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
  newest_states_ = Newest::on_ranks;
}

void DividedEquations::evaluate(const Operator& equations, const Vector& u, const std::string& form,
                                DerivedFields& fields) {
  const DerivedFields own = own_->evaluate(
      u, form, begin(equations, PartTask::evaluate, Packed().add(Order::evaluate).add(number_).add(form)));
  const auto k = static_cast<std::size_t>(fields.components);
  const auto put = [&](int rank, const std::vector<Index>& cells, const std::vector<double>& at_nodes,
                       const std::vector<double>& at_cells) {
    if (at_cells.empty()) return;  // the rank has none of these integrals
    const auto first = static_cast<std::size_t>(space_->own()->ghosts()->first()[static_cast<std::size_t>(rank)]);
    std::ranges::copy(at_nodes, fields.at_space_nodes.begin() + static_cast<std::ptrdiff_t>(first * k));
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
      std::copy_n(at_cells.begin() + static_cast<std::ptrdiff_t>(cell * k), k,
                  fields.at_cells.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(cells[cell]) * k));
  };
  put(0, space_->own()->part().cells(), own.at_nodes, own.at_cells);
  for (int rank = 1; rank < space_->ranks().count(); ++rank) {
    const std::string text = space_->ranks().wait(rank);
    Unpacked from(text);
    const std::vector<Index> cells = from.list<Index>();
    const std::vector<double> at_nodes = from.list<double>(), at_cells = from.list<double>();
    put(rank, cells, at_nodes, at_cells);
  }
}

void DividedEquations::bring_states(const Operator& equations) {
  if (newest_states_ != Newest::on_ranks) return;
  newest_states_ = Newest::everywhere;
  order_all(space_->ranks(), Packed().add(Order::give_states).add(number_).take());
  const CellStates places(equations);
  Operator::PointStates all = equations.state();
  places.place(space_->own()->part().cells(), own_->states(), all);
  for (int rank = 1; rank < space_->ranks().count(); ++rank) {
    const std::string text = space_->ranks().wait(rank);
    Unpacked from(text);
    const std::vector<Index> cells = from.list<Index>();
    places.place(cells, from.list<double>(), all);
  }
  equations.set_state(all);
  newest_states_ = Newest::everywhere;
}

void DividedEquations::reset_states() {
  newest_states_ = Newest::everywhere;
  order_all(space_->ranks(), Packed().add(Order::reset_states).add(number_).take());
  own_->equations().reset_state();
}

void DividedEquations::send_states(const Operator& equations) {
  newest_states_ = Newest::everywhere;
  order_all(space_->ranks(), Packed().add(Order::take_states).add(number_).take());
  const CellStates places(equations);
  const Operator::PointStates all = equations.state();
  for (int rank = 1; rank < space_->ranks().count(); ++rank) {
    const std::string text = space_->ranks().wait(rank);
    Unpacked from(text);
    space_->ranks().send(rank, Packed().add(places.of(all, from.list<Index>())).take());
  }
  own_->set_states(places.of(all, space_->own()->part().cells()));
}

void DividedEquations::send_numbers(const Operator& equations) {
  numbers_are_sent_ = true;
  asked_at_.clear();
  look_for_functions(equations);
  const std::vector<PartIntegrals> parts = space_->integrals(equations.integrals());
  for (int rank = 1; rank < space_->ranks().count(); ++rank) {
    Packed to;
    to.add(Order::set_numbers).add(number_).add(asks_);
    add(to, parts[static_cast<std::size_t>(rank)]);
    space_->ranks().send(rank, to.take());
  }
  own_->set_numbers(parts.front());
  if (asks_) answer_questions(space_->ranks(), equations);
}

void DividedEquations::follow(const Operator& equations) {
  if (!numbers_are_sent_) send_numbers(equations);
  if (newest_states_ == Newest::here && equations.has_state()) send_states(equations);
}

DividedEquations* divide_among_ranks(const Operator& equations, const LinearSolverOptions& options, Ranks& ranks) {
  auto* divided = dynamic_cast<DividedEquations*>(equations.over_ranks());
  if (divided != nullptr && divided->space()->parts() == DividedSpace::Parts::whole_cells) return divided;
  const DividedSpace::Parts parts = DividedSpace::parts_for(equations, options, ranks);
  if (divided != nullptr && divided->space()->parts() == parts) return divided;
  if (divided != nullptr) divided->bring_states(equations);
  auto space = std::make_shared<const DividedSpace>(equations.space(), parts, ranks);
  const auto made = std::make_shared<DividedEquations>(equations, std::move(space));
  if (equations.has_made_states()) made->states_were_set();
  equations.divide(made);
  return made.get();
}

void divide_like(const Equations& equations, const Equations& others) {
  const auto* const one = dynamic_cast<const Operator*>(&equations);
  const auto* const divided = one != nullptr ? dynamic_cast<const DividedEquations*>(one->over_ranks()) : nullptr;
  if (divided == nullptr) return;
  const auto& other = dynamic_cast<const Operator&>(others);
  const auto made = std::make_shared<DividedEquations>(other, divided->space());
  if (other.has_made_states()) made->states_were_set();
  other.divide(made);
}

}  // namespace ritz

#include "fem/sensitivity/transient_adjoint.hpp"

#include "fem/operator/abilities.hpp"
#include "fem/sensitivity/array_derivative.hpp"
#include "fem/sensitivity/cell_work.hpp"
#include "fem/analysis/of_all_unknowns.hpp"
#include "fem/analysis/support_motion.hpp"
#include "fem/sensitivity/step_adjoint.hpp"
#include "fem/sensitivity/position_derivative.hpp"
#include "fem/analysis/setup.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

void add(const std::vector<double>& x, std::vector<double>& sum) {
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] += x[i];
}

// The work of the residual and of the rates on the weights of stages, cell by cell.
class StageWork {
 public:
  explicit StageWork(const Model& model)
      : space_(model.space), residual_({space_}, {model.equations}), rates_({space_}, {rates_of(model)}) {}
  // Takes all integrals, also on cells that were moved.
  template <class Cells>
  StageWork(const Model& model, const Cells& cells)
      : space_(model.space),
        residual_({space_}, {model.equations}, cells),
        rates_({space_}, {rates_of(model)}, cells) {}

  void numbers_changed() {
    residual_.numbers_changed();
    rates_.numbers_changed();
  }
  void replace_numbers(const Model& model) {
    residual_.replace_numbers({model.equations});
    rates_.replace_numbers({rates_of(model)});
  }
  std::vector<double> operator()(std::span<const Stage* const> stages) {
    std::vector<double> sum(static_cast<std::size_t>(space_.mesh().cell_count()), 0.0);
    for (const Stage* stage : stages) {
      add_work(residual_, *stage, stage->residual_at, stage->of_residual, sum);
      add_work(rates_, *stage, stage->rates_at, stage->of_rates, sum);
    }
    return sum;
  }

 private:
  void add_work(CellWork& work, const Stage& stage, const std::vector<double>& at, const std::vector<double>& weights,
                std::vector<double>& sum) const {
    if (weights.empty()) return;
    work.set_time({stage.time, stage.time - stage.since});
    add(work(on_device(at.empty() ? stage.u : at), on_device(weights)), sum);
  }
  Vector on_device(const std::vector<double>& values) const {
    return Vector(space_.device(), std::span<const double>(values), "vectors");
  }

  const FunctionSpace& space_;
  CellWork residual_, rates_;
};

std::vector<const PrescribedValue*> varying_supports(const Model& model) {
  std::vector<const PrescribedValue*> result;
  for (const PrescribedValue& each : model.supports)
    if (!each.value.is_number()) result.push_back(&each);
  return result;
}

Index bytes_of(const Stage& stage) {
  Index numbers = 0;
  for (const std::vector<double>* each :
       {&stage.u, &stage.residual_at, &stage.rates_at, &stage.of_residual, &stage.of_rates})
    numbers += std::ssize(*each);
  return Index{sizeof(double)} * numbers;
}

// Numbers of an evolution, which are those of this rank, from those of the whole model, and the way back. An empty list
// is empty on all ranks.
class NumbersOfRank {
 public:
  explicit NumbersOfRank(const PartOfModel* part) : part_(part) {}  // null: one process

  void gather(std::vector<double>& values) const {
    if (part_ == nullptr || values.empty()) return;
    values = part_->gathered(on_device(part_->equations(), values)).host();
  }
  const Stage& gather(Stage& stage) const {
    for (std::vector<double>* const each :
         {&stage.u, &stage.residual_at, &stage.rates_at, &stage.of_residual, &stage.of_rates})
      gather(*each);
    return stage;
  }
  State own(const State& state) const { return part_ != nullptr ? own_state(*part_, state) : state; }

  // use() with the adjoint of this rank.
  template <class Use>
  void with_own(AdjointSums& a, const Use& use) const {
    if (part_ == nullptr) return use();
    const std::array lists = {&a.g, &a.by_v, &a.of_residual, &a.of_rates, &a.by_prescribed, &a.u, &a.v, &a.a};
    for (std::vector<double>* const each : lists)
      if (!each->empty()) *each = part_->own(on_device(part_->equations_of_all(), *each)).host();
    use();
    for (std::vector<double>* const each : lists) gather(*each);
  }

 private:
  static Vector on_device(const Equations& equations, const std::vector<double>& values) {
    return Vector(equations.device(), std::span<const double>(values), "vectors");
  }

  const PartOfModel* part_;
};

// Goes backwards through the parts of a trajectory.
class BackwardsInTime {
 public:
  // part: whose unknowns the steps have; null: one process.
  BackwardsInTime(const Model& model, StepAdjoint& steps, const PartOfModel* part, const Trajectory& path,
                  const StepDerivative& add_derivative, std::span<const DifferentiatedNumber> numbers)
      : model_(model), steps_(steps), ranks_(part), path_(path), add_derivative_(add_derivative), numbers_(numbers) {
    const std::vector<double> zeros(static_cast<std::size_t>(model.space.unknown_count()), 0.0);
    adjoint_ = {.g = zeros, .by_v = {}, .of_residual = zeros, .of_rates = zeros, .by_prescribed = zeros};
    if (is_of_second_order(model)) adjoint_.by_v = adjoint_.u = adjoint_.v = adjoint_.a = zeros;
    result_.load = zeros;
    for (const DifferentiatedNumber& each : numbers) {
      result_.numbers.emplace_back(each.size(model.space.mesh()), 0.0);
      if (each.array != nullptr && !of_arrays_) of_arrays_.emplace(model);
      if (each.number != nullptr && !of_numbers_) of_numbers_.emplace(model, CellWork::OfAll{});
    }
  }

  TransientDerivatives run(const AdjointProgress& progress) {
    if (progress.begin.parts >= 0) resume(progress.begin);
    for (Index part = progress.begin.parts >= 0 ? progress.begin.parts : path_.part_count(); part-- > 0;) {
      go_through(part);
      if (progress.keep && part > 0) progress.keep(state(part));
    }
    result_.prescribed = adjoint_.by_prescribed;
    const std::vector<const PrescribedValue*> supports = varying_supports(model_);
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (numbers_[i].array != nullptr)
        add_by_prescribed(model_.space, *numbers_[i].array, numbers_[i].name, supports, result_.prescribed,
                          result_.numbers[i]);
    return std::move(result_);
  }

 private:
  // Each of its numbers, by name.
  template <class Use>
  void each_of_state(const Use& use) {
    use("g", adjoint_.g);
    use("by_v", adjoint_.by_v);
    use("of_residual", adjoint_.of_residual);
    use("of_rates", adjoint_.of_rates);
    use("by_prescribed", adjoint_.by_prescribed);
    use("u", adjoint_.u);
    use("v", adjoint_.v);
    use("a", adjoint_.a);
    use("load", result_.load);
    for (std::size_t i = 0; i < result_.numbers.size(); ++i) use(fmt::format("array.{}", i), result_.numbers[i]);
  }
  AdjointState state(Index parts) {
    AdjointState s{.parts = parts, .numbers = {{"bytes", {static_cast<double>(result_.bytes)}}}};
    each_of_state([&](const std::string& name, std::vector<double>& values) {
      if (!values.empty()) s.numbers[name] = values;
    });
    return s;
  }
  void resume(const AdjointState& from) {
    result_.bytes = static_cast<Index>(from.numbers.at("bytes").at(0));
    each_of_state([&](const std::string& name, std::vector<double>& values) {
      if (!values.empty()) values = from.numbers.at(name);
    });
  }

  // Numbers of the steps are those of this rank, all others of the whole model.
  void go_through(Index part) {
    const State& from = path_.state(part);
    auto [start, taken] = steps_.retrace(ranks_.own(from), path_.steps(part));
    std::vector<Stage> begin = {std::move(start)};
    const Index before = from.steps;
    std::vector<const Stage*> stages;
    for (std::size_t i = taken.size(); i-- > 0;) {
      const Index number = before + static_cast<Index>(i);
      add_derivative_of(number + 1, taken[i].stages.back());
      ranks_.with_own(adjoint_, [&] { steps_.step_back(taken[i], number, adjoint_); });
      for (Stage& each : taken[i].stages) stages.push_back(&ranks_.gather(each));
    }
    if (before == 0) {
      add_derivative_of(0, begin.front());
      ranks_.with_own(adjoint_, [&] { result_.initial = steps_.end_at(begin, adjoint_); });
      ranks_.gather(result_.initial);
      result_.velocity = adjoint_.v;
      for (Stage& each : begin) stages.push_back(&ranks_.gather(each));
    }
    take(stages);
  }

  void add_derivative_of(Index step, const Stage& stage) {
    std::vector<double> u = stage.u;
    ranks_.gather(u);
    add_derivative_({step, {stage.time, stage.time - stage.since}, u}, {adjoint_.g, adjoint_.by_v});
  }

  void take(const std::vector<const Stage*>& stages) {
    Index bytes = path_.state_bytes();
    for (const Stage* each : stages) {
      add(each->of_residual, result_.load);
      bytes += bytes_of(*each);
    }
    result_.bytes = std::max(result_.bytes, bytes);
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (numbers_[i].positions)
        subtract_by_positions(
            model_.space.mesh(), [&](const CellWork::Moved& moved) { return StageWork(model_, moved)(stages); },
            result_.numbers[i]);
      else if (MeshField* array = numbers_[i].array; array != nullptr)
        subtract_by_work(model_.space.mesh(), *array,
                         {[this] { of_arrays_->numbers_changed(); }, [&] { return (*of_arrays_)(stages); }},
                         result_.numbers[i]);
      else
        subtract_by_work(
            *numbers_[i].number,
            [&](const Model& model) {
              of_numbers_->replace_numbers(model);
              return (*of_numbers_)(stages);
            },
            result_.numbers[i]);
    }
  }

  const Model& model_;
  StepAdjoint& steps_;
  const NumbersOfRank ranks_;
  const Trajectory& path_;
  const StepDerivative& add_derivative_;
  std::span<const DifferentiatedNumber> numbers_;
  std::optional<StageWork> of_arrays_, of_numbers_;
  AdjointSums adjoint_;
  TransientDerivatives result_;
};

}  // namespace

namespace {

bool is_moved_at_begin(const Model& model, const Transient& options) {
  if (!is_of_second_order(model) || options.from_equilibrium || model.relations.empty() || options.begin.u.empty())
    return false;
  const ModelSupports supports(model);
  Constraints& held = *supports.all().front();
  held.finish();
  if (held.varies_in_time()) held.set_time(options.begin.time);
  const FunctionSpace& space = model.space;
  const Vector u(space.device(), std::span<const double>(options.begin.u), "vectors");
  Vector offset = space.zeros(), work = space.zeros();
  held.set_values(offset);
  copy(offset, work);
  held.set_linear(work);
  axpy(-1.0, work, offset);
  return !satisfies_equations(held, offset, u, work);
}

}  // namespace

std::optional<NotDifferentiable> not_differentiable(const Model& model, const Transient& options) {
  const auto is_symmetric = [](const Integral& i) { return i.form.symmetric || !i.form.has_matrix; };
  if (model.has_fields())
    return NotDifferentiable{"an evolution in time of several fields",
                             "what fields without rates are at the begin depends on the others", "take statics"};
  if (options.central_differences)
    return NotDifferentiable{"an evolution by central differences", "their adjoint steps are not in Ritz",
                             "take the generalised-alpha method"};
  if (!std::ranges::all_of(with_rates(model), is_symmetric) && !can_assemble(Operator(model.space, with_rates(model))))
    return NotDifferentiable{"an evolution of such an order whose tangent is not symmetric",
                             "its adjoint needs the transposed matrix, and these elements have none"};
  if (!model.attached.empty() && !std::ranges::all_of(model.equations, is_symmetric))
    return NotDifferentiable{"an evolution with reference points whose tangent is not symmetric",
                             "their masses join a symmetric one", "take another model"};
  if (!model.means.empty())
    return NotDifferentiable{"a model with prescribed mean motions or springs of couplings",
                             "adjoint steps do not know their forces", "hold or load nodes"};
  if (std::ranges::any_of(model.equations, [](const Integral& i) { return !i.form.state_start.empty(); }))
    return NotDifferentiable{"a model with internal variables", "its solution depends on the way to it",
                             "take another model"};
  if (is_moved_at_begin(model, options))
    return NotDifferentiable{"an evolution whose begin is moved to satisfy equations with values",
                             "the motion nearest to the given one depends on the masses",
                             "begin with a displacement that satisfies them, or with [initial] equilibrium = true"};
  return std::nullopt;
}

void check_differentiable(const Model& model, const Transient& options) {
  check(model, options);
  if (const auto refused = not_differentiable(model, options))
    throw Error(ErrorKind::analysis, fmt::format("derivatives of {}", refused->of), refused->why, refused->fix);
}

TransientDerivatives differentiate(const Model& model, Transient options, const Trajectory& path,
                                   const StepDerivative& add_derivative, std::span<const DifferentiatedNumber> numbers,
                                   const AdjointProgress& progress) {
  options.begin = path.state(0);
  check_differentiable(model, options);
  if (std::ranges::any_of(numbers, &DifferentiatedNumber::positions))
    if (const auto refused = not_differentiable_by_positions(model))
      throw Error(ErrorKind::analysis, fmt::format("the derivative by the positions of nodes, of {}", refused->of),
                  refused->why, refused->fix);
  const Setup setup(model, {}, Setup::Held::not_needed, Setup::Rates::among, &options.linear);
  options.linear = promised(options.linear, model);
  options.linear.ranks = nullptr;
  if (setup.part() != nullptr) options.begin = own_state(*setup.part(), std::move(options.begin));
  const TransientModel equations{.equations = setup.any_equations(),
                                 .rates = setup.any_rates(),
                                 .supports = setup.any_supports(),
                                 .second_order = is_of_second_order(model),
                                 .damping = model.damping,
                                 .attached = model.attached,
                                 .part = setup.part()};
  const auto steps =
      equations.second_order ? second_order_adjoint(equations, options) : first_order_adjoint(equations, options);
  return BackwardsInTime(model, *steps, setup.part(), path, add_derivative, numbers).run(progress);
}

Index adjoint_bytes(const Model& model, const Transient& options, double steps) {
  // Vectors of a state: u and r, of second order also v and a. Of a stage: u, two weights, and the places where the
  // residual and the rates are taken, where these are others.
  const bool second = is_of_second_order(model);
  const Index of_state = second ? 4 : 2,
              of_step = second ? 4 + (model.damping.stiffness != 0 ? 1 : 0) : 3 * (options.method->stages - 1);
  return Trajectory::most_vectors(static_cast<Index>(steps), of_state, of_step) * model.space.unknown_count() *
         Index{sizeof(double)};
}

}  // namespace ritz

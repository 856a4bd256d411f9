#include "fem/analysis/setup.hpp"
#include "fem/operator/operator_needs.hpp"

#include "fem/physics/reversed_cells.hpp"
#include "fem/ranks/own_field.hpp"
#include "fem/ranks/own_fields.hpp"

#include <fmt/format.h>
#include <utility>

namespace ritz {

bool is_of_second_order(const Model& model) { return model.capacity.empty() && model.of_fields.capacity.empty(); }

const std::vector<Integral>& rates_of(const Model& model) {
  return is_of_second_order(model) ? model.inertia : model.capacity;
}

void require_linear_load_cases(const Model& model) {
  if (model.linear) return;
  throw Error(ErrorKind::nonlinear_load_cases, "load cases of a model with nonlinear equations",
              "they share one matrix, which the solution of such equations changes", "make a case file of each");
}

void require_no_prescribed_means(const Model& model, const std::string& analysis) {
  if (model.means.empty()) return;
  throw Error(ErrorKind::analysis, fmt::format("a prescribed mean motion in an analysis of {}", analysis),
              "statics, Newton's method and motion hold means",
              "prescribe it in one of these, load the coupling by force and moment, or make the region rigid")
      .at(model.means.front().origin);
}

namespace {

std::unique_ptr<PartOfModel> part_of(const FieldsOfModel& fields, Ranks& ranks) {
  auto part = std::make_unique<OwnFields>(*fields.equations, *fields.supports, &ranks, fields.rates.get());
  part->supports().follow(*fields.supports);
  return part;
}

// Steps of linear equations in time share one matrix.
std::unique_ptr<PartOfModel> part_of(Operator& equations, Constraints& supports, Operator* rates,
                                     LinearSolverOptions linear) {
  const EquationFacts facts = equations.facts();
  linear.one_of_many = rates != nullptr && facts.linear && !facts.matrix_varies_in_time && !facts.has_states;
  auto part = std::make_unique<OwnField>(equations, supports, linear);
  part->lead(equations, supports, rates);
  return part;
}

}  // namespace

Setup::Setup(const Model& model, const Prepared& prepared, Held held, Rates rates, const LinearSolverOptions* linear) {
  Ranks* const ranks = linear != nullptr ? linear->ranks : nullptr;
  if (model.has_fields()) {
    fields_ = prepared.fields != nullptr ? prepared.fields : &own_fields_.emplace(fields_of(model, rates));
    if (held == Held::required) check_held(*fields_);
    if (ranks != nullptr) part_ = part_of(*fields_, *ranks);
    return;
  }
  supports_ = prepared.supports;
  if (supports_ == nullptr) {
    supports_ = &own_supports_.emplace(model);
    for (Constraints* each : supports_->all()) each->finish();
    if (held == Held::required) check_held(model, supports_->common());
  }
  equations_ = prepared.equations;
  if (equations_ == nullptr)
    equations_ = &own_equations_.emplace(model.space, rates == Rates::among ? with_rates(model) : model.equations);
  rates_ = prepared.rates;
  if (rates_ == nullptr && rates != Rates::none)
    rates_ = &own_rates_.emplace(model.space, rates == Rates::among ? rates_of(model) : model.inertia);
  if (ranks != nullptr) part_ = part_of(*equations_, *supports_->all().front(), rates_, *linear);
}

Equations& Setup::any_equations() const {
  if (part_) return part_->equations();
  if (fields_ != nullptr) return *fields_->equations;
  return *equations_;
}

Equations& Setup::any_rates() const {
  if (part_) return part_->rates();
  if (fields_ != nullptr) return *fields_->rates;
  return *rates_;
}

Supports& Setup::any_supports() const {
  if (part_) return part_->supports();
  if (fields_ != nullptr) return *fields_->supports;
  return *supports_->all().front();
}

const Supports& Setup::any_supports_of(std::size_t load_case) const {
  if (fields_ == nullptr) return supports_->of(load_case);
  const auto& own = fields_->supports_of_cases[load_case];
  return own != nullptr ? *own : *fields_->supports;
}

Prepared Setup::prepared() const {
  if (fields_ != nullptr) return {.fields = fields_};
  return {.equations = equations_, .supports = supports_};
}

Observer without_reversed_cells(const Model& model, const Observer& observer) {
  Observer result = observer;
  if (has_large_displacements(model))
    result.show = [&model, show = observer.show](const SolutionView& s) {
      require_no_reversed_cells(model, s.u);
      if (show) show(s);
    };
  return result;
}

Observer within_ranges(const Model& model, const Observer& observer) {
  Observer result = observer;
  if (!model.ranges.empty())
    result.show = [&model, show = observer.show](const SolutionView& s) {
      if (s.part == 1) check_ranges(model, s.u);
      if (show) show(s);
    };
  return result;
}

// Short steps overshoot a little where values jump, as the masses of nodes are coupled: that is no state to refuse.
Observer within_ranges_in_time(const Model& model, const Observer& observer) {
  constexpr double overshoot = 0.1;  // of a table's range
  Observer result = within_ranges(model, observer);
  if (model.ranges.empty()) return result;
  Model wide{.space = model.space, .ranges = model.ranges};
  for (ValidRange& each : wide.ranges) {
    const double room = overshoot * (each.highest - each.lowest);
    each.lowest -= room;
    each.highest += room;
  }
  result.keep = [&model, wide = std::move(wide), keep = observer.keep](const State& state) {
    const Vector u(model.space.device(), std::span<const double>(state.u), "vectors");
    try {
      check_ranges(wide, u);
    } catch (const Error&) {
      try {
        check_ranges(model, u);
      } catch (const Error& error) {
        throw Error(error.kind(), error.message(), fmt::format("{}; {}", error.why(), state.place), error.fix());
      }
    }
    if (keep) keep(state);
  };
  return result;
}

Operator counted(const Model& model, const std::vector<Integral>& integrals) {
  auto phase = model.space.device().profile().phase("elements");
  return Operator(model.space, integrals, ElementLists::counted);
}

Forecast forecast_of(const Model& model, const std::vector<Integral>& integrals, const LinearSolverOptions& linear,
                     const AnalysisNeeds& needs) {
  const Operator equations = counted(model, integrals);
  Forecast result{.paths = forecast_static(equations, promised(linear, model), needs),
                  .host_of_elements = OperatorNeeds(equations).host_bytes(),
                  .results = needs.results,
                  .solver_stays = needs.stages > 0 || needs.reuses};
  const LinearMethod method = linear.method;
  const bool conjugate = method == LinearMethod::automatic || method == LinearMethod::conjugate_gradient;
  if (linear.ranks != nullptr && equations.facts().symmetric && (conjugate || method == LinearMethod::direct))
    result.ranks = forecast_ranks(equations, promised(linear, model), needs,
                                  {.ranks = linear.ranks->count(), .factor = result.paths.front().factor});
  // Prescribed values and their mask, and reactions.
  if (needs.reuses && needs.columns > 1)
    result.host_of_columns = needs.columns * model.space.unknown_count() * Index{1 + 2 * sizeof(double)};
  return result;
}

void add_to_ranks(Forecast& result, const FunctionSpace& space, const char* tag, Index vectors) {
  if (!result.ranks) return;
  for (RankShare& each : result.ranks->shares) each.peak.array<double>(tag, each.nodes * space.components(), vectors);
}

LinearSolverOptions promised(LinearSolverOptions linear, const Model& model) {
  if (model.definite && linear.promise == MatrixPromise::none) linear.promise = MatrixPromise::positive_definite;
  return linear;
}

State uniform_state(const Model& model, double value) {
  Index unknowns = 0;
  for (const FunctionSpace& space : model.spaces()) unknowns += space.unknown_count();
  return {.u = std::vector<double>(static_cast<std::size_t>(unknowns), value)};
}

}  // namespace ritz

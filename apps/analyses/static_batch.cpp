#include "apps/analyses/static_batch.hpp"

#include "apps/cases/shared_model.hpp"
#include "fem/analysis/analysis.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace ritz {
namespace {

constexpr int most_together = 64;

bool same_matrix(const std::vector<FormValue>& a, const std::vector<FormValue>& b) {
  return std::ranges::equal(a, b,
                            [](const FormValue& x, const FormValue& y) { return !x.has_matrix || same_numbers(x, y); });
}

std::vector<double> factors_of(const Operator& equations) {
  std::vector<double> factors;
  for (const Integral& each : equations.integrals()) factors.push_back(each.factor);
  return factors;
}

}  // namespace

void StaticBatch::Waiting::take_numbers() const {
  equations->inputs().set_numbers(numbers);
  for (std::size_t i = 0; i < factors.size(); ++i) equations->inputs().set_factor(i, factors[i]);
}

bool StaticBatch::shares_its_matrix(const Waiting& member) const {
  const Waiting& first = waiting_.front();
  return first.equations == member.equations && same_matrix(first.numbers, member.numbers) &&
         first.factors == member.factors &&
         first.supports->common().host_mask() == member.supports->common().host_mask();
}

int batch_limit(const SweepPlan& plan) { return plan.touches("solver") ? 1 : plan.batch; }

// Vectors of each member: u, b, their correction, and those of the iteration.
int members_that_fit(const FunctionSpace& space, int limit) {
  const double column = 9.0 * sizeof(double) * double(space.unknown_count());
  const double fit = 0.5 * double(space.device().memory().available()) / column;
  const int memory = fit > most_together ? most_together : std::max(1, static_cast<int>(fit));
  return limit > 0 ? std::min(limit, memory) : memory;
}

void StaticBatch::add(Run& run, const Operator& equations, std::shared_ptr<const ModelSupports> supports,
                      const LinearSolverOptions& options, Observer observer) {
  auto& shared = run.shared().equations;
  const auto found = std::ranges::find(shared, &equations, [](const auto& each) { return each.get(); });
  Waiting member{
      &run,    found->get(),       forms_of(equations.integrals()), factors_of(equations), std::move(supports),
      options, std::move(observer)};
  if (!waiting_.empty() && !shares_its_matrix(member)) solve();
  waiting_.push_back(std::move(member));
  if (static_cast<int>(waiting_.size()) >= members_that_fit(equations.space(), limit_)) solve();
}

bool StaticBatch::waits(const Run& run) const {
  return std::ranges::any_of(waiting_, [&](const Waiting& member) { return member.run == &run; });
}

void StaticBatch::finish(Waiting& member, FunctionRef<void()> work) {
  std::exception_ptr error;
  try {
    work();
  } catch (...) { error = std::current_exception(); }
  done_(*member.run, error);
}

std::vector<StaticSolution> StaticBatch::solved_together(std::vector<Waiting>& members) {
  LoadVectors loads{.ground = members.front().supports->on_ground()};
  for (Waiting& each : members)
    loads.cases.push_back({"", {}, &each.supports->common(), [&each] { each.take_numbers(); }});
  const Waiting& first = members.front();
  StaticSolutions solutions = solve_static(*first.equations, loads, first.options,
                                           {.progress = first.observer.progress}, &first.run->shared().reuse);
  ++solutions_;
  largest_ = std::max(largest_, static_cast<int>(members.size()));
  return std::move(solutions.cases);
}

void StaticBatch::show(Waiting& member, StaticSolution solution) {
  finish(member, [&] {
    member.take_numbers();
    solution.bring_back();
    member.observer.record(solution.report);
    member.observer.show(view_of(solution, member.options.relative));
  });
}

void StaticBatch::solve() {
  if (std::vector<Waiting> members = std::exchange(waiting_, {}); !members.empty()) solve(std::move(members));
}

// If one member fails for all, or memory is short for so many, each half is solved separately.
void StaticBatch::solve(std::vector<Waiting> members) {
  std::vector<StaticSolution> solutions;
  std::exception_ptr failure;
  try {
    solutions = solved_together(members);
  } catch (const Error& error) {
    if (static_cast<int>(error.exit()) >= static_cast<int>(Exit::stopped)) throw;
    failure = std::current_exception();
  } catch (const std::bad_alloc&) { failure = std::current_exception(); }
  if (!failure) {
    for (std::size_t i = 0; i < members.size(); ++i) show(members[i], std::move(solutions[i]));
    return;
  }
  if (members.size() == 1) return finish(members.front(), [&] { std::rethrow_exception(failure); });
  const auto middle = members.begin() + static_cast<std::ptrdiff_t>(members.size() / 2);
  std::vector<Waiting> second(std::make_move_iterator(middle), std::make_move_iterator(members.end()));
  members.erase(middle, members.end());
  solve(std::move(members));
  solve(std::move(second));
}

}  // namespace ritz

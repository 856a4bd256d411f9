#include "fem/analysis/buckling.hpp"

#include "apps/analyses/case_analysis.hpp"
#include "apps/analyses/modal.hpp"
#include "fem/operator/fields_operator_needs.hpp"
#include "fem/physics/body.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <utility>

namespace ritz {
namespace {

Buckling read_buckling(Run& run, CaseSolvers& solvers) {
  const Case::Table t = run.input().table("buckling", "linear buckling under the loads of the case");
  Buckling options{.linear = solvers.linear()};
  options.count = static_cast<int>(t.integer("count", "number of positive factors, from the smallest one on",
                                             {.fallback = 1, .minimum = 1, .maximum = 1000}));
  const std::string method =
      t.choice("method", "lanczos factorises and counts, lobpcg iterates with multigrid; auto chooses by size",
               {"auto", "lanczos", "lobpcg"}, "auto");
  options.method = method == "lanczos"  ? EigenMethod::lanczos
                   : method == "lobpcg" ? EigenMethod::lobpcg
                                        : EigenMethod::automatic;
  options.relative = t.number("tolerance",
                              "limit of the residual of a shape, relative to its elastic forces; the factor is off by "
                              "about the square of it",
                              {.fallback = 1e-6, .above = 0, .below = 1});
  options.max_iterations = static_cast<int>(
      t.integer("max_iterations", "largest number of iterations of lobpcg; with lanczos, of blocks of eight solves",
                {.fallback = 500, .minimum = 1, .maximum = 1000000}));
  return options;
}

void report(Run& run, const BucklingModes& modes, int count) {
  Log& log = run.log();
  log.line("mode  load factor     residual");
  for (std::size_t k = 0; k < modes.factors.size(); ++k)
    log.line("{:4}  {:14.8g}  {:8.1e}", k + 1, modes.factors[k], modes.eigen.residuals[k]);
  log.line("count: {}", modes.eigen.verification);
  if (std::ssize(modes.factors) < count)
    log.notice(fmt::format("{} factors were asked for, and {} are positive", count, modes.factors.size()));
  if (modes.negative != 0 && -modes.negative < modes.factors.front())
    log.notice(fmt::format("a negative factor is nearer to zero: these loads turned around are critical times {:.6g}",
                           -modes.negative));
  auto& facts = run.results().facts();
  facts["buckling_factors"] = fmt::format("{:.12g}", fmt::join(modes.factors, " "));
  if (modes.negative != 0) facts["negative_buckling_factor"] = fmt::format("{:.4g}", modes.negative);
  facts["residuals"] = fmt::format("{:.3e}", fmt::join(modes.eigen.residuals, " "));
  facts["mode_count"] = modes.eigen.verification;
}

std::vector<Field> shapes_of(Run& run, const Model& model, const EigenSolution& s) {
  if (is_body(model)) return mode_fields(run.results(), run.mesh(true), motion_in(model), s);
  return mode_fields(run.results(), model.space, s);
}

// The static solution with the shapes next to it, in one step of the results.
class BucklingAnalysis final : public CaseAnalysis {
 public:
  explicit BucklingAnalysis(Buckling options) : options_(std::move(options)) {}

  std::string beyond_linear_statics() const override { return "[buckling]"; }
  const LinearSolverOptions* linear() const override { return &options_.linear; }
  void check(const Model& model) const override { ritz::check(model, options_); }
  Forecast forecast(Run&, const CaseModel& read, const Prepared& prepared) const override {
    return ritz::forecast(read.model, options_, prepared);
  }
  // The geometric stiffness, and the columns of the shapes and of their search.
  MemoryNeeds beside_system(const FieldsOfModel& fields) const override {
    constexpr Index search = 16;
    return matrix_needs(*fields.equations) + MemoryNeeds().array<double>("vectors", fields.equations->layout().total(),
                                                                         2 * Index{options_.count} + search);
  }

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    const auto show = std::exchange(observer.show, {});
    const BucklingModes modes = ritz::solve(read.model, options_, observer, prepared);
    record(run.results(), modes.eigen, layout_of(read.model.spaces()).total());
    report(run, modes, options_.count);
    std::vector<Field> shapes = shapes_of(run, read.model, modes.eigen);
    shapes.resize(modes.factors.size() * shapes.size() / modes.eigen.values.size());
    std::ranges::copy(read.model_fields, std::back_inserter(shapes));
    run.results().carry(std::move(shapes));
    show(view_of(modes.state, options_.linear.relative));
    return run.step().is_last() ? State{} : state_at_rest(prepared, modes.state.u);
  }

 private:
  Buckling options_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> buckling_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (read.modes || read.space().components() == 1 || !run.input().root().has("buckling")) return nullptr;
  Buckling options = read_buckling(run, solvers);
  const auto excludes = [&](const char* table, const char* why) {
    run.input().add_error(Error(ErrorKind::modal_options, fmt::format("[buckling] in a case with {}", table), why,
                                fmt::format("move the buckling analysis into another case, without {}", table)));
  };
  if (read.time) excludes("[time]", "factors are those of one static solution");
  if (solvers.newton().follows_a_path()) excludes("a load path in [newton]", "factors are those of a linear solution");
  for (int k = 0; k < options.count; ++k) name_mode(static_cast<std::size_t>(k), read);
  if (read.model.rigid == RigidModes::axisymmetric)
    run.log().notice(
        "shapes of the axisymmetric model keep the shape of revolution; those with waves around may have "
        "smaller factors: model the body in three dimensions for them");
  else if (!read.model.structural && read.space().mesh().dimension() == 2)
    run.log().notice("shapes of the plane model stay in the plane; one out of it may have a smaller factor");
  return std::make_unique<BucklingAnalysis>(std::move(options));
}

}  // namespace ritz

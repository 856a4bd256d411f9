#include "fem/analysis/tangent_system.hpp"

#include "device/error.hpp"
#include "fem/analysis/beside_tangent.hpp"
#include "fem/analysis/linear_system.hpp"
#include "fem/preconditioners/fields_system.hpp"

#include <utility>

namespace ritz {
namespace {

class TangentOfFields final : public TangentSystem {
 public:
  TangentOfFields(const FieldsOperator& equations, const FieldsConstraints& supports,
                  const LinearSolverOptions& options, WholeProblem whole)
      : equations_(equations),
        options_(options),
        tolerance_{options.relative, options.rounding_error},
        supports_(static_cast<const Supports&>(supports).shared()),
        system_(std::in_place, equations, supports, options, std::move(whole)) {}

  using TangentSystem::solve;
  void begin(const std::string&) override { system_->release(); }
  void set_options(const LinearSolverOptions& options) override {
    options_ = options;
    tolerance_ = {options.relative, options.rounding_error};
  }
  void hold(const Supports& supports) override {
    const auto& constraints = dynamic_cast<const FieldsConstraints&>(supports.eliminating());
    supports_ = supports.eliminating().shared();
    forget_assembly(equations_);  // its patterns
    system_.emplace(equations_, constraints, options_, whole_problem(equations_, constraints));
  }
  void linearise(const Vector& u) override {
    beside_.tangent_changed();
    system_->linearise(u);
  }
  void multiply(const Vector& x, Vector& y) const override {
    equations_.action(system_->point(), x, y);
    beside_.add_product(x, y);
  }
  SolveReport solve(const Vector& b, Vector& x, const std::optional<LinearTolerance>& tolerance) override {
    const auto tangent = [this](const Vector& force, Vector& u, const std::optional<LinearTolerance>& to) {
      return system_->solve(force, u, to.value_or(tolerance_));
    };
    const auto all = [&](std::span<const Vector* const> forces, std::span<Vector* const> answers,
                         const LinearTolerance& to) {
      std::vector<SolveReport> reports;
      for (std::size_t i = 0; i < forces.size(); ++i) reports.push_back(tangent(*forces[i], *answers[i], to));
      return reports;
    };
    return beside_.solve(tangent, all, b, x, tolerance, *supports_, equations_.facts().symmetric);
  }
  const std::string& turned() const override { return turned_; }
  void set_beside(std::shared_ptr<const Attached> attached, double stiffness, double mass) override {
    beside_.set(std::move(attached), stiffness, mass);
  }
  void set_ground(GroundMotions motions) override {
    if (motions != nullptr && !motions->empty())
      throw Error(ErrorKind::internal, "motions that the ground holds of several fields");
  }

 private:
  FieldsOperator equations_;
  LinearSolverOptions options_;
  LinearTolerance tolerance_;
  std::shared_ptr<const Supports> supports_;
  std::optional<FieldsSystem> system_;
  BesideTangent beside_;
  const std::string turned_;
};

}  // namespace

std::vector<SolveReport> TangentSystem::solve(const MultiVector& B, MultiVector& X, const AfterColumns& after_columns) {
  std::vector<SolveReport> reports;
  Vector b(B.device(), B.rows(), "vectors"), x(B.device(), B.rows(), "vectors");
  for (int column = 0; column < B.columns(); ++column) {
    B.get_column(column, b);
    X.get_column(column, x);
    reports.push_back(solve(b, x));
    X.set_column(column, x);
    if (after_columns) after_columns(column, {reports.back()});
  }
  return reports;
}

std::unique_ptr<TangentSystem> tangent_system(const Equations& equations, const Supports& supports,
                                              const LinearSolverOptions& options, const TangentFacts& facts) {
  if (const auto* const several = dynamic_cast<const FieldsOperator*>(&equations)) {
    const auto& held = dynamic_cast<const FieldsConstraints&>(supports.eliminating());
    WholeProblem whole = facts.whole != nullptr ? *facts.whole : whole_problem(*several, held);
    whole.singular = whole.singular || facts.singular;
    return std::make_unique<TangentOfFields>(*several, held, options, std::move(whole));
  }
  auto system =
      std::make_unique<LinearSystem>(dynamic_cast<const Operator&>(equations), options,
                                     facts.keeps_solver ? LinearSystem::Keeps::solver : LinearSystem::Keeps::nothing,
                                     facts.whole != nullptr ? facts.whole->one : nullptr);
  system->hold(supports);
  return system;
}

}  // namespace ritz

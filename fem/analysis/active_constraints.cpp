#include "fem/analysis/active_constraints.hpp"

#include "fem/analysis/fields_of_model.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

constexpr double touching = 1e-12;  // relative: what rounding leaves between sides in contact

// Supports of a model, of one field or of several.
struct ModelConstraints {
  std::optional<ModelSupports> of_one;
  std::unique_ptr<FieldsConstraints> of_fields;

  explicit ModelConstraints(const Model& model) {
    if (model.has_fields()) {
      of_fields = supports_of(model);
      return;
    }
    of_one.emplace(model);
    for (Constraints* each : of_one->all()) each->finish();
  }
  const Supports& get() const {
    if (of_fields) return *of_fields;
    return of_one->common();
  }
};

}  // namespace

bool has_inequalities(const Model& model) { return std::ranges::any_of(model.relations, &LinearEquations::at_most); }

void require_no_inequalities(const Model& model, const std::string& analysis) {
  for (const LinearEquations& each : model.relations)
    if (each.at_most)
      throw Error(ErrorKind::analysis, fmt::format("an inequality in an analysis of {}: {}", analysis, each.origin),
                  "it opens and closes within the iterations of nonlinear statics",
                  "omit it, or make it an equation by `value` if it stays closed");
}

// Sides of closed gaps do not depend on the part of the loads, as other values do.
class ActiveConstraints::Closed final : public Supports, public std::enable_shared_from_this<Closed> {
 public:
  Closed(const Model& homogeneous, const Model* with_sides) : inner_(homogeneous) {
    if (with_sides == nullptr) return;
    const ModelConstraints sides(*with_sides);
    offsets_ = zeros(*with_sides);
    sides.get().set_values(offsets_);
    Vector without = zeros(*with_sides);
    inner_.get().set_values(without);
    axpy(-1.0, without, offsets_);
  }

  const Supports& inner() const { return inner_.get(); }

  void set_values(Vector& u, double part) const override {
    inner().set_values(u, part);
    if (!offsets_.empty()) axpy(1.0, offsets_, u);
  }
  void set_linear(Vector& x) const override { inner().set_linear(x); }
  void gather(Vector& r) const override { inner().gather(r); }
  void gather_diagonal(Vector& d) const override { inner().gather_diagonal(d); }
  void set_zero(Vector& r) const override { inner().set_zero(r); }
  void keep_prescribed(Vector& r) const override { inner().keep_prescribed(r); }
  void keep_constrained(Vector& r) const override { inner().keep_constrained(r); }
  bool has_dependent() const override { return inner().has_dependent(); }
  const std::vector<std::uint8_t>& host_mask() const override { return inner().host_mask(); }
  bool varies_in_time() const override { return inner().varies_in_time(); }
  void set_time(double) override {}
  std::string name_of(Index unknown) const override { return inner().name_of(unknown); }

  // 1 where an unknown follows others.
  std::vector<std::uint8_t> dependent(const Vector& like) const {
    Vector marks(like.device(), like.size(), "vectors");
    fill(1.0, marks);
    set_zero(marks);
    std::vector<std::uint8_t> result;
    const std::vector<double> values = marks.host();
    for (std::size_t i = 0; i < values.size(); ++i) result.push_back(values[i] == 0 && host_mask()[i] == 0);
    return result;
  }

 private:
  std::shared_ptr<Supports> shared() const override { return std::const_pointer_cast<Closed>(shared_from_this()); }
  static Vector zeros(const Model& model) {
    Index unknowns = 0;
    for (const FunctionSpace& space : model.spaces()) unknowns += space.unknown_count();
    return Vector(model.space.device(), std::span<const double>(std::vector<double>(std::size_t(unknowns), 0.0)),
                  "vectors");
  }

  ModelConstraints inner_;
  Vector offsets_;  // of dependent unknowns, from the sides of gaps; empty: all gaps are closed at the begin
};

ActiveConstraints::ActiveConstraints(const Model& model) : model_(model) {
  std::erase_if(model_.relations, &LinearEquations::at_most);
  std::ranges::copy_if(model.relations, std::back_inserter(inequalities_), &LinearEquations::at_most);
  std::vector<Index> first;  // [field]
  Index sum = 0;
  const Spaces spaces = model.spaces();
  for (const FunctionSpace& space : spaces) first.push_back(std::exchange(sum, sum + space.unknown_count()));
  const auto add = [&](const LinearEquations& from, Index i) {
    std::vector<ConstraintTerm> terms;
    for (const UnknownTerm& term : from.terms_of(i)) {
      const auto field = static_cast<std::size_t>(from.field_of(term));
      terms.push_back(
          {static_cast<std::size_t>(first[field] + Index{term.node} * spaces[field].components() + term.component),
           term.factor});
    }
    return forces_.add(std::move(terms));
  };
  for (const LinearEquations& each : model_.relations)
    for (Index i = 0; i < each.size(); ++i) add(each, i);
  for (const LinearEquations& each : inequalities_)
    for (Index i = 0; i < each.size(); ++i)
      rows_.push_back(
          {.of = &each, .number = i, .acts = add(each, i), .value = each.values[static_cast<std::size_t>(i)]});
  for (const Row& row : rows_) closed_.push_back(row.value <= 0);
  make();
}

const Supports& ActiveConstraints::supports() const { return *now_; }
const Supports& ActiveConstraints::constraints() const { return now_->inner(); }

void ActiveConstraints::set_closed(const std::vector<std::uint8_t>& closed) {
  if (closed == closed_) return;
  closed_ = closed;
  make();
}

void ActiveConstraints::make() {
  Model homogeneous = model_, with_sides = model_;
  bool has_sides = false;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (closed_[i] == 0) continue;
    LinearEquations equation{.origin = rows_[i].of->origin, .field = rows_[i].of->field};
    equation.add(rows_[i].of->terms_of(rows_[i].number), 0);
    homogeneous.relations.push_back(equation);
    equation.values.back() = rows_[i].value;
    with_sides.relations.push_back(std::move(equation));
    has_sides = has_sides || rows_[i].value != 0;
  }
  now_ = std::make_shared<const Closed>(homogeneous, has_sides ? &with_sides : nullptr);
}

std::string ActiveConstraints::name(const Row& row) const {
  const UnknownTerm& term = row.of->terms_of(row.number).front();
  return fmt::format("{} at {}", row.of->origin,
                     model_.spaces()[static_cast<std::size_t>(row.of->field_of(term))].name_of(term.node));
}

// Closed ones that pull, and open ones beyond which u goes.
std::vector<std::size_t> ActiveConstraints::wrong_rows(const Vector& u, const Vector& residual) {
  const std::vector<double> values = u.host(), r = residual.host();
  const std::vector<std::uint8_t> dependent = now_->dependent(u);
  std::vector<std::uint8_t> acts(forces_.size(), 1);
  for (std::size_t i = 0; i < rows_.size(); ++i) acts[rows_[i].acts] = closed_[i];
  std::vector<double> forces(rows_.size(), 0.0);  // between the sides, positive where they push
  double largest = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (closed_[i] == 0) continue;
    forces[i] = forces_.of(rows_[i].acts, {.acts = acts, .dependent = dependent, .residual = r});
    largest = std::max(largest, std::abs(forces[i]));
  }
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    double sum = 0, size = std::abs(row.value);
    for (const ConstraintTerm& term : forces_.terms(row.acts)) {
      sum += term.factor * values[term.unknown];
      size = std::max(size, std::abs(term.factor * values[term.unknown]));
    }
    const bool opens = closed_[i] != 0 && forces[i] < -touching * largest;
    const bool closes = closed_[i] == 0 && sum - row.value > touching * size;
    if (opens || closes) wrong.push_back(i);
  }
  return wrong;
}

std::string ActiveConstraints::update(const Vector& u, const Vector& residual, bool in_balance) {
  constexpr int most_tries = 5;
  std::vector<std::size_t> wrong = wrong_rows(u, residual);
  waits_ = false;
  if (wrong.empty()) return {};
  if (wrong.size() < fewest_) {
    fewest_ = wrong.size();
    tries_ = most_tries;
  } else if (tries_ > 0) {
    --tries_;
  } else {
    waits_ = !in_balance;
    if (waits_) return {};
    wrong = {wrong.back()};
  }
  std::vector<std::uint8_t> next = closed_;
  for (const std::size_t row : wrong) next[row] = next[row] == 0;
  set_closed(next);
  const std::string first =
      fmt::format("{} {}", name(rows_[wrong.front()]), next[wrong.front()] != 0 ? "closed" : "opened");
  return wrong.size() == 1 ? first : fmt::format("{}, and {} other inequalities changed", first, wrong.size() - 1);
}

}  // namespace ritz

#include "apps/cases/elastic_stresses.hpp"

#include "apps/results/stress_measures.hpp"
#include "fem/ranks/divided_equations.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace ritz {
namespace {

// [entry][components] -> components first .. first + 5
std::vector<double> tensors(const std::vector<double>& derived, std::size_t components, std::size_t first) {
  std::vector<double> result(derived.size() / components * 6);
  for (std::size_t i = 0; i < derived.size() / components; ++i)
    for (std::size_t k = 0; k < 6; ++k) result[6 * i + k] = derived[components * i + first + k];
  return result;
}

// The internal variables of a law as fields. Those that another law has by the same name are named after their law.
struct LawFields {
  std::string law;
  std::vector<Field> fields;
};
std::vector<LawFields> law_fields(const ElasticBody& body) {
  std::vector<LawFields> result;
  const std::vector<const LawRecord*> laws = body.laws();
  const auto has = [](const LawRecord& law, std::string_view name) {
    return std::ranges::any_of(law.numbers.states(), [&](const StateFacts& each) { return each.name == name; });
  };
  for (const LawRecord* law : laws) {
    LawFields& own = result.emplace_back(LawFields{law->name});
    for (const StateFacts& each : law->numbers.states()) {
      const bool shared =
          std::ranges::count_if(laws, [&](const LawRecord* other) { return has(*other, each.name); }) > 1;
      own.fields.push_back({shared ? fmt::format("{}_{}", law->name, each.name) : each.name, each.components});
    }
  }
  std::erase_if(result, [](const LawFields& each) { return each.fields.empty(); });
  return result;
}

}  // namespace

EvaluatedFields stress_names(bool with_error) {
  const Field stress{"stress", 6}, strain{"strain", 6}, von_mises{"von_mises", 1},
      principal{"principal_stress", 3, {}, {"1", "2", "3"}};
  EvaluatedFields names{{stress, strain, von_mises, principal}, {stress, strain, von_mises}};
  if (with_error) names.cells.push_back({"stress_error", 1});
  return names;
}

// Lists go as soon as nothing needs them: they are the largest ones while results are made.
void fill_stresses(std::vector<Field>& fields, std::vector<double> Field::*values, std::vector<double> derived,
                   int components) {
  const auto count = static_cast<std::size_t>(components);
  std::vector<double> strain = tensors(derived, count, 0), stress = tensors(derived, count, 6);
  derived = {};
  for (Field& field : fields)
    if (field.name == "strain") field.*values = std::move(strain);
    else if (field.name == "von_mises") field.*values = von_mises_of(stress);
    else if (field.name == "principal_stress") field.*values = principal_values_of(stress);
  for (Field& field : fields)
    if (field.name == "stress") field.*values = std::move(stress);
}

namespace {

// Strain and stress [place][12]; the sum has `components` numbers at each place.
void add(const std::vector<double>& values, double factor, int components, std::vector<double>& sum) {
  constexpr std::size_t count = 12;
  const auto width = static_cast<std::size_t>(components);
  for (std::size_t i = 0; i < sum.size() / width; ++i)
    for (std::size_t k = 0; k < count; ++k) sum[i * width + k] += factor * values[i * count + k];
}

void add(const DerivedFields& own, double factor, DerivedFields& derived) {
  add(own.at_nodes, factor, derived.components, derived.at_nodes);
  add(own.at_cells, factor, derived.components, derived.at_cells);
  add(own.at_space_nodes, factor, derived.components, derived.at_space_nodes);
}

// factor times the stress that the thermal strain among these integrals takes away.
void add_thermal_stress(Results& results, const std::vector<Integral>& integrals, double factor,
                        const Operator& equations, const Vector& u, DerivedFields& derived) {
  std::vector<Integral> thermal;
  for (const Integral& each : integrals)
    if (each.field == 0 && each.form.derived > 0 && !each.form.has_matrix) thermal.push_back(each);
  if (thermal.empty() || factor == 0) return;
  const Operator stresses(equations.space(), std::move(thermal));
  divide_like(equations, stresses);  // over ranks
  add(evaluate(results, stresses, u), factor, derived);
}

}  // namespace

DerivedFields derived_stresses(Results& results, const Model& model, const Operator& equations, const StressState& s) {
  DerivedFields derived = evaluate(results, equations, s.u);
  // The equations derive the whole thermal stress outside of load cases, and none inside.
  if (s.part != 1) add_thermal_stress(results, model.equations, s.part - 1, equations, s.u, derived);
  for (std::size_t i = 0; i < s.factors.size(); ++i)
    add_thermal_stress(results, model.load_cases[i].loads, s.factors[i], equations, s.u, derived);
  return derived;
}

void add_stress(Results& results, std::vector<Integral> integrals, double time, const Operator& equations,
                const Vector& u, DerivedFields& derived) {
  Operator stresses(equations.space(), std::move(integrals));
  stresses.inputs().set_time({.t = time});
  divide_like(equations, stresses);  // over ranks
  add(evaluate(results, stresses, u), 1, derived);
}

EvaluatedFields result_names(const ElasticBody& body, bool with_error) {
  EvaluatedFields names = stress_names(with_error);
  for (const LawFields& each : law_fields(body)) {
    names.nodal.insert(names.nodal.end(), each.fields.begin(), each.fields.end());
    names.cells.insert(names.cells.end(), each.fields.begin(), each.fields.end());
  }
  return names;
}

EvaluatedFields internal_variables(Run& run, const Operator& equations, const ElasticBody& body,
                                   const DerivedFields& derived, const Vector& u) {
  constexpr int before = 12;  // strain and stress
  EvaluatedFields fields;
  for (const LawFields& each : law_fields(body)) {
    const bool is_alone = derived.components > before && body.laws().size() == 1;
    const DerivedFields own = is_alone ? derived : evaluate(run.results(), equations, u, each.law);
    EvaluatedFields all = fields_of(run.results(), equations.space(), own, before, each.fields, true);
    std::ranges::move(all.nodal, std::back_inserter(fields.nodal));
    std::ranges::move(all.cells, std::back_inserter(fields.cells));
  }
  return fields;
}

EvaluatedFields stress_fields(Results& results, const FunctionSpace& space, DerivedFields derived) {
  auto phase = space.device().profile().phase("fields");
  EvaluatedFields fields = stress_names(false);
  fill_stresses(fields.nodal, &Field::values, std::move(derived.at_nodes), derived.components);
  fill_stresses(fields.nodal, &Field::finer_values,
                results.fields().at_points(space, derived.at_space_nodes, derived.components), derived.components);
  fill_stresses(fields.cells, &Field::values, std::move(derived.at_cells), derived.components);
  return fields;
}

EvaluatedFields motion_stress_names() {
  EvaluatedFields names = stress_names(false);
  std::erase_if(names.nodal, [](const Field& each) { return each.name == "principal_stress"; });
  return names;
}

std::vector<Integral> with_matrix(const std::vector<Integral>& equations) {
  std::vector<Integral> result;
  std::ranges::copy_if(equations, std::back_inserter(result),
                       [](const Integral& each) { return each.form.has_matrix; });
  return result;
}

FieldsOfMotion stresses_of_motion(const FunctionSpace& space, const std::vector<Integral>& equations) {
  return [space, stiffness = with_matrix(equations), made = std::shared_ptr<Operator>()](Run& run,
                                                                                         const Vector& u) mutable {
    if (!made) made = std::make_shared<Operator>(equations_of_results(run.results(), space, stiffness));
    const DerivedFields derived = evaluate(run.results(), *made, u);
    EvaluatedFields result = motion_stress_names();
    fill_stresses(result.nodal, &Field::values, derived.at_nodes);
    fill_stresses(result.nodal, &Field::finer_values,
                  run.results().fields().at_points(space, derived.at_space_nodes, derived.components));
    fill_stresses(result.cells, &Field::values, derived.at_cells);
    return result;
  };
}

}  // namespace ritz

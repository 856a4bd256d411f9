// Models of cases: their matrices, residuals, solutions and derivatives; python/ritz/_model.py is the caller. Vectors
// are numbered as the mesh's nodes where the field stands on them, else as the field.
#include "apps/analyses/analyses.hpp"
#include "apps/cases/case_number.hpp"
#include "apps/cases/field_coefficient.hpp"
#include "apps/cases/model.hpp"
#include "apps/results/result_writer.hpp"
#include "apps/sweep/sweep.hpp"
#include "fem/sensitivity/derived_work.hpp"
#include "fem/sensitivity/linear_statics.hpp"
#include "fem/sensitivity/transient_adjoint.hpp"
#include "python/bind/caller_numbering.hpp"
#include "python/bind/case_call.hpp"
#include "python/bind/reports.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <type_traits>

namespace ritz::python {
namespace {

// Prescribed values and relations as the numbers of the model are now; the body may be free.
class Held {
 public:
  explicit Held(const ritz::Model& model) : supports_(model) {
    for (Constraints* each : supports_.all()) each->finish();
  }
  const Constraints& constraints() const { return supports_.common(); }

 private:
  ModelSupports supports_;
};

// Derivatives by initial values have a name of their own.
void require_no_arrays_of_the_begin(const GivenArrays& arrays) {
  for (const auto& [name, array] : arrays)
    if (name.starts_with("initial."))
      throw Error(ErrorKind::wrong_value, fmt::format("'{}' is an array in a model", name),
                  "update() and derivatives would not reach it", "give it to solve(initial=...), or run the case");
}

// Values along directions of their own become relations between unknowns while the model is read.
void require_no_arrays_of_relations(const GivenArrays& arrays) {
  for (const auto& [name, array] : arrays) {
    const std::string_view key = std::string_view(name).substr(name.rfind('.') + 1);
    if (!name.starts_with("displacement.") || key == "x" || key == "y" || key == "z") continue;
    throw Error(
        ErrorKind::wrong_value, fmt::format("'{}' is an array in a model", name),
        "values along a normal, a direction or an axis are taken once, when the model is read: update() would not "
        "reach them, and their derivative would be missing",
        "give a number or a formula, prescribe x, y and z, or run the case");
  }
}

// The model of a case, and its vectors as the caller numbers them.
struct CallerModel {
  explicit CallerModel(const CaseCall& call) {
    without_the_lock([&] {
      if (call.arrays) require_no_arrays_of_relations(*call.arrays);
      if (call.arrays) require_no_arrays_of_the_begin(*call.arrays);
      const Program program = program_named(call.program);
      const RunOptions options = call.options();
      if (has_sweep(options))
        throw Error(ErrorKind::sweep, fmt::format("a sweep of '{}' in a model", options.case_file),
                    "each member is a model of its own", "make each of them");
      run.emplace(program.info, options);
      if (run->input().root().has("step"))
        throw Error(ErrorKind::step, fmt::format("a case of steps as a model: '{}'", options.case_file),
                    "each step has another model", "run the case, or make a case of the step that matters");
      CaseModel found = program.read(*run);
      if (found.model.has_fields())
        throw Error(
            ErrorKind::several_fields,
            fmt::format("a model of '{}', a form of several fields", found.model.of_fields.equations.front().form.name),
            "models are of one field at nodes", "solve the case, or write a program (docs/several-fields.md)");
      const std::unique_ptr<CaseAnalysis> analysis = read_analysis(*run, found);
      if (analysis->linear() != nullptr) linear = *analysis->linear();
      beyond_linear_statics = analysis->beyond_linear_statics();
      const Differentiable known = analysis->differentiable();
      if (known.evolution != nullptr) evolution = *known.evolution;
      if (known.nonlinear != nullptr) newton = *known.nonlinear;
      finish_model(*run, found, {}, {found.nodal_results, found.cell_results});
      read.emplace(std::move(found));
      numbering.emplace(space());
      cells = call.cells(space().mesh());
    });
  }
  CallerModel(const CallerModel&) = delete;

  const ritz::Model& model() const { return read->model; }
  const FunctionSpace& space() const { return model().space; }
  std::size_t width() const { return static_cast<std::size_t>(space().components()); }
  bool moves() const { return evolution && model().capacity.empty(); }  // of second order

  Vector in(const Doubles& x) const { return in(span_of(x)); }
  Vector in(std::span<const double> values) const { return numbering->in(values); }
  std::vector<double> out(const Vector& x) const { return numbering->out(x); }
  py::array_t<double> shaped(std::vector<double>&& values) const {
    return adopt(std::move(values), {static_cast<py::ssize_t>(numbering->size()), static_cast<py::ssize_t>(width())});
  }

  // `own` keeps it where it is no array, and does not grow beyond its capacity.
  DifferentiatedNumber variable(const std::string& name, std::vector<ModelNumber>& own) {
    if (name == positions_key) return {.name = name, .positions = true};
    if (const auto array = run->arrays().find(name); array != run->arrays().end())
      return {name, &array->second, nullptr};
    own.push_back(*number_of_case(*run, *read, name));
    return {name, nullptr, &own.back()};
  }
  // Values in cells in the order of the caller.
  std::vector<double> in_rows(const DifferentiatedNumber& number, std::vector<double> values) const {
    if (number.positions || (number.array != nullptr && number.array->at_nodes())) return values;
    return cells.out(values);
  }
  void require_no_positions(bool begins_as_given) {
    if (const auto refused = not_differentiable_by_positions(*run, *read, begins_as_given))
      throw Error(ErrorKind::analysis, fmt::format("the derivative by the positions of nodes, of {}", refused->of),
                  refused->why, refused->fix);
  }

  // One linear system with one right-hand side is all that the case asks for.
  void require_linear_statics() const {
    if (!beyond_linear_statics.empty())
      throw Error(ErrorKind::analysis, fmt::format("linear statics of a model with {}", beyond_linear_statics),
                  "its solution is not that of one linear system",
                  "omit it, take stiffness(), mass() and residual(), or run the case");
    check_linear_statics(model());
  }

  py::array_t<double> points() const {
    std::vector<double> points;
    points.reserve(3 * numbering->size());
    for (std::size_t i = 0; i < numbering->size(); ++i) {
      const Node n = numbering->node(i);
      Point x{};
      if (n >= 0) x = space().point(n);
      else std::ranges::copy(space().mesh().point(static_cast<Node>(i)), x.begin());
      points.insert(points.end(), x.begin(), x.end());
    }
    return adopt(std::move(points), {static_cast<py::ssize_t>(numbering->size()), 3});
  }

  // 1: prescribed, or at a node without cells; and the values.
  py::tuple prescribed() {
    std::vector<double> mask(numbering->size() * width(), 1.0), values;
    without_the_lock([&] {
      const Held held_now(model());
      const Constraints& held = held_now.constraints();
      for (std::size_t i = 0; i < numbering->size(); ++i)
        for (std::size_t c = 0; c < width(); ++c)
          if (numbering->node(i) >= 0)
            mask[i * width() + c] = held.is_prescribed(numbering->node(i), static_cast<int>(c)) ? 1 : 0;
      Vector u = space().zeros();
      held.set_values(u);
      values = out(u);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] *= mask[i];
    });
    return py::make_tuple(shaped(std::move(mask)), shaped(std::move(values)));
  }

  // Fields of the results that have derivatives: name, components, and whether they are in cells, too.
  std::vector<std::tuple<std::string, int, bool>> derived_names() const {
    std::vector<std::tuple<std::string, int, bool>> names;
    for (const DerivedResult& each : read->derived_results)
      names.emplace_back(each.field.name, each.field.components, each.is_in_cells);
    return names;
  }

  std::optional<Run> run;
  std::optional<CaseModel> read;
  LinearSolverOptions linear;
  std::optional<Nonlinear> newton;     // of nonlinear statics
  std::optional<Transient> evolution;  // of [time]
  std::string beyond_linear_statics;   // what the case asks for; empty: nothing
  std::optional<CallerNumbering> numbering;
  CallerCells cells;
};

// Matrices and residuals of the model.
class EquationsOfModel {
 public:
  explicit EquationsOfModel(CallerModel& caller) : c_(caller) {
    without_the_lock([&] { equations_.emplace(caller.space(), caller.model().equations); });
  }

  // offsets, columns, values [block][b][b] of the tangent at u. `held`: without rows and columns of unknowns that
  // are prescribed or follow others, which have the number that is returned last on their diagonal.
  py::tuple matrix(const std::string& which, const Doubles& u, bool held) {
    std::vector<Index> offsets;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
    double pivot = 0;
    without_the_lock([&] {
      if (held) c_.require_linear_statics();
      const Operator& from = which == "mass" ? rates() : *equations_;
      SparseMatrix K = from.make_matrix();
      from.assemble(c_.in(u), K);
      if (held) {
        const Held supports(c_.model());
        pivot = std::max(max_abs(K.diagonal()), 1e-300);
        supports.constraints().eliminate(K, pivot);
      }
      c_.numbering->export_matrix(K, pivot, offsets, columns, values);
    });
    const auto b = static_cast<py::ssize_t>(c_.width());
    return py::make_tuple(py::array_t<Index>(static_cast<py::ssize_t>(offsets.size()), offsets.data()),
                          py::array_t<std::int32_t>(static_cast<py::ssize_t>(columns.size()), columns.data()),
                          adopt(std::move(values), {static_cast<py::ssize_t>(columns.size()), b, b}), pivot);
  }

  // Internal minus external forces; `gathered`: zero in unknowns that are prescribed or follow others.
  py::array_t<double> residual(const Doubles& u, bool gathered) {
    std::vector<double> r;
    without_the_lock([&] {
      Vector result = c_.space().zeros();
      equations_->residual(c_.in(u), result);
      if (gathered) {
        const Held supports(c_.model());
        supports.constraints().gather(result);
        supports.constraints().set_zero(result);
      }
      r = c_.out(result);
    });
    return c_.shaped(std::move(r));
  }
  py::array_t<double> action(const Doubles& u, const Doubles& x) {
    std::vector<double> y;
    without_the_lock([&] {
      Vector result = c_.space().zeros();
      equations_->action(c_.in(u), c_.in(x), result);
      y = c_.out(result);
    });
    return c_.shaped(std::move(y));
  }
  // Forces of a load case alone.
  py::array_t<double> load_of(const std::string& name) {
    std::vector<double> f;
    without_the_lock([&] {
      const auto found = std::ranges::find(c_.model().load_cases, name, &ModelLoadCase::name);
      if (found == c_.model().load_cases.end())
        throw Error(ErrorKind::load_case, fmt::format("there is no load case '{}'", name), "",
                    "name one of the [[load_case]] tables");
      const Operator loads(c_.space(), found->loads);
      Vector r = c_.space().zeros(), u = c_.space().zeros();
      loads.residual(u, r);
      axpby(0.0, u, -1.0, r);
      f = c_.out(r);
    });
    return c_.shaped(std::move(f));
  }
  // The solution of the matrix without prescribed unknowns, completed by them and by those that follow others.
  py::array_t<double> complete(const Doubles& x) {
    std::vector<double> u;
    without_the_lock([&] {
      const Held supports(c_.model());
      Vector change = c_.in(x), values = c_.space().zeros();
      supports.constraints().set_zero(change);
      supports.constraints().set_linear(change);
      supports.constraints().set_values(values);
      axpy(1, values, change);
      u = c_.out(change);
    });
    return c_.shaped(std::move(u));
  }

  // The numbers of the model have changed.
  void take_numbers() {
    equations_->inputs().set_numbers(c_.model().equations);
    if (rates_) rates_->inputs().set_numbers(stored());
  }

 private:
  const std::vector<Integral>& stored() const {
    return c_.model().inertia.empty() ? c_.model().capacity : c_.model().inertia;
  }
  const Operator& rates() {
    if (stored().empty())
      throw Error(ErrorKind::analysis, "the mass of the model is not known", "",
                  "give density, and specific_heat of heat, in the materials");
    if (!rates_) rates_.emplace(c_.space(), stored());
    return *rates_;
  }

  CallerModel& c_;
  std::optional<Operator> equations_, rates_;
};

// Solutions of statics, and derivatives at the last one.
class StaticsOfModel {
 public:
  explicit StaticsOfModel(CallerModel& caller) : c_(caller) {}

  py::tuple solve(const std::optional<Doubles>& load, const std::optional<Doubles>& prescribed,
                  const std::optional<double>& tolerance, const py::object& progress) {
    std::vector<double> u;
    SolveReport report;
    double residual = 0;
    without_the_lock(
        [&] {
          std::optional<Vector> f, g;
          if (load) f = c_.in(*load);
          if (prescribed) g = c_.in(*prescribed);
          LinearStatics::Solution s =
              statics(tolerance.value_or(this->tolerance())).solve(f ? &*f : nullptr, g ? &*g : nullptr);
          u = c_.out(s.u);
          report = s.report;
          residual = s.residual;
        },
        progress);
    return py::make_tuple(c_.shaped(std::move(u)), report_of(report), residual);
  }
  // lambda, and the derivative by prescribed values.
  py::tuple adjoint(const Doubles& g) {
    std::vector<double> lambda, by_prescribed;
    without_the_lock([&] {
      const Vector given = c_.in(g), direction = solved().adjoint(given);
      lambda = c_.out(direction);
      by_prescribed = c_.out(solved().by_prescribed(given, direction));
    });
    return py::make_tuple(c_.shaped(std::move(lambda)), c_.shaped(std::move(by_prescribed)));
  }
  py::array_t<double> derivative(const std::string& name, const Doubles& u, const Doubles& lambda,
                                 const Doubles& by_prescribed) {
    std::vector<double> result;
    without_the_lock([&] {
      std::vector<ModelNumber> own;
      own.reserve(1);
      const DifferentiatedNumber number = c_.variable(name, own);
      result =
          number.array != nullptr
              ? by_array(solved(), *number.array, name, c_.in(u), c_.in(lambda), c_.in(by_prescribed))
              : by_number(
                    solved(), *number.number, [](const ritz::Model& other) { return other; }, c_.in(u), c_.in(lambda));
      result = c_.in_rows(number, std::move(result));
    });
    const auto size = static_cast<py::ssize_t>(result.size());
    return adopt(std::move(result), {size});
  }
  // [mesh node][3]. Totals are divided by areas, which positions change.
  py::array_t<double> by_positions(const Doubles& u, const Doubles& lambda) {
    std::vector<double> result;
    without_the_lock([&] {
      c_.require_no_positions(false);
      result = ritz::by_positions(solved(), c_.in(u), c_.in(lambda));
    });
    return adopt(std::move(result), {static_cast<py::ssize_t>(c_.space().mesh().node_count()), 3});
  }
  void take_numbers() {
    if (statics_) statics_->numbers_changed();
  }

 private:
  LinearStatics& statics(double tolerance) {
    if (c_.newton) {
      if (!statics_) statics_.emplace(c_.model(), *c_.newton);
      statics_->set_tolerance(tolerance);
      return *statics_;
    }
    c_.require_linear_statics();
    LinearSolverOptions options = c_.linear;
    options.relative = tolerance;
    if (statics_) statics_->set_options(options);
    else statics_.emplace(c_.model(), options);
    return *statics_;
  }
  // The default where nothing else is asked for: of Newton's method, else of the linear solution.
  double tolerance() const { return c_.newton ? c_.newton->relative : c_.linear.relative; }
  // With the tolerance of the last solution.
  LinearStatics& solved() { return statics_ ? *statics_ : statics(tolerance()); }

  CallerModel& c_;
  std::optional<LinearStatics> statics_;
};

// Evolutions of the model, and the way of the last one for its derivatives.
class EvolutionOfModel {
 public:
  explicit EvolutionOfModel(CallerModel& caller) : c_(caller) {}

  // Times, and u [time][node][component] at them: the begin, [time] output and the end.
  py::tuple evolve(const std::optional<Doubles>& load, const std::optional<Doubles>& initial,
                   const std::optional<Doubles>& velocity, const std::optional<double>& tolerance,
                   const py::object& progress) {
    std::vector<double> times, steps, u;
    SolveReport report;
    double residual = 0;
    without_the_lock(
        [&] {
          Transient options = options_of_evolution(load, initial, velocity, tolerance);
          Trajectory path;
          shown_.clear();
          double dt = 0;  // of the last step
          const Observer observer{.show =
                                      [&](const SolutionView& s) {
                                        shown_.push_back(times.empty() ? 0 : path.step_count() + 1);
                                        times.push_back(*s.time);
                                        steps.push_back(dt);
                                        const std::vector<double> values = c_.out(s.u);
                                        u.insert(u.end(), values.begin(), values.end());
                                      },
                                  .step = [&](const AnalysisStep& s) { dt = s.accepted ? s.dt : dt; },
                                  .keep = [&](const State& s) { path.keep(s); }};
          TransientResult result = ritz::solve(c_.model(), options, observer);
          path_ = std::move(path);
          evolved_ = std::move(options);
          report = std::move(result.summary);
          residual = result.state.residual;
        },
        progress);
    const auto count = static_cast<py::ssize_t>(times.size()), c = static_cast<py::ssize_t>(c_.width());
    return py::make_tuple(adopt(std::move(times), {count}), adopt(std::move(steps), {count}),
                          adopt(std::move(u), {count, static_cast<py::ssize_t>(c_.numbering->size()), c}),
                          report_of(report), residual);
  }
  // g: as u of evolve(). Derivatives by initial values, forces, prescribed values and these arrays; bytes of states.
  py::tuple derivatives(const Doubles& g, const std::vector<std::string>& names) {
    TransientDerivatives d;
    std::vector<double> initial, velocity, load, prescribed;
    without_the_lock([&] {
      const std::span<const double> given = span_of(g);
      const std::size_t size = c_.numbering->size() * c_.width();
      const auto add = [&](const ReachedState& s, const StateDerivative& g) {
        for (std::size_t i = 0; i < shown_.size(); ++i) {
          if (shown_[i] != s.step) continue;
          const std::vector<double> values = c_.in(given.subspan(i * size, size)).host();
          for (std::size_t k = 0; k < values.size(); ++k) g.by_u[k] += values[k];
        }
      };
      std::vector<ModelNumber> own;
      std::vector<DifferentiatedNumber> numbers;
      own.reserve(names.size());
      for (const std::string& name : names) {
        if (name == positions_key) c_.require_no_positions(begins_as_given_);
        numbers.push_back(c_.variable(name, own));
      }
      d = differentiate(c_.model(), evolved_, path_, add, numbers);
      for (std::size_t i = 0; i < numbers.size(); ++i) d.numbers[i] = c_.in_rows(numbers[i], std::move(d.numbers[i]));
      const auto for_caller = [&](const std::vector<double>& x) {
        return c_.out(Vector(c_.space().device(), std::span<const double>(x), "vectors"));
      };
      initial = for_caller(d.initial);
      if (c_.moves()) velocity = for_caller(d.velocity);
      load = for_caller(d.load);
      prescribed = for_caller(d.prescribed);
    });
    py::list arrays;
    for (std::vector<double>& each : d.numbers) {
      const auto size = static_cast<py::ssize_t>(each.size());
      arrays.append(adopt(std::move(each), {size}));
    }
    py::dict result;
    result["initial"] = c_.shaped(std::move(initial));
    if (c_.moves()) result["velocity"] = c_.shaped(std::move(velocity));
    result["load"] = c_.shaped(std::move(load));
    result["prescribed"] = c_.shaped(std::move(prescribed));
    return py::make_tuple(result, arrays, d.bytes);
  }

 private:
  Transient options_of_evolution(const std::optional<Doubles>& load, const std::optional<Doubles>& initial,
                                 const std::optional<Doubles>& velocity, const std::optional<double>& tolerance) {
    Transient options = *c_.evolution;
    options.begin.u = initial ? c_.in(*initial).host() : c_.read->time->initial(c_.model());
    if (velocity) options.begin.v = c_.in(*velocity).host();
    else if (c_.read->time->velocity) options.begin.v = c_.read->time->velocity(c_.model());
    begins_as_given_ = initial && (velocity || !c_.read->time->velocity);
    if (load) options.forces = std::make_shared<const Vector>(c_.in(*load));
    if (tolerance) {
      options.newton.relative = *tolerance;
      options.linear.relative = std::min(*tolerance, options.linear.relative);
      options.newton.least_linear = options.linear.relative;
    }
    check_differentiable(c_.model(), options);
    return options;
  }

  CallerModel& c_;
  // Data of the last evolution:
  bool begins_as_given_ = false;
  Transient evolved_;
  Trajectory path_;
  std::vector<Index> shown_;  // [time] the step of each solution that was returned
};

// Fields of the results that have derivatives.
class DerivedOfModel {
 public:
  explicit DerivedOfModel(CallerModel& caller) : c_(caller) {}

  // [node or cell][component] at u. `time`, and the length of the step that ends there.
  py::array_t<double> values(const std::string& name, bool in_cells, const Doubles& u, double time, double dt) {
    const DerivedResult& of = derived_result(name);
    std::vector<double> values;
    without_the_lock([&] {
      const DerivedValues all = derived_at(of, {time, dt}, c_.in(u));
      values = values_of(of, in_cells ? all.in_cells : all.at_nodes, all.components);
      values =
          in_cells ? c_.cells.out(values, of.field.components) : c_.numbering->nodal_out(values, of.field.components);
    });
    const auto c = static_cast<py::ssize_t>(of.field.components), rows = static_cast<py::ssize_t>(values.size()) / c;
    return adopt(std::move(values), {rows, c});
  }
  // From dJ/d(values of the field): dJ/du, and at fixed u dJ/d(entries) of these arrays.
  py::tuple derivatives(const std::string& name, bool in_cells, const Doubles& u, double time, double dt,
                        const Doubles& by_values, const std::vector<std::string>& names) {
    const DerivedResult& of = derived_result(name);
    std::vector<double> by_u;
    std::vector<std::vector<double>> by_arrays;
    without_the_lock([&] {
      const Vector at = c_.in(u);
      const DerivedValues all = derived_at(of, {time, dt}, at);
      const auto given = span_of(by_values);
      DerivedWeights weights{.components = all.components};
      if (in_cells) weights.in_cells = back(of, all.in_cells, all.components, c_.cells.in(given, of.field.components));
      else
        weights.at_nodes = back(of, all.at_nodes, all.components, c_.numbering->nodal_in(given, of.field.components));
      const std::vector<DerivedPart> parts = {{c_.model().equations}};
      DerivedWork work(c_.space(), parts, of.form, weights);
      work.set_time({time, dt});
      const std::vector<double> values = at.host(), g = work.by_unknowns(values);
      by_u = c_.out(Vector(c_.space().device(), std::span<const double>(g), "vectors"));
      std::vector<ModelNumber> own;
      own.reserve(names.size());
      for (const std::string& name : names) {
        const DifferentiatedNumber number = c_.variable(name, own);
        std::vector<double>& sum = by_arrays.emplace_back(number.size(c_.space().mesh()), 0.0);
        if (number.array != nullptr) add_by_array(work, *number.array, values, sum);
        else
          add_by_number(
              work, *number.number,
              [](const ritz::Model& other) { return std::vector<DerivedPart>{{other.equations}}; }, parts, values, sum);
        sum = c_.in_rows(number, std::move(sum));
      }
    });
    py::list arrays;
    for (std::vector<double>& each : by_arrays) {
      const auto size = static_cast<py::ssize_t>(each.size());
      arrays.append(adopt(std::move(each), {size}));
    }
    return py::make_tuple(c_.shaped(std::move(by_u)), arrays);
  }

 private:
  const DerivedResult& derived_result(const std::string& name) const {
    return *std::ranges::find_if(c_.read->derived_results,
                                 [&](const DerivedResult& each) { return each.field.name == name; });
  }
  DerivedValues derived_at(const DerivedResult& of, const Time& time, const Vector& u) const {
    const std::vector<DerivedPart> parts = {{c_.model().equations}};
    return derived_values(c_.space(), parts, of.form, time, u);
  }

  CallerModel& c_;
};

struct Model {
  explicit Model(const CaseCall& call)
      : caller(call), equations(caller), statics(caller), evolution(caller), derived(caller) {}

  // All of them, or none where one is refused.
  void set_arrays(const Arrays& given) {
    without_the_lock([&] {
      std::map<std::string, std::vector<double>> before;
      try {
        for (const auto& [name, at_nodes, values] : given) {
          const auto found = caller.run->arrays().find(name);
          if (found == caller.run->arrays().end())
            throw Error(ErrorKind::other_input, fmt::format("the case has no array '{}'", name), "",
                        "give the key an array where the model is made");
          MeshField& array = found->second;
          if (array.at_nodes() != at_nodes)
            throw Error(ErrorKind::other_input, fmt::format("the array '{}' stands elsewhere", name), "",
                        "give one in cells for one in cells, at nodes for one at nodes");
          const auto span = span_of(values);
          GivenArray next{{span.begin(), span.end()}, at_nodes};
          require_one_each(name, next, array.mesh());
          if (!at_nodes) next.values = caller.cells.in(next.values);
          before.try_emplace(name, array.values());
          array.set(std::move(next.values));
        }
        take_numbers();
      } catch (...) {  // values that the key does not allow, a stop, no memory: the model stays as it was
        for (auto& [name, values] : before) caller.run->arrays().at(name).set(std::move(values));
        if (!before.empty()) take_numbers();
        throw;
      }
    });
  }
  // [bytes] of arrays on the device: in use, and held for reuse.
  std::pair<Index, Index> memory() const {
    const MemoryStatistics now = caller.space().device().memory().statistics();
    return {now.live, now.cached};
  }
  // Has the case a number at this key by which there are derivatives, beside arrays?
  bool has_number(const std::string& key) { return number_of_case(*caller.run, *caller.read, key).has_value(); }

  void take_numbers() {
    equations.take_numbers();
    statics.take_numbers();
  }

  CallerModel caller;
  EquationsOfModel equations;
  StaticsOfModel statics;
  EvolutionOfModel evolution;
  DerivedOfModel derived;
};

// A function of a part of the model, as one of the model.
template <class Part, class Result, class... Given>
auto of(Part Model::*part, Result (Part::*function)(Given...)) {
  return [=](Model& model, Given... given) { return (model.*part.*function)(std::forward<Given>(given)...); };
}
template <class Part, class Result, class... Given>
auto of(Part Model::*part, Result (Part::*function)(Given...) const) {
  return [=](const Model& model, Given... given) { return (model.*part.*function)(std::forward<Given>(given)...); };
}

}  // namespace

void bind_models(py::module_& module) {
  const auto property = [](auto read) { return py::cpp_function([read](const Model& m) { return read(m.caller); }); };
  py::class_<Model, std::unique_ptr<Model, EndsAlone>>(module, "Model")
      .def(py::init<const CaseCall&>(), py::keep_alive<1, 2>())
      .def_property_readonly("components", property([](const CallerModel& c) { return c.space().components(); }))
      .def_property_readonly("evolves", property([](const CallerModel& c) { return c.evolution.has_value(); }))
      .def_property_readonly("moves", property([](const CallerModel& c) { return c.moves(); }))
      .def_property_readonly("on_mesh", property([](const CallerModel& c) { return c.space().isoparametric(); }))
      .def_property_readonly("cell_count", property([](const CallerModel& c) { return c.space().mesh().cell_count(); }))
      .def_property_readonly("memory", &Model::memory)
      .def_property_readonly("points", property([](const CallerModel& c) { return c.points(); }))
      .def("prescribed", of(&Model::caller, &CallerModel::prescribed))
      .def("matrix", of(&Model::equations, &EquationsOfModel::matrix))
      .def("residual", of(&Model::equations, &EquationsOfModel::residual))
      .def("action", of(&Model::equations, &EquationsOfModel::action))
      .def("load_of", of(&Model::equations, &EquationsOfModel::load_of))
      .def("complete", of(&Model::equations, &EquationsOfModel::complete))
      .def("set_arrays", &Model::set_arrays)
      .def("solve", of(&Model::statics, &StaticsOfModel::solve))
      .def("evolve", of(&Model::evolution, &EvolutionOfModel::evolve))
      .def("evolution_derivatives", of(&Model::evolution, &EvolutionOfModel::derivatives))
      .def("has_number", &Model::has_number)
      .def("derived_names", of(&Model::caller, &CallerModel::derived_names))
      .def("derived", of(&Model::derived, &DerivedOfModel::values))
      .def("derived_derivatives", of(&Model::derived, &DerivedOfModel::derivatives))
      .def("adjoint", of(&Model::statics, &StaticsOfModel::adjoint))
      .def("by_positions", of(&Model::statics, &StaticsOfModel::by_positions))
      .def("derivative", of(&Model::statics, &StaticsOfModel::derivative));
}

}  // namespace ritz::python

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

class Model {
 public:
  explicit Model(const CaseCall& call) {
    without_the_lock([&] {
      if (call.arrays) require_no_arrays_of_relations(*call.arrays);
      if (call.arrays) require_no_arrays_of_the_begin(*call.arrays);
      const Program program = program_named(call.program);
      const RunOptions options = call.options();
      if (has_sweep(options))
        throw Error(ErrorKind::sweep, fmt::format("a sweep of '{}' in a model", options.case_file),
                    "each member is a model of its own", "make each of them");
      run_.emplace(program.info, options);
      if (run_->input().root().has("step"))
        throw Error(ErrorKind::step, fmt::format("a case of steps as a model: '{}'", options.case_file),
                    "each step has another model", "run the case, or make a case of the step that matters");
      CaseModel read = program.read(*run_);
      if (read.model.has_fields())
        throw Error(
            ErrorKind::several_fields,
            fmt::format("a model of '{}', a form of several fields", read.model.of_fields.equations.front().form.name),
            "models are of one field at nodes", "solve the case, or write a program (docs/several-fields.md)");
      const std::unique_ptr<CaseAnalysis> analysis = read_analysis(*run_, read);
      if (analysis->linear() != nullptr) linear_ = *analysis->linear();
      other_analysis_ = analysis->beyond_linear_statics();
      const Differentiable known = analysis->differentiable();
      if (known.evolution != nullptr) evolution_ = *known.evolution;
      if (known.nonlinear != nullptr) newton_ = *known.nonlinear;
      finish_model(*run_, read, {}, {read.nodal_results, read.cell_results});
      read_.emplace(std::move(read));
      equations_.emplace(space(), model().equations);
      numbering_.emplace(space());
      cells_ = call.cells(space().mesh());
    });
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  int components() const { return space().components(); }
  bool evolves() const { return evolution_.has_value(); }
  bool moves() const { return evolves() && model().capacity.empty(); }  // of second order
  bool on_mesh() const { return space().isoparametric(); }
  Index cell_count() const { return space().mesh().cell_count(); }
  // [bytes] of arrays on the device: in use, and held for reuse.
  std::pair<Index, Index> memory() const {
    const MemoryStatistics now = space().device().memory().statistics();
    return {now.live, now.cached};
  }

  py::array_t<double> points() const {
    std::vector<double> points;
    points.reserve(3 * numbering_->size());
    for (std::size_t i = 0; i < numbering_->size(); ++i) {
      const Node n = numbering_->node(i);
      Point x{};
      if (n >= 0) x = space().point(n);
      else std::ranges::copy(space().mesh().point(static_cast<Node>(i)), x.begin());
      points.insert(points.end(), x.begin(), x.end());
    }
    return adopt(std::move(points), {static_cast<py::ssize_t>(numbering_->size()), 3});
  }

  // 1: prescribed, or at a node without cells; and the values.
  py::tuple prescribed() {
    std::vector<double> mask(numbering_->size() * width(), 1.0), values;
    without_the_lock([&] {
      const Held held_now(model());
      const Constraints& held = held_now.constraints();
      for (std::size_t i = 0; i < numbering_->size(); ++i)
        for (std::size_t c = 0; c < width(); ++c)
          if (numbering_->node(i) >= 0)
            mask[i * width() + c] = held.is_prescribed(numbering_->node(i), static_cast<int>(c)) ? 1 : 0;
      Vector u = space().zeros();
      held.set_values(u);
      values = out(u);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] *= mask[i];
    });
    return py::make_tuple(shaped(std::move(mask)), shaped(std::move(values)));
  }

  // offsets, columns, values [block][b][b] of the tangent at u. `held`: without rows and columns of unknowns that
  // are prescribed or follow others, which have the number that is returned last on their diagonal.
  py::tuple matrix(const std::string& which, const Doubles& u, bool held) {
    std::vector<Index> offsets;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
    double pivot = 0;
    without_the_lock([&] {
      if (held) require_linear_statics();
      const Operator& from = which == "mass" ? rates() : *equations_;
      SparseMatrix K = from.make_matrix();
      from.assemble(in(u), K);
      if (held) {
        const Held supports(model());
        pivot = std::max(max_abs(K.diagonal()), 1e-300);
        supports.constraints().eliminate(K, pivot);
      }
      numbering_->export_matrix(K, pivot, offsets, columns, values);
    });
    const auto b = static_cast<py::ssize_t>(width());
    return py::make_tuple(py::array_t<Index>(static_cast<py::ssize_t>(offsets.size()), offsets.data()),
                          py::array_t<std::int32_t>(static_cast<py::ssize_t>(columns.size()), columns.data()),
                          adopt(std::move(values), {static_cast<py::ssize_t>(columns.size()), b, b}), pivot);
  }

  // Internal minus external forces; `gathered`: zero in unknowns that are prescribed or follow others.
  py::array_t<double> residual(const Doubles& u, bool gathered) {
    std::vector<double> r;
    without_the_lock([&] {
      Vector result = space().zeros();
      equations_->residual(in(u), result);
      if (gathered) {
        const Held supports(model());
        supports.constraints().gather(result);
        supports.constraints().set_zero(result);
      }
      r = out(result);
    });
    return shaped(std::move(r));
  }
  py::array_t<double> action(const Doubles& u, const Doubles& x) {
    std::vector<double> y;
    without_the_lock([&] {
      Vector result = space().zeros();
      equations_->action(in(u), in(x), result);
      y = out(result);
    });
    return shaped(std::move(y));
  }
  // Forces of a load case alone.
  py::array_t<double> load_of(const std::string& name) {
    std::vector<double> f;
    without_the_lock([&] {
      const auto found = std::ranges::find(model().load_cases, name, &ModelLoadCase::name);
      if (found == model().load_cases.end())
        throw Error(ErrorKind::load_case, fmt::format("there is no load case '{}'", name), "",
                    "name one of the [[load_case]] tables");
      const Operator loads(space(), found->loads);
      Vector r = space().zeros(), u = space().zeros();
      loads.residual(u, r);
      axpby(0.0, u, -1.0, r);
      f = out(r);
    });
    return shaped(std::move(f));
  }
  // The solution of the matrix without prescribed unknowns, completed by them and by those that follow others.
  py::array_t<double> complete(const Doubles& x) {
    std::vector<double> u;
    without_the_lock([&] {
      const Held supports(model());
      Vector change = in(x), values = space().zeros();
      supports.constraints().set_zero(change);
      supports.constraints().set_linear(change);
      supports.constraints().set_values(values);
      axpy(1, values, change);
      u = out(change);
    });
    return shaped(std::move(u));
  }

  // All of them, or none where one is refused.
  void set_arrays(const Arrays& given) {
    without_the_lock([&] {
      std::map<std::string, std::vector<double>> before;
      try {
        for (const auto& [name, at_nodes, values] : given) {
          const auto found = run_->arrays().find(name);
          if (found == run_->arrays().end())
            throw Error(ErrorKind::other_input, fmt::format("the case has no array '{}'", name), "",
                        "give the key an array where the model is made");
          MeshField& array = found->second;
          if (array.at_nodes() != at_nodes)
            throw Error(ErrorKind::other_input, fmt::format("the array '{}' stands elsewhere", name), "",
                        "give one in cells for one in cells, at nodes for one at nodes");
          const auto span = span_of(values);
          GivenArray next{{span.begin(), span.end()}, at_nodes};
          require_one_each(name, next, array.mesh());
          if (!at_nodes) next.values = cells_.in(next.values);
          before.try_emplace(name, array.values());
          array.set(std::move(next.values));
        }
        take_numbers();
      } catch (...) {  // values that the key does not allow, a stop, no memory: the model stays as it was
        for (auto& [name, values] : before) run_->arrays().at(name).set(std::move(values));
        if (!before.empty()) take_numbers();
        throw;
      }
    });
  }

  py::tuple solve(const std::optional<Doubles>& load, const std::optional<Doubles>& prescribed,
                  const std::optional<double>& tolerance, const py::object& progress) {
    std::vector<double> u;
    SolveReport report;
    double residual = 0;
    without_the_lock(
        [&] {
          std::optional<Vector> f, g;
          if (load) f = in(*load);
          if (prescribed) g = in(*prescribed);
          LinearStatics::Solution s =
              statics(tolerance.value_or(this->tolerance())).solve(f ? &*f : nullptr, g ? &*g : nullptr);
          u = out(s.u);
          report = s.report;
          residual = s.residual;
        },
        progress);
    return py::make_tuple(shaped(std::move(u)), report_of(report), residual);
  }

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
                                        const std::vector<double> values = out(s.u);
                                        u.insert(u.end(), values.begin(), values.end());
                                      },
                                  .step = [&](const AnalysisStep& s) { dt = s.accepted ? s.dt : dt; },
                                  .keep = [&](const State& s) { path.keep(s); }};
          TransientResult result = ritz::solve(model(), options, observer);
          path_ = std::move(path);
          evolved_ = std::move(options);
          report = std::move(result.summary);
          residual = result.state.residual;
        },
        progress);
    const auto count = static_cast<py::ssize_t>(times.size()), c = static_cast<py::ssize_t>(width());
    return py::make_tuple(adopt(std::move(times), {count}), adopt(std::move(steps), {count}),
                          adopt(std::move(u), {count, static_cast<py::ssize_t>(numbering_->size()), c}),
                          report_of(report), residual);
  }
  // g: as u of evolve(). Derivatives by initial values, forces, prescribed values and these arrays; bytes of states.
  py::tuple evolution_derivatives(const Doubles& g, const std::vector<std::string>& names) {
    TransientDerivatives d;
    std::vector<double> initial, velocity, load, prescribed;
    without_the_lock([&] {
      const std::span<const double> given = span_of(g);
      const std::size_t size = numbering_->size() * width();
      const auto add = [&](const ReachedState& s, const StateDerivative& g) {
        for (std::size_t i = 0; i < shown_.size(); ++i) {
          if (shown_[i] != s.step) continue;
          const std::vector<double> values = in(given.subspan(i * size, size)).host();
          for (std::size_t k = 0; k < values.size(); ++k) g.by_u[k] += values[k];
        }
      };
      std::vector<ModelNumber> own;
      std::vector<DifferentiatedNumber> numbers;
      own.reserve(names.size());
      for (const std::string& name : names) {
        if (name == positions_key) require_no_positions(begins_as_given_);
        numbers.push_back(variable(name, own));
      }
      d = differentiate(model(), evolved_, path_, add, numbers);
      for (std::size_t i = 0; i < numbers.size(); ++i) d.numbers[i] = in_rows(numbers[i], std::move(d.numbers[i]));
      const auto for_caller = [&](const std::vector<double>& x) {
        return out(Vector(space().device(), std::span<const double>(x), "vectors"));
      };
      initial = for_caller(d.initial);
      if (moves()) velocity = for_caller(d.velocity);
      load = for_caller(d.load);
      prescribed = for_caller(d.prescribed);
    });
    py::list arrays;
    for (std::vector<double>& each : d.numbers) {
      const auto size = static_cast<py::ssize_t>(each.size());
      arrays.append(adopt(std::move(each), {size}));
    }
    py::dict result;
    result["initial"] = shaped(std::move(initial));
    if (moves()) result["velocity"] = shaped(std::move(velocity));
    result["load"] = shaped(std::move(load));
    result["prescribed"] = shaped(std::move(prescribed));
    return py::make_tuple(result, arrays, d.bytes);
  }

  // Has the case a number at this key by which there are derivatives, beside arrays?
  bool has_number(const std::string& key) { return number_of_case(*run_, *read_, key).has_value(); }

  // Fields of the results that have derivatives: name, components, and whether they are in cells, too.
  std::vector<std::tuple<std::string, int, bool>> derived_names() const {
    std::vector<std::tuple<std::string, int, bool>> names;
    for (const DerivedResult& each : read_->derived_results)
      names.emplace_back(each.field.name, each.field.components, each.is_in_cells);
    return names;
  }
  // [node or cell][component] at u. `time`, and the length of the step that ends there.
  py::array_t<double> derived(const std::string& name, bool in_cells, const Doubles& u, double time, double dt) {
    const DerivedResult& of = derived_result(name);
    std::vector<double> values;
    without_the_lock([&] {
      const DerivedValues all = derived_at(of, {time, dt}, in(u));
      values = values_of(of, in_cells ? all.in_cells : all.at_nodes, all.components);
      values = in_cells ? cells_.out(values, of.field.components) : numbering_->nodal_out(values, of.field.components);
    });
    const auto c = static_cast<py::ssize_t>(of.field.components), rows = static_cast<py::ssize_t>(values.size()) / c;
    return adopt(std::move(values), {rows, c});
  }
  // From dJ/d(values of the field): dJ/du, and at fixed u dJ/d(entries) of these arrays.
  py::tuple derived_derivatives(const std::string& name, bool in_cells, const Doubles& u, double time, double dt,
                                const Doubles& by_values, const std::vector<std::string>& names) {
    const DerivedResult& of = derived_result(name);
    std::vector<double> by_u;
    std::vector<std::vector<double>> by_arrays;
    without_the_lock([&] {
      const Vector at = in(u);
      const DerivedValues all = derived_at(of, {time, dt}, at);
      const auto given = span_of(by_values);
      DerivedWeights weights{.components = all.components};
      if (in_cells) weights.in_cells = back(of, all.in_cells, all.components, cells_.in(given, of.field.components));
      else weights.at_nodes = back(of, all.at_nodes, all.components, numbering_->nodal_in(given, of.field.components));
      const std::vector<DerivedPart> parts = {{model().equations}};
      DerivedWork work(space(), parts, of.form, weights);
      work.set_time({time, dt});
      const std::vector<double> values = at.host(), g = work.by_unknowns(values);
      by_u = out(Vector(space().device(), std::span<const double>(g), "vectors"));
      std::vector<ModelNumber> own;
      own.reserve(names.size());
      for (const std::string& name : names) {
        const DifferentiatedNumber number = variable(name, own);
        std::vector<double>& sum = by_arrays.emplace_back(number.size(space().mesh()), 0.0);
        if (number.array != nullptr) add_by_array(work, *number.array, values, sum);
        else
          add_by_number(
              work, *number.number,
              [](const ritz::Model& other) { return std::vector<DerivedPart>{{other.equations}}; }, parts, values, sum);
        sum = in_rows(number, std::move(sum));
      }
    });
    py::list arrays;
    for (std::vector<double>& each : by_arrays) {
      const auto size = static_cast<py::ssize_t>(each.size());
      arrays.append(adopt(std::move(each), {size}));
    }
    return py::make_tuple(shaped(std::move(by_u)), arrays);
  }

  // lambda, and the derivative by prescribed values.
  py::tuple adjoint(const Doubles& g) {
    std::vector<double> lambda, by_prescribed;
    without_the_lock([&] {
      const Vector given = in(g), direction = solved().adjoint(given);
      lambda = out(direction);
      by_prescribed = out(solved().by_prescribed(given, direction));
    });
    return py::make_tuple(shaped(std::move(lambda)), shaped(std::move(by_prescribed)));
  }
  py::array_t<double> derivative(const std::string& name, const Doubles& u, const Doubles& lambda,
                                 const Doubles& by_prescribed) {
    std::vector<double> result;
    without_the_lock([&] {
      std::vector<ModelNumber> own;
      own.reserve(1);
      const DifferentiatedNumber number = variable(name, own);
      result = number.array != nullptr
                   ? by_array(solved(), *number.array, name, in(u), in(lambda), in(by_prescribed))
                   : by_number(
                         solved(), *number.number, [](const ritz::Model& other) { return other; }, in(u), in(lambda));
      result = in_rows(number, std::move(result));
    });
    const auto size = static_cast<py::ssize_t>(result.size());
    return adopt(std::move(result), {size});
  }
  // [mesh node][3]. Totals are divided by areas, which positions change.
  py::array_t<double> by_positions(const Doubles& u, const Doubles& lambda) {
    std::vector<double> result;
    without_the_lock([&] {
      require_no_positions(false);
      result = ritz::by_positions(solved(), in(u), in(lambda));
    });
    return adopt(std::move(result), {static_cast<py::ssize_t>(space().mesh().node_count()), 3});
  }

 private:
  const ritz::Model& model() const { return read_->model; }
  // `own` keeps it where it is no array, and does not grow beyond its capacity.
  DifferentiatedNumber variable(const std::string& name, std::vector<ModelNumber>& own) {
    if (name == positions_key) return {.name = name, .positions = true};
    if (const auto array = run_->arrays().find(name); array != run_->arrays().end())
      return {name, &array->second, nullptr};
    own.push_back(*number_of_case(*run_, *read_, name));
    return {name, nullptr, &own.back()};
  }
  // Values in cells in the order of the caller.
  std::vector<double> in_rows(const DifferentiatedNumber& number, std::vector<double> values) const {
    if (number.positions || (number.array != nullptr && number.array->at_nodes())) return values;
    return cells_.out(values);
  }
  void require_no_positions(bool begins_as_given) {
    if (const auto refused = not_differentiable_by_positions(*run_, *read_, begins_as_given))
      throw Error(ErrorKind::analysis, fmt::format("the derivative by the positions of nodes, of {}", refused->of),
                  refused->why, refused->fix);
  }
  const FunctionSpace& space() const { return *model().space; }
  std::size_t width() const { return static_cast<std::size_t>(components()); }

  const DerivedResult& derived_result(const std::string& name) const {
    return *std::ranges::find_if(read_->derived_results,
                                 [&](const DerivedResult& each) { return each.field.name == name; });
  }
  DerivedValues derived_at(const DerivedResult& of, const Time& time, const Vector& u) const {
    const std::vector<DerivedPart> parts = {{model().equations}};
    return derived_values(space(), parts, of.form, time, u);
  }
  void take_numbers() {
    equations_->set_numbers(model().equations);
    if (rates_) rates_->set_numbers(stored());
    if (statics_) statics_->numbers_changed();
  }
  const std::vector<Integral>& stored() const { return model().inertia.empty() ? model().capacity : model().inertia; }
  const Operator& rates() {
    if (stored().empty())
      throw Error(ErrorKind::analysis, "the mass of the model is not known", "",
                  "give density, and specific_heat of heat, in the materials");
    if (!rates_) rates_.emplace(space(), stored());
    return *rates_;
  }
  // One linear system with one right-hand side is all that the case asks for.
  void require_linear_statics() const {
    if (!other_analysis_.empty())
      throw Error(ErrorKind::analysis, fmt::format("linear statics of a model with {}", other_analysis_),
                  "its solution is not that of one linear system",
                  "omit it, take stiffness(), mass() and residual(), or run the case");
    check_linear_statics(model());
  }
  LinearStatics& statics(double tolerance) {
    if (newton_) {
      if (!statics_) statics_.emplace(model(), *newton_);
      statics_->set_tolerance(tolerance);
      return *statics_;
    }
    require_linear_statics();
    LinearSolverOptions options = linear_;
    options.relative = tolerance;
    if (statics_) statics_->set_options(options);
    else statics_.emplace(model(), options);
    return *statics_;
  }
  Transient options_of_evolution(const std::optional<Doubles>& load, const std::optional<Doubles>& initial,
                                 const std::optional<Doubles>& velocity, const std::optional<double>& tolerance) {
    Transient options = *evolution_;
    options.begin.u = initial ? in(*initial).host() : read_->time->initial(model());
    if (velocity) options.begin.v = in(*velocity).host();
    else if (read_->time->velocity) options.begin.v = read_->time->velocity(model());
    begins_as_given_ = initial && (velocity || !read_->time->velocity);
    load_ = load ? std::optional(in(*load)) : std::nullopt;
    options.forces = load_ ? &*load_ : nullptr;
    if (tolerance) {
      options.newton.relative = *tolerance;
      options.linear.relative = std::min(*tolerance, options.linear.relative);
      options.newton.least_linear = options.linear.relative;
    }
    check_differentiable(model(), options);
    return options;
  }
  // The default where nothing else is asked for: of Newton's method, else of the linear solution.
  double tolerance() const { return newton_ ? newton_->relative : linear_.relative; }
  // With the tolerance of the last solution.
  LinearStatics& solved() { return statics_ ? *statics_ : statics(tolerance()); }

  Vector in(const Doubles& x) const { return in(span_of(x)); }
  Vector in(std::span<const double> values) const { return numbering_->in(values); }
  std::vector<double> out(const Vector& x) const { return numbering_->out(x); }
  py::array_t<double> shaped(std::vector<double>&& values) const {
    return adopt(std::move(values), {static_cast<py::ssize_t>(numbering_->size()), static_cast<py::ssize_t>(width())});
  }

  std::optional<Run> run_;
  std::optional<CaseModel> read_;
  LinearSolverOptions linear_;
  std::optional<Nonlinear> newton_;     // of nonlinear statics
  std::optional<Transient> evolution_;  // of [time]
  std::optional<Vector> load_;          // of the last evolution, as are:
  bool begins_as_given_ = false;
  Transient evolved_;
  Trajectory path_;
  std::vector<Index> shown_;    // [time] the step of each solution that was returned
  std::string other_analysis_;  // than linear statics; empty: none
  std::optional<CallerNumbering> numbering_;
  CallerCells cells_;
  std::optional<Operator> equations_, rates_;
  std::optional<LinearStatics> statics_;
};

}  // namespace

void bind_models(py::module_& module) {
  py::class_<Model, std::unique_ptr<Model, EndsAlone>>(module, "Model")
      .def(py::init<const CaseCall&>(), py::keep_alive<1, 2>())
      .def_property_readonly("components", &Model::components)
      .def_property_readonly("evolves", &Model::evolves)
      .def_property_readonly("moves", &Model::moves)
      .def_property_readonly("on_mesh", &Model::on_mesh)
      .def_property_readonly("cell_count", &Model::cell_count)
      .def_property_readonly("memory", &Model::memory)
      .def_property_readonly("points", &Model::points)
      .def("prescribed", &Model::prescribed)
      .def("matrix", &Model::matrix)
      .def("residual", &Model::residual)
      .def("action", &Model::action)
      .def("load_of", &Model::load_of)
      .def("complete", &Model::complete)
      .def("set_arrays", &Model::set_arrays)
      .def("solve", &Model::solve)
      .def("evolve", &Model::evolve)
      .def("evolution_derivatives", &Model::evolution_derivatives)
      .def("has_number", &Model::has_number)
      .def("derived_names", &Model::derived_names)
      .def("derived", &Model::derived)
      .def("derived_derivatives", &Model::derived_derivatives)
      .def("adjoint", &Model::adjoint)
      .def("by_positions", &Model::by_positions)
      .def("derivative", &Model::derivative);
}

}  // namespace ritz::python

#include "fem/multigrid/p_multigrid.hpp"

#include "device/error.hpp"
#include "device/function_ref.hpp"
#include "device/host_memory.hpp"
#include "device/kernels.hpp"
#include "device/process/stop_request.hpp"
#include "fem/launch/interpolation.hpp"
#include "fem/multigrid/coarser_constraints.hpp"
#include "fem/multigrid/coarser_integrals.hpp"
#include "fem/multigrid/coarser_part.hpp"
#include "fem/multigrid/even_cubes.hpp"
#include "fem/multigrid/space_transfer.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/space/nested_nodes.hpp"
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/recording.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <utility>

namespace ritz {
namespace {

constexpr const char* multigrid_tag = "p-multigrid";

template <class Real>
const PCycleKernels<Real>& cycle_kernels(const Device& device) {
  return kernels<PCycleKernels<Real>>(device, "ritz_fem_kernels",
                                      sizeof(Real) == sizeof(float) ? "p-cycle single" : "p-cycle double");
}

// A level without a matrix.
template <class Real>
struct Level {
  const MatrixFree* A;
  // The caller must ignore results in prescribed rows. Without `marked`, prescribed entries of `from` must be zero, as
  // they are in smoothing: then no kernel needs their mask. Dependent entries of `from` are overwritten.
  void apply(Array<Real>& from, Array<Real>& to, const MarkedNodes* marked = nullptr) const {
    const DependentUnknowns* const dependent = A->constraints().dependent();
    if (dependent != nullptr) dependent->set_linear(from);
    if (ghosts() != nullptr) ghosts()->begin_fetch(from, A->equations().space().components());
    if constexpr (sizeof(Real) == sizeof(float))
      Linearisation(A->equations(), A->state(), &A->tangents()).action(from, to, marked, ghosts());
    else Linearisation(A->equations(), A->state()).action(from, to, marked, ghosts());
    if (dependent != nullptr) dependent->gather(to);
  }
  const Ghosts* ghosts() const { return A->field() == nullptr ? nullptr : A->field()->ghosts.get(); }
  Index rows() const { return A->rows(); }
  double largest_eigenvalue = 0;                  // of D^-1 A, a bound
  Array<Real> inverse_diagonal;                   // 0 where prescribed
  std::unique_ptr<SpaceTransfer<Real>> transfer;  // to this level from the next coarser one
  Array<Real> weights;                            // of the transfer; 0 where prescribed
  Array<Real> b, x, d, q;                         // over ranks [owned | ghosts]; the ghosts of d are zero
};

// A field below the finest, with the same equations on the same cells.
struct CoarserField {
  FunctionSpace space;
  std::unique_ptr<DividedField> field;  // null: one process
  CoarserRelations relations;           // over ranks, where there are equations
  std::unique_ptr<Constraints> fixed;
  std::unique_ptr<Operator> equations;
};

// The operator of a level in the precision of the cycle, for vectors in double precision.
template <class Real>
class InCyclePrecision final : public LinearOperator {
 public:
  InCyclePrecision(Level<Real>& level, const PCycleKernels<Real>& kernels) : level_(level), kernels_(kernels) {}
  const Device& device() const override { return level_.A->device(); }
  Index rows() const override { return level_.A->rows(); }
  void apply(const Vector& x, Vector& y) const override {
    const Constraints& constraints = level_.A->constraints();
    const bool follows = constraints.dependent() != nullptr;
    if (follows) {  // prescribed entries are zero, so that no unknown follows them
      copy(x, y);
      constraints.set_zero(y);
    }
    kernels_.from_double(device(), x.size(), follows ? y.data() : x.data(), level_.x.data());
    level_.apply(level_.x, level_.q, follows ? nullptr : &level_.A->marked());
    kernels_.to_double(device(), y.size(), level_.q.data(), y.data());
    constraints.apply_pivot(level_.A->pivot(), x, y);
  }
  std::string name() const override { return level_.A->name(); }

 private:
  Level<Real>& level_;
  const PCycleKernels<Real>& kernels_;
};

// Arguments of the finest level's launches that its operator may change between two cycles. The coarser levels belong
// to the cycle and stay as they are.
struct FinestArguments {
  std::pair<double, double> time;
  std::vector<double> factors;
  std::vector<decltype(FormValue::bytes)> forms;
  std::vector<const void*> arrays;  // of the state and of the tangents at points

  explicit FinestArguments(const MatrixFree& A)
      : time(A.equations().time().t, A.equations().time().dt), arrays{A.state().data()} {
    for (const Integral& integral : A.equations().integrals()) {
      factors.push_back(integral.factor);
      forms.push_back(integral.form.bytes);
    }
    for (const PointTangents::Part& part : A.tangents().parts) arrays.push_back(part.values.data());
  }
  bool operator==(const FinestArguments&) const = default;
};

// Runs the launches as a phase of their own, whose bytes it returns.
Index bytes_counted(Profile& profile, FunctionRef<void()> launches) {
  const std::vector<PhaseRecord> before = profile.phases();
  {
    const auto phase = profile.phase("first cycle");
    launches();
  }
  const std::size_t record = profile.events().back().record;
  return profile.phases()[record].bytes - (record < before.size() ? before[record].bytes : 0);
}

// Chebyshev steps before and after, of the levels without a matrix, and the part of the spectrum that they damp.
struct Smoothing {
  int degree;
  double ratio;
};

template <class Real>
class PCycle {
 public:
  PCycle(const MatrixFree& A, const PMultigridOptions& options, Smoothing smoothing)
      : options_(options), smoothing_(smoothing), device_(A.device()), kernels_(cycle_kernels<Real>(device_)) {
    if (A.field() != nullptr) nesting_of_ = A.field()->nesting;
    const MatrixFree* now = &A;
    Vector state;
    for (std::size_t l = 0;; ++l) {
      const FunctionSpace& fine = now->equations().space();
      add_coarser(fine, now->constraints(), now->field(), A);
      const CoarserField& next = coarser_[l];
      orders_.push_back(fine.order());
      state = interpolated(fine, next.space, now->state());
      add_level(*now, *next.equations);
      if (is_coarsest(next)) break;
      operators_.push_back(
          std::make_unique<MatrixFree>(*next.equations, *next.fixed, state, std::nullopt, next.field.get()));
      now = operators_.back().get();
    }
    orders_.push_back(1);
    make_coarsest(*now, state);
    device_.memory().trim();
    return_freed_host_memory();
    const FunctionSpace& space = coarser_.back().space;
    const Index rows = coarse_rows_ ? coarse_rows_->rows() : space.unknown_count();
    coarse_b_ = Vector(device_, rows, multigrid_tag);
    coarse_x_ = Vector(device_, rows, multigrid_tag);
    coarse_ = Array<Real>(device_, space.unknown_count(), multigrid_tag);
  }

  void apply(const Vector& b, Vector& x) {
    Level<Real>& finest = levels_.front();
    count_conversion(2 * b.size());
    kernels_.from_double(device_, b.size(), b.data(), finest.b.data());
    run_recorded();
    kernels_.to_double(device_, x.size(), finest.x.data(), x.data());
  }
  Array<Real>& argument() { return levels_.front().b; }
  // Like LinearOperator::apply_single, with prescribed rows.
  void apply_to_argument(const Vector& b, Vector& x, const Vector* q, double* dots) {
    const Level<Real>& finest = levels_.front();
    run_recorded();
    device_.profile().count((q == nullptr ? 2 : 3) * b.bytes() + b.size() * Index{sizeof(Real) + 1});
    kernels_.to_double_dots(device_, b.size(), finest.x.data(), finest.A->constraints().mask().data(), 1 / pivot_,
                            b.data(), q == nullptr ? nullptr : q->data(), x.data(), dots);
  }
  const std::vector<int>& orders() const { return orders_; }
  int nested_levels() const { return aggregation_->nested_levels(); }
  int divided_levels() const {  // over ranks
    return coarse_rows_ ? aggregation_->divided_levels() + static_cast<int>(levels_.size()) : 0;
  }
  double pivot() const { return pivot_; }  // of the finest level's prescribed rows
  // Why launches are not replayed as one, where they could be.
  const std::string& not_recorded() const { return recording_.why_not(); }

 private:
  static bool is_coarsest(const CoarserField& field) { return field.space.order() == 1; }

  void add_coarser(const FunctionSpace& fine, const Constraints& fixed, const DividedField* field,
                   const MatrixFree& finest) {
    const Operator& equations = finest.equations();
    CoarserField next;
    const SpaceOptions order = PMultigrid::coarser_order(fine);
    if (field == nullptr) {
      next.space = FunctionSpace(fine.mesh(), fine.components(), device_, order);
    } else {
      CoarserPart part = coarser_part(fine, *field, std::max(1, order.order));
      next.space = std::move(part.space);
      next.field = std::make_unique<DividedField>(std::move(part.field));
      if (fixed.dependent() != nullptr)
        next.relations = {finest.field()->relations(next.space.order(), *next.field->ghosts), next.field->ghosts};
    }
    next.fixed = coarser_constraints(fixed, next.space, next.relations);
    next.equations = std::make_unique<Operator>(next.space, coarser_integrals(equations.integrals(), next.space));
    next.equations->inputs().set_time(equations.time());
    coarser_.push_back(std::move(next));
  }

  // Order 1: a matrix.
  void make_coarsest(const MatrixFree& above, const Vector& state) {
    const CoarserField& last = coarser_.back();
    const FunctionSpace& space = last.space;
    SparseMatrix K = last.equations->make_matrix();
    Linearisation(*last.equations, state, &above.tangents()).assemble_once(K);
    if (options_.shift > 0) add_masses(K);
    const double pivot = max_abs(K.diagonal());
    SmoothedAggregationOptions coarsest = options_.coarsest;
    coarsest.coordinates = &space.coordinates();
    coarsest.dimension = space.mesh().dimension();
    if (last.field != nullptr) return divide_coarsest(std::move(K), pivot, coarsest);
    last.fixed->eliminate(K, pivot);
    coarsest_.emplace(std::move(K));
    coarsest.nested = [space] { return nested_nodes(space); };
    aggregation_.emplace(*coarsest_, coarsest);
    coarsest_->values() = Vector();  // the cycle has its own
  }

  void divide_coarsest(SparseMatrix K, double pivot, SmoothedAggregationOptions multigrid) {
    const CoarserField& last = coarser_.back();
    const DividedField& field = *last.field;
    last.fixed->eliminate_prescribed(K, pivot);
    BlockMatrix rows = owned_rows_of(std::move(K), field.ghosts->owned());
    if (last.relations.ghosts == nullptr) {
      coarse_rows_.emplace(field.ghosts, std::move(rows));
    } else {
      DividedRows whole = transformed(*field.ghosts, rows, last.relations.rows, pivot);
      coarse_rows_.emplace(std::move(whole.ghosts), std::move(whole.matrix));
    }
    multigrid.replicated = field.replicated;
    multigrid.half_storage = false;
    const NestedLevels nested = nesting_of_ ? nesting_of_(field.ghosts->first()) : nullptr;
    multigrid.nested = [nested] { return nested; };
    aggregation_.emplace(*coarse_rows_, multigrid);
  }

  // All launches between the first level's b and its x. They are recorded on a GPU, unless messages go between them;
  // while the recording is replayed, the bytes of the first cycle are counted.
  void run_recorded() {
    if (!device_.machine().is_apart() || coarse_rows_) return run(0);
    FinestArguments now(*levels_.front().A);
    if (!recorded_for_ || *recorded_for_ != now) {
      recording_.forget();
      recorded_for_ = std::move(now);
      bytes_ = bytes_counted(device_.profile(), [&] { recording_.run(device_, [&] { run(0); }); });
      return;
    }
    bool replayed = true;
    device_.profile().count(bytes_);  // first, so that a table of launches has them with the graph
    recording_.run(device_, [&] {
      replayed = false;
      run(0);
    });
    if (!replayed) device_.profile().count(-bytes_);
  }

  // Values of a field of one space at the nodes of another; empty: zero.
  Vector interpolated(const FunctionSpace& from, const FunctionSpace& to, const Vector& x) {
    if (x.empty()) return {};
    Vector y(device_, to.unknown_count(), multigrid_tag);
    const SpaceTransfer<double> transfer(from, to);
    Vector sums(device_, to.unknown_count(), multigrid_tag);
    transfer.sum_interpolated(x, sums);
    multiply(Vector(device_, std::span<const double>(transfer.weights()), multigrid_tag), sums, y);
    return y;
  }

  void make_coarse_masses() {
    const FunctionSpace& space = coarser_.back().space;
    coarse_masses_.emplace(space, coarser_integrals(options_.masses->integrals(), space));
    coarse_masses_->inputs().set_time(options_.masses->time());
  }

  void add_masses(SparseMatrix& K) {
    if (!coarse_masses_) make_coarse_masses();
    SparseMatrix M = coarse_masses_->make_matrix();
    Linearisation(*coarse_masses_, Vector()).assemble_once(M);
    axpy(options_.shift, M.values(), K.values());
    coarse_masses_.reset();
  }

  void add_level(const MatrixFree& A, const Operator& coarse) {
    Level<Real> level;
    level.A = &A;
    if (levels_.empty()) pivot_ = A.pivot();
    for (Array<Real>* work : {&level.b, &level.x, &level.d, &level.q})
      *work = Array<Real>(device_, A.equations().space().unknown_count(), multigrid_tag);
    if (A.field() != nullptr) level.d.fill_zero();
    {
      Vector inverse = inverse_diagonal(A.diagonal());
      level.largest_eigenvalue =
          LargestEigenvalue(InCyclePrecision<Real>(level, kernels_), inverse).bound(options_.estimate_steps);
      A.constraints().set_zero(inverse);
      level.inverse_diagonal = converted(inverse);
    }
    level.transfer = std::make_unique<SpaceTransfer<Real>>(coarse, A.equations());
    {
      const std::vector<Real> host_weights = level.transfer->weights();
      Vector weights(device_, std::span<const double>(std::vector<double>(host_weights.begin(), host_weights.end())),
                     multigrid_tag);
      A.constraints().set_zero(weights);
      level.weights = converted(weights);
    }
    levels_.push_back(std::move(level));
  }

  // Vectors of a level that kernels read or write.
  void count(const Level<Real>& level, Index vectors) const { device_.profile().count(vectors * level.b.bytes()); }
  void count_conversion(Index numbers) const {
    device_.profile().count(numbers * (Index{sizeof(double)} + Index{sizeof(Real)}));
  }

  Array<Real> converted(const Vector& x) const {
    Array<Real> y(device_, x.size(), multigrid_tag);
    count_conversion(x.size());
    kernels_.from_double(device_, x.size(), x.data(), y.data());
    return y;
  }

  // Chebyshev steps for D^-1 A x = D^-1 b (Saad 2003, algorithm 12.1), from x = 0 or from the x at hand. The correction
  // d is kept only where another step follows.
  void smooth(Level<Real>& level, bool from_zero) {
    const double ratio = smoothing_.ratio;
    const double theta = 0.5 * level.largest_eigenvalue * (1 + 1 / ratio);
    const double delta = 0.5 * level.largest_eigenvalue * (1 - 1 / ratio), sigma = theta / delta;
    double rho = 1 / sigma;
    const Index n = level.rows();
    const Real* inverse = level.inverse_diagonal.data();
    const auto kept_before = [&](int step) { return step < smoothing_.degree ? level.d.data() : nullptr; };
    const auto step = [&](double c1, double c2, const Real* before, Real* d) {
      level.apply(level.x, level.q);
      count(level, 5 + (before != nullptr ? 1 : 0) + (d != nullptr ? 1 : 0));
      kernels_.step(device_, n, Real(c1), Real(c2), inverse, level.b.data(), level.q.data(), before, d, level.x.data());
    };
    if (from_zero) {
      Real* const d = kept_before(1);
      count(level, d == nullptr ? 3 : 4);
      kernels_.start(device_, n, Real(1 / theta), inverse, level.b.data(), d, level.x.data());
    } else {
      step(0, 1 / theta, nullptr, kept_before(1));
    }
    for (int k = 1; k < smoothing_.degree; ++k) {
      const double before = rho;
      rho = 1 / (2 * sigma - before);
      step(rho * before, 2 * rho / delta, level.d.data(), kept_before(k + 1));
    }
  }

  void run(std::size_t l) {
    Level<Real>& level = levels_[l];
    smooth(level, true);
    level.apply(level.x, level.q);
    const Index n = level.rows();
    count(level, 4);
    kernels_.weighted_residual(device_, n, level.weights.data(), level.b.data(), level.q.data(), level.d.data());
    if (l + 1 < levels_.size()) {
      Level<Real>& next = levels_[l + 1];
      level.transfer->sum_transposed(level.d, next.b);
      add_to_owners(next.ghosts(), next.b);
      gather(next.A->constraints(), next.b);
      run(l + 1);
      follow(next.A->constraints(), next.x);
      fetch(next.ghosts(), next.x);
      level.transfer->sum_interpolated(next.x, level.q);
    } else {
      solve_coarsest(level);
    }
    count(level, 4);
    kernels_.add_weighted(device_, n, level.weights.data(), level.q.data(), level.x.data());
    smooth(level, false);
  }

  // level.d -> level.q through the matrix of order 1.
  void solve_coarsest(Level<Real>& level) {
    const Index n = coarse_b_.size();
    const Constraints& fixed = *coarser_.back().fixed;
    const DividedField* const field = coarser_.back().field.get();
    const Ghosts* const ghosts = field == nullptr ? nullptr : field->ghosts.get();
    level.transfer->sum_transposed(level.d, coarse_);
    add_to_owners(ghosts, coarse_);
    gather(fixed, coarse_);
    count_conversion(2 * n);
    kernels_.to_double(device_, n, coarse_.data(), coarse_b_.data());
    fixed.set_zero(coarse_b_);
    aggregation_->apply(coarse_b_, coarse_x_);
    fixed.set_linear(coarse_x_);
    kernels_.from_double(device_, n, coarse_x_.data(), coarse_.data());
    fetch(ghosts, coarse_);
    level.transfer->sum_interpolated(coarse_, level.q);
  }

  static void gather(const Constraints& constraints, Array<Real>& b) {
    if (constraints.dependent() != nullptr) constraints.dependent()->gather(b);
  }
  static void follow(const Constraints& constraints, Array<Real>& x) {
    if (constraints.dependent() != nullptr) constraints.dependent()->set_linear(x);
  }
  // Over ranks: sums over the cells of several ranks, and values for the cells of others.
  void add_to_owners(const Ghosts* ghosts, Array<Real>& b) const {
    if (ghosts != nullptr) ghosts->add_to_owners(b, components());
  }
  void fetch(const Ghosts* ghosts, Array<Real>& x) const {
    if (ghosts != nullptr) ghosts->fetch(x, components());
  }
  int components() const { return coarser_.back().space.components(); }

  PMultigridOptions options_;
  Smoothing smoothing_;
  Device device_;
  const PCycleKernels<Real>& kernels_;
  double pivot_ = 0;
  std::vector<int> orders_;
  std::vector<Level<Real>> levels_;
  std::vector<CoarserField> coarser_;
  std::vector<std::unique_ptr<MatrixFree>> operators_;  // of the levels between the finest and the coarsest
  std::optional<Operator> coarse_masses_;
  std::optional<SparseMatrix> coarsest_;      // in one process
  std::optional<DividedMatrix> coarse_rows_;  // over ranks
  std::optional<SmoothedAggregation> aggregation_;
  std::function<NestedLevels(const std::vector<Index>& first)> nesting_of_;
  Vector coarse_b_, coarse_x_;
  Array<Real> coarse_;
  Recording recording_;
  std::optional<FinestArguments> recorded_for_;
  Index bytes_ = 0;  // that kernels of a cycle read and write
};

}  // namespace

bool on_all_ranks(const MatrixFree& A, bool here) {
  double not_so = here ? 0 : 1;
  if (A.field() != nullptr) A.field()->ghosts->ranks().largest({&not_so, 1});
  return not_so == 0;
}

namespace {

// A part may have no elements of a form that cannot.
bool all_act_in_single(const MatrixFree& A) { return on_all_ranks(A, can_act_in_single(A.equations())); }

// Diffusion of order 2 on cubes takes one step unless something else is asked for: it needs one iteration more, and a
// tenth less time. Everything else would need half as many more.
Smoothing smoothing_of(const MatrixFree& A, const SmoothedAggregationOptions& given) {
  const SmoothedAggregationOptions defaults;
  const bool as_given =
      given.smoothing_degree != defaults.smoothing_degree || given.smoothing_ratio != defaults.smoothing_ratio;
  const bool one_step = !as_given && A.equations().space().order() == 2 && is_diffusion_on_cubes(A.equations());
  if (on_all_ranks(A, one_step)) return {1, 4};
  return {given.smoothing_degree, given.smoothing_ratio};
}

}  // namespace

struct PMultigrid::Hierarchy {
  const MatrixFree& A;
  std::optional<PCycle<double>> in_double;
  std::optional<PCycle<float>> in_single;

  // The cycle that there is.
  template <class Use>
  auto use(const Use& use) {
    return in_single ? use(*in_single) : use(*in_double);
  }
};

PMultigrid::PMultigrid(const MatrixFree& A, const PMultigridOptions& options) {
  if (A.equations().space().order() < 2)
    throw Error(ErrorKind::internal, "p-multigrid on a space of order 1", {}, "use smoothed aggregation");
  if (options.coarsest.smoothing_degree < 1 || !(options.coarsest.smoothing_ratio > 1))
    throw Error(ErrorKind::solver_options,
                fmt::format("p-multigrid with smoothing degree {} and ratio {}", options.coarsest.smoothing_degree,
                            options.coarsest.smoothing_ratio),
                {}, "use a degree of at least 1 and a ratio above 1");
  const LongWork here;
  hierarchy_.reset(new Hierarchy{A, {}, {}});
  const Smoothing smoothing = smoothing_of(A, options.coarsest);
  if (options.single_precision && all_act_in_single(A)) hierarchy_->in_single.emplace(A, options, smoothing);
  else hierarchy_->in_double.emplace(A, options, smoothing);
}

PMultigrid::~PMultigrid() = default;

SpaceOptions PMultigrid::coarser_order(const FunctionSpace& space) {
  const bool mesh_is_linear =
      std::ranges::all_of(space.mesh().blocks(), [](const CellBlock& block) { return traits(block.kind).order == 1; });
  return {.order = space.order() > 3 ? space.order() / 2 : mesh_is_linear ? 0 : 1, .elements = {}, .beside = space};
}

const Device& PMultigrid::device() const { return hierarchy_->A.device(); }
Index PMultigrid::rows() const { return hierarchy_->A.rows(); }

void PMultigrid::apply(const Vector& b, Vector& x) const {
  if (b.size() != rows()) throw_size_mismatch(rows(), b.size());
  if (x.size() != rows()) throw_size_mismatch(rows(), x.size());
  hierarchy_->use([&](auto& cycle) {
    cycle.apply(b, x);
    hierarchy_->A.constraints().apply_pivot(1 / cycle.pivot(), b, x);
  });
}

float* PMultigrid::single_argument() const {
  return hierarchy_->in_single ? hierarchy_->in_single->argument().data() : nullptr;
}

void PMultigrid::apply_single(const Vector& b, Vector& x, const Vector* q, double* dots) const {
  hierarchy_->in_single->apply_to_argument(b, x, q, dots);
}

std::vector<int> PMultigrid::orders() const {
  return hierarchy_->use([](const auto& cycle) { return cycle.orders(); });
}

std::string PMultigrid::name() const {
  std::string text = "p-multigrid";
  for (std::size_t i = 0; i < orders().size(); ++i)
    text += fmt::format("{} {}", i == 0 ? " of orders" : ",", orders()[i]);
  const int nested = hierarchy_->use([](const auto& cycle) { return cycle.nested_levels(); });
  if (nested > 0) text += fmt::format(" over {} nested meshes", nested);
  const int divided = hierarchy_->use([](const auto& cycle) { return cycle.divided_levels(); });
  if (divided > 0) text += fmt::format(", {} levels divided among ranks", divided);
  if (hierarchy_->in_single) text += ", single precision";
  const std::string not_recorded = hierarchy_->use([](const auto& cycle) { return cycle.not_recorded(); });
  return text + (not_recorded.empty() ? "" : ", without a CUDA graph: " + not_recorded);
}

}  // namespace ritz

#include "fem/multigrid/p_multigrid.hpp"

#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "device/kernels.hpp"
#include "device/process/stop_request.hpp"
#include "fem/launch/interpolation.hpp"
#include "fem/multigrid/coarser_constraints.hpp"
#include "fem/multigrid/space_transfer.hpp"
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
  void apply(Array<Real>& from, Array<Real>& to, const Operator::MarkedNodes* marked = nullptr) const {
    const DependentUnknowns* const dependent = A->constraints().dependent();
    if (dependent != nullptr) dependent->set_linear(from);
    if constexpr (sizeof(Real) == sizeof(float)) A->equations().action(A->tangents(), A->state(), from, to, marked);
    else A->equations().action(A->state(), from, to, marked);
    if (dependent != nullptr) dependent->gather(to);
  }
  double largest_eigenvalue = 0;                  // of D^-1 A, a bound
  Array<Real> inverse_diagonal;                   // 0 where prescribed
  std::unique_ptr<SpaceTransfer<Real>> transfer;  // to this level from the next coarser one
  Array<Real> weights;                            // of the transfer; 0 where prescribed
  Array<Real> b, x, d, q;
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
Index bytes_counted(Profile& profile, const std::function<void()>& launches) {
  const std::vector<PhaseRecord> before = profile.phases();
  {
    const auto phase = profile.phase("first cycle");
    launches();
  }
  const std::size_t record = profile.events().back().record;
  return profile.phases()[record].bytes - (record < before.size() ? before[record].bytes : 0);
}

template <class Real>
class Cycle {
 public:
  Cycle(const MatrixFree& A, const PMultigridOptions& options)
      : options_(options), device_(A.device()), kernels_(cycle_kernels<Real>(device_)) {
    const Mesh& mesh = A.equations().space().mesh();
    const MatrixFree* now = &A;
    Vector state;
    while (true) {
      const FunctionSpace& fine = now->equations().space();
      orders_.push_back(fine.order());
      const bool next_is_coarsest = orders_.back() <= 3;
      // The coarser space and what belongs to it.
      spaces_.push_back(
          std::make_unique<FunctionSpace>(mesh, fine.components(), device_, PMultigrid::coarser_order(fine)));
      const FunctionSpace& coarse = *spaces_.back();
      fixed_.push_back(coarser_constraints(now->constraints(), coarse));
      equations_.push_back(std::make_unique<Operator>(coarse, A.equations().integrals()));
      equations_.back()->set_time(A.equations().time());
      state = interpolated(fine, coarse, now->state());
      add_level(*now, *equations_.back());
      if (next_is_coarsest) break;
      operators_.push_back(std::make_unique<MatrixFree>(*equations_.back(), *fixed_.back(), state));
      now = operators_.back().get();
    }
    orders_.push_back(1);
    // Order 1: a matrix.
    const Operator& last = *equations_.back();
    const FunctionSpace& space = last.space();
    coarse_fixed_ = fixed_.back().get();
    coarsest_.emplace(last.make_matrix());
    last.assemble_once(now->tangents(), state, *coarsest_);
    if (options.shift > 0) add_masses(*options.masses, options.shift, space);
    coarse_fixed_->eliminate(*coarsest_, max_abs(coarsest_->diagonal()));
    SmoothedAggregationOptions coarsest = options.coarsest;
    coarsest.coordinates = &space.coordinates();
    coarsest.dimension = mesh.dimension();
    coarsest.nested = [&space] { return nested_nodes(space); };
    aggregation_.emplace(*coarsest_, coarsest);
    coarsest_->values() = Vector();  // the cycle has its own
    device_.memory().trim();
    return_freed_host_memory();
    coarse_b_ = Vector(device_, space.unknown_count(), multigrid_tag);
    coarse_x_ = Vector(device_, space.unknown_count(), multigrid_tag);
    coarse_ = Array<Real>(device_, space.unknown_count(), multigrid_tag);
  }

  void apply(const Vector& b, Vector& x) {
    Level<Real>& finest = levels_.front();
    count_conversion(2 * b.size());
    kernels_.from_double(device_, b.size(), b.data(), finest.b.data());
    run_recorded();
    kernels_.to_double(device_, x.size(), finest.x.data(), x.data());
  }
  const std::vector<int>& orders() const { return orders_; }
  int nested_levels() const { return aggregation_->nested_levels(); }
  double pivot() const { return pivot_; }  // of the finest level's prescribed rows
  // Why launches are not replayed as one, where they could be.
  const std::string& not_recorded() const { return recording_.why_not(); }

 private:
  // All launches between the first level's b and its x. They are recorded on a GPU; while the recording is replayed,
  // the bytes of the first cycle are counted.
  void run_recorded() {
    if (!device_.machine().is_apart()) return run(0);
    FinestArguments now(*levels_.front().A);
    if (!recorded_for_ || *recorded_for_ != now) {
      recording_.forget();
      recorded_for_ = std::move(now);
      bytes_ = bytes_counted(device_.profile(), [&] { recording_.run(device_, [&] { run(0); }); });
      return;
    }
    bool replayed = true;
    recording_.run(device_, [&] {
      replayed = false;
      run(0);
    });
    if (replayed) device_.profile().count(bytes_);
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

  void add_masses(const Operator& masses, double shift, const FunctionSpace& space) {
    Operator coarse(space, masses.integrals());
    coarse.set_time(masses.time());
    SparseMatrix M = coarse.make_matrix();
    coarse.assemble_once(Vector(), M);
    axpy(shift, M.values(), coarsest_->values());
  }

  void add_level(const MatrixFree& A, const Operator& coarse) {
    Level<Real> level;
    level.A = &A;
    if (levels_.empty()) pivot_ = A.pivot();
    for (Array<Real>* work : {&level.b, &level.x, &level.d, &level.q})
      *work = Array<Real>(device_, A.rows(), multigrid_tag);
    {
      Vector inverse = inverse_diagonal(A.diagonal());
      level.largest_eigenvalue =
          1.1 * largest_eigenvalue(InCyclePrecision<Real>(level, kernels_), inverse, options_.estimate_steps);
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

  // Chebyshev steps for D^-1 A x = D^-1 b (Saad 2003, algorithm 12.1), from x = 0 or from the x at hand.
  void smooth(Level<Real>& level, bool from_zero) {
    const double ratio = options_.coarsest.smoothing_ratio;
    const double theta = 0.5 * level.largest_eigenvalue * (1 + 1 / ratio);
    const double delta = 0.5 * level.largest_eigenvalue * (1 - 1 / ratio), sigma = theta / delta;
    double rho = 1 / sigma;
    const Index n = level.b.size();
    const Real* inverse = level.inverse_diagonal.data();
    if (from_zero) {
      count(level, 4);
      kernels_.start(device_, n, Real(1 / theta), inverse, level.b.data(), level.d.data(), level.x.data());
    } else {
      level.apply(level.x, level.q);
      level.d.fill_zero();
      count(level, 8);
      kernels_.step(device_, n, Real(0), Real(1 / theta), inverse, level.b.data(), level.q.data(), level.d.data(),
                    level.x.data());
    }
    for (int k = 1; k < options_.coarsest.smoothing_degree; ++k) {
      const double before = rho;
      rho = 1 / (2 * sigma - before);
      level.apply(level.x, level.q);
      count(level, 7);
      kernels_.step(device_, n, Real(rho * before), Real(2 * rho / delta), inverse, level.b.data(), level.q.data(),
                    level.d.data(), level.x.data());
    }
  }

  void run(std::size_t l) {
    Level<Real>& level = levels_[l];
    smooth(level, true);
    level.apply(level.x, level.q);
    const Index n = level.b.size();
    count(level, 4);
    kernels_.weighted_residual(device_, n, level.weights.data(), level.b.data(), level.q.data(), level.d.data());
    if (l + 1 < levels_.size()) {
      Level<Real>& next = levels_[l + 1];
      level.transfer->sum_transposed(level.d, next.b);
      gather(next.A->constraints(), next.b);
      run(l + 1);
      follow(next.A->constraints(), next.x);
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
    level.transfer->sum_transposed(level.d, coarse_);
    gather(*coarse_fixed_, coarse_);
    count_conversion(2 * n);
    kernels_.to_double(device_, n, coarse_.data(), coarse_b_.data());
    coarse_fixed_->set_zero(coarse_b_);
    aggregation_->apply(coarse_b_, coarse_x_);
    coarse_fixed_->set_linear(coarse_x_);
    kernels_.from_double(device_, n, coarse_x_.data(), coarse_.data());
    level.transfer->sum_interpolated(coarse_, level.q);
  }

  static void gather(const Constraints& constraints, Array<Real>& b) {
    if (constraints.dependent() != nullptr) constraints.dependent()->gather(b);
  }
  static void follow(const Constraints& constraints, Array<Real>& x) {
    if (constraints.dependent() != nullptr) constraints.dependent()->set_linear(x);
  }

  PMultigridOptions options_;
  Device device_;
  const PCycleKernels<Real>& kernels_;
  double pivot_ = 0;
  std::vector<int> orders_;
  std::vector<Level<Real>> levels_;
  std::vector<std::unique_ptr<FunctionSpace>> spaces_;  // of the coarser levels, as the two below
  std::vector<std::unique_ptr<Constraints>> fixed_;
  std::vector<std::unique_ptr<Operator>> equations_;
  std::vector<std::unique_ptr<MatrixFree>> operators_;  // of the levels between the finest and the coarsest
  std::optional<SparseMatrix> coarsest_;
  std::optional<SmoothedAggregation> aggregation_;
  const Constraints* coarse_fixed_ = nullptr;
  Vector coarse_b_, coarse_x_;
  Array<Real> coarse_;
  Recording recording_;
  std::optional<FinestArguments> recorded_for_;
  Index bytes_ = 0;  // that kernels of a cycle read and write
};

}  // namespace

struct PMultigrid::Hierarchy {
  const MatrixFree& A;
  std::optional<Cycle<double>> in_double;
  std::optional<Cycle<float>> in_single;
};

PMultigrid::PMultigrid(const MatrixFree& A, const PMultigridOptions& options) {
  if (A.equations().space().order() < 2)
    throw Error(Exit::internal, "p-multigrid on a space of order 1", {}, "use smoothed aggregation");
  if (options.coarsest.smoothing_degree < 1 || !(options.coarsest.smoothing_ratio > 1))
    throw Error(Exit::input,
                fmt::format("p-multigrid with smoothing degree {} and ratio {}", options.coarsest.smoothing_degree,
                            options.coarsest.smoothing_ratio),
                {}, "use a degree of at least 1 and a ratio above 1");
  const LongWork here;
  hierarchy_.reset(new Hierarchy{A, {}, {}});
  if (options.single_precision && A.equations().can_act_in_single()) hierarchy_->in_single.emplace(A, options);
  else hierarchy_->in_double.emplace(A, options);
}

PMultigrid::~PMultigrid() = default;

SpaceOptions PMultigrid::coarser_order(const FunctionSpace& space) {
  const bool mesh_is_linear =
      std::ranges::all_of(space.mesh().blocks(), [](const CellBlock& block) { return traits(block.kind).order == 1; });
  return {.order = space.order() > 3 ? space.order() / 2 : mesh_is_linear ? 0 : 1, .elements = {}, .beside = &space};
}

const Device& PMultigrid::device() const { return hierarchy_->A.device(); }
Index PMultigrid::rows() const { return hierarchy_->A.rows(); }

void PMultigrid::apply(const Vector& b, Vector& x) const {
  if (b.size() != rows()) throw_size_mismatch(rows(), b.size());
  if (x.size() != rows()) throw_size_mismatch(rows(), x.size());
  const auto run = [&](auto& cycle) {
    cycle.apply(b, x);
    hierarchy_->A.constraints().apply_pivot(1 / cycle.pivot(), b, x);
  };
  if (hierarchy_->in_single) run(*hierarchy_->in_single);
  else run(*hierarchy_->in_double);
}

std::vector<int> PMultigrid::orders() const {
  return hierarchy_->in_single ? hierarchy_->in_single->orders() : hierarchy_->in_double->orders();
}

std::string PMultigrid::name() const {
  std::string text = "p-multigrid";
  for (std::size_t i = 0; i < orders().size(); ++i)
    text += fmt::format("{} {}", i == 0 ? " of orders" : ",", orders()[i]);
  const int nested =
      hierarchy_->in_single ? hierarchy_->in_single->nested_levels() : hierarchy_->in_double->nested_levels();
  if (nested > 0) text += fmt::format(" over {} nested meshes", nested);
  if (hierarchy_->in_single) text += ", single precision";
  const std::string& not_recorded =
      hierarchy_->in_single ? hierarchy_->in_single->not_recorded() : hierarchy_->in_double->not_recorded();
  return text + (not_recorded.empty() ? "" : ", without a CUDA graph: " + not_recorded);
}

}  // namespace ritz

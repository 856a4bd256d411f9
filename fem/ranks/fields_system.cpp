#include "fem/ranks/fields_system.hpp"

#include "device/communicator.hpp"
#include "device/host_memory.hpp"
#include "fem/ranks/rank_system.hpp"
#include "solvers/algebra/block_rows.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/linear/chosen_preconditioner.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

std::size_t entry(Index i) { return static_cast<std::size_t>(i); }

// All ranks meet the same error of the equations.
template <class Phase>
void agreed(const Phase& phase) {
  try {
    phase();
  } catch (const LostRank&) { throw; } catch (const Error& error) {
    if (error.exit() == Exit::input || error.exit() == Exit::model || error.exit() == Exit::not_converged)
      throw AgreedError(error);
    throw;
  }
}

// A field's part over ranks.
struct DividedPart {
  std::unique_ptr<DividedMatrix> matrix;
  Vector coordinates;  // [owned | ghosts] where it has any
  std::unique_ptr<LinearOperator> cycle;
  double factor = 1;
};

}  // namespace

// The share of a rank in the part of one field.
struct FieldsSystem::FieldShare {
  FieldCycle cycle = FieldCycle::polynomial;
  double factor = 1;
  std::vector<int> scaled_by;
  BlockRows rows;                   // of the part's matrix
  std::vector<double> coordinates;  // [owned node][dimension] for multigrid of nodes, with the next
  NestedLevels nested;
  std::vector<EdgeSpaceShare> edge_spaces;  // for auxiliary spaces
};

// Like BlockPreconditioner. Couplings are products with the whole matrix, of vectors that have the fields solved
// before.
class FieldsSystem::Preconditioner final : public LinearOperator {
 public:
  Preconditioner(const FieldsSystem& system, std::vector<FieldShare> fields)
      : K_(*system.K_), layout_(system.part_.owned()), triangle_(system.triangle_), parts_(fields.size()) {
    for (const int k : system.order_) make(k, system, std::exchange(fields[entry(k)], {}));
  }
  const Device& device() const override { return K_.device(); }
  Index rows() const override { return K_.rows(); }

  void apply(const Vector& x, Vector& y) const override {
    const int count = layout_.count();
    Vector product(device(), rows(), "vectors");
    y.fill_zero();
    for (int step = 0; step < count; ++step) {
      const int k = triangle_ == BlockTriangle::upper ? count - 1 - step : step;
      Vector own = layout_.part(x, k), solution(device(), own.size(), "vectors");
      if (triangle_ != BlockTriangle::none && step > 0) {
        K_.apply(y, product);
        axpy(-1, layout_.part(product, k), own);
      }
      parts_[entry(k)].cycle->apply(own, solution);
      axpby(0, own, parts_[entry(k)].factor, solution);
      layout_.put(solution, k, y);
    }
  }

  std::string name() const override {
    std::string text = triangle_ == BlockTriangle::none    ? "block diagonal ("
                       : triangle_ == BlockTriangle::lower ? "block lower triangular ("
                                                           : "block upper triangular (";
    for (std::size_t i = 0; i < parts_.size(); ++i) text += (i > 0 ? ", " : "") + parts_[i].cycle->name();
    return text + ")";
  }

 private:
  void make(int k, const FieldsSystem& system, FieldShare share) {
    Ranks& ranks = system.part_.ranks();
    DividedPart& part = parts_[entry(k)];
    part.matrix = divided_matrix(ranks, device(), std::exchange(share.rows, {}));
    return_freed_host_memory();
    SmoothedAggregationOptions options = multigrid_over_ranks(system.multigrid_);
    if (share.cycle == FieldCycle::nodes) {
      const Ghosts& ghosts = part.matrix->ghosts();
      const int dimension = system.part_.space(0).mesh().dimension();
      std::vector<double> coordinates = std::move(share.coordinates);
      coordinates.resize(entry(ghosts.size() * dimension));
      ghosts.fetch(coordinates, dimension);
      part.coordinates = Vector(device(), std::span<const double>(coordinates), "coordinates");
      options.coordinates = &part.coordinates;
      options.dimension = dimension;
      options.nested = [nested = share.nested] { return nested; };
    }
    if (share.cycle == FieldCycle::edges)
      part.cycle =
          std::make_unique<DividedEdgePreconditioner>(*part.matrix, std::move(share.edge_spaces), options, ranks);
    else
      part.cycle = preconditioner_of(
          *part.matrix,
          share.cycle == FieldCycle::polynomial ? PreconditionerKind::chebyshev : PreconditionerKind::multigrid,
          options);
    part.factor = share.factor;
    if (!share.scaled_by.empty()) part.factor /= scale(k, share.scaled_by);
  }

  double scale(int k, const std::vector<int>& fields) const {
    Vector x(device(), layout_.size(k), "vectors"), whole(device(), rows(), "vectors"),
        product(device(), rows(), "vectors");
    const auto schur = [&](const Vector& v, Vector& y) {
      whole.fill_zero();
      layout_.put(v, k, whole);
      K_.apply(whole, product);
      whole.fill_zero();
      for (const int j : fields) {
        Vector z(device(), layout_.size(j), "vectors");
        parts_[entry(j)].cycle->apply(layout_.part(product, j), z);
        layout_.put(z, j, whole);
      }
      K_.apply(whole, product);
      layout_.take(product, k, y);
    };
    return largest_ratio(schur, *parts_[entry(k)].cycle, x);
  }

  const DividedMatrix& K_;
  const BlockLayout layout_;
  const BlockTriangle triangle_;
  std::vector<DividedPart> parts_;
};

FieldsSystem::FieldsSystem(const LocalFields& part, const std::vector<std::vector<std::uint8_t>>& held,
                           const FieldsPlan& plan, const FieldsCalls& calls)
    : part_(part), multigrid_(plan.multigrid) {
  agreed([&] { assemble(held, plan, calls); });
  part.device().memory().trim();
  return_freed_host_memory();
}

FieldsSystem::~FieldsSystem() = default;

// The part's matrix goes before that of the rank's rows is made on the device.
void FieldsSystem::assemble(const std::vector<std::vector<std::uint8_t>>& held, const FieldsPlan& plan,
                            const FieldsCalls& calls) {
  const MixedOperator& equations = part_.equations();
  Profile& profile = part_.device().profile();
  BlockRows rows;
  {
    std::optional<Profile::Phase> phase(std::in_place, profile, "assembly");
    BlockOperator K = equations.make_matrix();
    equations.assemble({}, K);
    equations.forget_assembly();
    std::vector<Index> owned;
    for (int k = 0; k < equations.field_count(); ++k) owned.push_back(part_.owned().size(k));
    sizes_.emplace(K, owned);
    const MixedConstraints supports = part_.supports(held);
    if (plan.shape) {
      phase.emplace(profile, "set-up");
      const FieldBlocks parts(equations, supports, K, sizes_->pivot(), *plan.shape, &part_.ghosts());
      order_ = parts.order();
      triangle_ = parts.triangle();
      for (int k = 0; k < equations.field_count(); ++k) fields_.push_back(share_of(k, parts, supports[k], plan, calls));
    } else {
      supports.eliminate(K, sizes_->pivot());
    }
    const std::vector<Index> places = part_.places();
    const RowsOfFields all(K);
    for (int k = 0; k < equations.field_count(); ++k) all.append(k, 0, owned[entry(k)], places, rows);
  }
  equations.forget_assembly();
  return_freed_host_memory();
  K_ = divided_matrix(part_.ranks(), part_.device(), std::move(rows));
}

FieldsSystem::FieldShare FieldsSystem::share_of(int k, const FieldBlocks& parts, const Constraints& supports,
                                                const FieldsPlan& plan, const FieldsCalls& calls) const {
  const FieldBlock& part = parts.of_field(k);
  const FunctionSpace& space = part_.space(k);
  const Index owned = part_.ghosts(k).owned();
  FieldShare share{
      .cycle = part.cycle, .factor = part.factor, .scaled_by = part.scaled_by, .rows = parts.owned_rows(k)};
  if (part.cycle == FieldCycle::edges)
    share.edge_spaces = edge_spaces(*part.matrix, space, supports, owned, calls.corners(k), part_.ranks());
  if (part.cycle != FieldCycle::nodes) return share;
  for (Index node = 0; node < owned; ++node) {
    const Point x = space.point(static_cast<Node>(node));
    share.coordinates.insert(share.coordinates.end(), x.begin(), x.begin() + space.mesh().dimension());
  }
  if (plan.multigrid.levels != MultigridLevels::aggregation) share.nested = calls.nesting(k);
  return share;
}

void FieldsSystem::product(const Vector& x, Vector& y) const { K_->apply(x, y); }

SolveReport FieldsSystem::factorise(const Vector& b, Vector& x, const FieldsFactorisation& how,
                                    const std::function<void(const std::string&)>& say) const {
  DirectSolver solver(*K_, how.kind,
                      {.memory_limit = how.memory_limit, .operations_limit = how.operations_limit, .say = say});
  solver.relative = how.relative;
  solver.rounding_error = how.rounding_error;
  SolveReport report = solver.solve(b, x);
  solver.end();
  const Communicator all(part_.device());
  report.memory_needed = all.total(report.memory_needed);
  report.memory_used = all.total(report.memory_used);
  return report;
}

SolveReport FieldsSystem::iterate(LinearMethod method, const Vector& b, Vector& x, const KrylovOptions& options) {
  if (!M_) make_preconditioner();
  auto phase = part_.device().profile().phase("iteration");
  SolveReport report = solve_by(method, *K_, b, x, M_.get(), options);
  report.preconditioner = M_->name();
  return report;
}

void FieldsSystem::make_preconditioner() {
  auto phase = part_.device().profile().phase("set-up");
  agreed([&] { M_ = std::make_unique<Preconditioner>(*this, std::exchange(fields_, {})); });
}

std::string FieldsSystem::memory() const { return arrays_of_ranks(part_.ranks(), part_.device()); }

// The number of the rank with the most.
std::string FieldsSystem::description() const {
  const auto most = [this](Index mine) { return std::ranges::max(part_.ranks().of_all(mine)); };
  const Index unknowns = most(part_.owned().total()), cells = most(part_.cell_count()),
              ghosts = most(K_->ghosts().count()), neighbours = most(std::ssize(K_->ghosts().neighbours()));
  return fmt::format("{} ranks by {}: at most {} unknowns, {} ghosts, {} cells and {} neighbours each",
                     part_.ranks().count(), part_.ranks().transport(), unknowns, ghosts, cells, neighbours);
}

}  // namespace ritz

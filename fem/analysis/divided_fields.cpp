#include "fem/analysis/divided_fields.hpp"

#include "device/communicator.hpp"
#include "device/ranks/packed.hpp"
#include "fem/analysis/divided_edges.hpp"
#include "fem/analysis/divided_system.hpp"
#include "fem/analysis/rank_orders.hpp"
#include "fem/space/nested_nodes.hpp"
#include "solvers/algebra/block_rows.hpp"
#include "solvers/algebra/rank_rows.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/linear/divided_preconditioner.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

constexpr std::string_view mark = "fields ";  // no order of a RankHelper begins like this
enum class FieldsOrder : std::uint8_t { factorise, iterate, end };

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The first message to every rank.
struct SharePlan {
  std::vector<Index> unknowns;  // [field] of this rank
  std::vector<int> order;       // in which parts are made; empty: no preconditioner
  BlockTriangle triangle = BlockTriangle::none;
  int dimension = 0;
  SmoothedAggregationOptions multigrid = {};
};

// The share of a rank in the part of one field.
struct FieldShare {
  FieldCycle cycle = FieldCycle::polynomial;
  double factor = 1;
  std::vector<int> scaled_by;
  BlockRows rows;                   // of the part's matrix
  std::vector<double> coordinates;  // [owned node][dimension] for multigrid of nodes, with the next
  DividedNesting nesting;
  std::vector<EdgeSpaceShare> edge_spaces;  // for auxiliary spaces
};

std::string packed(const SharePlan& plan) {
  Packed to;
  to.add(plan.unknowns).add(plan.order).add(plan.triangle).add(plan.dimension);
  add(to, plan.multigrid);
  return to.take();
}

SharePlan share_plan(std::string_view text) {
  Unpacked from(text);
  SharePlan plan{.unknowns = from.list<Index>(), .order = from.list<int>()};
  from.get(plan.triangle);
  from.get(plan.dimension);
  get(from, plan.multigrid);
  return plan;
}

std::string packed(const BlockRows& rows) {
  Packed to;
  add(to, rows);
  return to.take();
}

std::string packed(const FieldShare& share) {
  Packed to;
  to.add(share.cycle).add(share.factor).add(share.scaled_by).add(share.coordinates);
  add(to, share.rows);
  add(to, share.nesting);
  add(to, share.edge_spaces);
  return to.take();
}

BlockRows block_rows_of(const std::string& text) {
  Unpacked from(text);
  return unpacked_block_rows(from);
}

FieldShare field_share(const std::string& text) {
  Unpacked from(text);
  FieldShare share;
  from.get(share.cycle);
  from.get(share.factor);
  share.scaled_by = from.list<int>();
  share.coordinates = from.list<double>();
  share.rows = unpacked_block_rows(from);
  share.nesting = unpacked_nesting(from);
  share.edge_spaces = unpacked_edge_spaces(from);
  return share;
}

// Deals one matrix after the other out, so that few copies are there at a time.
class Dealer {
 public:
  Dealer(const MixedOperator& equations, const MixedConstraints& supports, const MixedParts* parts,
         const LinearSolverOptions& options, const Ranks& ranks)
      : equations_(equations),
        parts_(parts),
        options_(options),
        ranks_(ranks.count()),
        edge_spaces_(at(equations.field_count())) {
    for (int k = 0; k < equations.field_count(); ++k) {
      const FunctionSpace& space = equations.space(k);
      pieces_.push_back(equal_parts(space, ranks_));
      for (Index& each : pieces_.back()) each *= space.components();  // whole nodes
      if (parts == nullptr || parts->of_field(k).cycle != FieldCycle::edges) continue;
      each_edge_space(*parts->of_field(k).matrix, space, supports[k],
                      [&](EdgeSpace made) { edge_spaces_[at(k)].push_back(std::move(made)); });
      if (const Index corners = edge_spaces_[at(k)].front().matrix.rows(); corners < ranks_)
        refuse_ranks(ranks, fmt::format("an iteration over the edges between {} corners", corners),
                     "start fewer ranks");
    }
  }

  // [unknown] its number among those of the ranks, one after the other.
  std::vector<Index> places() const {
    std::vector<Index> place(at(equations_.layout().total()));
    Index next = 0;
    for (std::size_t rank = 0; rank + 1 < pieces_.front().size(); ++rank)
      for (int k = 0; k < equations_.field_count(); ++k)
        for (Index i = begin(int(rank), k); i < end(int(rank), k); ++i)
          place[at(equations_.layout().first(k) + i)] = next++;
    return place;
  }

  SharePlan plan_of(int rank) const {
    SharePlan plan{.unknowns = {},
                   .order = {},
                   .dimension = equations_.space(0).mesh().dimension(),
                   .multigrid = options_.multigrid};
    for (int k = 0; k < equations_.field_count(); ++k) plan.unknowns.push_back(end(rank, k) - begin(rank, k));
    if (parts_ == nullptr) return plan;
    plan.order = parts_->order();
    plan.triangle = parts_->triangle();
    return plan;
  }

  // Rows of one field.
  BlockRows rows_of(int rank, int k, const RowsOfFields& K, const std::vector<Index>& place) const {
    BlockRows rows;
    K.append(k, begin(rank, k), end(rank, k), place, rows);
    return rows;
  }

  // all: rows of the part's matrix; nestings: [rank], or empty.
  FieldShare field_of(int rank, int k, const RowsOfMatrix& all, const std::vector<DividedNesting>& nestings) const {
    const FieldPart& part = parts_->of_field(k);
    const int width = part.matrix->block_size();
    FieldShare share{.cycle = part.cycle,
                     .factor = part.factor,
                     .scaled_by = part.scaled_by,
                     .rows = all.range(begin(rank, k) / width, end(rank, k) / width),
                     .edge_spaces = share_of(rank, ranks_, begin(rank, k), end(rank, k), edge_spaces_[at(k)])};
    if (part.cycle != FieldCycle::nodes) return share;
    const FunctionSpace& space = equations_.space(k);
    for (Index node = begin(rank, k) / space.components(); node < end(rank, k) / space.components(); ++node) {
      const Point x = space.point(static_cast<Node>(node));
      share.coordinates.insert(share.coordinates.end(), x.begin(), x.begin() + space.mesh().dimension());
    }
    if (!nestings.empty()) share.nesting = nestings[at(rank)];
    return share;
  }

  // [rank] nested levels of a field with multigrid of nodes, where it has any; else empty.
  std::vector<DividedNesting> nestings_of(int k) const {
    if (parts_->of_field(k).cycle != FieldCycle::nodes || options_.multigrid.levels == MultigridLevels::aggregation)
      return {};
    const FunctionSpace& space = equations_.space(k);
    const NestedLevels levels = nested_nodes(space);
    if (levels == nullptr) return {};
    return divide(*levels, equal_parts(space, ranks_), space.components(), replicated_unknowns());
  }

 private:
  Index begin(int rank, int k) const { return pieces_[at(k)][at(rank)]; }
  Index end(int rank, int k) const { return pieces_[at(k)][at(rank) + 1]; }

  const MixedOperator& equations_;
  const MixedParts* parts_;
  const LinearSolverOptions& options_;
  int ranks_;
  std::vector<std::vector<Index>> pieces_;           // [field][rank + 1] unknowns
  std::vector<std::vector<EdgeSpace>> edge_spaces_;  // [field]
};

// A field's part over ranks.
struct DividedPart {
  std::unique_ptr<DividedMatrix> matrix;
  Vector coordinates;  // [owned | ghosts] where it has any
  std::unique_ptr<LinearOperator> cycle;
  double factor = 1;
};

// Like BlockPreconditioner. Couplings are products with the whole matrix, of vectors that have the fields solved
// before.
class DividedBlockPreconditioner final : public LinearOperator {
 public:
  DividedBlockPreconditioner(const DividedMatrix& K, const BlockLayout& layout, const SharePlan& plan,
                             std::vector<FieldShare> fields, Ranks& ranks)
      : K_(K), layout_(layout), triangle_(plan.triangle), parts_(fields.size()) {
    for (const int k : plan.order) make(k, plan, std::exchange(fields[at(k)], {}), ranks);
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
      parts_[at(k)].cycle->apply(own, solution);
      axpby(0, own, parts_[at(k)].factor, solution);
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
  void make(int k, const SharePlan& plan, FieldShare share, Ranks& ranks) {
    DividedPart& part = parts_[at(k)];
    part.matrix = divided_matrix(ranks, device(), std::exchange(share.rows, {}));
    DividedAggregationOptions options{.multigrid = plan.multigrid, .replicated = replicated_unknowns()};
    if (share.cycle == FieldCycle::nodes) {
      const Ghosts& ghosts = part.matrix->ghosts();
      std::vector<double> coordinates = share.coordinates;
      coordinates.resize(at(ghosts.size() * plan.dimension));
      ghosts.fetch(coordinates, plan.dimension);
      part.coordinates = Vector(device(), std::span<const double>(coordinates), "coordinates");
      options.multigrid.coordinates = &part.coordinates;
      options.multigrid.dimension = plan.dimension;
      options.nesting = &share.nesting;
    }
    options.multigrid.half_storage = false;
    if (share.cycle == FieldCycle::edges)
      part.cycle =
          std::make_unique<DividedEdgePreconditioner>(*part.matrix, std::move(share.edge_spaces), options, ranks);
    else
      part.cycle = divided_preconditioner(
          *part.matrix,
          share.cycle == FieldCycle::polynomial ? PreconditionerKind::chebyshev : PreconditionerKind::multigrid,
          PreconditionerBasis::matrix, options);
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
        parts_[at(j)].cycle->apply(layout_.part(product, j), z);
        layout_.put(z, j, whole);
      }
      K_.apply(whole, product);
      layout_.take(product, k, y);
    };
    return largest_ratio(schur, *parts_[at(k)].cycle, x);
  }

  const DividedMatrix& K_;
  const BlockLayout layout_;
  const BlockTriangle triangle_;
  std::vector<DividedPart> parts_;
};

}  // namespace

// The share of a rank in the system. All ranks make theirs and call each function together.
class DividedFields::Share {
 public:
  Share(Ranks& ranks, const Device& device, SharePlan plan, BlockRows rows)
      : ranks_(ranks), layout_(plan.unknowns), plan_(std::move(plan)), K_(divided_matrix(ranks, device, rows)) {}
  void take(FieldShare field) { fields_.push_back(std::move(field)); }  // one after the other

  const Device& device() const { return K_->device(); }
  Index owned() const { return K_->rows(); }
  RankRows rows() const { return {.ranks = &ranks_, .first = K_->ghosts().first()}; }

  SolveReport factorise(const Vector& b, Vector& x, const Factorisation& how,
                        const std::function<void(const std::string&)>& say) {
    const WorkTogether together(&ranks_);
    DirectSolver solver(*K_, how.kind,
                        {.memory_limit = how.memory_limit, .operations_limit = how.operations_limit, .say = say});
    solver.relative = how.relative;
    solver.rounding_error = how.rounding_error;
    SolveReport report = solver.solve(b, x);
    solver.end();
    const Communicator all(device());
    report.memory_needed = all.total(report.memory_needed);
    report.memory_used = all.total(report.memory_used);
    return report;
  }

  SolveReport iterate(LinearMethod method, const Vector& b, Vector& x, const KrylovOptions& options) {
    const WorkTogether together(&ranks_);
    if (!M_) {
      auto phase = device().profile().phase("set-up");
      make_preconditioner();
    }
    auto phase = device().profile().phase("iteration");
    SolveReport report = solve_by(method, *K_, b, x, M_.get(), options);
    report.preconditioner = M_->name();
    return report;
  }

  std::string memory() const { return arrays_of_ranks(ranks_, device()); }

  // The number of the rank with the most.
  std::string description() const {
    const auto most = [this](Index mine) { return std::ranges::max(ranks_.of_all(mine)); };
    const Index unknowns = most(owned()), ghosts = most(K_->ghosts().count()),
                neighbours = most(std::ssize(K_->ghosts().neighbours()));
    return fmt::format(
        "{} ranks by {}: at most {} unknowns, {} ghosts and {} neighbours each, of a matrix that the "
        "first one has assembled",
        ranks_.count(), ranks_.transport(), unknowns, ghosts, neighbours);
  }

 private:
  // All ranks meet the same error where a part is not positive definite.
  void make_preconditioner() {
    try {
      M_ = std::make_unique<DividedBlockPreconditioner>(*K_, layout_, plan_, std::exchange(fields_, {}), ranks_);
    } catch (const LostRank&) { throw; } catch (const Error& error) {
      if (error.exit() == Exit::model || error.exit() == Exit::not_converged) throw AgreedError(error);
      throw;
    }
  }

  Ranks& ranks_;
  const BlockLayout layout_;
  const SharePlan plan_;
  std::vector<FieldShare> fields_;  // until their parts are made
  std::unique_ptr<DividedMatrix> K_;
  std::unique_ptr<DividedBlockPreconditioner> M_;
};

void check_divisible(const MixedOperator& equations, const Ranks& ranks) {
  for (int k = 0; k < equations.field_count(); ++k)
    if (equations.space(k).node_count() < ranks.count())
      refuse_ranks(ranks,
                   fmt::format("a field '{}' of {} nodes", equations.field_name(k), equations.space(k).node_count()),
                   "start fewer ranks");
}

DividedFields::DividedFields(const MixedOperator& equations, const MixedConstraints& supports, const BlockOperator& K,
                             const MixedParts* parts, const LinearSolverOptions& options, Ranks& ranks)
    : ranks_(ranks), say_(options.say) {
  check_divisible(equations, ranks);
  auto phase = equations.device().profile().phase("cut");
  const Dealer dealer(equations, supports, parts, options, ranks);
  place_ = dealer.places();
  for (int rank = 1; rank < ranks.count(); ++rank) ranks.send(rank, std::string(mark) + packed(dealer.plan_of(rank)));
  {
    const RowsOfFields all(K);
    BlockRows mine;
    for (int k = 0; k < equations.field_count(); ++k) {  // one after the other, so that few copies are there at a time
      for (int rank = 1; rank < ranks.count(); ++rank) ranks.send(rank, packed(dealer.rows_of(rank, k, all, place_)));
      mine.append(dealer.rows_of(0, k, all, place_));
    }
    own_ = std::make_unique<Share>(ranks, equations.device(), dealer.plan_of(0), std::move(mine));
  }
  for (int k = 0; parts != nullptr && k < equations.field_count(); ++k) {
    const RowsOfMatrix all(*parts->of_field(k).matrix);
    const std::vector<DividedNesting> nestings = dealer.nestings_of(k);
    for (int rank = 1; rank < ranks.count(); ++rank) ranks.send(rank, packed(dealer.field_of(rank, k, all, nestings)));
    own_->take(dealer.field_of(0, k, all, nestings));
  }
  const std::string text = own_->description();
  if (say_) say_(text);
}

DividedFields::~DividedFields() {
  try {
    order_all(ranks_, Packed().add(FieldsOrder::end).take());
  } catch (const Error&) {  // the job ends
  }
}

namespace {

// [unknown] as the ranks number them.
std::vector<double> placed(const Vector& whole, const std::vector<Index>& place) {
  const std::vector<double> values = whole.host();
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[at(place[i])] = values[i];
  return result;
}

// The part of this rank; all: on the first one.
Vector dealt(const RankRows& rows, const Device& device, std::span<const double> all) {
  std::vector<double> mine(at(rows.count()));
  rows.deal(all, mine);
  return Vector(device, std::span<const double>(mine), "vectors");
}

}  // namespace

SolveReport DividedFields::solve(const Vector& b, Vector& x,
                                 const std::function<SolveReport(const Vector& b, Vector& x)>& by_all) const {
  const RankRows rows = own_->rows();
  const Vector mine = dealt(rows, own_->device(), placed(b, place_));
  Vector solution = dealt(rows, own_->device(), placed(x, place_));
  const SolveReport report = by_all(mine, solution);
  std::vector<double> all(place_.size()), values(place_.size());
  rows.collect(solution.host(), all);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = all[at(place_[i])];
  x.upload(values);
  const std::string memory = own_->memory();
  if (say_ && !std::exchange(told_, true)) say_(memory);
  return report;
}

SolveReport DividedFields::factorise(const Vector& b, Vector& x, const Factorisation& how) const {
  if (say_) say_(fmt::format("{} ranks factorise together: the last digits differ from run to run", ranks_.count()));
  order_all(ranks_, Packed().add(FieldsOrder::factorise).add(how).take());
  return solve(b, x, [&](const Vector& mine, Vector& y) { return own_->factorise(mine, y, how, say_); });
}

SolveReport DividedFields::iterate(LinearMethod method, const Vector& b, Vector& x,
                                   const KrylovOptions& options) const {
  order_all(ranks_, Packed()
                        .add(FieldsOrder::iterate)
                        .add(method)
                        .add(options.relative)
                        .add(options.max_iterations)
                        .add(options.restart)
                        .take());
  return solve(b, x, [&](const Vector& mine, Vector& y) { return own_->iterate(method, mine, y, options); });
}

bool is_order_of_fields(std::string_view order) { return order.starts_with(mark); }

void help_with_fields(Ranks& ranks, const Device& device, const std::string& order) {
  SharePlan plan = share_plan(std::string_view(order).substr(mark.size()));
  const std::size_t parts = plan.order.size();
  BlockRows rows;
  for (std::size_t field = 0; field < plan.unknowns.size(); ++field) rows.append(block_rows_of(ranks.wait(0)));
  DividedFields::Share share(ranks, device, std::move(plan), std::move(rows));
  for (std::size_t part = 0; part < parts; ++part) share.take(field_share(ranks.wait(0)));
  share.description();
  while (true) {
    const std::string text = ranks.wait(0);
    Unpacked from(text);
    const auto what = from.get<FieldsOrder>();
    if (what == FieldsOrder::end) return;
    try {
      const auto how =
          what == FieldsOrder::factorise ? from.get<DividedFields::Factorisation>() : DividedFields::Factorisation{};
      LinearMethod method{};
      KrylovOptions options{};
      if (what == FieldsOrder::iterate) {
        from.get(method);
        from.get(options.relative);
        from.get(options.max_iterations);
        from.get(options.restart);
      }
      const Vector b = dealt(share.rows(), device, {});
      Vector x = dealt(share.rows(), device, {});
      if (what == FieldsOrder::factorise) share.factorise(b, x, how, {});
      else share.iterate(method, b, x, options);
      share.rows().collect(x.host(), {});
      share.memory();
    } catch (const AgreedError&) {  // the first rank goes on as it decides
    }
  }
}

}  // namespace ritz

#include "fem/analysis/divided_fields.hpp"

#include "device/communicator.hpp"
#include "device/ranks/packed.hpp"
#include "fem/analysis/divided_system.hpp"
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
enum class Order : std::uint8_t { factorise, iterate, end };

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// [rank + 1] unknowns of a field, of whole nodes.
std::vector<Index> pieces_of(const FunctionSpace& space, int ranks) {
  std::vector<Index> first = equal_parts(space, ranks);
  for (Index& each : first) each *= space.components();
  return first;
}

// The share of a rank in one field.
struct FieldShare {
  Index unknowns = 0;
  FieldCycle cycle = FieldCycle::polynomial;
  double factor = 1;
  std::vector<int> scaled_by;
  BlockRows rows;                   // of the part's matrix
  std::vector<double> coordinates;  // [owned node][dimension] for multigrid of nodes, with the next
  DividedNesting nesting;
};

struct ShareData {
  BlockRows rows;  // of the whole matrix, in scalars
  std::vector<FieldShare> fields;
  std::vector<int> order;  // empty: no preconditioner
  BlockTriangle triangle = BlockTriangle::none;
  int dimension = 0;
  SmoothedAggregationOptions multigrid = {};
};

std::string packed(const ShareData& data) {
  const SmoothedAggregationOptions& m = data.multigrid;
  Packed to;
  add(to, data.rows);
  to.add(data.order).add(data.triangle).add(data.dimension).add(m.single_precision).add(m.strength);
  to.add(m.smoothing_degree).add(m.smoothing_ratio).add(m.coarsest_size).add(m.max_levels).add(m.levels);
  to.add(data.fields.size());
  for (const FieldShare& each : data.fields) {
    to.add(each.unknowns).add(each.cycle).add(each.factor).add(each.scaled_by).add(each.coordinates);
    add(to, each.rows);
    add(to, each.nesting);
  }
  return to.take();
}

ShareData share_data(std::string_view text) {
  Unpacked from(text);
  ShareData data;
  SmoothedAggregationOptions& m = data.multigrid;
  data.rows = unpacked_block_rows(from);
  data.order = from.list<int>();
  from.get(data.triangle);
  from.get(data.dimension);
  from.get(m.single_precision);
  from.get(m.strength);
  from.get(m.smoothing_degree);
  from.get(m.smoothing_ratio);
  from.get(m.coarsest_size);
  from.get(m.max_levels);
  from.get(m.levels);
  data.fields.resize(from.get<std::size_t>());
  for (FieldShare& each : data.fields) {
    from.get(each.unknowns);
    from.get(each.cycle);
    from.get(each.factor);
    each.scaled_by = from.list<int>();
    each.coordinates = from.list<double>();
    each.rows = unpacked_block_rows(from);
    each.nesting = unpacked_nesting(from);
  }
  return data;
}

// Deals a matrix of all fields out, and the matrices of their parts.
class Dealer {
 public:
  Dealer(const MixedOperator& equations, const BlockOperator& K, const MixedParts* parts,
         const LinearSolverOptions& options, const std::vector<Index>& place, int ranks)
      : equations_(equations), place_(place), parts_(parts), options_(options), matrix_(host_matrix(K)) {
    for (int k = 0; k < equations.field_count(); ++k) {
      pieces_.push_back(pieces_of(equations.space(k), ranks));
      of_parts_.push_back(parts != nullptr ? block_rows(*parts->of_field(k).matrix) : BlockRows());
      nestings_.push_back(nestings_of(k, ranks));
    }
  }

  ShareData share_of(int rank) const {
    ShareData data{
        .rows = rows_of(rank), .dimension = equations_.space(0).mesh().dimension(), .multigrid = options_.multigrid};
    if (parts_ != nullptr) {
      data.order = parts_->order();
      data.triangle = parts_->triangle();
    }
    for (int k = 0; k < equations_.field_count(); ++k) data.fields.push_back(field_of(rank, k));
    return data;
  }

 private:
  Index begin(int rank, int k) const { return pieces_[at(k)][at(rank)]; }
  Index end(int rank, int k) const { return pieces_[at(k)][at(rank) + 1]; }

  BlockRows rows_of(int rank) const {
    BlockRows rows;
    for (int k = 0; k < equations_.field_count(); ++k)
      for (Index i = begin(rank, k); i < end(rank, k); ++i) {
        const Index row = equations_.layout().first(k) + i;
        for (Index e = matrix_.offsets[at(row)]; e < matrix_.offsets[at(row) + 1]; ++e) {
          rows.columns.push_back(static_cast<std::int32_t>(place_[at(matrix_.columns[at(e)])]));
          rows.values.push_back(matrix_.values[at(e)]);
        }
        rows.offsets.push_back(std::ssize(rows.columns));
      }
    return rows;
  }

  FieldShare field_of(int rank, int k) const {
    FieldShare share{.unknowns = end(rank, k) - begin(rank, k)};
    if (parts_ == nullptr) return share;
    const FieldPart& part = parts_->of_field(k);
    const BlockRows& all = of_parts_[at(k)];
    share.cycle = part.cycle;
    share.factor = part.factor;
    share.scaled_by = part.scaled_by;
    share.rows = all.range(begin(rank, k) / all.block, end(rank, k) / all.block);
    if (part.cycle != FieldCycle::nodes) return share;
    const FunctionSpace& space = equations_.space(k);
    for (Index node = begin(rank, k) / space.components(); node < end(rank, k) / space.components(); ++node) {
      const Point x = space.point(static_cast<Node>(node));
      share.coordinates.insert(share.coordinates.end(), x.begin(), x.begin() + space.mesh().dimension());
    }
    if (!nestings_[at(k)].empty()) share.nesting = nestings_[at(k)][at(rank)];
    return share;
  }

  // [rank] nested levels of a field with multigrid of nodes, where it has any; else empty.
  std::vector<DividedNesting> nestings_of(int k, int ranks) const {
    if (parts_ == nullptr || parts_->of_field(k).cycle != FieldCycle::nodes ||
        options_.multigrid.levels == MultigridLevels::aggregation)
      return {};
    const FunctionSpace& space = equations_.space(k);
    const NestedLevels levels = nested_nodes(space);
    if (levels == nullptr) return {};
    return divide(*levels, equal_parts(space, ranks), space.components(), replicated_unknowns());
  }

  const MixedOperator& equations_;
  const std::vector<Index>& place_;
  const MixedParts* parts_;
  const LinearSolverOptions& options_;
  HostMatrix matrix_;
  std::vector<std::vector<Index>> pieces_;             // [field][rank + 1]
  std::vector<BlockRows> of_parts_;                    // [field]
  std::vector<std::vector<DividedNesting>> nestings_;  // [field][rank]
};

// The numbers of the unknowns among those of the ranks, one after the other.
std::vector<Index> places(const MixedOperator& equations, int ranks) {
  std::vector<Index> place(at(equations.layout().total()));
  Index next = 0;
  for (int rank = 0; rank < ranks; ++rank)
    for (int k = 0; k < equations.field_count(); ++k) {
      const std::vector<Index> first = pieces_of(equations.space(k), ranks);
      for (Index i = first[at(rank)]; i < first[at(rank) + 1]; ++i) place[at(equations.layout().first(k) + i)] = next++;
    }
  return place;
}

BlockLayout layout_of(const std::vector<FieldShare>& fields) {
  std::vector<Index> sizes;
  for (const FieldShare& each : fields) sizes.push_back(each.unknowns);
  return BlockLayout(sizes);
}

// A field's part over ranks.
struct DividedPart {
  std::unique_ptr<DividedMatrix> matrix;
  Vector coordinates;  // [owned | ghosts] where it has any
  std::unique_ptr<LinearOperator> cycle;
  double factor = 1;
};

// As BlockPreconditioner. Couplings are products with the whole matrix, of vectors that have the fields solved before.
class DividedBlockPreconditioner final : public LinearOperator {
 public:
  DividedBlockPreconditioner(const DividedMatrix& K, BlockLayout layout, ShareData data, Ranks& ranks)
      : K_(K), layout_(std::move(layout)), triangle_(data.triangle), parts_(data.fields.size()) {
    for (const int k : data.order) make(k, data, ranks);
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
  void make(int k, const ShareData& data, Ranks& ranks) {
    const FieldShare& share = data.fields[at(k)];
    DividedPart& part = parts_[at(k)];
    part.matrix = divided_matrix(ranks, device(), share.rows);
    DividedAggregationOptions options{.multigrid = data.multigrid, .replicated = replicated_unknowns()};
    if (share.cycle == FieldCycle::nodes) {
      const Ghosts& ghosts = part.matrix->ghosts();
      std::vector<double> coordinates = share.coordinates;
      coordinates.resize(at(ghosts.size() * data.dimension));
      ghosts.fetch(coordinates, data.dimension);
      part.coordinates = Vector(device(), std::span<const double>(coordinates), "coordinates");
      options.multigrid.coordinates = &part.coordinates;
      options.multigrid.dimension = data.dimension;
      options.nesting = &share.nesting;
    }
    options.multigrid.half_storage = false;
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

// What a rank has of the system. All ranks make theirs and call each function together.
class DividedFields::Share {
 public:
  Share(Ranks& ranks, const Device& device, ShareData data)
      : ranks_(ranks), layout_(layout_of(data.fields)), data_(std::move(data)) {
    K_ = divided_matrix(ranks_, device, std::exchange(data_.rows, {}));
  }

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

  // Of the rank with the most.
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
      M_ = std::make_unique<DividedBlockPreconditioner>(*K_, layout_, std::exchange(data_, {}), ranks_);
    } catch (const LostRank&) { throw; } catch (const Error& error) {
      if (error.exit() == Exit::model || error.exit() == Exit::not_converged) throw AgreedError(error);
      throw;
    }
  }

  Ranks& ranks_;
  const BlockLayout layout_;
  ShareData data_;
  std::unique_ptr<DividedMatrix> K_;
  std::unique_ptr<DividedBlockPreconditioner> M_;
};

void check_divisible(const MixedOperator& equations, const LinearSolverOptions& options, const Ranks& ranks) {
  for (int k = 0; k < equations.field_count(); ++k) {
    if (equations.space(k).node_count() < ranks.count())
      refuse_ranks(ranks,
                   fmt::format("a field '{}' of {} nodes", equations.field_name(k), equations.space(k).node_count()),
                   "start fewer ranks");
    if (equations.family(k) == Family::edge && options.method != LinearMethod::direct &&
        options.method != LinearMethod::automatic)
      refuse_ranks(ranks, fmt::format("an iteration with the field '{}' on edges", equations.field_name(k)),
                   "take method = \"direct\", or one process");
  }
}

DividedFields::DividedFields(const MixedOperator& equations, const BlockOperator& K, const MixedParts* parts,
                             const LinearSolverOptions& options, Ranks& ranks)
    : ranks_(ranks), say_(options.say) {
  check_divisible(equations, options, ranks);
  for (int k = 0; parts != nullptr && k < equations.field_count(); ++k)
    if (parts->of_field(k).cycle == FieldCycle::edges)
      refuse_ranks(ranks, fmt::format("an iteration with the field '{}' on edges", equations.field_name(k)),
                   "take method = \"direct\", or one process");
  auto phase = equations.device().profile().phase("cut");
  place_ = places(equations, ranks.count());
  const Dealer dealer(equations, K, parts, options, place_, ranks.count());
  for (int rank = 1; rank < ranks.count(); ++rank) ranks.send(rank, std::string(mark) + packed(dealer.share_of(rank)));
  own_ = std::make_unique<Share>(ranks, equations.device(), dealer.share_of(0));
  const std::string text = own_->description();
  if (say_) say_(text);
}

DividedFields::~DividedFields() {
  try {
    order(Packed().add(Order::end).take());
  } catch (const Error&) {  // the job ends
  }
}

void DividedFields::order(const std::string& text) const {
  for (int rank = 1; rank < ranks_.count(); ++rank) ranks_.send(rank, text);
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
  return report;
}

SolveReport DividedFields::factorise(const Vector& b, Vector& x, const Factorisation& how) const {
  if (say_) say_(fmt::format("{} ranks factorise together: the last digits differ from run to run", ranks_.count()));
  order(Packed().add(Order::factorise).add(how).take());
  return solve(b, x, [&](const Vector& mine, Vector& y) { return own_->factorise(mine, y, how, say_); });
}

SolveReport DividedFields::iterate(LinearMethod method, const Vector& b, Vector& x,
                                   const KrylovOptions& options) const {
  order(Packed()
            .add(Order::iterate)
            .add(method)
            .add(options.relative)
            .add(options.max_iterations)
            .add(options.restart)
            .take());
  return solve(b, x, [&](const Vector& mine, Vector& y) { return own_->iterate(method, mine, y, options); });
}

bool is_order_of_fields(std::string_view order) { return order.starts_with(mark); }

void help_with_fields(Ranks& ranks, const Device& device, const std::string& order) {
  DividedFields::Share share(ranks, device, share_data(std::string_view(order).substr(mark.size())));
  share.description();
  while (true) {
    const std::string text = ranks.wait(0);
    Unpacked from(text);
    const auto what = from.get<Order>();
    if (what == Order::end) return;
    try {
      const auto how =
          what == Order::factorise ? from.get<DividedFields::Factorisation>() : DividedFields::Factorisation{};
      LinearMethod method{};
      KrylovOptions options{};
      if (what == Order::iterate) {
        from.get(method);
        from.get(options.relative);
        from.get(options.max_iterations);
        from.get(options.restart);
      }
      const Vector b = dealt(share.rows(), device, {});
      Vector x = dealt(share.rows(), device, {});
      if (what == Order::factorise) share.factorise(b, x, how, {});
      else share.iterate(method, b, x, options);
      share.rows().collect(x.host(), {});
    } catch (const AgreedError&) {  // the first rank goes on as it decides
    }
  }
}

}  // namespace ritz

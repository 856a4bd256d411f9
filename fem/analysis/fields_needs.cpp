#include "fem/analysis/fields_needs.hpp"

#include "device/error.hpp"
#include "fem/operator/fields_operator_needs.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/preconditioners/fields_system.hpp"
#include "fem/preconditioners/fields_preconditioner_needs.hpp"
#include "fem/ranks/space_part.hpp"
#include "solvers/direct/direct_solver.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace ritz {
namespace {

std::size_t at_place(Index i) { return static_cast<std::size_t>(i); }

Index krylov_vectors(const FieldsOperator& equations, const LinearSolverOptions& options) {
  const bool gmres = options.method == LinearMethod::gmres ||
                     (options.method == LinearMethod::automatic && !equations.facts().symmetric);
  return gmres ? 2 * ((options.restart + 8) / 8 * 8 + 4) : 8;
}

struct Peak {
  MemoryNeeds needs = {};
  const char* moment = "";
  void raise(const MemoryNeeds& more, const char* when) {
    if (more.total() > needs.total()) *this = {more, when};
  }
};

// Follows fem/preconditioners/fields_system.cpp: in one process beside what stands, or of the part of a rank, whose
// matrix and lists are those of the whole, shared out by the cells.
class FieldsForecaster {
 public:
  FieldsForecaster(const FieldsOperator& equations, MixedPath path, const LinearSolverOptions& options)
      : equations_(equations),
        direct_(path == MixedPath::direct),
        options_(options),
        matrix_(matrix_needs(equations)),
        lists_(list_needs(equations, true, true)),
        vector_lists_(list_needs(equations, false, true)) {
    for (const auto& [tag, bytes] : equations.device().memory().statistics().live_by_tag) standing_.bytes(tag, bytes);
  }

  Peak of(const FieldsShare& share) const {
    const auto part = [&](const MemoryNeeds& needs) { return scaled(needs, share.of_cells); };
    const bool divided = share.is_divided();
    MemoryNeeds begin = of_model(3);
    if (divided) begin += part(standing_) + standing_ + of_model(direct_ ? 0 : 2);
    const MemoryNeeds kept = begin + part(divided ? vector_lists_ : lists_);  // one process may assemble again
    const MemoryNeeds with_blocks = kept + part(matrix_);
    Peak peak;
    peak.raise(begin + part(lists_) + part(matrix_), "assembly");
    if (direct_) {
      peak.raise(divided ? kept + joined_rows(share) : with_blocks + joined_copy(), "factorisation");
      return peak;
    }
    const FieldsPreconditionerNeeds M = fields_preconditioner_needs(share, options_.multigrid);
    MemoryNeeds live = with_blocks;
    if (divided)
      live += vectors(share.unknowns(), 3) + vectors(share.unknowns() + share.unknowns_of_ghosts(), 1);  // of products
    peak.raise(live + M.set_up, "set-up");
    peak.raise(live + M.live + vectors(share.unknowns(), 3 + krylov_vectors(equations_, options_)), "iteration");
    return peak;
  }

 private:
  static MemoryNeeds vectors(Index unknowns, Index count) {
    return MemoryNeeds().array<double>("vectors", unknowns, count);
  }
  MemoryNeeds of_model(Index count) const { return vectors(equations_.layout().total(), count); }
  // The scalar copy of the blocks, with the columns of each entry and the places of rows; afterwards vectors of the
  // refinement.
  MemoryNeeds joined_copy() const {
    const Index entries = size_of_system(equations_).nonzeros;
    return MemoryNeeds()
        .array<double>("matrix", entries)
        .array<std::int32_t>("pattern", entries)
        .array<Index>("pattern", equations_.layout().total() + 1, 2);
  }
  MemoryNeeds joined_rows(const FieldsShare& share) const {
    const double row = double(matrix_.of("matrix")) / (8.0 * double(equations_.layout().total()));
    return FieldsShare::rows(share.unknowns(), share.unknowns_of_ghosts(), row, 1) + vectors(share.unknowns(), 4);
  }

  const FieldsOperator& equations_;
  bool direct_;
  LinearSolverOptions options_;
  MemoryNeeds matrix_, lists_, vector_lists_;  // of the whole: blocks; lists of all tasks, and of residuals and actions
  MemoryNeeds standing_;                       // now
};

// Nodes that each rank owns of each field, and those that cells join with them.
class FieldsOfRanks {
 public:
  FieldsOfRanks(const FieldsOperator& equations, int ranks) : equations_(equations), ranks_(ranks) {
    for (int k = 0; k < equations.field_count(); ++k) {
      if (equations.space(k).node_count() < ranks)
        throw Error(ErrorKind::environment,
                    fmt::format("a field '{}' of {} nodes is not divided among {} ranks",
                                equations.terms().field_name(k), equations.space(k).node_count(), ranks),
                    "each rank has its own nodes", "take fewer ranks");
      first_.push_back(equal_parts(equations.space(k), ranks));
    }
  }

  // With counts of nodes, cells and neighbours, and ghosts by field.
  std::vector<RankShare> count() {
    std::vector<RankShare> shares(at_place(ranks_));
    count_ghosts(shares);
    return shares;
  }
  FieldsShare of(int rank, const RankShare& counted, FieldsShare share) const {
    share.ranks = ranks_;
    share.ghosts = ghosts_[at_place(rank)];
    for (int k = 0; k < fields(); ++k) share.owned[at_place(k)] = nodes(rank, k);
    share.of_cells = double(counted.cells) / double(equations_.space(0).mesh().cell_count());
    return share;
  }

 private:
  int fields() const { return equations_.field_count(); }
  Index nodes(int rank, int k) const {
    return first_[at_place(k)][at_place(rank) + 1] - first_[at_place(k)][at_place(rank)];
  }
  int owner(int k, Node node) const {
    const std::vector<Index>& first = first_[at_place(k)];
    return static_cast<int>(std::ranges::upper_bound(first, Index{node}) - first.begin()) - 1;
  }

  // Nodes that cells join with those of a rank.
  void count_ghosts(std::vector<RankShare>& shares) {
    std::vector<std::set<std::pair<int, Node>>> reached(shares.size());
    std::vector<std::set<int>> neighbours(shares.size());
    std::vector<FunctionSpace::CellNodes> nodes_of;
    for (int k = 0; k < fields(); ++k) nodes_of.emplace_back(equations_.space(k));
    struct Owned {
      int field;
      Node node;
      int rank;
    };
    std::vector<Owned> around;
    std::vector<std::vector<int>> fields_on;  // [mesh]
    for (int k = 0; k < fields(); ++k) {
      const auto same = std::ranges::find_if(fields_on, [&](const std::vector<int>& others) {
        return equations_.space(others.front()).mesh() == equations_.space(k).mesh();
      });
      if (same != fields_on.end()) same->push_back(k);
      else fields_on.push_back({k});
    }
    for (const std::vector<int>& here : fields_on)
      for (Index cell = 0; cell < equations_.space(here.front()).mesh().cell_count(); ++cell) {
        around.clear();
        std::set<int> ranks;
        for (const int k : here)
          for (const Node node : nodes_of[at_place(k)](cell)) {
            around.push_back({k, node, owner(k, node)});
            ranks.insert(around.back().rank);
          }
        for (const int rank : ranks) {
          ++shares[at_place(rank)].cells;
          if (ranks.size() == 1) continue;
          for (const Owned& each : around)
            if (each.rank != rank) {
              reached[at_place(rank)].insert({each.field, each.node});
              neighbours[at_place(rank)].insert(each.rank);
            }
        }
      }
    ghosts_.assign(shares.size(), std::vector<Index>(at_place(fields()), 0));
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
      for (const auto& [field, node] : reached[rank]) ++ghosts_[rank][at_place(field)];
      for (int k = 0; k < fields(); ++k) shares[rank].nodes += nodes(static_cast<int>(rank), k);
      shares[rank].ghosts = std::ssize(reached[rank]);
      shares[rank].neighbours = static_cast<int>(neighbours[rank].size());
    }
  }

  const FieldsOperator& equations_;
  int ranks_;
  std::vector<std::vector<Index>> first_;   // [field][rank + 1] nodes
  std::vector<std::vector<Index>> ghosts_;  // [rank][field] nodes
};

}  // namespace

MixedPath first_path(const FieldsOperator& equations, const LinearSolverOptions& options) {
  const LinearMethod first = methods_of(equations, options, size_of_system(equations)).front().method;
  return first == LinearMethod::direct ? MixedPath::direct : MixedPath::iterative;
}

MemoryNeeds fields_needs(const FieldsOperator& equations, MixedPath path, const LinearSolverOptions& options) {
  return FieldsForecaster(equations, path, options).of(FieldsShare(equations)).needs;
}

FieldsFactorNeeds fields_factor_needs(const FieldsOperator& equations) {
  auto phase = equations.device().profile().phase("analysis");
  const SparseMatrix A = joined_matrix(equations.make_matrix());
  const Index copy = A.pattern().offsets().bytes() + A.pattern().columns().bytes() + A.values().bytes();
  return {DirectSolver::needs(A, equations.facts().symmetric ? DirectKind::symmetric : DirectKind::general).memory,
          A.device().is_gpu() ? 0 : 2 * copy};
}

RanksForecast forecast_ranks(const FieldsOperator& equations, MixedPath path, const LinearSolverOptions& options,
                             const RanksQuestion& question) {
  auto phase = equations.device().profile().phase("ranks");
  FieldsOfRanks parts(equations, question.ranks);
  const FieldsForecaster forecaster(equations, path, options);
  const FieldsShare whole(equations);
  const bool direct = path == MixedPath::direct;
  RanksForecast result{.path = direct ? "direct" : "iterative", .shares = parts.count(), .products = 0};
  for (int rank = 0; rank < question.ranks; ++rank) {
    RankShare& share = result.shares[at_place(rank)];
    Peak peak = forecaster.of(parts.of(rank, share, whole));
    share.peak = std::move(peak.needs);
    share.moment = peak.moment;
    if (direct) share.factor = factor_of_rank(question.factor, question.ranks);
  }
  return result;
}

}  // namespace ritz

// Forecast of a linear system of several fields over ranks: follows fem/preconditioners/fields_system.cpp. Nodes of
// others and cells are counted; the matrix and lists of a part are those of the whole, shared out by the cells.
#include "device/error.hpp"
#include "fem/analysis/ranks_forecast.hpp"
#include "fem/operator/mixed_needs.hpp"
#include "fem/ranks/fields_of_rank.hpp"
#include "fem/preconditioners/edge_preconditioner.hpp"
#include "fem/ranks/rank_needs.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "fem/space/nested_nodes.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace ritz {
namespace {

std::size_t at_place(Index i) { return static_cast<std::size_t>(i); }

class FieldsForecaster {
 public:
  FieldsForecaster(const MixedOperator& equations, MixedPath path, const LinearSolverOptions& options,
                   const RanksQuestion& question)
      : equations_(equations), direct_(path == MixedPath::direct), options_(options), question_(question) {
    for (int k = 0; k < fields(); ++k) {
      if (equations.space(k).node_count() < question.ranks)
        throw Error(ErrorKind::environment,
                    fmt::format("a field '{}' of {} nodes is not divided among {} ranks",
                                equations.terms().field_name(k), equations.space(k).node_count(), question.ranks),
                    "each rank has nodes of its own", "take fewer ranks");
      first_.push_back(equal_parts(equations.space(k), question.ranks));
      pairs_.push_back(equations.has_block(k, k) || !direct_ ? pairs_of_nodes(equations.space(k)) : 0);
    }
    matrix_ = matrix_needs(equations);
    for (const auto& [tag, bytes] : matrix_.by_tag())
      if (tag == "matrix") entries_ += bytes / Index{sizeof(double)};
    for (const auto& [tag, bytes] : equations.device().memory().statistics().live_by_tag) standing_.bytes(tag, bytes);
    vector_lists_ = list_needs(equations, false, true);
    matrix_lists_ = list_needs(equations, true, false);
  }

  RanksForecast all() {
    RanksForecast result{.path = direct_ ? "direct" : "iterative", .shares = {}, .products = 0};
    result.shares.resize(at_place(question_.ranks));
    count_ghosts(result.shares);
    for (int rank = 0; rank < question_.ranks; ++rank) add_memory(rank, result.shares[at_place(rank)]);
    return result;
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

  struct Size {
    Index unknowns = 0, ghosts = 0;
  };
  Size size_of(int rank) const {
    Size size;
    for (int k = 0; k < fields(); ++k) {
      size.unknowns += nodes(rank, k) * equations_.space(k).components();
      size.ghosts += ghosts_[at_place(rank)][at_place(k)] * equations_.space(k).components();
    }
    return size;
  }

  // Rows of a DividedMatrix, and the vector that its products read. About half of what a ghost's row has reaches owned
  // nodes.
  static MemoryNeeds rows(Index owned, Index ghosts, double entries_of_row, Index block) {
    const Index entries = std::llround(entries_of_row * (double(owned) + 0.5 * double(ghosts)));
    return MemoryNeeds()
        .array<double>("matrix", entries * block * block)
        .array<std::int32_t>("pattern", entries)
        .array<Index>("pattern", owned + ghosts + 1)
        .array<Index>("pattern", owned + 1)
        .array<double>("vectors", (owned + ghosts) * block);
  }

  // The matrix and the cycle of the part of a field.
  HierarchyNeeds part(int rank, int k) const {
    const FunctionSpace& space = equations_.space(k);
    const Index owned = nodes(rank, k), ghosts = ghosts_[at_place(rank)][at_place(k)], b = space.components();
    const double row = double(pairs_[at_place(k)]) / double(space.node_count());
    HierarchyNeeds needs;
    if (equations_.terms().family(k) == Family::cell) return scalar_part(owned * b, ghosts * b, space);
    if (equations_.terms().family(k) == Family::edge) return edge_part(owned, ghosts, row, space);
    needs.live = rows(owned, ghosts, row, b);
    if (!equations_.has_block(k, k) || !differentiates(equations_, k)) {
      needs.live.array<double>("vectors", owned * b, 5);
      needs.set_up = needs.live;
      return needs;
    }
    const int dimension = space.mesh().dimension();
    const HierarchyShape shape{.rows = owned + ghosts,
                               .nonzeros = std::llround(row * (double(owned) + 0.5 * double(ghosts))),
                               .block = static_cast<int>(b),
                               .dimension = dimension,
                               .nesting = nesting_of(space)};
    const HierarchyNeeds cycle = hierarchy_needs(shape, space.node_count(), multigrid_over_ranks(options_.multigrid));
    needs.live.array<double>("coordinates", (owned + ghosts) * dimension);
    needs.set_up = needs.live + cycle.set_up;
    needs.live += cycle.live;
    return needs;
  }

  // Edges with their auxiliary spaces on an equal piece of the corners: prolongations both ways, matrices, cycles.
  HierarchyNeeds edge_part(Index owned, Index ghosts, double row, const FunctionSpace& space) const {
    const Mesh& mesh = space.mesh();
    const int dimension = mesh.dimension();
    const CellKind shape = traits(mesh.kind_of(0)).linear;
    const double neighbours = shape == CellKind::tri3    ? 7
                              : shape == CellKind::quad4 ? 9
                              : shape == CellKind::tet4  ? 15
                                                         : 27;
    const Index all = std::min<Index>(mesh.node_count(), space.unknown_count()), corners = all / question_.ranks,
                others = std::llround(double(ghosts) * double(corners) / double(owned));
    HierarchyNeeds needs{.live = rows(owned, ghosts, row, 1)};
    needs.live.array<double>("vectors", owned, 6).array<double>("vectors", corners, 4);
    const HierarchyShape of_corners{.rows = corners + others,
                                    .nonzeros = std::llround(neighbours * (double(corners) + 0.5 * double(others))),
                                    .block = 1,
                                    .dimension = dimension,
                                    .nesting = Nesting::none};
    const HierarchyNeeds cycle =
        hierarchy_needs(of_corners, all, multigrid_over_ranks(edge_multigrid(options_.multigrid)));
    for (int each = 0; each <= dimension; ++each) {
      needs.live += rows(corners, others, neighbours, 1);
      needs.live.array<double>("matrix", 2 * owned, 2)
          .array<std::int32_t>("pattern", 2 * owned, 2)
          .array<Index>("pattern", owned + corners + others + 2);
      needs.set_up = needs.live + cycle.set_up;
      needs.live += cycle.live;
    }
    return needs;
  }

  // The Schur complement of a field in cells, by scalars: it joins cells with a common facet.
  HierarchyNeeds scalar_part(Index owned, Index ghosts, const FunctionSpace& space) const {
    const int dimension = space.mesh().dimension();
    const double row = dimension == 3 ? 7 : 5;
    const HierarchyShape shape{.rows = owned + ghosts,
                               .nonzeros = std::llround(row * (double(owned) + 0.5 * double(ghosts))),
                               .block = 1,
                               .dimension = dimension,
                               .nesting = Nesting::none};
    HierarchyNeeds needs = hierarchy_needs(shape, space.unknown_count(), multigrid_over_ranks(options_.multigrid));
    const MemoryNeeds matrix = rows(owned, ghosts, row, 1);
    needs.set_up += matrix;
    needs.live += matrix;
    return needs;
  }

  void add_memory(int rank, RankShare& share) const {
    const auto vectors = [](Index unknowns, Index count) {
      return MemoryNeeds().array<double>("vectors", unknowns, count);
    };
    const Index n = equations_.layout().total();
    const Size size = size_of(rank);
    const double share_of_cells = double(share.cells) / double(equations_.space(0).mesh().cell_count());
    MemoryNeeds stays = scaled(standing_, share_of_cells) + scaled(vector_lists_, share_of_cells);
    stays += standing_ + vectors(n, direct_ ? 3 : 5);  // of the whole mesh
    const MemoryNeeds matrix = scaled(matrix_, share_of_cells);
    raise(share, stays + matrix + scaled(matrix_lists_, share_of_cells), "assembly");
    if (direct_) {
      share.factor = factor_of_rank(question_.factor, question_.ranks);
      const MemoryNeeds joined = rows(size.unknowns, size.ghosts, double(entries_) / double(n), 1);
      return raise(share, stays + joined + vectors(size.unknowns, 4), "factorisation");
    }
    // The blocks stay, with vectors of each field for their products.
    MemoryNeeds live = stays + matrix + scaled(schur_matrices(), share_of_cells) + vectors(size.unknowns, 6) +
                       vectors(size.unknowns + size.ghosts, 1);
    raise(share, live, "set-up");
    for (int k = 0; k < fields(); ++k) {
      const HierarchyNeeds needs = part(rank, k);
      raise(share, live + needs.set_up, "set-up");
      live += needs.live;
    }
    raise(share, live + vectors(size.unknowns, 3 + krylov_vectors(equations_, options_)), "iteration");
  }

  static MemoryNeeds scaled(const MemoryNeeds& needs, double part) {
    MemoryNeeds result;
    for (const auto& [tag, bytes] : needs.by_tag()) result.bytes(tag, std::llround(part * double(bytes)));
    return result;
  }

  // Matrices of fields without a block of their own.
  MemoryNeeds schur_matrices() const {
    MemoryNeeds needs;
    for (int k = 0; k < fields(); ++k)
      if (!equations_.has_block(k, k))
        needs.array<double>("matrix", pairs_[at_place(k)]).array<std::int32_t>("pattern", pairs_[at_place(k)]);
    return needs;
  }

  const MixedOperator& equations_;
  bool direct_;
  LinearSolverOptions options_;
  RanksQuestion question_;
  std::vector<std::vector<Index>> first_;   // [field][rank + 1] nodes
  std::vector<std::vector<Index>> ghosts_;  // [rank][field] nodes
  std::vector<Index> pairs_;                // [field] of nodes
  Index entries_ = 0;                       // of the matrix, by scalars
  MemoryNeeds matrix_, matrix_lists_;       // of the whole: blocks, and lists of their assembly
  MemoryNeeds vector_lists_, standing_;     // lists of residuals; what there is now
};

}  // namespace

RanksForecast forecast_ranks(const MixedOperator& equations, MixedPath path, const LinearSolverOptions& options,
                             const RanksQuestion& question) {
  auto phase = equations.device().profile().phase("ranks");
  return FieldsForecaster(equations, path, options, question).all();
}

}  // namespace ritz

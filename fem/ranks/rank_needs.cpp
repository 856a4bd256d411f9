#include "fem/ranks/rank_needs.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

namespace ritz {

namespace {

std::size_t at(Node node) { return static_cast<std::size_t>(node); }

template <class T>
void keep_once(std::vector<T>& list) {
  std::ranges::sort(list);
  list.erase(std::ranges::unique(list).begin(), list.end());
}

}  // namespace

PartCouplings::PartCouplings(const FunctionSpace& space)
    : couplings_(*space.couplings()), neighbours_(static_cast<std::size_t>(space.node_count())) {
  std::vector<std::uint8_t> wanted(neighbours_.size(), 0);
  for (Node node = 0; node < space.node_count(); ++node) wanted[at(node)] = is_coupled(node) ? 2 : 0;
  FunctionSpace::CellNodes nodes_of(space);
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
    const std::span<const Node> nodes = nodes_of(cell);
    if (std::ranges::none_of(nodes, [&](Node node) { return wanted[at(node)] == 2; })) continue;
    for (const Node node : nodes) wanted[at(node)] = std::max<std::uint8_t>(1, wanted[at(node)]);
  }
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
    const std::span<const Node> nodes = nodes_of(cell);
    for (const Node node : nodes)
      if (wanted[at(node)] > 0) neighbours_[at(node)].insert(neighbours_[at(node)].end(), nodes.begin(), nodes.end());
  }
  for (std::vector<Node>& list : neighbours_) keep_once(list);
  std::vector<Node> columns;
  for (Node node = 0; node < space.node_count(); ++node) {
    if (couplings_.followers_of(node).empty()) continue;
    columns_of(node, columns);
    length_[node] = std::ssize(columns);
  }
}

CoupledRows PartCouplings::of(Index first, Index last, const std::vector<Index>& reached) const {
  CoupledRows result;
  result.reached = reached;
  std::vector<Node> columns;
  for (Index row = first; row < last; ++row) {
    const std::vector<Node>& before = neighbours_[static_cast<std::size_t>(row)];
    if (before.empty()) continue;
    columns_of(static_cast<Node>(row), columns);
    if (couplings_.followed_by(static_cast<Node>(row)).empty()) result.products += longest(columns);
    const auto is_other = [&](Node node) { return node < first || node >= last; };
    result.entries += std::ssize(columns) - std::ssize(before);
    result.to_others += std::ranges::count_if(columns, is_other) - std::ranges::count_if(before, is_other);
    std::ranges::copy_if(columns, std::back_inserter(result.reached), is_other);
  }
  keep_once(result.reached);
  return result;
}

bool PartCouplings::is_coupled(Node node) const {
  return !couplings_.followed_by(node).empty() || !couplings_.followers_of(node).empty();
}

void PartCouplings::columns_of(Node row, std::vector<Node>& columns) const {
  columns.clear();
  add_around(row, columns);
  for (const Node follower : couplings_.followers_of(row)) add_around(follower, columns);
  keep_once(columns);
}

Index PartCouplings::longest(const std::vector<Node>& columns) const {
  Index length = 0;
  for (const Node node : columns)
    if (const auto found = length_.find(node); found != length_.end()) length = std::max(length, found->second);
  return length;
}

void PartCouplings::add_around(Node center, std::vector<Node>& columns) const {
  for (const Node node : neighbours_[at(center)]) {
    columns.push_back(node);
    const std::span<const Node> followed = couplings_.followed_by(node);
    columns.insert(columns.end(), followed.begin(), followed.end());
  }
}

MemoryNeeds long_products_of(const CoupledCount& coupled, int block, int dimension) {
  const Index of_aggregate = dimension == 3 ? 9 : 3;       // nodes on a face
  const bool in_space = dimension == 3 || block == 3;      // motions with waves around an axis are those of space
  const Index coarse = block == 1 ? 1 : in_space ? 6 : 3;  // unknowns
  return MemoryNeeds().bytes("multigrid set-up",
                             coupled.products / of_aggregate * block * coarse * Index{sizeof(double)});
}

RankParts::RankParts(const FunctionSpace& whole, Cut cut, int ranks, int supports)
    : space_(whole), ranks_(ranks), cut_(cut), of_whole_(needs_of(whole, supports, false)) {
  if (whole.node_count() < ranks) refuse(fmt::format("a mesh of {} nodes", whole.node_count()));
  if (cut == Cut::equal) first_ = equal_parts(whole, ranks);
  else {
    WholeCells parts = parts_of_whole_cells(whole, ranks);
    if (!parts.all_have) refuse(fmt::format("a mesh of {} cells without a matrix", whole.mesh().cell_count()));
    first_ = std::move(parts.first);
  }
  of_whole_.standing.bytes("pattern", -of_whole_.standing.of("pattern"));  // made for the analysis of a factor
  if (whole.has_geometry_coordinates())                                    // no rank has them (SpaceOptions::is_cut)
    of_whole_.standing.bytes("space", -MemoryPool::block_size(whole.geometry_coordinates().bytes()));
}

RankParts::~RankParts() = default;

void RankParts::refuse(const std::string& what) const {
  throw Error(ErrorKind::environment, fmt::format("{} is not divided among {} ranks", what, ranks_),
              "each rank has its own nodes", "take fewer ranks");
}

SpaceCutter RankParts::cutter() const {
  return {space_, first_, cut_ == Cut::equal ? SpaceCutter::Cells::along_curve : SpaceCutter::Cells::inner_first};
}

MemoryNeeds RankParts::tables() const {
  return MemoryNeeds().bytes("reference cells", of_whole_.standing.of("reference cells"));
}

SpaceNeeds RankParts::needs_of_part(const FunctionSpace& part) const {
  SpaceNeeds needs = needs_of(part, 1, false);
  needs.standing += tables();
  return needs;
}

void RankParts::each(const std::vector<Integral>& all, FunctionRef<void(Part&)> visit) {
  const Device device = Device::named("cpu", 1);  // with a pool of its own
  std::optional<PartCouplings> couplings;
  if (space_.couplings() != nullptr) couplings.emplace(space_);
  SpaceCutter cut = cutter();
  for (int rank = 0; rank < ranks_; ++rank) {
    PartData data = cut.part(rank);
    CoupledRows coupled;
    coupled.reached = data.reached;
    if (couplings) coupled = couplings->of(data.first, data.last, data.reached);
    reached_.push_back(coupled.reached);
    const PartIntegrals own = cut.integrals(rank, all);
    const SpacePart nodes(std::move(data), device);
    Part part{.rank = rank,
              .nodes = nodes,
              .integrals = own,
              .owned = nodes.owned(),
              .ghosts = std::ssize(nodes.reached()),
              .related = couplings.has_value(),
              .coupled = coupled};
    visit(part);
  }
}

void RankParts::count_neighbours(std::vector<RankShare>& shares) const {
  std::vector<std::vector<bool>> meet(shares.size(), std::vector<bool>(shares.size(), false));
  for (std::size_t rank = 0; rank < shares.size(); ++rank)
    for (const Index node : reached_[rank]) {
      const auto owner = static_cast<std::size_t>(std::ranges::upper_bound(first_, node) - first_.begin() - 1);
      ++shares[owner].sent;
      meet[rank][owner] = meet[owner][rank] = true;
    }
  for (std::size_t rank = 0; rank < shares.size(); ++rank)
    shares[rank].neighbours = static_cast<int>(std::ranges::count(meet[rank], true));
}

Index RanksForecast::messages(int rank) const {
  return Index{products + products_of_cycle} * shares[static_cast<std::size_t>(rank)].neighbours;
}

Index RanksForecast::bytes(int rank) const { return bytes_per_node * shares[static_cast<std::size_t>(rank)].sent; }

int RanksForecast::largest_of_others() const {
  const auto others = shares.begin() + 1;
  return static_cast<int>(
      std::ranges::max_element(others, shares.end(), {}, [](const RankShare& share) { return share.peak.total(); }) -
      shares.begin());
}

// Fitted to factors of 12 to 960 MB on 2 to 8 ranks (`factors of ranks` of the log, MUMPS 5.5.1, 27 November 2026): a
// share, and buffers for what ranks send to each other.
Index factor_of_rank(Index of_one_process, int ranks) {
  const double whole = 1e-6 * double(of_one_process), n = ranks;
  return std::llround(1e6 * (1.12 * whole / n + 2.1 * std::pow(n, 0.9) * std::pow(whole, 0.3)));
}

namespace {

Index corner_count(const FunctionSpace& space) {
  std::vector<bool> met(static_cast<std::size_t>(space.mesh().node_count()), false);
  Index count = 0;
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
    const std::span<const Node> nodes = space.mesh().nodes_of(cell);
    const auto corners = static_cast<std::size_t>(traits(space.mesh().kind_of(cell)).corner_count);
    for (const Node node : nodes.first(corners)) {
      count += met[static_cast<std::size_t>(node)] ? 0 : 1;
      met[static_cast<std::size_t>(node)] = true;
    }
  }
  return count;
}

}  // namespace

HierarchyNeeds level_of_all_ranks(const FunctionSpace& part, const FunctionSpace& whole, const HierarchyShape& shape,
                                  const SmoothedAggregationOptions& multigrid) {
  const Index corners = corner_count(part);
  const double row = shape.dimension == 3 ? 27 : 9;
  const HierarchyShape of_corners{.rows = corners,
                                  .nonzeros = std::llround(row * double(corners)),
                                  .block = whole.components(),
                                  .dimension = shape.dimension,
                                  .nesting = shape.nesting == Nesting::cells ? Nesting::mesh : shape.nesting};
  return replicated_needs(of_corners, corner_count(whole), multigrid_over_ranks(multigrid));
}

}  // namespace ritz

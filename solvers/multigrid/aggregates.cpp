#include "solvers/multigrid/aggregates.hpp"

#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/multigrid/global_rows.hpp"
#include "solvers/multigrid/near_null_kernels.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace ritz {
namespace {

// Nodes of a level's matrix.
class NodesOfRanks final : public NodesElsewhere {
 public:
  explicit NodesOfRanks(const Ghosts& ghosts) : ghosts_(ghosts) {}
  Index owned() const override { return ghosts_.owned(); }
  Index size() const override { return ghosts_.size(); }
  Index lower() const override {
    return owned() + (std::ranges::lower_bound(ghosts_.reached(), first()) - ghosts_.reached().begin());
  }
  Index first() const override { return ghosts_.first()[static_cast<std::size_t>(ghosts_.ranks().rank())]; }
  void fetch(Vector& values) const override { ghosts_.fetch(values, 1); }
  void fetch(Array<std::uint64_t>& values) const override { ghosts_.fetch(values, 1); }
  void fetch(Array<std::int32_t>& values) const override { ghosts_.fetch(values, 1); }
  CompletedGraph complete(const Graph& graph) const override {
    const Device& device = graph.count.device();
    const HostView<Index> begin(device, graph.begin, owned());
    std::vector<Index> starts(begin.span().begin(), begin.span().end());
    std::vector<std::int32_t> count = graph.count.host(), column = graph.column.host();
    count.resize(static_cast<std::size_t>(owned()));
    std::vector<GlobalRows> sent(static_cast<std::size_t>(ghosts_.ranks().count()));
    for (const Ghosts::Neighbour& each : ghosts_.neighbours())
      for (const std::int32_t node : each.sent) {
        const auto i = static_cast<std::size_t>(node);
        sent[static_cast<std::size_t>(each.rank)].append(
            ghosts_.global(node),
            std::span(column).subspan(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(count[i])), {},
            [&](Index c) { return ghosts_.global(c); });
      }
    starts.resize(static_cast<std::size_t>(size()), 0);
    count.resize(static_cast<std::size_t>(size()), 0);
    std::map<Index, std::int32_t> unknown;
    for (const GlobalRows& rows : swap_rows(ghosts_.ranks(), sent))
      for (std::size_t r = 0, entry = 0; r < rows.row.size(); ++r) {
        const auto ghost = static_cast<std::size_t>(ghosts_.local(rows.row[r]));
        starts[ghost] = std::ssize(column);
        count[ghost] = static_cast<std::int32_t>(rows.count[r]);
        for (Index k = 0; k < rows.count[r]; ++k) column.push_back(number_here(rows.column[entry++], unknown));
      }
    return {Array<Index>(device, std::span<const Index>(starts), setup_tag),
            Array<std::int32_t>(device, std::span<const std::int32_t>(count), setup_tag),
            Array<std::int32_t>(device, std::span<const std::int32_t>(column), setup_tag)};
  }
  bool any(bool here) const override {
    return std::ranges::any_of(ghosts_.ranks().of_all(here ? 1 : 0), [](Index each) { return each != 0; });
  }
  Index before(Index mine) const override {
    const std::vector<Index> all = ghosts_.ranks().of_all(mine);
    return std::accumulate(all.begin(), all.begin() + ghosts_.ranks().rank(), Index{0});
  }

 private:
  // From size() on: of a node that this rank does not have.
  std::int32_t number_here(Index global, std::map<Index, std::int32_t>& unknown) const {
    const bool is_own = global >= first() && global < first() + owned();
    if (is_own || std::ranges::binary_search(ghosts_.reached(), global))
      return static_cast<std::int32_t>(ghosts_.local(global));
    return unknown.try_emplace(global, static_cast<std::int32_t>(size() + std::ssize(unknown))).first->second;
  }

  const Ghosts& ghosts_;
};

// A connection between ranks holds where both owners see it, whatever rounding does to their rows.
void keep_what_both_have(const Ghosts& ghosts, Graph& strong) {
  const Device& device = strong.count.device();
  const Index owned = ghosts.owned();
  const HostView<Index> begin(device, strong.begin, owned + 1);
  std::vector<std::int32_t> count = strong.count.host(), column = strong.column.host();
  const auto of = [&](Index node) {
    const auto first = static_cast<std::size_t>(begin[node]);
    return std::span(column).subspan(first, static_cast<std::size_t>(count[static_cast<std::size_t>(node)]));
  };
  std::vector<GlobalRows> seen(static_cast<std::size_t>(ghosts.ranks().count()));  // the ghost: the node here
  for (Index node = 0; node < owned; ++node)
    for (const std::int32_t other : of(node))
      if (const auto here = static_cast<std::int32_t>(node); other >= owned) {
        const Index ghost = ghosts.global(other);
        seen[static_cast<std::size_t>(ghosts.owner(ghost))].append(ghost, {&here, 1}, {},
                                                                   [&](Index c) { return ghosts.global(c); });
      }
  std::set<std::pair<Index, Index>> by_others;  // this rank's node, the other
  for (const GlobalRows& each : swap_rows(ghosts.ranks(), seen))
    for (std::size_t k = 0; k < each.row.size(); ++k) by_others.emplace(each.row[k], each.column[k]);
  for (Index node = 0; node < owned; ++node) {
    const auto [last, end] = std::ranges::remove_if(of(node), [&](std::int32_t other) {
      return other >= owned && !by_others.contains({ghosts.global(node), ghosts.global(other)});
    });
    count[static_cast<std::size_t>(node)] -= static_cast<std::int32_t>(end - last);
  }
  strong.count.upload(count);
  strong.column.upload(column);
}

// The tentative prolongator over ranks. Nodes of this rank in aggregates of others, and those of others in aggregates
// here, are made orthonormal where the aggregate is.
class DividedTentative {
 public:
  DividedTentative(const Ghosts& ghosts, std::span<const std::int32_t> aggregate, const CoarseNodes& aggregates, int C,
                   int K, const Vector& near_null)
      : device_(near_null.device()),
        ghosts_(ghosts),
        number_(aggregate),
        aggregates_(aggregates),
        C_(C),
        K_(K),
        near_null_(near_null) {}

  Vector make(Vector& coarse) const {
    const Guests guests = swap_guests();
    const Index owned = ghosts_.owned(), block = Index{C_} * K_, all = owned + guests.here_count;
    Vector made(device_, (all + std::ssize(guests.nodes)) * block, setup_tag);
    orthonormalise(guests, made, coarse);
    put(swapped_back(guests, HostView<double>(device_, made.data() + owned * block, guests.here_count * block).span()),
        all, made);
    std::vector<std::int32_t> places(static_cast<std::size_t>(owned));
    std::iota(places.begin(), places.end(), 0);
    for (std::size_t k = 0; k < guests.nodes.size(); ++k)
      places[static_cast<std::size_t>(guests.nodes[k])] = static_cast<std::int32_t>(all + static_cast<Index>(k));
    Vector T(device_, ghosts_.size() * block, setup_tag);
    take(places, made, T);
    made = {};
    ghosts_.fetch(T, static_cast<int>(block));
    return T;
  }

 private:
  struct Guests {
    std::vector<std::int32_t> nodes;  // owned, by rank
    std::vector<GlobalRows> here;     // [rank] `row`: the aggregate
    Index here_count = 0;
  };
  Guests swap_guests() const {
    Guests guests;
    std::vector<std::vector<std::int32_t>> nodes(aggregates_.first().size() - 1);  // [rank]
    for (std::size_t node = 0; node < number_.size(); ++node)
      if (const std::int32_t number = number_[node]; number >= 0 && !aggregates_.is_own(number))
        nodes[rank_of(number, aggregates_.first())].push_back(static_cast<std::int32_t>(node));
    for (const std::vector<std::int32_t>& each : nodes)
      guests.nodes.insert(guests.nodes.end(), each.begin(), each.end());
    Vector near_null(device_, std::ssize(guests.nodes) * C_ * K_, setup_tag);
    take(guests.nodes, near_null_, near_null);
    const HostView<double> values(near_null);
    std::vector<GlobalRows> sent(nodes.size());
    std::size_t next = 0;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank)
      for (const std::int32_t node : nodes[rank]) {
        sent[rank].append(number_[static_cast<std::size_t>(node)], {}, values.span().subspan(next, block_of_T()),
                          [](Index c) { return c; });
        next += block_of_T();
      }
    guests.here = swap_rows(ghosts_.ranks(), sent);
    for (const GlobalRows& each : guests.here) guests.here_count += std::ssize(each.row);
    return guests;
  }

  std::size_t block_of_T() const { return static_cast<std::size_t>(C_) * static_cast<std::size_t>(K_); }
  // to[j] = from[at[j]], blocks of T
  void take(const std::vector<std::int32_t>& at, const Vector& from, Vector& to) const {
    const Array<std::int32_t> places(device_, std::span<const std::int32_t>(at), setup_tag);
    kernels<NearNullKernels>(device_, solver_kernels, "near-null space")
        .take(device_, places.size(), places.data(), C_ * K_, from.data(), to.data());
  }

  // made [owned | guests]: of nodes in the aggregates here.
  void orthonormalise(const Guests& guests, Vector& made, Vector& coarse) const {
    std::vector<std::int32_t> aggregate;
    for (const std::int32_t number : number_)
      aggregate.push_back(number < 0 || !aggregates_.is_own(number) ? -1 : aggregates_.local(number));
    std::vector<double> values;
    for (const GlobalRows& each : guests.here) {
      for (const Index number : each.row) aggregate.push_back(aggregates_.local(number));
      values.insert(values.end(), each.values.begin(), each.values.end());
    }
    Vector from(device_, std::ssize(aggregate) * C_ * K_, setup_tag);
    device_.machine().copy_on_device(from.data(), near_null_.data(), near_null_.bytes());
    put(values, ghosts_.owned(), from);
    coarse = Vector(device_, aggregates_.own() * K_ * K_, setup_tag);
    const Array<std::int32_t> aggregates(device_, std::span<const std::int32_t>(aggregate), setup_tag);
    kernels<NearNullKernels>(device_, solver_kernels, "near-null space")
        .tentative(device_, aggregates.data(), std::ssize(aggregate), aggregates_.own(), C_, K_, from.data(),
                   made.data(), coarse.data());
  }

  // Blocks of T after the first `nodes` of an array.
  void put(const std::vector<double>& values, Index nodes, Vector& to) const {
    if (!values.empty())
      copy_to_device(device_, to.data() + nodes * C_ * K_, values.data(), std::ssize(values) * Index{sizeof(double)});
  }

  // made: of the guests here. Returns what other ranks made of the nodes of this one.
  std::vector<double> swapped_back(const Guests& guests, std::span<const double> made) const {
    std::vector<GlobalRows> sent(guests.here.size());
    for (std::size_t rank = 0; rank < sent.size(); ++rank) {
      sent[rank].row = guests.here[rank].row;
      const std::size_t size = sent[rank].row.size() * block_of_T();
      sent[rank].values.assign(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(size));
      made = made.subspan(size);
    }
    std::vector<double> values;
    for (const GlobalRows& each : swap_rows(ghosts_.ranks(), sent))
      values.insert(values.end(), each.values.begin(), each.values.end());
    return values;
  }

  const Device device_;
  const Ghosts& ghosts_;
  const std::span<const std::int32_t> number_;
  const CoarseNodes& aggregates_;
  const int C_, K_;
  const Vector& near_null_;
};

}  // namespace

Index make_aggregates(const LevelMatrix& A, const Strength& strength, const Translations& translations, Graph& strong,
                      Array<std::int32_t>& aggregate) {
  const auto& aggregation = kernels<AggregationKernels>(A.device, solver_kernels, "aggregation");
  const Ghosts* const ghosts = A.ghosts();
  std::optional<NodesOfRanks> elsewhere;
  if (ghosts != nullptr) elsewhere.emplace(*ghosts);
  const NodesElsewhere* const others = elsewhere ? &*elsewhere : nullptr;
  aggregation.strong_graph(A.device, A.with_ghost_rows(), A.nonzeros_with_ghost_rows(), strength, translations, others,
                           strong);
  if (ghosts != nullptr && translations.count > 0) keep_what_both_have(*ghosts, strong);
  return aggregation.aggregate(A.device, strong, A.view.rows, others, aggregate);
}

Vector tentative_prolongator(const LevelMatrix& A, const std::int32_t* aggregate, const CoarseNodes& aggregates, int K,
                             const Vector& near_null, Vector& coarse) {
  const int C = A.block();
  if (A.ghosts() != nullptr)
    return DividedTentative(*A.ghosts(), HostView<std::int32_t>(A.device, aggregate, A.view.rows).span(), aggregates, C,
                            K, near_null)
        .make(coarse);
  Vector T(A.device, A.view.rows * C * K, setup_tag);
  coarse = Vector(A.device, aggregates.own() * K * K, setup_tag);
  kernels<NearNullKernels>(A.device, solver_kernels, "near-null space")
      .tentative(A.device, aggregate, A.view.rows, aggregates.own(), C, K, near_null.data(), T.data(), coarse.data());
  return T;
}

}  // namespace ritz

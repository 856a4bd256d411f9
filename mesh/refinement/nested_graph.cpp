#include "mesh/refinement/nested_graph.hpp"

#include <algorithm>
#include <array>

namespace ritz {
namespace {

enum class State : std::uint8_t { unknown, kept, between };

// Coarser nodes, their graph, and the parents of all nodes; parents: of nodes between two coarser ones.
NestedGraph nested_graph_of(const std::vector<State>& state, const std::vector<std::array<Node, 2>>& parents,
                            std::span<const double> places, int axes) {
  NestedGraph r;
  const auto dimension = static_cast<std::size_t>(axes);
  std::vector<Node> coarse(state.size(), -1);
  for (std::size_t node = 0; node < state.size(); ++node)
    if (state[node] == State::kept) {
      coarse[node] = static_cast<Node>(r.same.size());
      r.same.push_back(static_cast<Node>(node));
      r.places.insert(r.places.end(), places.begin() + static_cast<std::ptrdiff_t>(node * dimension),
                      places.begin() + static_cast<std::ptrdiff_t>((node + 1) * dimension));
    }
  std::vector<Index>& begin = r.graph.offsets;
  begin.assign(r.same.size() + 1, 0);
  r.first.reserve(state.size() + 1);
  r.first.push_back(0);
  r.parents.reserve(2 * state.size());
  for (std::size_t node = 0; node < state.size(); ++node) {
    if (state[node] == State::kept) r.parents.push_back(coarse[node]);
    else
      for (const Node end : parents[node]) {
        r.parents.push_back(coarse[static_cast<std::size_t>(end)]);
        ++begin[static_cast<std::size_t>(r.parents.back()) + 1];
      }
    r.first.push_back(static_cast<Index>(r.parents.size()));
  }
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  r.graph.neighbours.resize(static_cast<std::size_t>(begin.back()));
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (std::size_t node = 0; node < state.size(); ++node)
    if (state[node] == State::between) {
      const Node a = coarse[static_cast<std::size_t>(parents[node][0])],
                 b = coarse[static_cast<std::size_t>(parents[node][1])];
      r.graph.neighbours[static_cast<std::size_t>(next[static_cast<std::size_t>(a)]++)] = b;
      r.graph.neighbours[static_cast<std::size_t>(next[static_cast<std::size_t>(b)]++)] = a;
    }
  return r;
}

class GraphSearch {
 public:
  GraphSearch(std::span<const Index> offsets, std::span<const Node> neighbours, std::span<const double> places,
              int dimension)
      : offsets_(offsets),
        neighbours_(neighbours),
        places_(places),
        dimension_(dimension),
        state_(offsets.size() - 1, State::unknown),
        parents_(offsets.size() - 1) {}

  bool find_all() {
    std::vector<Node> component;
    Node fewest = 0;
    for (Node node = 1; node < static_cast<Node>(state_.size()); ++node)
      if (around(node).size() < around(fewest).size()) fewest = node;
    if (state_.empty() || !grow_near(fewest)) return false;
    for (std::size_t node = 0; node < state_.size(); ++node)
      if (state_[node] == State::unknown && !find_component(static_cast<Node>(node), component)) return false;
    return true;
  }

  const std::vector<State>& states() const { return state_; }
  const std::vector<std::array<Node, 2>>& parents() const { return parents_; }

 private:
  std::span<const Node> around(Node node) const {
    const auto n = static_cast<std::size_t>(node);
    return neighbours_.subspan(static_cast<std::size_t>(offsets_[n]),
                               static_cast<std::size_t>(offsets_[n + 1] - offsets_[n]));
  }
  State& state(Node node) { return state_[static_cast<std::size_t>(node)]; }

  // Which node is a coarser one is not known: at a corner of the body one with few neighbours is, else it or one of its
  // neighbours.
  bool find_component(Node start, std::vector<Node>& component) {
    component.assign(1, start);
    state(start) = State::kept;
    for (std::size_t k = 0; k < component.size(); ++k)
      for (const Node next : around(component[k]))
        if (state(next) == State::unknown) {
          state(next) = State::kept;
          component.push_back(next);
        }
    for (const Node node : component) state(node) = State::unknown;
    return grow_near(std::ranges::min(component, {}, [&](Node node) { return around(node).size(); }));
  }
  bool grow_near(Node node) {
    return grow(node) || std::ranges::any_of(around(node), [&](Node seed) { return seed != node && grow(seed); });
  }

  // From a coarser node to those at the other ends of its edges, and so on.
  bool grow(Node seed) {
    std::vector<Node> kept = {seed}, touched = {seed};
    state(seed) = State::kept;
    bool good = true;
    for (std::size_t k = 0; k < kept.size() && good; ++k) {
      const Node here = kept[k];
      for (const Node middle : around(here)) {
        if (middle == here) continue;
        auto& ends = parents_[static_cast<std::size_t>(middle)];
        if (state(middle) == State::unknown) {
          const Node other = opposite(here, middle);
          good = other >= 0 && state(other) != State::between;
          if (!good) break;
          ends = {here, other};
          state(middle) = State::between;
          touched.push_back(middle);
          if (state(other) == State::unknown) {
            state(other) = State::kept;
            kept.push_back(other);
            touched.push_back(other);
          }
        }
        good = state(middle) == State::between && (ends[0] == here || ends[1] == here);
        if (!good) break;
      }
    }
    if (!good)
      for (const Node node : touched) state(node) = State::unknown;
    return good;
  }

  // The neighbour of the middle that lies as far on the other side.
  Node opposite(Node from, Node middle) const {
    std::array<double, 3> wanted{};
    double edge = 0;
    for (int d = 0; d < dimension_; ++d) {
      const double step = place(middle, d) - place(from, d);
      wanted[static_cast<std::size_t>(d)] = place(middle, d) + step;
      edge += step * step;
    }
    Node nearest = -1;
    double least = edge / 4;  // half of the half edge: the middle is off by a quarter of that
    for (const Node node : around(middle)) {
      double square = 0;
      for (int d = 0; d < dimension_; ++d) {
        const double off = place(node, d) - wanted[static_cast<std::size_t>(d)];
        square += off * off;
      }
      if (square >= least) continue;
      least = square;
      nearest = node;
    }
    return nearest == middle || nearest == from ? -1 : nearest;
  }
  double place(Node node, int axis) const {
    return places_[static_cast<std::size_t>(node) * static_cast<std::size_t>(dimension_) +
                   static_cast<std::size_t>(axis)];
  }

  std::span<const Index> offsets_;
  std::span<const Node> neighbours_;
  std::span<const double> places_;
  int dimension_;
  std::vector<State> state_;
  std::vector<std::array<Node, 2>> parents_;  // of nodes between
};

}  // namespace

std::optional<NestedGraph> coarser_graph(std::span<const Index> offsets, std::span<const Node> neighbours,
                                         std::span<const double> places, int dimension) {
  GraphSearch search(offsets, neighbours, places, dimension);
  if (!search.find_all()) return std::nullopt;
  return nested_graph_of(search.states(), search.parents(), places, dimension);
}

}  // namespace ritz

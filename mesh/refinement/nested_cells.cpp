#include "mesh/refinement/nested_cells.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

namespace ritz {
namespace {

// Corners of a cell by the bits of their reference coordinates (xi 1, eta 2, zeta 4): 2 and 3, 6 and 7 change places.
constexpr std::array<int, 8> corner_of_bits = {0, 1, 3, 2, 4, 5, 7, 6};
constexpr std::array<int, 4> places_by_dimension = {1, 3, 9, 27};

// Places on the nodes of a coarser cell: sum over directions of 3^direction times 0, 1 (middle) or 2.
constexpr std::array<int, 3> place_stride = {1, 3, 9};

std::size_t place_count(int dimension) {
  return static_cast<std::size_t>(places_by_dimension[static_cast<std::size_t>(dimension)]);
}

// Cells with the nodes of their corners, and the cells around each node.
class CornerCells {
 public:
  // cells: [cell][corner], in the order of CellTraits.
  CornerCells(int dimension, std::vector<Node> cells, Index node_count)
      : dimension_(dimension), corners_(1 << dimension), cells_(std::move(cells)) {
    for (std::size_t first = 0; first < cells_.size(); first += static_cast<std::size_t>(corners_)) {
      std::swap(cells_[first + 2], cells_[first + 3]);
      if (dimension == 3) std::swap(cells_[first + 6], cells_[first + 7]);
    }
    // While cells are written, begin_[node + 1] is the next place of the node; after that, its end.
    begin_.assign(static_cast<std::size_t>(node_count) + 2, 0);
    for (const Node node : cells_) ++begin_[static_cast<std::size_t>(node) + 2];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    around_.resize(cells_.size());
    for (std::size_t i = 0; i < cells_.size(); ++i)
      around_[static_cast<std::size_t>(begin_[static_cast<std::size_t>(cells_[i]) + 1]++)] =
          static_cast<std::int32_t>(i / static_cast<std::size_t>(corners_));
  }

  int dimension() const { return dimension_; }
  int corners() const { return corners_; }
  Index count() const { return static_cast<Index>(cells_.size()) / corners_; }
  std::span<const std::int32_t> around(Node node) const {
    const auto n = static_cast<std::size_t>(node);
    return {around_.data() + begin_[n], static_cast<std::size_t>(begin_[n + 1] - begin_[n])};
  }
  Node node(Index cell, int bits) const { return cells_[static_cast<std::size_t>(cell * corners_ + bits)]; }
  int bits_of(Index cell, Node wanted) const {
    for (int bits = 0; bits < corners_; ++bits)
      if (node(cell, bits) == wanted) return bits;
    return -1;
  }
  bool is_neighbour(Index cell, int at, Node wanted) const {
    for (int l = 0; l < dimension_; ++l)
      if (node(cell, at ^ (1 << l)) == wanted) return true;
    return false;
  }
  // A cell at a node with the fewest cells around it.
  Index at_a_corner() const {
    const auto fewest = std::ranges::min_element(cells_, {}, [&](Node node) { return around(node).size(); });
    return (fewest - cells_.begin()) / corners_;
  }

 private:
  int dimension_, corners_;
  std::vector<Node> cells_;           // [cell][bits]
  std::vector<Index> begin_;          // [node + 1]
  std::vector<std::int32_t> around_;  // cells around nodes
};

int place_of_corner(int bits) {
  int place = 0;
  for (int d = 0; d < 3; ++d) place += (bits >> d & 1) * 2 * place_stride[static_cast<std::size_t>(d)];
  return place;
}

// The direction of a neighbour of the middle, when it is one of those that the first cell has.
int direction_of(int dimension, const std::array<std::array<Node, 2>, 3>& face, Node neighbour, int at) {
  for (int d = 0; d < dimension; ++d)
    if (face[static_cast<std::size_t>(d)][static_cast<std::size_t>(1 - (at >> d & 1))] == neighbour) return d;
  return -1;
}

bool place_cell(const CornerCells& of, Index cell, Node middle, const std::array<std::array<Node, 2>, 3>& face,
                std::array<Node, 27>& lattice, int& seen) {
  const int at = of.bits_of(cell, middle);
  std::array<int, 3> direction{}, side{};  // of the coarser cell, by the finer one's own directions
  int directions = 0, slot = 0;
  for (int l = 0; l < of.dimension(); ++l) {
    const Node neighbour = of.node(cell, at ^ (1 << l));
    int found = -1;
    for (int d = 0; d < of.dimension(); ++d)
      for (int s = 0; s < 2; ++s)
        if (face[static_cast<std::size_t>(d)][static_cast<std::size_t>(s)] == neighbour) {
          found = d;
          side[static_cast<std::size_t>(l)] = s;
        }
    if (found < 0) return false;
    direction[static_cast<std::size_t>(l)] = found;
    directions |= 1 << found;
    slot |= side[static_cast<std::size_t>(l)] << found;
  }
  if (directions != (1 << of.dimension()) - 1 || (seen >> slot & 1) != 0) return false;
  seen |= 1 << slot;
  for (int bits = 0; bits < of.corners(); ++bits) {
    int place = 0;
    for (int l = 0; l < of.dimension(); ++l) {
      const bool in_middle = ((bits ^ at) >> l & 1) == 0;
      place += place_stride[static_cast<std::size_t>(direction[static_cast<std::size_t>(l)])] *
               (in_middle ? 1 : 2 * side[static_cast<std::size_t>(l)]);
    }
    Node& there = lattice[static_cast<std::size_t>(place)];
    if (there >= 0 && there != of.node(cell, bits)) return false;
    there = of.node(cell, bits);
  }
  return true;
}

class Search {
 public:
  explicit Search(const CornerCells& of)
      : of_(of),
        places_(static_cast<int>(place_count(of.dimension()))),
        joined_(static_cast<std::size_t>(of.count())) {}

  // A coarser cell after the other, over their faces, from each component's first cell.
  bool join_all() {
    // At a corner of the body few nodes can be middles.
    if (!join_component(of_.at_a_corner())) return false;
    for (Index cell = 0; cell < static_cast<Index>(joined_.size()); ++cell)
      if (!joined_[static_cast<std::size_t>(cell)] && !join_component(cell)) return false;
    return true;
  }

  std::vector<Node> lattices() && { return std::move(lattices_); }  // [coarser cell][place]

 private:
  // Which corner of the cell is the middle of a coarser cell is not known: one of them suits, or none.
  bool join_component(Index cell) {
    for (int bits = 0; bits < of_.corners(); ++bits)
      if (join_from(of_.node(cell, bits))) return true;
    return false;
  }

  bool join_from(Node middle) {
    const std::size_t first = lattices_.size();
    std::vector<Node> middles = {middle};
    while (!middles.empty()) {
      const Node next = middles.back();
      middles.pop_back();
      if (joined_[static_cast<std::size_t>(of_.around(next).front())]) continue;  // met before
      if (!join(next) || !add_neighbours(middles)) {
        forget(first);
        return false;
      }
    }
    return true;
  }

  void forget(std::size_t first) {
    for (std::size_t i = first; i < lattices_.size(); i += static_cast<std::size_t>(places_))
      for (const Index cell : of_.around(lattices_[i + static_cast<std::size_t>(places_ / 2)]))
        joined_[static_cast<std::size_t>(cell)] = false;
    lattices_.resize(first);
  }

  // The cells around a node become one; its nodes are appended to lattices_.
  bool join(Node middle) {
    const std::span<const std::int32_t> cells = of_.around(middle);
    if (static_cast<int>(cells.size()) != of_.corners()) return false;
    for (const Index cell : cells)
      if (joined_[static_cast<std::size_t>(cell)]) return false;
    // The first cell gives the directions. Middles of faces, [direction][side], are the neighbours of the middle.
    std::array<std::array<Node, 2>, 3> face{{{-1, -1}, {-1, -1}, {-1, -1}}};
    const int at = of_.bits_of(cells[0], middle);
    for (int d = 0; d < of_.dimension(); ++d)
      face[static_cast<std::size_t>(d)][static_cast<std::size_t>(1 - (at >> d & 1))] =
          of_.node(cells[0], at ^ (1 << d));
    // A cell across one face has one neighbour of the middle that the first cell has not.
    for (std::size_t k = 1; k < cells.size(); ++k) {
      int missing = (1 << of_.dimension()) - 1;
      Node other = -1;
      const int here = of_.bits_of(cells[k], middle);
      for (int l = 0; l < of_.dimension(); ++l) {
        const Node neighbour = of_.node(cells[k], here ^ (1 << l));
        const int d = direction_of(of_.dimension(), face, neighbour, at);
        if (d >= 0) missing &= ~(1 << d);
        else other = neighbour;
      }
      if (std::popcount(static_cast<unsigned>(missing)) != 1) continue;
      const int d = std::countr_zero(static_cast<unsigned>(missing));
      face[static_cast<std::size_t>(d)][static_cast<std::size_t>(at >> d & 1)] = other;
    }
    std::array<Node, 27> lattice;
    lattice.fill(-1);
    int seen = 0;
    for (const Index cell : cells)
      if (!place_cell(of_, cell, middle, face, lattice, seen)) return false;
    if (seen != (1 << of_.corners()) - 1) return false;
    lattices_.insert(lattices_.end(), lattice.begin(), lattice.begin() + places_);
    for (const Index cell : cells) joined_[static_cast<std::size_t>(cell)] = true;
    return true;
  }

  // The middles beyond the faces of the last coarser cell.
  bool add_neighbours(std::vector<Node>& middles) const {
    const Node* lattice = lattices_.data() + lattices_.size() - static_cast<std::size_t>(places_);
    for (int d = 0; d < of_.dimension(); ++d)
      for (const int step : {-1, 1}) {
        const Node face = lattice[places_ / 2 + step * place_stride[static_cast<std::size_t>(d)]];
        std::array<Node, 3> candidates{-1, -1, -1};
        int cells = 0;
        for (const Index cell : of_.around(face)) {
          if (joined_[static_cast<std::size_t>(cell)]) continue;
          const int at = of_.bits_of(cell, face);
          for (std::size_t l = 0; l < 3; ++l) {
            if (cells == 0) candidates[l] = static_cast<int>(l) < of_.dimension() ? of_.node(cell, at ^ (1 << l)) : -1;
            else if (!of_.is_neighbour(cell, at, candidates[l])) candidates[l] = -1;
          }
          ++cells;
        }
        if (cells == 0) continue;  // the boundary, or a neighbour that exists already
        const auto common = std::ranges::count_if(candidates, [](Node n) { return n >= 0; });
        if (cells != of_.corners() / 2 || common != 1) return false;
        middles.push_back(*std::ranges::max_element(candidates));
      }
    return true;
  }

  const CornerCells& of_;
  int places_;
  std::vector<bool> joined_;  // [cell]
  std::vector<Node> lattices_;
};

int middles_of(int dimension, int place) {
  int count = 0;
  for (int d = 0; d < dimension; ++d, place /= 3) count += place % 3 == 1;
  return count;
}

void add_parents(int dimension, std::span<const Node> lattices, std::size_t holder, const std::vector<Node>& coarse,
                 std::vector<Node>& parents) {
  const std::size_t place = holder % place_count(dimension), lattice = holder - place;
  for (int bits = 0; bits < 1 << dimension; ++bits) {
    bool is_parent = true;
    int rest = static_cast<int>(place);
    for (int d = 0; d < dimension; ++d, rest /= 3)
      is_parent = is_parent && (rest % 3 == 1 || rest % 3 == 2 * (bits >> d & 1));
    if (is_parent)
      parents.push_back(
          coarse[static_cast<std::size_t>(lattices[lattice + static_cast<std::size_t>(place_of_corner(bits))])]);
  }
}

std::optional<NestedCells> nested_cells_of(int dimension, std::span<const Node> lattices, std::size_t nodes) {
  NestedCells r;
  const std::size_t places = place_count(dimension);
  std::vector<std::int8_t> middles(nodes, -1);  // directions in which the node lies in the middle
  std::vector<Index> holder(nodes, -1);         // one of its places
  for (std::size_t i = 0; i < lattices.size(); ++i) {
    const auto node = static_cast<std::size_t>(lattices[i]);
    const int count = middles_of(dimension, static_cast<int>(i % places));
    if (middles[node] >= 0 && middles[node] != count) return std::nullopt;
    middles[node] = static_cast<std::int8_t>(count);
    holder[node] = static_cast<Index>(i);
  }
  std::vector<Node> coarse(nodes, -1);
  for (std::size_t node = 0; node < nodes; ++node)
    if (middles[node] == 0) {
      coarse[node] = static_cast<Node>(r.same.size());
      r.same.push_back(static_cast<Node>(node));
    }
  std::size_t parents = 0;
  for (const std::int8_t count : middles) parents += count < 0 ? 0 : std::size_t{1} << count;
  r.parents.reserve(parents);
  r.first.reserve(nodes + 1);
  r.first.push_back(0);
  for (std::size_t node = 0; node < nodes; ++node) {
    if (holder[node] >= 0) add_parents(dimension, lattices, static_cast<std::size_t>(holder[node]), coarse, r.parents);
    r.first.push_back(static_cast<Index>(r.parents.size()));
  }
  r.cells.reserve(lattices.size() / places << dimension);
  for (std::size_t first = 0; first < lattices.size(); first += places)
    for (int corner = 0; corner < 1 << dimension; ++corner)
      r.cells.push_back(
          coarse[static_cast<std::size_t>(lattices[first + static_cast<std::size_t>(place_of_corner(
                                                               corner_of_bits[static_cast<std::size_t>(corner)]))])]);
  return r;
}

bool may_be_joined(int dimension, std::span<const Node> cells) {
  const std::size_t corners = std::size_t{1} << dimension;
  return !cells.empty() && cells.size() % (corners * corners) == 0 &&
         cells.size() / corners <= std::numeric_limits<std::int32_t>::max();
}

// [coarser cell][place]; empty where the cells are no refinement. The lists of cells around nodes are gone when it
// returns.
std::vector<Node> lattices_of(int dimension, std::vector<Node> cells, Index node_count) {
  const CornerCells of(dimension, std::move(cells), node_count);
  Search search(of);
  return search.join_all() ? std::move(search).lattices() : std::vector<Node>();
}

}  // namespace

bool has_coarser_cells(int dimension, std::vector<Node> cells, Index node_count) {
  return may_be_joined(dimension, cells) && !lattices_of(dimension, std::move(cells), node_count).empty();
}

std::optional<NestedCells> coarser_cells(int dimension, std::vector<Node> cells, Index node_count) {
  if (!may_be_joined(dimension, cells)) return std::nullopt;
  const std::vector<Node> lattices = lattices_of(dimension, std::move(cells), node_count);
  if (lattices.empty()) return std::nullopt;
  return nested_cells_of(dimension, lattices, static_cast<std::size_t>(node_count));
}

}  // namespace ritz

#include "fem/multigrid/coarser_part.hpp"

#include "device/error.hpp"
#include "device/ranks/ranks.hpp"
#include "fem/space/node_numbering.hpp"
#include "mesh/cell_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

namespace ritz {
namespace {

// The corners of the smallest vertex, edge or facet of a cell that holds x, or of the cell, as bits.
std::uint32_t corners_around(const ReferenceElement& corners, const Point& x) {
  std::vector<double> values(corners.nodes.size());
  std::vector<Point> gradients(corners.nodes.size());
  const auto distance = [&](std::size_t c) {
    const Point& p = corners.nodes[c];
    return std::abs(p[0] - x[0]) + std::abs(p[1] - x[1]) + std::abs(p[2] - x[2]);
  };
  for (std::size_t c = 0; c < corners.nodes.size(); ++c)  // functions of pyramids have no value at the apex
    if (distance(c) < 1e-9) return 1U << c;
  corners.evaluate(x, values, gradients);
  std::uint32_t around = 0;
  for (std::size_t c = 0; c < values.size(); ++c)
    if (std::abs(values[c]) > 1e-9) around |= 1U << c;
  return around;
}

// [node of the coarser element] a node of the finer one on the same vertex, edge or facet, or inside.
std::vector<std::size_t> nodes_beside(const ReferenceElement& coarse, const ReferenceElement& fine) {
  const ReferenceElement corners = cell_element(coarse.shape);
  std::vector<std::uint32_t> of_fine;
  for (const Point& x : fine.nodes) of_fine.push_back(corners_around(corners, x));
  std::vector<std::size_t> result;
  for (const Point& x : coarse.nodes) {
    const auto found = std::ranges::find(of_fine, corners_around(corners, x));
    if (found == of_fine.end())
      throw Error(ErrorKind::internal, "a coarser element has nodes where the finer one has none");
    result.push_back(static_cast<std::size_t>(found - of_fine.begin()));
  }
  return result;
}

// A node as any rank finds it that has the cell.
struct NodeOfCell {
  Index cell, node;
};

// The nodes of a coarser field, first in the order in which the cells of the part meet them.
class CoarserNodes {
 public:
  CoarserNodes(const FunctionSpace& fine, const DividedField& field, int order)
      : fine_(fine), field_(field), ranks_(field.ghosts->ranks()) {
    for (const CellBlock& block : fine.mesh().blocks())
      elements_.try_emplace(block.kind, lagrange_element(traits(block.kind).linear, order));
    made_ = number_nodes(fine.mesh(), field.along_curve, elements_);
    find_places();
    number_owned();
    number_ghosts();
  }

  GivenNumbering numbering() {
    GivenNumbering result{
        .cell_order = {}, .cell_nodes = std::move(made_.cell_nodes), .node_count = owned_ + std::ssize(reached_)};
    for (Node& node : result.cell_nodes) node = number_[static_cast<std::size_t>(node)];
    return result;
  }
  std::shared_ptr<const Ghosts> ghosts() const { return std::make_shared<const Ghosts>(ranks_, owned_, reached_); }

 private:
  struct Place {
    NodeOfCell at = {-1, 0};
    Node beside = -1;  // of the finer field
  };

  void find_places() {
    const Mesh& mesh = fine_.mesh();
    std::map<CellKind, std::vector<std::size_t>> beside;
    places_.resize(static_cast<std::size_t>(made_.node_count));
    FunctionSpace::CellNodes fine_nodes_of(fine_);
    for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
      const CellKind kind = mesh.kind_of(cell);
      std::vector<std::size_t>& list = beside[kind];
      if (list.empty()) list = nodes_beside(elements_.at(kind), fine_.element(kind));
      const std::span<const Node> fine_nodes = fine_nodes_of(cell), nodes = nodes_of(cell);
      for (std::size_t a = 0; a < nodes.size(); ++a)
        if (Place& place = places_[static_cast<std::size_t>(nodes[a])]; place.at.cell < 0)
          place = {{field_.cells[static_cast<std::size_t>(cell)], static_cast<Index>(a)}, fine_nodes[list[a]]};
    }
  }

  std::span<const Node> nodes_of(Index cell) const {
    const CellBlock& block = fine_.mesh().block_of(cell);
    const auto b = static_cast<std::size_t>(&block - fine_.mesh().blocks().data());
    const auto count = static_cast<std::size_t>(elements_.at(block.kind).node_count());
    return {made_.cell_nodes.data() + made_.block_begin[b] + (cell - block.first_cell) * static_cast<Index>(count),
            count};
  }

  void number_owned() {
    number_.assign(places_.size(), -1);
    for (std::size_t node = 0; node < places_.size(); ++node)
      if (places_[node].beside < field_.ghosts->owned()) number_[node] = static_cast<Node>(owned_++);
    first_ = {0};
    for (const Index each : ranks_.of_all(owned_)) first_.push_back(first_.back() + each);
  }

  // Their owners tell their numbers.
  void number_ghosts() {
    const auto count = static_cast<std::size_t>(ranks_.count());
    std::vector<std::vector<NodeOfCell>> asked(count);
    std::vector<std::vector<std::size_t>> nodes(count);
    for (std::size_t node = 0; node < places_.size(); ++node) {
      if (number_[node] >= 0) continue;
      const auto owner = static_cast<std::size_t>(field_.ghosts->owner(field_.ghosts->global(places_[node].beside)));
      asked[owner].push_back(places_[node].at);
      nodes[owner].push_back(node);
    }
    std::vector<std::vector<Index>> answers;
    for (const std::vector<NodeOfCell>& questions : swapped(asked)) {
      answers.emplace_back();
      for (const NodeOfCell& question : questions) answers.back().push_back(owned_number(question));
    }
    answers = swapped(answers);
    std::vector<Index> global(places_.size(), -1);
    for (std::size_t rank = 0; rank < count; ++rank)
      for (std::size_t k = 0; k < nodes[rank].size(); ++k) global[nodes[rank][k]] = answers[rank][k];
    for (const Index number : global)
      if (number >= 0) reached_.push_back(number);
    std::ranges::sort(reached_);
    for (std::size_t node = 0; node < places_.size(); ++node)
      if (global[node] >= 0)
        number_[node] =
            static_cast<Node>(owned_ + (std::ranges::lower_bound(reached_, global[node]) - reached_.begin()));
  }

  Index owned_number(const NodeOfCell& question) const {
    const Index cell = std::ranges::lower_bound(field_.cells, question.cell) - field_.cells.begin();
    const Node number = number_[static_cast<std::size_t>(nodes_of(cell)[static_cast<std::size_t>(question.node)])];
    if (number < 0) throw Error(ErrorKind::internal, "a rank asks for a coarser node of another rank");
    return first_[static_cast<std::size_t>(ranks_.rank())] + number;
  }

  template <class T>
  std::vector<std::vector<T>> swapped(const std::vector<std::vector<T>>& lists) const {
    std::vector<std::vector<std::byte>> bytes;
    for (const std::vector<T>& list : lists) {
      const std::span<const std::byte> all = std::as_bytes(std::span(list));
      bytes.emplace_back(all.begin(), all.end());
    }
    std::vector<std::vector<T>> result;
    for (const std::vector<std::byte>& each : ranks_.swap(bytes)) {
      result.emplace_back(each.size() / sizeof(T));
      if (!each.empty()) std::memcpy(result.back().data(), each.data(), each.size());
    }
    return result;
  }

  const FunctionSpace& fine_;
  const DividedField& field_;
  Ranks& ranks_;
  std::map<CellKind, ReferenceElement> elements_;
  NodeNumbering made_;
  std::vector<Place> places_;  // [node as made], as the next
  std::vector<Node> number_;   // [owned | ghosts]
  Index owned_ = 0;
  std::vector<Index> first_, reached_;
};

}  // namespace

CoarserPart coarser_part(const FunctionSpace& fine, const DividedField& field, int order) {
  CoarserNodes nodes(fine, field, order);
  CoarserPart part;
  part.field = {.ghosts = nodes.ghosts(),
                .cells = field.cells,
                .along_curve = field.along_curve,
                .relations = {},
                .nesting = {},
                .replicated = field.replicated};
  GivenNumbering numbering = nodes.numbering();
  numbering.order = order;
  part.space = FunctionSpace(fine.mesh(), fine.components(), fine.device(),
                             SpaceOptions{.order = order, .elements = {}, .beside = fine, .given = &numbering});
  return part;
}

}  // namespace ritz

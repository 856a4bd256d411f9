// The numbering of the unknowns of one continuous field on a mesh: nodes in the order in which a space-filling curve
// first meets them, `components` unknowns each. It owns what all operators of the space share: the numbering, the
// coordinates on the device, and the sparsity pattern. Copies share their contents, the pattern among them: whoever
// keeps a space keeps a copy.
//
//   FunctionSpace space(mesh, 3, device);   Vector u = space.zeros();   std::vector<double> values = space.to_mesh(u);
//   FunctionSpace fine(mesh, 3, device, {.order = 4});                  // order 4, whatever the order of the mesh is
//
// Unknown of node n, component c: n * components + c; 1 to 6 per node (of structures 6 are three displacements and
// three rotations). Without options the nodes are those of the mesh, and the field varies like the geometry; points of
// the mesh that no cell uses have no node here. With an order the space has nodes of its own on vertices, edges, facets
// and in cells, and the geometry keeps the mesh's.
#pragma once

#include "device/array.hpp"
#include "fem/cells/reference_element.hpp"
#include "mesh/mesh.hpp"
#include "solvers/algebra/layout.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

// The numbering of a part of another space, on a mesh of its own: nodes of the mesh as they are numbered there, and
// those of the space, if it has others.
struct GivenNumbering {
  std::vector<Index> cell_order;  // all cells along the curve
  std::vector<Node> cell_nodes;   // [cell][node of its element], block after block; empty: nodes are the mesh's
  Index node_count = 0;
  int order = 1;  // of that space: the part may lack its cells of the highest order
};

class Ghosts;  // solvers/algebra/ghosts.hpp

// Nodes that follow others by linear equations (fem/space/dependent_unknowns.hpp), both ways. [node + 1] into lists.
struct NodeCouplings {
  std::vector<Index> first_followed, first_follower;
  std::vector<Node> followed, followers;
  // [as followed] mean over the components; empty: these differ or mix by much, or some do not follow
  std::vector<double> factor;
  std::span<const Node> followed_by(Node node) const { return part(followed, first_followed, node); }
  std::span<const Node> followers_of(Node node) const { return part(followers, first_follower, node); }
  std::span<const double> factors_of(Node node) const {
    const auto n = static_cast<std::size_t>(node);
    return std::span(factor).subspan(static_cast<std::size_t>(first_followed[n]), followed_by(node).size());
  }
  bool operator==(const NodeCouplings&) const = default;

 private:
  static std::span<const Node> part(const std::vector<Node>& list, const std::vector<Index>& first, Node node) {
    const auto n = static_cast<std::size_t>(node);
    return std::span(list).subspan(static_cast<std::size_t>(first[n]),
                                   static_cast<std::size_t>(first[n + 1] - first[n]));
  }
};

// Pairs of nodes (of a space, of another) that equations between unknowns of several spaces join, ascending and unique.
using NodePairs = std::vector<std::pair<Node, Node>>;

struct SpaceOptions;

class FunctionSpace {
  struct Contents;

 public:
  // Throws Error: Exit::input when a shape has no element of the order, or elements of
  // neighbouring cells do not match on their common facet.
  FunctionSpace(const Mesh& mesh, int components, const Device& device, const SpaceOptions& options);
  FunctionSpace(const Mesh& mesh, int components, const Device& device);
  FunctionSpace() = default;  // none: to be assigned

  bool operator==(const FunctionSpace&) const = default;  // a copy of the other
  explicit operator bool() const { return contents_ != nullptr; }

  const Mesh& mesh() const { return contents_->mesh; }
  const Device& device() const { return contents_->device; }
  int components() const { return contents_->components; }
  int order() const { return contents_->order; }  // the highest of its elements; of a part, of the whole space
  bool isoparametric() const { return contents_->isoparametric; }  // nodes are the mesh's
  Index node_count() const { return contents_->node_count; }
  Index unknown_count() const { return contents_->node_count * contents_->components; }
  const std::shared_ptr<const Ghosts>& ghosts() const { return contents_->ghosts; }  // null: one process has all nodes
  FunctionSpace part_of() const {
    return FunctionSpace(contents_->part_of);
  }  // none: it is not known, or there is none

  const ReferenceElement& element(CellKind kind) const {
    return contents_->elements.at(kind);
  }  // on cells of this kind
  struct FacetElement {
    std::vector<int> nodes;           // of the cell's element
    const ReferenceElement* element;  // in the facet's reference coordinates
  };
  const FacetElement& facet_element(CellKind kind, int facet) const { return contents_->facets.at({kind, facet}); }

  // Nodes of a cell in its element's order.
  void nodes_of(Index cell, std::vector<Node>& nodes) const;
  // The same for loops over millions of cells: remembers the block of the last cell. The nodes are valid until the next
  // call; the space is there as long as the loop.
  class CellNodes {
   public:
    explicit CellNodes(const FunctionSpace& space) : space_(space.contents_.get()) {}
    std::span<const Node> operator()(Index cell) & {
      if (cell < first_ || cell >= last_) enter(cell);
      const Node* nodes = begin_ + (cell - first_) * width_;
      if (!space_->isoparametric) return {nodes, static_cast<std::size_t>(width_)};
      for (Index a = 0; a < width_; ++a)
        mapped_[static_cast<std::size_t>(a)] = space_->node[static_cast<std::size_t>(nodes[a])];
      return {mapped_.data(), static_cast<std::size_t>(width_)};
    }

   private:
    void enter(Index cell);

    const Contents* space_;
    Index first_ = 0, last_ = 0, width_ = 0;  // of the block
    const Node* begin_ = nullptr;
    std::array<Node, 27> mapped_;  // the mesh has no larger cells
  };
  // Nodes on a region, ascending and unique. A region of nodes takes the space's nodes at these places, and those on
  // the edges and facets whose corners all belong to it.
  std::vector<Node> nodes_in(const Region& region) const;
  // of isoparametric spaces
  Node mesh_node_of(Node node) const { return contents_->geometry->mesh_node[static_cast<std::size_t>(node)]; }
  Node node_of(Node mesh_node) const { return contents_->node[static_cast<std::size_t>(mesh_node)]; }  // -1: none
  std::span<const Index> cell_order() const { return contents_->geometry->cell_order; }  // all cells along the curve
  Point point(Node node) const;                                                          // its position
  std::string component_name(int component) const;  // x y z rx ry rz; of 4 or 5 its number
  // for messages: "node 17 (0.5, 0, 1)", the mesh's number
  std::string name_of(Node node) const;
  // [node][dimension of the mesh]; made at the first use
  const Vector& coordinates() const;

  // The geometry: the mesh's nodes in the order in which the curve meets them.
  Node geometry_node_of(Node mesh_node) const { return contents_->geometry->node[static_cast<std::size_t>(mesh_node)]; }
  const Vector& geometry_coordinates() const;  // of SpaceOptions::is_cut made at the first use
  bool has_geometry_coordinates() const { return !contents_->geometry->coordinates.empty(); }
  bool shares_geometry(const FunctionSpace& other) const { return contents_->geometry == other.contents_->geometry; }
  // For cells with a map of their own (mesh/curved_cells.hpp): the points of its functions, one cell after the other.
  const Vector& curved_coordinates() const { return contents_->geometry->curved; }  // [point][dimension]
  Node first_curved_point(Index cell) const {
    return contents_->geometry->first_curved.empty()
               ? -1
               : contents_->geometry->first_curved[static_cast<std::size_t>(cell)];
  }  // -1: it has none
  // fem/space/straight_cells.hpp
  bool is_straight(Index cell) const { return contents_->geometry->straight[static_cast<std::size_t>(cell)] != 0; }

  Vector zeros(const char* tag = "vectors") const;
  // Values at the nodes of the mesh, [mesh node][component]; 0 at points without unknowns. A transfer.
  std::vector<double> to_mesh(const Vector& u) const;
  // The same for values [node][component] on the host.
  std::vector<double> to_mesh(std::span<const double> values, int components) const;
  // Forces at the nodes, such as reactions, as forces at the mesh's nodes that do the same work on every field of the
  // mesh: their sums and moments stay. [mesh node][component]. A transfer.
  std::vector<double> forces_to_mesh(const Vector& f) const;
  // The interpolant of a field of the mesh.
  Vector from_mesh(std::span<const double> values, const char* tag = "vectors") const;

  // Nodes that share a cell, in block CSR (one block per pair of nodes). Made at the first call, then shared. With
  // couplings, those that follow nodes of the cell are joined like the nodes. cell_nodes: those of all cells in the
  // order of the space as kernels read them, [batch][node][lane]; empty: they are taken from the mesh.
  std::shared_ptr<const SparsityPattern> pattern(std::span<const Node> cell_nodes = {}) const;
  bool has_pattern() const { return contents_->pattern != nullptr; }
  // The same for the host to read, to build lists of positions: the pattern itself on a CPU, else a copy. It is there
  // until one of the two is forgotten.
  struct HostPattern {
    std::span<const Index> offsets;
    std::span<const std::int32_t> columns;
  };
  HostPattern host_pattern() const;
  void forget_host_pattern() const;  // a copy is rebuilt at the next use
  void forget_pattern() const;       // rebuilt at the next use; matrices keep theirs
  // Equations join nodes: patterns made from now on have what they need. Null: none.
  void couple(std::shared_ptr<const NodeCouplings> couplings) const;
  const NodeCouplings* couplings() const { return contents_->couplings.get(); }
  // The same by equations between unknowns of several spaces, among which the space itself may be. Empty: none.
  void join(std::vector<std::pair<FunctionSpace, NodePairs>> joined) const;
  const NodePairs* joined_with(const FunctionSpace& other) const;          // null: not at all
  const std::string& field_name() const { return contents_->field_name; }  // empty: it has none

 private:
  // Geometry of the mesh along the curve; related spaces share one.
  struct Geometry {
    std::vector<Index> cell_order;
    std::vector<Node> node, mesh_node;   // [mesh node] -> node of the geometry, and back
    mutable Vector coordinates;          // geometry_coordinates()
    std::vector<std::uint8_t> straight;  // [cell]
    std::vector<Node> first_curved;      // [cell]; empty when no cell has a map of its own
    Vector curved;
    void number_nodes(const Mesh& mesh);  // in the order of the cells
    void place_curved(const Mesh& mesh, const Device& device);
  };
  static std::shared_ptr<const Geometry> geometry_of(const Mesh& mesh, const Device& device,
                                                     const SpaceOptions& options);
  struct Contents {
    Mesh mesh;
    Device device;
    int components;
    std::shared_ptr<const Ghosts> ghosts;
    std::shared_ptr<Contents> part_of;
    bool isoparametric;
    std::shared_ptr<const Geometry> geometry;
    std::string field_name;
    int order = 1;
    Index node_count = 0;
    std::map<CellKind, ReferenceElement> elements = {};
    std::map<std::pair<CellKind, int>, FacetElement> facets = {};
    std::map<CellKind, ReferenceElement> facet_elements = {};  // by the facet's kind
    std::span<const Node> node = {};  // [mesh node] -> node: that of the geometry, or the space's own
    std::vector<Node> own_node = {};
    std::vector<Node> cell_nodes = {};            // [cell][node], block after block; empty when isoparametric
    std::vector<Index> block_begin = {};          // [block] first entry in cell_nodes
    std::vector<double> host_coordinates = {};    // [node][dimension]; empty when isoparametric
    Vector coordinates = {};                      // of nodes of the space's own
    std::vector<Index> host_offsets = {};         // of a copy of the pattern; empty: there is none
    std::vector<std::int32_t> host_columns = {};  // as these
    std::shared_ptr<const SparsityPattern> pattern = {};
    std::shared_ptr<const NodeCouplings> couplings = {};
    std::vector<std::pair<std::weak_ptr<const Contents>, NodePairs>> joined = {};  // weak: two join each other
    void choose_elements(const SpaceOptions& options);
    void number_nodes(const GivenNumbering* given);
  };
  explicit FunctionSpace(std::shared_ptr<Contents> contents) : contents_(std::move(contents)) {}
  // Adds nodes of a cell with chosen nodes of the mesh: those on facets and edges all of whose nodes are chosen.
  void add_nodes_between(Index cell, const std::vector<bool>& chosen, std::vector<Node>& result) const;

  std::shared_ptr<Contents> contents_;  // numbering and elements are constant once it is made
};

struct SpaceOptions {
  int order = 0;                           // of Lagrange elements on every cell; 0: the mesh's own
  std::vector<ReferenceElement> elements;  // instead of these, for their shapes; needs an order for the other shapes
  FunctionSpace beside = {};               // a space on the same mesh, with which the geometry is shared
  const GivenNumbering* given = nullptr;   // instead of the order in which the curve meets the nodes
  // Nodes of a part of a mesh are [owned | ghosts]; null: one process has all nodes.
  std::shared_ptr<const Ghosts> ghosts = nullptr;
  FunctionSpace part_of = {};   // the space that this is a part of, for messages; every rank has it
  bool is_cut = false;          // ranks compute on parts of it: nothing of it is put on the device
  std::string field_name = {};  // for messages of several fields
};

// The spaces of fields. On one mesh they share its geometry (SpaceOptions::beside).
using Spaces = std::vector<FunctionSpace>;

Layout::Field field_of(const FunctionSpace& space);  // its owned nodes, and those of others that it reaches
Layout layout_of(const Spaces& spaces);
// For messages, of an unknown of all spaces, one after the other: "component x at node 17 (0.5, 0, 1)".
std::string name_of(const Spaces& spaces, Index unknown);

class Error;

// Reason and remedy for a load or a spring at a node of the mesh where the space has no node.
Error no_node_for(const std::string& what, const FunctionSpace& space, Node mesh_node);

}  // namespace ritz

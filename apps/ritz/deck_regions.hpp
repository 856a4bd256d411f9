// Sets and surfaces of a deck's mesh by the names that its cards use. Capitals do not matter, and one name may be that
// of a set of nodes, of a set of elements and of a surface: a card says which kinds it means.
#pragma once

#include "io/decks/deck_cards.hpp"
#include "mesh/mesh.hpp"

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ritz {

class DeckRegions {
 public:
  DeckRegions(MeshData mesh, const std::vector<DeckCard>& cards);

  const Mesh& mesh() const { return mesh_; }
  // The region of this name of the first kind that has one; nullptr without any.
  const Region* find(const std::string& name, std::initializer_list<RegionKind> kinds) const;
  // Elements of a set; of a set of a part, those of each of its instances.
  std::vector<const Region*> elements_of(const std::string& name) const;
  // Facets of the same name in another place than these nodes: a case takes the facets, or refuses the name.
  bool hidden_by_facets(const Region& nodes) const;
  std::set<CellKind> cell_kinds(const Region& cells) const;
  // Side of shells that a surface names: 1 along the normal (SPOS, S2), -1 against it (SNEG, S1), 0 both or none.
  int side_of(const Region& surface) const;

 private:
  Mesh mesh_;
  std::map<std::string, std::set<int>> sides_;  // by the surface's name in capitals
};

}  // namespace ritz

// A deck as it was read: its cards, the sets and surfaces of its mesh, and what its cards as a whole decide.
// Translations of cards take it, return what they find, and report what they leave out.
#pragma once

#include "apps/ritz/deck_model.hpp"
#include "apps/ritz/deck_numbers.hpp"
#include "apps/ritz/deck_regions.hpp"

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace ritz {

// Supports, forces: sets of nodes first, whatever else has the name.
inline constexpr std::initializer_list<RegionKind> node_sets{RegionKind::nodes, RegionKind::facets, RegionKind::cells};
inline constexpr std::initializer_list<RegionKind> element_sets{RegionKind::cells};
inline constexpr std::initializer_list<RegionKind> surfaces{RegionKind::facets};

struct DeckFacts {
  DeckPhysics physics = DeckPhysics::solid;
  std::string plane;      // [model] type; empty: none
  int modes = 0;          // 0: no modal analysis
  bool large = false;     // displacements: NLGEOM in a step
  bool has_laws = false;  // materials with *PLASTIC, *HYPERELASTIC, or *CREEP where it acts
  bool creeps = false;    // *CREEP and a step of *VISCO: in others nothing creeps
  bool has_trusses = false, has_others = false;
  // [[material]] integration of the hexahedra and quadrilaterals, by one of their types each.
  std::map<std::string, std::string> integrations;
  std::vector<const DeckCard*> turned;  // *TRANSFORM

  bool is_frame() const { return physics == DeckPhysics::frame; }
  bool is_heat() const { return physics == DeckPhysics::heat; }
  bool is_large() const { return large && physics == DeckPhysics::solid; }
  bool is_nonlinear() const { return is_large() || (has_laws && physics == DeckPhysics::solid); }
  // The one integration of all of them; "full" where they differ.
  std::string integration() const { return integrations.size() == 1 ? integrations.begin()->first : "full"; }
  bool turns() const { return is_frame() && has_others; }  // nodes of trusses have no rotations
};

// Cards that change results and are not in the case (gaps), and facts that change none (notes).
class DeckNotes {
 public:
  void lack(const DeckCard& card, const std::string& why);
  void note(const DeckCard& card, const std::string& what);
  void add_number(const DeckCard& card, const std::string& number);  // of a node or an element that is in no set

  void sort();                        // notes so far in the order of the deck
  std::vector<DeckGap> gaps() const;  // by file and line
  std::vector<std::string> notes() const;

 private:
  std::vector<DeckGap> gaps_;
  std::vector<std::pair<const DeckCard*, std::string>> notes_;
  std::map<const DeckCard*, std::vector<std::string>> numbers_;
};

// nullptr: the deck has no material of this name.
const DeckMaterial* material_of(const DeckSection& section, const std::vector<DeckMaterial>& materials);

struct Deck {
  const std::vector<DeckCard>& cards;
  const DeckFacts& facts;
  const DeckRegions& regions;
  const DeckNumbers& numbers;
  DeckNotes& notes;

  // These report why there is none: the mesh has no region of these kinds; the axes of its nodes are turned.
  const Region* region_named(const DeckCard& card, const std::string& name,
                             std::initializer_list<RegionKind> kinds) const;
  const Region* node_set(const DeckCard& card, std::size_t line) const;

 private:
  bool is_turned(const DeckCard& card, const Region& region) const;
};

}  // namespace ritz

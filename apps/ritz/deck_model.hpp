// Contents of an Abaqus or CalculiX deck in the terms of a case: sections, supports and loads of regions.
// deck_reader.hpp fills it, case_from.cpp writes it.
#pragma once

#include "apps/ritz/deck_loads.hpp"
#include "apps/ritz/deck_regions.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

enum class DeckPhysics { solid, heat, frame };

struct DeckMaterial {
  std::string name;
  std::map<std::string, double> numbers = {};                     // keys of the case
  std::map<std::string, std::vector<std::string>> directed = {};  // by keyword: lines of numbers along material axes
  std::vector<const DeckCard*> expansions = {};
  std::vector<std::string> law = {};  // lines of it; empty: linear elastic
};

struct DeckSection {
  bool solid = false;  // [[material]]; else [[section]]
  const Region* region = nullptr;
  std::string material;
  std::vector<std::string> lines;  // element, profile
  std::string orientation = {};    // of a solid
  bool bar = false;                // Poisson's ratio is none of its numbers
  const DeckCard* card = nullptr;
};

struct DeckSupport {
  const Region* region = nullptr;
  std::map<int, double> values;  // of the unknowns, counted from 1; 11 is the temperature
};

// A card of the deck that changes its results and is not in the case.
struct DeckGap {
  std::string file;
  int line = 0;
  std::string card, why;  // "*PLASTIC"
  bool operator==(const DeckGap&) const = default;
};

// A path of loads in time, [newton]: stages that end at the whole load.
struct DeckPath {
  std::vector<double> durations;
};

struct DeckModel {
  std::vector<DeckCard> cards;
  std::unique_ptr<const DeckRegions> regions;
  DeckPhysics physics = DeckPhysics::solid;
  std::string plane;     // [model] type; empty: none
  double thickness = 0;  // of the plane
  int modes = 0;         // 0: no modal analysis
  bool large = false;    // displacements: NLGEOM
  std::vector<DeckMaterial> materials;
  std::map<std::string, std::vector<std::string>> orientations;  // lines by the name in capitals
  std::vector<DeckSection> sections;
  std::vector<DeckSupport> supports;
  DeckCases loads;
  std::optional<DeckPath> path;  // of a deck that creeps
  bool by_number = false;        // the mesh needs the sets of DeckNumbers
  std::vector<DeckGap> gaps;
  std::vector<std::string> notes;  // facts that change no result, or that Abaqus and CalculiX read differently

  // Lines of numbers along axes for the program of this case.
  std::vector<std::string> directed_lines(const DeckSection& section) const;
  int dimension() const { return regions->mesh().dimension(); }
};

}  // namespace ritz

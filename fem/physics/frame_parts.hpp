// The sections and point masses of frames on their mesh: what each cell has, and which unknowns a node knows. Private
// to fem/physics.
#pragma once

#include "fem/physics/frames.hpp"

namespace ritz {

// The smallest region of cells that has the cell, the last one of several; empty: none has it.
std::string region_with(const Mesh& mesh, Index cell);

inline constexpr int solids_field = 0, frames_field = 1;  // as joined(solids, frames) numbers them

class Frames::Parts {
 public:
  struct FoundSection {
    const Region* region;
    const Section& input;
    double mass;  // per length or area
    CellKind cell() const { return static_cast<CellKind>(input.element.cell); }
  };
  struct FoundMass {  // of each node
    std::vector<Node> nodes;
    double mass;
    Vector3 inertia;
  };

  // Errors are added; what is wrong is left out.
  Parts(const Frames& frames, ErrorList& errors);

  const std::vector<FoundSection>& sections() const { return sections_; }
  const std::vector<FoundMass>& masses() const { return masses_; }
  int section_at(Index cell) const { return section_of_[static_cast<std::size_t>(cell)]; }  // -1: none
  std::optional<Beam> beam_at(Index cell) const;
  // Unknowns of a node of the mesh that its elements know; 0: none.
  int known_at(Node node) const { return components_at_[static_cast<std::size_t>(node)]; }
  bool any_knows_less(const std::vector<Node>& nodes, int components) const;
  std::vector<Integral> inertia(ErrorList& errors) const;
  // Adds to the errors what is not a rotor about this axis.
  std::optional<Turning> turning(const Rotation& rotation);
  void report_cells_without_section(Model& model);

  const Region* nodes_at(const On& place, const std::string& origin);  // nodes, facets or cells
  void fail(ErrorKind kind, std::string what, const std::string& origin, std::string why, std::string fix);

 private:
  void find_sections(const Frames& frames);
  void find_masses(const Frames& frames);
  void give_cells(const Region& region, int section);
  void check_repeated(const Region& region, const std::string& origin);
  void check_kind(const Region& region, const Section& input);
  static Integral inertia_of(const FoundSection& section, ErrorList& errors);
  void check_orientation(const Region& region, const Beam& beam, const std::string& origin);
  void check_rotor(const FoundSection& section, const Rotation& rotation, const Point& axis);
  bool is_on_axis(Node node, const Rotation& rotation, const Point& axis) const;

  Mesh mesh_;
  ErrorList& errors_;
  std::vector<FoundSection> sections_;
  std::vector<FoundMass> masses_;
  std::vector<int> section_of_;     // [cell] -1: carries nothing, names a place
  std::vector<int> components_at_;  // [mesh node] unknowns that its elements know; 0: none
};

inline bool any_not_zero(const Vector3& v) { return v[0] != 0 || v[1] != 0 || v[2] != 0; }

}  // namespace ritz

// Nodes of two fields that forms of several fields couple: those of a common cell, and what equations between unknowns
// make of these. A row gets the columns that its columns follow; nodes that others follow get the rows of these.
// Private to fem/operator.
#pragma once

#include "fem/operator/field_groups.hpp"
#include "fem/operator/task_outline.hpp"

#include <map>
#include <utility>
#include <vector>

namespace ritz {

class CouplingPatterns {
 public:
  // Refers to its arguments.
  CouplingPatterns(const Spaces& spaces, const std::vector<MixedIntegral>& integrals,
                   const std::vector<FieldGroup>& groups)
      : spaces_(&spaces), integrals_(&integrals), groups_(&groups) {}

  // [node of the row's field] nodes of the column's; made at the first use, and again when equations have changed.
  FunctionSpace::HostPattern pattern(int row, int column) const;
  Index known_pairs(int row, int column) const;  // of the pattern; 0: it is not made
  // Pairs of nodes that equations add to those of cells, from the rows that they change.
  Index pairs_by_equations(int row, int column) const;
  void forget() const { patterns_.clear(); }

 private:
  struct NodePattern {
    Joints joints;
    std::vector<Index> offsets;
    std::vector<std::int32_t> columns;
  };
  using NodeLists = std::vector<std::vector<Node>>;
  const FunctionSpace& space(int field) const { return (*spaces_)[static_cast<std::size_t>(field)]; }
  Joints joints(int row, int column) const { return joints_of(space(row), space(column)); }
  NodeLists neighbours(int row, int column, const std::vector<bool>* wanted) const;
  template <class Visit>
  void each_coupled_element(int row, int column, const Visit& visit) const;

  const Spaces* spaces_;
  const std::vector<MixedIntegral>* integrals_;
  const std::vector<FieldGroup>* groups_;
  mutable std::map<std::pair<int, int>, NodePattern> patterns_;
};

}  // namespace ritz

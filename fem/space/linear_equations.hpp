// Linear relations between unknowns, all from one source: equation i says
//
//   sum_j factor_j u(node_j, component_j) = value_i.
//
// Ties, rigid and periodic regions, oblique supports and [[equation]] become such rows; Constraints::relate() takes
// those of one space, FieldsConstraints::relate() those between spaces.
//
//   LinearEquations equations{.origin = "[[equation]] #1 at case.toml:12"};
//   equations.add({{a, 0, 1.0}, {b, 0, -1.0}}, 0.001);     // u_x(a) = u_x(b) + 0.001
//
// The first term whose unknown is free and whose factor is not small beside the others becomes the dependent unknown:
// list the one that is to be eliminated first.
#pragma once

#include "mesh/mesh.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace ritz {

struct UnknownTerm {
  Node node;  // of the space
  int component;
  double factor;
  int field = -1;  // of a model of several fields; -1: that of the equations
};

struct LinearEquations {
  std::string origin;                   // named in messages
  std::vector<Index> begin{0};          // [equation + 1] into terms
  std::vector<UnknownTerm> terms = {};  // of all equations, one after the other
  std::vector<double> values = {};      // [equation] right-hand sides, in units of factor times unknown
  int field = 0;                        // of a model of several fields: whose unknowns they are
  // The first free term becomes dependent whatever its factor: a rotation that follows displacements has another unit.
  bool first_is_dependent = false;
  // The sums may be smaller than the values, too: stops and gaps, of nonlinear statics (ActiveConstraints).
  bool at_most = false;

  Index size() const { return static_cast<Index>(values.size()); }
  int field_of(const UnknownTerm& term) const { return term.field < 0 ? field : term.field; }
  bool join_fields() const {  // more than one
    return std::ranges::any_of(terms, [&](const UnknownTerm& t) { return field_of(t) != field_of(terms.front()); });
  }
  std::span<const UnknownTerm> terms_of(Index equation) const {
    const auto i = static_cast<std::size_t>(equation);
    return std::span(terms).subspan(static_cast<std::size_t>(begin[i]),
                                    static_cast<std::size_t>(begin[i + 1] - begin[i]));
  }
  void add(std::span<const UnknownTerm> row, double value = 0) {
    terms.insert(terms.end(), row.begin(), row.end());
    begin.push_back(static_cast<Index>(terms.size()));
    values.push_back(value);
  }
  void add(std::initializer_list<UnknownTerm> row, double value = 0) { add(std::span(row.begin(), row.size()), value); }
};

}  // namespace ritz

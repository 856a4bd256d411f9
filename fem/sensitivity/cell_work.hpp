// The work that the residual of each cell does on a field: what derivatives by numbers in cells are made of. The
// residual is computed on a mesh whose cells have nodes of their own, so that it holds each cell's share apart, for
// every form and with the kernels that every form has.
//
//   CellWork work(spaces, {model.equations, model.of_fields.equations});    // of one field or of several
//   const std::vector<double> before = work(u, lambda);                     // [cell] lambda . residual of the cell
//   ... other numbers ...  work.numbers_changed();                          // functions give other values now
#pragma once

#include "fem/operator/cells_apart.hpp"
#include "fem/operator/equations.hpp"
#include "device/memory_needs.hpp"

#include <memory>
#include <span>
#include <vector>

namespace ritz {

class CellWork {
 public:
  // Takes those integrals over cells and facets whose numbers are functions.
  CellWork(const Spaces& spaces, const IntegralsOfFields& integrals);
  // Takes all of them, whose numbers are replaced by replace_numbers().
  struct OfAll {};
  CellWork(const Spaces& spaces, const IntegralsOfFields& integrals, OfAll of_all);
  // The same on cells of which node `node` is moved by this part of their size along an axis.
  struct Moved {
    std::size_t node;
    int axis;
    double part;
  };
  static double size_of(const Mesh& mesh, Index cell);  // the shortest distance between two of its nodes
  CellWork(const Spaces& spaces, const IntegralsOfFields& integrals, const Moved& moved);

  // Memory of the device, without the vectors of an evaluation. Some thousand cells are taken apart for it, and the
  // others count as they do: no two share anything.
  static MemoryNeeds memory_needs(const FunctionSpace& space, std::span<const Integral> integrals);
  static MemoryNeeds memory_needs(const FunctionSpace& space, std::span<const Integral> integrals, OfAll of_all);

  void numbers_changed();
  // Those of other integrals: the same forms at the same places. Throws Error: Exit::model else.
  void replace_numbers(const IntegralsOfFields& integrals);
  void set_time(const Time& time);                                              // at which functions of time are taken
  std::vector<double> operator()(const Vector& u, const Vector& lambda) const;  // vectors of the spaces

 private:
  void take_apart(const Mesh& apart, const IntegralsOfFields& integrals);
  IntegralsOfFields there(const IntegralsOfFields& integrals) const;

  Spaces spaces_;
  std::vector<std::unique_ptr<CellsApart>> apart_;  // [field]; none: nothing varies
  IntegralsOfFields integrals_;                     // there
  std::unique_ptr<Equations> residual_;
};

}  // namespace ritz

// The field of a model as this process works on it: all of it, or over ranks the part of a rank, whose vectors have the
// unknowns that it owns. Analyses written with it know no ranks. All ranks make theirs and call its functions together.
// Private to fem/analysis.
//
//   const OwnField field(setup.equations(), setup.supports().common(), linear);
//   Vector f = field.zeros();   field.of(loads).residual(field.zeros(), f);
//   LinearSystem system(field.equations(), linear, LinearSystem::Keeps::solver, field.part());
//   Vector of_all = field.gathered(std::move(f));
#pragma once

#include "fem/ranks/field_of_rank.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ritz {

class OwnField {
 public:
  // linear: options of its systems, with ranks or none. Supports are finished.
  OwnField(const Operator& equations, const Constraints& supports, const LinearSolverOptions& linear);

  const FieldOfRank* part() const { return part_.get(); }  // null: one process
  const Operator& equations() const { return part_ ? part_->equations() : all_; }
  const Constraints& supports() const { return part_ ? part_->supports() : all_supports_; }
  const Layout& layout() const { return equations().layout(); }
  const FunctionSpace& space() const { return all_.space(); }  // of the model
  // Others of the same space.
  const Operator& own(const Operator& others) const { return part_ ? part_->own(others) : others; }
  Constraints own(const Constraints& others) const { return part_ ? part_->own(others) : others; }
  std::vector<Integral> own(const std::vector<Integral>& integrals) const;
  Operator of(const std::vector<Integral>& integrals) const;

  Vector zeros() const { return equations().zeros(); }
  Vector own(std::span<const double> of_all) const;  // an empty one stays empty
  Vector with_ghosts(Vector own) const;              // as Linearisation takes it
  Vector gathered(Vector own) const;
  Vector translation(int direction) const;              // 1 in each unknown along an axis
  std::optional<Index> first_unknown(Node node) const;  // of a node of the model; none: another rank has it
  std::vector<double> forces_for_results(const Vector& f) const;

 private:
  Operator all_;
  Constraints all_supports_;
  std::shared_ptr<const FieldOfRank> part_;
};

// Divides the equations as these options need it, before others divide them: all systems of them take one division.
void divide_for(const Operator& equations, const LinearSolverOptions& linear);

}  // namespace ritz

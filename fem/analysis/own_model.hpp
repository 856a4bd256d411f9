// A model that vibrates as this process works on it, of one field or of several: all of it, or over ranks the part of a
// rank, whose vectors have the unknowns that it owns. Answers written with it know neither ranks nor fields. All ranks
// make theirs and call its functions together. Private to fem/analysis.
//
//   const OwnModel own(model, operators_of(setup), linear);
//   Vector f = own.mass_times(own.translation(0));
//   Vector of_all = own.gathered(std::move(f));
#pragma once

#include "fem/analysis/attached.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/analysis/tangent_system.hpp"
#include "fem/physics/model.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ritz {

// Equations, inertia and finished supports of the whole model, of which copies are kept.
struct VibratingOperators {
  const Equations& equations;
  const Equations& masses;
  const Supports& supports;
};
// Those of a setup that has the inertia next to the equations.
VibratingOperators operators_of(const Setup& setup);

class OwnModel {
 public:
  // linear: options of its systems, with ranks or none.
  OwnModel(const Model& model, const VibratingOperators& all, const LinearSolverOptions& linear);
  OwnModel(const OwnModel&) = delete;
  OwnModel& operator=(const OwnModel&) = delete;

  PartOfModel* part() const { return part_.get(); }  // null: one process
  const Equations& equations() const { return part_ ? part_->equations() : *all_; }
  const Supports& supports() const { return part_ ? part_->supports() : *all_supports_; }
  const Layout& layout() const { return equations().layout(); }
  const Spaces& spaces() const { return spaces_; }                    // of the whole model
  const std::vector<int>& directions() const { return directions_; }  // of space, along which the body may move
  const std::shared_ptr<const Attached>& attached() const { return attached_; }

  Vector zeros() const { return equations().zeros(); }
  Vector own(std::span<const double> of_all) const;  // an empty one stays empty
  Vector gathered(Vector own) const;
  Vector translation(int direction) const;                         // displacements of 1 along an axis
  Vector mass_times(const Vector& x) const;                        // with attached masses
  std::optional<Index> first_unknown(int field, Node node) const;  // of a node; none: another rank has it
  std::shared_ptr<const Equations> of(const IntegralsOfFields& integrals) const;
  // The tangent at u with the springs of reference points, solved with its supports.
  enum class Serves : std::uint8_t { once, many };
  std::unique_ptr<TangentSystem> tangent(const Vector& u, const LinearSolverOptions& linear,
                                         Serves serves = Serves::many) const;

 private:
  Spaces spaces_;
  bool has_fields_;
  std::shared_ptr<const Equations> all_;
  std::shared_ptr<const Supports> all_supports_;
  std::unique_ptr<PartOfModel> part_;
  std::shared_ptr<const Equations> masses_;
  std::shared_ptr<const Attached> attached_;
  std::vector<int> moving_ = {}, directions_ = {};  // fields of displacements
};

// Fields of displacements: by their name, since rotations may have as many components; or those of beams and shells,
// whose rotations come after.
std::vector<int> moving_fields(const FieldsOperator& equations);
// 1 in the unknowns of these fields along an axis.
Vector translation_of(const Equations& equations, const std::vector<int>& fields, const Spaces& spaces, int axis);

}  // namespace ritz

// Static answers of several fields that vibrate, each with an inertia, by a factor of all of them together; as
// StaticAnswers has them of one. Over ranks all make it and call its functions together. Private to fem/analysis.
#pragma once

#include "fem/analysis/answers_to_forces.hpp"
#include "fem/analysis/vibration.hpp"

#include <memory>

namespace ritz {

class AnswersOfFields final : public AnswersToForces {
 public:
  // Refers to all of these. No motion may be free.
  AnswersOfFields(const FieldsOfModel& fields, const VibrationModel& model, Ranks* ranks);
  ~AnswersOfFields() override;

  Vector zeros() const override;
  Vector own(const Vector& of_all) const;    // vectors are those of this rank
  Vector gathered(const Vector& own) const;  // of all ranks
  const Vector& mass_times(const Vector& x) override;
  Vector translation(int direction) const;  // of the fields of displacements by 1

 private:
  const Supports& supports() const override;
  SolveReport solve(const Vector& b, Vector& x) override;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ritz

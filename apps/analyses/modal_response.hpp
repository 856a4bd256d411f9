// Answers on modes: what [harmonic], [random] and [spectrum] share. The modes of [modal] are found and reported, the
// modal space is made, and the probes that are linear in the motion become numbers of its columns.
#pragma once

#include "apps/analyses/modal.hpp"
#include "apps/cases/responses.hpp"
#include "fem/analysis/modal_space.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ritz {

// A number of a probe.
struct ProbedQuantity {
  std::string name;  // "tip", or "tip.0" of a probe with several
  std::string unit;  // " m", or empty
  ModalQuantity quantity;
};

class ModalResponse : public CaseAnalysis {
 public:
  ModalResponse(Run& run, CaseModel& read, CaseSolvers& solvers, ResponseKind kind, const Case::Table& table);

  const LinearSolverOptions* linear() const override { return &basis_.linear; }
  ModelDemands demands() const override;
  void check(const Model& model) const override;
  Rates rates() const override { return Rates::beside; }
  Forecast forecast(Run& run, const CaseModel& read, const Prepared& prepared) const override;
  void begin(const CaseModel&, StepBegin begin) override { input_.eigen.begin = std::move(begin.from); }
  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) final;

 protected:
  virtual int results() const { return 1; }
  virtual void respond(Run& run, const CaseModel& read, const ModalSpace& space,
                       const std::vector<Excitation>& excitations) = 0;

  const ModalDamping& damping() const { return damping_; }
  const std::vector<NamedExcitation>& excitations() const { return excitations_; }

 private:
  ModalInput input_;
  ModalBasis basis_;
  ModalDamping damping_;
  std::vector<NamedExcitation> excitations_;
};

std::vector<ProbedQuantity> probed_quantities(Run& run, const CaseModel& read, const ModalSpace& space);

// Fields at nodes and in cells of a motion, with "acceleration" of another one where it is given.
EvaluatedFields fields_of_motion(const CaseModel& read, const Vector& u, const Vector* acceleration);
// Calls change(values, name of the field) for the values of each field.
void each_values(EvaluatedFields& fields, const std::function<void(std::vector<double>& values, const Field&)>& change);
// sum = combine(sum, next) by value; the first one is taken as it is.
void combine_fields(const std::function<double(double sum, double next)>& combine, EvaluatedFields next,
                    EvaluatedFields& sum);
// Prints the largest values.
void print_peaks(Run& run, const EvaluatedFields& fields, const std::string& what);

// "f,tip,tip_phase": rows of numbers.
std::string table_text(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& rows);

}  // namespace ritz

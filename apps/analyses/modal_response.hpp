// Answers on modes: what [harmonic], [random], [spectrum] and [history] share. The modes of [modal] are found and
// reported, the modal space is made, and the probes that are linear in the motion become numbers of its columns.
#pragma once

#include "apps/analyses/modal.hpp"
#include "apps/cases/responses.hpp"
#include "io/results/response_table.hpp"
#include "fem/analysis/engine_order.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
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
  MemoryNeeds beside_system(const FieldsOfModel& fields) const override;
  Index host_of_shown(Run& run, const CaseModel& read, const Forecast& foreseen) const override;
  void begin(const CaseModel&, StepBegin begin) override { input_.eigen.begin = std::move(begin.from); }
  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) final;

 protected:
  virtual int results() const { return 1; }
  virtual void respond(Run& run, const CaseModel& read, const ModalSpace& space,
                       const std::vector<Excitation>& excitations) = 0;

  // The loads go around, from sector to sector.
  void set_engine_order(EngineOrder order) { order_ = order; }
  const ModalDamping& damping() const { return damping_; }
  const std::vector<NamedExcitation>& excitations() const { return excitations_; }

 private:
  ModalInput input_;
  ModalBasis basis_;
  ModalDamping damping_;
  std::vector<NamedExcitation> excitations_;
  std::optional<EngineOrder> order_;
};

// Adds the names of fields of motions to those of the results.
void name_motions(CaseModel& read);
std::vector<ProbedQuantity> probed_quantities(Run& run, const CaseModel& read, const ModalSpace& space);

// Fields at nodes and in cells of a motion, with "acceleration" of another one where it is given.
EvaluatedFields fields_of_motion(Run& run, const CaseModel& read, const Vector& u, const Vector* acceleration);
void make_positive(EvaluatedFields& fields);
// [bytes] Sets of fields that are combined next to the one that is written: real and imaginary part, and their sum.
Index host_of_combined(Run& run, const CaseModel& read, const CaseAnalysis& analysis);
// sum = combine(sum, next) by value; the first one is taken as it is.
template <class Combine>
void combine_fields(const Combine& combine, EvaluatedFields next, EvaluatedFields& sum) {
  if (sum.nodal.empty()) {
    sum = std::move(next);
    return;
  }
  for (const auto& [from, to] : {std::pair{&next.nodal, &sum.nodal}, {&next.cells, &sum.cells}})
    for (std::size_t i = 0; i < to->size(); ++i)
      for (const auto values : {&Field::values, &Field::finer_values})
        std::ranges::transform((*to)[i].*values, (*from)[i].*values, ((*to)[i].*values).begin(), combine);
}
// Prints the largest values.
void print_peaks(Run& run, const EvaluatedFields& fields, const std::string& what);

// `frequencies` of a table; all 0 where it is not needed and not given.
struct FrequencyRange {
  double low = 0, high = 0;  // [Hz]
  bool given = false;
};
FrequencyRange read_frequencies(const Case::Table& table, const char* about, bool needed);
// `count` of them.
int read_frequency_count(const Case::Table& table, const char* about);
// Reports frequencies beyond the highest mode.
void report_beyond_modes(Run& run, const ModalSpace& space, double high);
// Asks for [output] response, which write_response() follows.
void read_response_format(Run& run);
// "<case>_response.csv", with columns "frequency", "tip" and "tip_phase", and where the case asks for it
// "<case>_response.uff", a universal file. Nothing without series.
void write_response(Run& run, const ResponseTable& table);

}  // namespace ritz

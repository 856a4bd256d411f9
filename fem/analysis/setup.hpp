// The parts that analyses of models share: their operators and supports, and the sum of a forecast. Private to
// fem/analysis.
#pragma once

#include "fem/analysis/forecast.hpp"
#include "fem/ranks/part_of_model.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ritz {

// Operators and supports of an analysis: the caller's, or made here.
class Setup {
 public:
  enum class Held { required, not_needed };
  using Rates = FieldsOfModel::Rates;
  // linear: of an analysis whose vectors have owned unknowns over ranks, each of which has its part of the model. All
  // ranks make theirs together.
  Setup(const Model& model, const Prepared& prepared, Held held, Rates rates = Rates::none,
        const LinearSolverOptions* linear = nullptr);
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;

  // Operators of one field at nodes.
  Operator& equations() const { return *equations_; }
  Operator& rates() const { return *rates_; }
  const ModelSupports& supports() const { return *supports_; }
  // Operators of a model that has fields.
  const FieldsOfModel& fields() const { return *fields_; }

  PartOfModel* part() const { return part_.get(); }  // null: one process

  // Those of either, or of the part.
  Equations& any_equations() const;
  Equations& any_rates() const;
  Supports& any_supports() const;  // outside of load cases
  const Supports& any_supports_of(std::size_t load_case) const;
  Prepared prepared() const;  // for another analysis with them
  GroundMotions on_ground() const { return supports_ != nullptr ? supports_->on_ground() : nullptr; }
  // Unknowns that are held in place of rigid motions that means alone hold. Several fields are held without means.
  std::span<const Index> stops() const {
    return supports_ != nullptr ? std::span<const Index>(supports_->stops()) : std::span<const Index>();
  }

 private:
  std::optional<ModelSupports> own_supports_;
  std::optional<Operator> own_equations_, own_rates_;
  std::optional<FieldsOfModel> own_fields_;
  const ModelSupports* supports_ = nullptr;
  Operator *equations_ = nullptr, *rates_ = nullptr;
  const FieldsOfModel* fields_ = nullptr;  // null: the model has one field at nodes
  std::unique_ptr<PartOfModel> part_;
};

// Heat has a capacity; what has inertia alone moves.
bool is_of_second_order(const Model& model);
const std::vector<Integral>& rates_of(const Model& model);

// An observer for which a solution beyond the tables of the model is an error.
Observer within_ranges(const Model& model, const Observer& observer);
Observer within_ranges_in_time(const Model& model, const Observer& observer);  // and in other steps one far beyond

// One for which a state with cells inside out is an error, where displacements are large.
Observer without_reversed_cells(const Model& model, const Observer& observer);

void require_linear_load_cases(const Model& model);
// Prescribed means are of static analyses without load cases. `analysis`: "load cases".
void require_no_prescribed_means(const Model& model, const std::string& analysis);  // throws

// Integrals that are laid out, and not computed.
Operator counted(const Model& model, const std::vector<Integral>& integrals);
// The sum of what equations, solver, analysis and results take.
Forecast forecast_of(const Model& model, const std::vector<Integral>& integrals, const LinearSolverOptions& linear,
                     const AnalysisNeeds& needs);
// Vectors that each rank has next to what is forecast, of the unknowns that it owns.
void add_to_ranks(Forecast& result, const FunctionSpace& space, const char* tag, Index vectors);

}  // namespace ritz

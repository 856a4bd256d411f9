// The right-hand sides of a static problem's one matrix: load cases, and what acts without any of them. Their residuals
// certify solutions, of one field or of several. Over ranks vectors are those of a rank's part. Private to fem.
#pragma once

#include "device/cold_array.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/ranks/part_of_model.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

class MeanSupports;  // fem/analysis/mean_supports.hpp

// Loads that cancel to a smaller part of their sizes, or that means take but for it, are rounding: nothing can be
// relative to them.
constexpr double cancelled = 1e-6;

struct StaticColumn {
  std::string title;                // for messages: "load case 'wind': "
  std::span<const Integral> loads;  // until they are assembled
  std::span<const MixedIntegral> loads_of_fields;
  const Supports* supports;  // of the whole model
  EnterCase enter;           // before the equations are used for it
  // minus the residual at the prescribed values, zero where prescribed; empty while a multi-vector has it
  Vector b = {};
  Vector own = {};          // residual of `loads`; empty without any
  Vector left_out = {};     // part of b that a gauge holds, and that is no longer in it; empty: none
  std::string notice = {};  // of that part
  ColdArray<double> cold_b = {}, cold_own = {};
  double load = 0;                   // ||b||_2
  std::vector<double> applied = {};  // empty: of several fields
  double load_size = 0;              // StaticSolution::load_size
};

// "node 17 (0.1, 0.2, 0) in 'steel'": the regions of cells around it name its material.
std::string place_of_unknown(const Equations& equations, Index unknown);
// unknown: of this rank, -1: none here. Over ranks the place that the first of them has; all call it. Empty: none has.
std::string place_of_unknown(const Equations& equations, Index unknown, const PartOfModel* part);

class StaticColumns {
 public:
  // equations: of the whole model. keeps_cold: data that is not in use waits on the host. part: null: one process.
  StaticColumns(const Equations& equations, const LoadVectors& loads, bool keeps_cold, PartOfModel* part,
                std::shared_ptr<MeanSupports> means);

  std::size_t size() const { return columns_.size(); }
  StaticColumn& operator[](std::size_t j) { return columns_[j]; }
  const StaticColumn& operator[](std::size_t j) const { return columns_[j]; }
  const StaticColumn& front() const { return columns_.front(); }
  // With the values of the column, of a rank's part until the next call.
  const Supports& supports(const StaticColumn& column) const;
  bool are_singular() const { return singular_; }  // the matrix maps to zero what gauges hold
  bool share() const { return share_; }  // combinations need what acts without any load case: it is the last column

  // Right-hand sides, with the sums of their loads. Throws Error: Exit::model where one is not finite.
  void assemble();
  void eliminate();

  void bring_back(StaticColumn& column) const { column.cold_b.bring_back(column.b, "vectors", &traffic_); }
  void cool(StaticColumn& column) const;
  ColdTraffic& traffic() const { return traffic_; }
  void forget(StaticColumn& column) const;  // what only combinations need, where there are none

  // The residual of everything at u, under the loads of a column, or of weighted ones.
  Vector residual(StaticColumn& column, const Vector& u);
  Vector residual(const std::vector<double>& weights, const Vector& u);
  // The same of free unknowns, from such a residual, without what gauges hold. weights: of all columns.
  Vector free_part(const std::vector<double>& weights, const Vector& residual) const;
  // Splits the residual: its free part, relative to `load`, verifies the solution; its prescribed part gives the
  // reactions. True if the free part is only rounding relative to the reactions, as when prescribed values balance the
  // loads.
  // Loads that hold means are among the applied loads of the solution, not among the reactions.
  bool split_residual(const std::vector<double>& weights, double load, Vector& residual, StaticSolution& s) const;
  std::vector<double> only(const StaticColumn& column) const;  // weights

 private:
  const Equations& equations() const { return part_ != nullptr ? part_->equations() : equations_; }
  std::shared_ptr<const Equations> own_loads(const StaticColumn& column) const;  // null: none
  void leave_out_gauge(StaticColumn& column);
  std::vector<double> sums(const std::vector<double>& values) const;  // [component]
  void sum_loads(StaticColumn& column) const;
  static void add_loads(const Equations* own, const Vector& u, StaticColumn& column);  // own: null: none
  void sum_applied(const std::vector<double>& weights, StaticSolution& s) const;
  void add_own(double factor, StaticColumn& column, Vector& r) const;
  Vector residual_of_all(const Vector& u) const;  // of equations and springs
  void check_finite(const StaticColumn& column) const;

  const Equations& equations_;
  PartOfModel* part_;
  const std::shared_ptr<MeanSupports> means_;  // null: none
  const std::size_t components_;               // whose loads are summed; 0: of several fields
  std::vector<StaticColumn> columns_;
  bool combined_, share_ = false, keeps_cold_, singular_ = false;
  mutable ColdTraffic traffic_;
};

}  // namespace ritz

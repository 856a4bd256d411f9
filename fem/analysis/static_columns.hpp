// The right-hand sides of a static problem's one matrix: load cases, and what acts without any of them. Their residuals
// certify solutions. Over ranks vectors and constraints are those of a rank's part. Private to fem.
#pragma once

#include "device/cold_array.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/ranks/field_of_rank.hpp"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

struct StaticColumn {
  std::string title;                // for messages: "load case 'wind': "
  std::span<const Integral> loads;  // until they are assembled
  const Constraints* constraints;
  EnterCase enter;     // before the equations are used for it
  bool alone = false;  // nothing acts but its own loads
  // minus the residual at the prescribed values, zero where prescribed; empty while a multi-vector has it
  Vector b = {};
  Vector own = {};  // residual of its own loads; empty where it has none
  ColdArray<double> cold_b = {}, cold_own = {};
  double load = 0;  // ||b||_2
  std::vector<double> applied = {};
  double load_size = 0;  // StaticSolution::load_size
};

// "node 17 (0.1, 0.2, 0) in 'steel'": the regions of cells around it name its material.
std::string place_of_unknown(const FunctionSpace& space, Index unknown);
// unknown: of this rank, -1: none here. Over ranks the place that the first of them has; all call it. Empty: none has.
std::string place_of_unknown(const FunctionSpace& space, Index unknown, const FieldOfRank* part);

class StaticColumns {
 public:
  // equations: of the whole model. keeps_cold: data that is not in use waits on the host. part: null: one process.
  StaticColumns(const Operator& equations, const LoadVectors& loads, bool keeps_cold, const FieldOfRank* part);

  std::size_t size() const { return columns_.size(); }
  StaticColumn& operator[](std::size_t j) { return columns_[j]; }
  const StaticColumn& operator[](std::size_t j) const { return columns_[j]; }
  const StaticColumn& front() const { return columns_.front(); }
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
  // Splits the residual: its free part, relative to `load`, verifies the solution; its prescribed part gives the
  // reactions. True if the free part is only rounding relative to the reactions, as when prescribed values balance the
  // loads.
  bool split_residual(const Constraints& constraints, double load, Vector& residual, StaticSolution& s) const;

 private:
  const Operator& equations() const { return part_ != nullptr ? part_->equations() : equations_; }
  const Constraints* own(const Constraints* whole);
  std::vector<double> sums(const std::vector<double>& values) const;  // [component]
  void add_own(double factor, StaticColumn& column, Vector& r) const;
  void check_finite(const StaticColumn& column) const;

  const Operator& equations_;
  const FunctionSpace& space_;
  const FieldOfRank* part_;
  std::map<const Constraints*, std::unique_ptr<const Constraints>> of_part_;  // by those of the whole model
  std::vector<StaticColumn> columns_;
  bool combined_, share_ = false, keeps_cold_;
  mutable ColdTraffic traffic_;
};

}  // namespace ritz

// A static model that is solved again and again, with other numbers, loads and prescribed values, and the adjoint of
// its solutions. With R(u, p) = 0, J(u) and K = dR/du at the solution: K^T lambda = dJ/du where u is free, lambda = 0
// elsewhere, and
//
//   dJ/dp = - lambda . dR/dp + (dJ/du - K lambda) . d(prescribed values)/dp
//
//   LinearStatics statics(model, {.relative = 1e-12});
//   const Vector u = statics.solve().u, lambda = statics.adjoint(g);
//   std::vector<double> d = by_array(statics, young, "E", u, lambda, statics.by_prescribed(g, lambda));
//
// The factor or hierarchy of a linear model serves solution and adjoint, since the tangent is symmetric. A nonlinear
// one is solved by Newton's method, and its tangent, which need not be symmetric, is rebuilt where it ended. A model
// may have several fields, where its tangent is symmetric.
#pragma once

#include "device/function_ref.hpp"
#include "fem/analysis/analysis.hpp"
#include "fem/sensitivity/cell_work.hpp"
#include "fem/sensitivity/model_number.hpp"
#include "fem/ranks/part_of_model.hpp"
#include "fem/analysis/tangent_system.hpp"
#include "fem/analysis/transposed_tangent.hpp"
#include "fem/physics/mesh_field.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace ritz {

// Throws Error: Exit::model for models that are not linear, or have load cases or prescribed means.
void check_linear_statics(const Model& model);
// The same for nonlinear ones that are to have derivatives: without internal variables and a path of loads.
void check_nonlinear_statics(const Model& model, const Nonlinear& newton);

class LinearStatics {
 public:
  // Throws Error: Exit::model as check_linear_statics(), and for models without a symmetric tangent.
  LinearStatics(const Model& model, const LinearSolverOptions& options);
  // The same of nonlinear equations, with the prescribed values of the case.
  LinearStatics(const Model& model, const Nonlinear& newton);

  const Model& model() const { return model_; }
  const Equations& equations() const { return *whole_.equations; }

  bool is_linear() const { return !newton_; }
  // The tolerance of Newton's method, relative; of its linear systems, and of the adjoint, it follows.
  void set_tolerance(double relative);
  void set_options(const LinearSolverOptions& options);  // for the next solutions, with the same factor or hierarchy

  // Functions of the model give other values now: in equations and prescribed values.
  void numbers_changed();

  struct Solution {
    Vector u;
    SolveReport report;
    double residual;  // ||residual of the free unknowns|| / ||load of the free unknowns||, by the element kernels
  };
  // load: [unknown] forces beside those of the model; prescribed: [unknown] in place of the values of the supports,
  // where unknowns are prescribed. Null: none. Throws Error: Exit::not_converged.
  Solution solve(const Vector* load = nullptr, const Vector* prescribed = nullptr);

  // lambda for dJ/du = g.
  Vector adjoint(const Vector& g);
  // dJ/d(prescribed value): g - K lambda where unknowns are prescribed, 0 elsewhere.
  Vector by_prescribed(const Vector& g, const Vector& lambda);
  Vector forces_of(const Vector& u);  // the tangent of linear equations times u
  CellWork& work();                   // of the equations

  // The supports whose values are functions, where the last solution took the values of the case.
  std::vector<const PrescribedValue*> varying_supports() const;

 private:
  struct Whole {
    std::shared_ptr<Equations> equations;
    std::shared_ptr<Supports> supports;
  };
  static Whole whole_of(const Model& model);
  LinearStatics(const Model& model, const LinearSolverOptions& options, std::optional<Nonlinear> newton);

  // Over ranks vectors in here are those of this rank's part; those that come in or go out, of the whole model.
  const Equations& own_equations() const { return part_ ? part_->equations() : *whole_.equations; }
  const Supports& own_supports() const { return part_ ? part_->supports() : *whole_.supports; }
  Vector own(const Vector& of_all) const;
  Vector of_all(Vector own) const { return part_ ? part_->gathered(own) : std::move(own); }

  SolveReport solve_tangent(const Vector& b, Vector& x);
  TransposedTangent& transposed();
  Solution solve_by_newton(const Vector* load);
  const Vector& state();  // where the tangent is taken

  const Model model_;
  Whole whole_;
  std::optional<Nonlinear> newton_;
  Vector state_;  // the last solution of nonlinear equations
  LinearSolverOptions options_;
  std::unique_ptr<PartOfModel> part_;  // null: one process
  GroundMotions on_ground_;
  std::unique_ptr<TangentSystem> system_;
  std::optional<TransposedTangent> transposed_;  // of equations that are not symmetric, once it was needed
  std::optional<CellWork> work_;
  bool current_ = false;          // the tangent
  bool values_replaced_ = false;  // by those that the last solution was given
};

// dJ/d(entry of an array that functions of the model take): the work of each cell's residual on lambda, differenced in
// its own entry. That is exact for numbers that enter linearly, and to about 1e-11 for others. An array at nodes takes
// a pass for each colour of its nodes. Differences are central, and one-sided where an entry stands at the end of what
// its key allows. Where supports meet, an array counts as if it alone held the node; values that solve() was given in
// place of the case's leave 0. Throws Error: Exit::input for prescribed values by arrays of cells.
std::vector<double> by_array(LinearStatics& statics, MeshField& array, const std::string& name, const Vector& u,
                             const Vector& lambda, const Vector& by_prescribed);

// [cell] dJ/d(the number in that cell alone), by the same differences of the model with other values; their sum is the
// derivative by the number. Prescribed values do not depend on it. `model_of`: of what the number gives, the model of
// these statics.
std::vector<double> by_number(LinearStatics& statics, const ModelNumber& number,
                              FunctionRef<Model(const Model&)> model_of, const Vector& u, const Vector& lambda);

// dJ/d(position) of the nodes of the mesh, [mesh node][3], where J does not depend on them but through u. Throws
// Error: Exit::model where prescribed values or relations between unknowns do: they would have a part in it.
std::vector<double> by_positions(LinearStatics& statics, const Vector& u, const Vector& lambda);

}  // namespace ritz

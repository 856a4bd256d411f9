// Columns of a modal space: modes, and residual vectors of forces, on which stiffness and masses are diagonal. Private
// to fem/analysis.
//
//   ModalColumns columns(space, forces);
//   columns.take_modes();   columns.add_residual_vectors(answers);   columns.work()
#pragma once

#include "fem/analysis/modal_space.hpp"
#include "fem/analysis/static_answers.hpp"

#include <utility>
#include <vector>

namespace ritz {

class ModalColumns {
 public:
  // Refers to the space, whose modes are found. Forces are vectors as these are.
  ModalColumns(ModalSpace& space, std::vector<Vector> forces)
      : space_(space), forces_(std::move(forces)), work_(forces_.size()) {}

  void take_modes();
  // For the forces that the modes do not answer.
  void add_residual_vectors(StaticAnswers& answers);

  const std::vector<std::vector<double>>& work() const { return work_; }  // [force][column]

 private:
  struct Residuals;
  Vector zeros() const;
  void add_work(const Vector& column);
  Vector static_rest(StaticAnswers& answers, std::size_t force);
  void take(const Residuals& found);

  ModalSpace& space_;
  std::vector<Vector> forces_;
  std::vector<std::vector<double>> work_;
  std::vector<double> work_of_modes_;  // [force] of its static answer
};

}  // namespace ritz

// Stiffness, masses, viscous and hysteretic damping of a model with its supports eliminated, on one pattern, for
// answers without modes: of one field by blocks of a node, of several joined, unknown by unknown. Private to
// fem/analysis.
//
//   const std::unique_ptr<HarmonicMatrices> all = harmonic_matrices(model, analysis, own);
//   all->matrix(HarmonicMatrices::M).apply(u, f);   all->host_rows(HarmonicMatrices::K).values
#pragma once

#include "fem/analysis/direct_harmonic.hpp"
#include "fem/analysis/eliminated_matrices.hpp"
#include "fem/analysis/own_model.hpp"

#include <memory>

namespace ritz {

class HarmonicMatrices {
 public:
  enum Number : std::size_t { K, M, C, H };
  static constexpr std::size_t count = 4;

  virtual ~HarmonicMatrices() = default;
  virtual int block() const = 0;
  virtual const LinearOperator& matrix(std::size_t number) const = 0;
  virtual HostRows host_rows(std::size_t number) const = 0;  // of this process
  virtual void report() {}                                   // after the solution
};

// Refers to all of these. Over ranks all of them call it together.
std::unique_ptr<HarmonicMatrices> harmonic_matrices(const Model& model, const DirectHarmonic& analysis,
                                                    const OwnModel& own);

LinearSolverOptions with_matrix(const DirectHarmonic& analysis);

}  // namespace ritz

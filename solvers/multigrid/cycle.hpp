// One V-cycle over the levels of a hierarchy, in the precision of its transfers: Chebyshev steps, the residual on the
// next level, Chebyshev steps. Over ranks levels are [owned | ghosts], and the last one may be replicated; one process
// has no ghosts. Private to solvers/multigrid.
#pragma once

#include "solvers/multigrid/cycle_kernels.hpp"
#include "solvers/multigrid/cycle_over_ranks.hpp"

#include <memory>
#include <vector>

namespace ritz {

template <class Real, class Stored>
struct CycleLevel {
  CycleMatrix<Stored> a;
  CycleMatrix<Real> p, r;
  Array<Real> inverse_diagonal;
  Array<std::int32_t> aggregate;
  EigenvalueBound largest_eigenvalue;
  Index nodes = 0;  // owned
  int block = 1;
  std::shared_ptr<const Ghosts> ghosts;          // null: one process
  std::vector<CycleRows<Stored>> inner, border;  // of a, over ranks
  Index unknowns() const { return nodes * block; }
  Index size() const { return ghosts == nullptr ? unknowns() : ghosts->size() * block; }  // of its vectors
};

template <class Real, class Stored>
struct CycleHierarchy {
  std::vector<CycleLevel<Real, Stored>> levels = {};
  Vector coarsest_inverse = {};
  std::unique_ptr<ReplicatedLevel<Real>> replicated = {};  // over ranks, where the last level is one
  int smoothing_degree;
  double smoothing_ratio;

  bool is_over_ranks() const { return levels.front().ghosts != nullptr; }
};

// The vectors of a level, [size] or [size][lane].
template <class Real>
struct CycleVectors {
  Array<Real> b, x, y, d;
};
template <class Real>
using CycleWorkspace = std::vector<CycleVectors<Real>>;  // [level]

template <class Real, class Stored>
CycleWorkspace<Real> workspace(const Device& device, const CycleHierarchy<Real, Stored>& of, int lanes) {
  CycleWorkspace<Real> result(of.levels.size());
  for (std::size_t i = 0; i < of.levels.size(); ++i)
    for (Array<Real>* vector : {&result[i].b, &result[i].x, &result[i].y, &result[i].d})
      *vector = Array<Real>(device, of.levels[i].size() * lanes, "multigrid");
  return result;
}

// Bytes of one product: blocks with their columns, and offsets.
template <class T>
Index product_traffic(const CycleMatrix<T>& m) {
  return m.nonzeros * (Index{m.view.row_block} * m.view.column_block * Index{sizeof(T)} + Index{sizeof(std::int32_t)}) +
         (m.view.rows + 1) * Index{sizeof(Index)};
}

// [bytes] read and written by a cycle for `lanes` vectors, as run_cycle() goes: a step of smoothing reads A, D, b, x
// and d and writes d and x.
template <class Real, class Stored>
Index cycle_traffic(const CycleHierarchy<Real, Stored>& of, Index lanes) {
  constexpr Index real = sizeof(Real);
  Index sum = 0;
  for (std::size_t i = 0; i < of.levels.size(); ++i) {
    const CycleLevel<Real, Stored>& l = of.levels[i];
    const Index n = l.unknowns(), first = n * real * (1 + 2 * lanes),
                step = product_traffic(l.a) + n * real * (1 + 5 * lanes);
    if (i + 1 == of.levels.size()) {
      if (of.replicated) return sum;  // it counts its own
      sum += of.coarsest_inverse.empty() ? first + 23 * step : of.coarsest_inverse.bytes() + 2 * real * n * lanes;
      continue;
    }
    const Index coarse = of.levels[i + 1].unknowns();
    sum += first + (2 * of.smoothing_degree - 1) * step;
    sum += product_traffic(l.a) + 3 * n * real * lanes;                                        // residual
    sum += product_traffic(l.r) + product_traffic(l.p) + (3 * n + 2 * coarse) * real * lanes;  // down; up and added
  }
  return sum;
}

// launch(rows) for all rows of a; over ranks the ghosts of x are fetched meanwhile.
template <class Real, class Stored, class Launch>
void for_rows(const CycleLevel<Real, Stored>& l, Array<Real>& x, const Launch& launch) {
  if (l.ghosts == nullptr) return launch(CycleRows<Stored>{0, l.a.view});
  l.ghosts->begin_fetch(x, l.block);
  for (const CycleRows<Stored>& rows : l.inner) {
    launch(rows);
    l.ghosts->look();
  }
  l.ghosts->finish_fetch();
  for (const CycleRows<Stored>& rows : l.border) launch(rows);
}

// `degree` Chebyshev steps on [largest / ratio, largest]; from zero, or from what x holds. The result is in x.
template <class Real, class Stored>
void smooth(const CycleKernels<Real, Stored>& kernels, const CycleLevel<Real, Stored>& l, CycleVectors<Real>& w,
            bool from_zero, int degree, double ratio) {
  const Device& device = w.b.device();
  const double high = l.largest_eigenvalue.full, low = high / ratio;
  const double theta = 0.5 * (high + low), delta = 0.5 * (high - low), sigma = theta / delta;
  double rho = 1 / sigma;
  int step = 0;
  if (from_zero) {
    kernels.smooth_first(device, l.unknowns(), Real(1 / theta), l.inverse_diagonal.data(), w.b.data(), w.x.data());
    step = 1;
  }
  for (; step < degree; ++step) {
    const double rho_next = 1 / (2 * sigma - rho);
    const double c1 = step == 0 ? 0 : rho_next * rho, c2 = step == 0 ? 1 / theta : 2 * rho_next / delta;
    // The step before: none (any numbers times zero), or x itself when it is the first, or d.
    const Real* d_before = step == 0 ? w.b.data() : step == 1 && from_zero ? w.x.data() : w.d.data();
    for_rows(l, w.x, [&](const CycleRows<Stored>& rows) {
      const Index n = rows.first;
      kernels.smooth(device, rows.view, Real(c1), Real(c2), l.inverse_diagonal.data() + n, w.b.data() + n,
                     w.x.data() + n, d_before + n, w.d.data() + n, w.y.data() + n);
    });
    w.x.swap(w.y);
    if (step > 0) rho = rho_next;
  }
}

// Solves for work[number].x from work[number].b.
template <class Real, class Stored>
void run_cycle(const CycleKernels<Real, Stored>& kernels, const CycleHierarchy<Real, Stored>& of,
               CycleWorkspace<Real>& work, std::size_t number = 0) {
  const CycleLevel<Real, Stored>& l = of.levels[number];
  CycleVectors<Real>& w = work[number];
  const Device& device = w.b.device();
  if (number + 1 == of.levels.size()) {
    if (of.replicated) of.replicated->solve(w.b, w.x);
    else if (!of.coarsest_inverse.empty())
      kernels.dense(device, l.unknowns(), of.coarsest_inverse.data(), w.b.data(), w.x.data());
    // too large for a dense inverse: many steps over nearly the whole spectrum
    else smooth(kernels, l, w, true, 24, 500);
    return;
  }
  CycleVectors<Real>& coarse = work[number + 1];
  smooth(kernels, l, w, true, of.smoothing_degree, of.smoothing_ratio);
  for_rows(l, w.x, [&](const CycleRows<Stored>& rows) {
    const Index n = rows.first;
    kernels.residual(device, rows.view, w.b.data() + n, w.x.data() + n, w.y.data() + n);
  });
  kernels.multiply(device, l.r.view, w.y.data(), coarse.b.data());
  const CycleLevel<Real, Stored>& next = of.levels[number + 1];
  if (next.ghosts != nullptr) next.ghosts->add_to_owners(coarse.b, next.block);
  run_cycle(kernels, of, work, number + 1);
  const bool knows_ghosts = of.replicated && number + 2 == of.levels.size();
  if (next.ghosts != nullptr && !knows_ghosts) next.ghosts->fetch(coarse.x, next.block);
  kernels.multiply_add(device, l.p.view, coarse.x.data(), w.x.data());
  smooth(kernels, l, w, false, of.smoothing_degree, of.smoothing_ratio);
}

}  // namespace ritz

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "fem/launch/interpolation.hpp"
#ifdef __CUDACC__
#include "fem/launch/element_kernels_cuda.hpp"
#else
#include "fem/launch/element_kernels_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND::interpolation_kernels {
namespace {

// Text for both machines, as in element_engine.hpp.
template <int C, class Team, class Memory>
constexpr void interpolate_element(const Team& team, const Memory& memory, const ElementArguments& arguments,
                                   Index batch) {
  using T = typename Team::Number;
  const ReferenceTable& table = arguments.table;
  const int in_count = table.node_count, out_count = table.point_count;
  const Piece<Memory> in{memory, 0};
  team.each(in_count, [&](int a) { team.load_direction(arguments, batch, a, in_count, C, in); });
  team.sync();
  team.each(out_count, [&](int a) {
    const double* row = table.values + a * in_count;
    T sum[C];
    for (int c = 0; c < C; ++c) sum[c] = 0.0;
    for (int j = 0; j < in_count; ++j) {
      const double factor = row[j];
      for (int c = 0; c < C; ++c) sum[c] += factor * in(j * C + c);
    }
    for (int c = 0; c < C; ++c) team.store(arguments, batch, a * C + c, out_count * C, sum[c]);
  });
  team.sync();
}

int components_of(const ElementArguments& arguments) {
  return static_cast<const InterpolationFacts*>(arguments.form)->components;
}

#ifdef __CUDACC__
// block = elements of one batch, thread = (node of the result, element)
template <class Real, int C>
__global__ void interpolation_kernel(const __grid_constant__ InterpolationFacts,
                                     const __grid_constant__ ElementArguments arguments, int elements_per_block) {
  const auto [team, memory, batch] = ElementThread<Real>(arguments, elements_per_block);
  interpolate_element<C>(team, memory, arguments, batch);
}

template <class Real, int C>
void run_components(const Device& device, const ElementArguments& arguments) {
  launch_blocks(device, arguments, interpolation_kernel<Real, C>, form_of<InterpolationFacts>(arguments),
                arguments.table.node_count * C, arguments.table.point_count, "interpolation", sizeof(Real));
}
#else
template <class Real, int C>
[[gnu::flatten]] void run_components(const Device&, const ElementArguments& arguments) {
  const int size = arguments.table.node_count * C;
  const Index end = arguments.first_batch + arguments.batch_count;
  if constexpr (sizeof(Real) == sizeof(double)) {
    const CpuMemory memory = thread_scratch(size);
    for (Index i = arguments.first_batch; i < end; ++i) interpolate_element<C>(CpuTeam{}, memory, arguments, i);
  } else {
    const SingleCpuMemory memory{reinterpret_cast<SinglePack*>(thread_scratch(size).data)};
    for (Index i = arguments.first_batch; i < end; i += 2)
      interpolate_element<C>(SingleCpuTeam{end}, memory, arguments, i);
  }
}
#endif

template <class Real>
void run(const Device& device, const ElementArguments& arguments) {
  switch (components_of(arguments)) {
    case 1: return run_components<Real, 1>(device, arguments);
    case 2: return run_components<Real, 2>(device, arguments);
    case 3: return run_components<Real, 3>(device, arguments);
    case 4: return run_components<Real, 4>(device, arguments);
    case 5: return run_components<Real, 5>(device, arguments);
    case 6: return run_components<Real, 6>(device, arguments);
    default: throw Error(ErrorKind::internal, "interpolation of fields with more than six components");
  }
}

template <class Real>
struct Start {
  Real c;
  const Real *inverse_diagonal, *b;
  Real *d, *x;
  constexpr void operator()(Index i) const {
    const Real xi = c * inverse_diagonal[i] * b[i];
    if (d != nullptr) d[i] = xi;
    x[i] = xi;
  }
};
template <class Real>
struct Step {
  Real c1, c2;
  const Real *inverse_diagonal, *b, *q, *before;
  Real *d, *x;
  constexpr void operator()(Index i) const {
    const Real old = before != nullptr ? c1 * before[i] : Real(0);
    const Real di = old + c2 * inverse_diagonal[i] * (b[i] - q[i]);
    if (d != nullptr) d[i] = di;
    x[i] += di;
  }
};
template <class Real>
struct WeightedResidual {
  const Real *weight, *b, *q;
  Real* r;
  constexpr void operator()(Index i) const { r[i] = weight[i] * (b[i] - q[i]); }
};
template <class Real>
struct AddWeighted {
  const Real *weight, *s;
  Real* x;
  constexpr void operator()(Index i) const { x[i] += weight[i] * s[i]; }
};
template <class From, class To>
struct Convert {
  const From* x;
  To* y;
  constexpr void operator()(Index i) const { y[i] = static_cast<To>(x[i]); }
};

template <class Real>
void start(const Device& device, Index n, Real c, const Real* inverse_diagonal, const Real* b, Real* d, Real* x) {
  for_each(device, "smoothing", n, Start<Real>{c, inverse_diagonal, b, d, x});
}
template <class Real>
void step(const Device& device, Index n, Real c1, Real c2, const Real* inverse_diagonal, const Real* b, const Real* q,
          const Real* before, Real* d, Real* x) {
  for_each(device, "smoothing", n, Step<Real>{c1, c2, inverse_diagonal, b, q, before, d, x});
}
template <class Real>
void weighted_residual(const Device& device, Index n, const Real* weight, const Real* b, const Real* q, Real* r) {
  for_each(device, "weighted residual", n, WeightedResidual<Real>{weight, b, q, r});
}
template <class Real>
void add_weighted(const Device& device, Index n, const Real* weight, const Real* s, Real* x) {
  for_each(device, "correction", n, AddWeighted<Real>{weight, s, x});
}
template <class From, class To>
void convert(const Device& device, Index n, const From* x, To* y) {
  for_each(device, "conversion", n, Convert<From, To>{x, y});
}

// The result of a cycle with its prescribed rows, and the sums that conjugate gradients need of it.
template <class Real>
struct Result {
  const Real* x;
  const std::uint8_t* mask;
  double pivot;
  const double* b;
  double* y;
  constexpr double at(Index i, double bi) const {
    const double yi = mask[i] != 0 ? pivot * bi : static_cast<double>(x[i]);
    y[i] = yi;
    return yi;
  }
};
template <class Real>
struct ResultDot {
  Result<Real> result;
  constexpr Sums<1> operator()(Index i) const {
    const double bi = result.b[i];
    return {{bi * result.at(i, bi)}};
  }
};
template <class Real>
struct ResultDots {
  Result<Real> result;
  const double* q;
  constexpr Sums<2> operator()(Index i) const {
    const double bi = result.b[i], qi = q[i], yi = result.at(i, bi);
    return {{-(yi * qi), bi * yi}};
  }
};
template <class Real>
void to_double_dots(const Device& device, Index n, const Real* x, const std::uint8_t* mask, double pivot,
                    const double* b, const double* q, double* y, double* dots) {
  const Result<Real> result{x, mask, pivot, b, y};
  if (q == nullptr) reduce<1>(device, "conversion", n, ResultDot<Real>{result}, dots);
  else reduce<2>(device, "conversion", n, ResultDots<Real>{result, q}, dots);
}

const InterpolationKernels table{run<double>, run<float>};
const PCycleKernels<double> in_double{start<double>,
                                      step<double>,
                                      weighted_residual<double>,
                                      add_weighted<double>,
                                      convert<double, double>,
                                      convert<double, double>,
                                      to_double_dots<double>};
const PCycleKernels<float> in_single{
    start<float>,           step<float>,          weighted_residual<float>, add_weighted<float>, convert<double, float>,
    convert<float, double>, to_double_dots<float>};
const Registration interpolation("interpolation", &table), cycle_in_double("p-cycle double", &in_double),
    cycle_in_single("p-cycle single", &in_single);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::interpolation_kernels

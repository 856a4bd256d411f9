#include "solvers/algebra/multi_vector_kernels.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/lane_rows.hpp"
#ifdef __CUDACC__
#include "solvers/algebra/multi_vector_cuda.hpp"
#else
#include "solvers/algebra/multi_vector_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND::multi_vector_kernels {
namespace {

struct SetLane {
  int lane;
  const double* x;
  double* group;
  constexpr void operator()(Index row) const { group[row * lane_count + lane] = x[row]; }
};

struct GetLane {
  int lane;
  const double* group;
  double* x;
  constexpr void operator()(Index row) const { x[row] = group[row * lane_count + lane]; }
};

struct Unpack {
  const double* group;
  LaneColumns x;
  constexpr void operator()(Index row) const {
    for (int lane = 0; lane < x.count; ++lane) x.column[lane][row] = group[row * lane_count + lane];
  }
};

struct Pack {
  LaneColumns x;
  double* group;
  constexpr void operator()(Index row) const {
    for (int lane = 0; lane < x.count; ++lane) group[row * lane_count + lane] = x.column[lane][row];
  }
};

struct MultiplyRows {
  const double *d, *x;
  double* y;
  template <class Place>
  constexpr void operator()(Place p) const {
    at(y, p) = of_row(d, p) * at(x, p);
  }
};

struct LaneProduct {
  const double *x, *y;
  template <class Place>
  constexpr LaneSums<1> operator()(Place p) const {
    return {{at(x, p) * at(y, p)}};
  }
};

void set_lane(const Device& device, Index rows, int lane, const double* x, double* group) {
  for_each(device, "set lane", rows, SetLane{lane, x, group});
}

void get_lane(const Device& device, Index rows, int lane, const double* group, double* x) {
  for_each(device, "get lane", rows, GetLane{lane, group, x});
}

void unpack(const Device& device, Index rows, const double* group, const LaneColumns& x) {
  for_each(device, "unpack lanes", rows, Unpack{group, x});
}

void pack(const Device& device, Index rows, const LaneColumns& x, double* group) {
  for_each(device, "pack lanes", rows, Pack{x, group});
}

void multiply_rows(const Device& device, Index rows, const double* d, const double* x, double* y) {
  for_each_lane(device, "multiply rows", rows, MultiplyRows{d, x, y});
}

void dots(const Device& device, Index rows, const double* x, const double* y, double* result) {
  reduce_lanes<1>(device, "lane dots", rows, LaneProduct{x, y}, result);
}

const MultiVectorKernels table{set_lane, get_lane, unpack, pack, multiply_rows, gram, grams, combine, group_sums, dots};
const Registration registration("multi vector", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::multi_vector_kernels

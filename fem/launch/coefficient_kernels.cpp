#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/pack.hpp"
#include "fem/launch/coefficients.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// index = entry
struct FillPositions {
  PointPlaces places;
  double* x;

  constexpr void operator()(Index i) const {
    const int lane = static_cast<int>(i % lane_count), q = static_cast<int>(i / lane_count % places.point_count);
    const Index batch = places.first_batch + i / lane_count / places.point_count;
    double at[3] = {};
    for (int a = 0; a < places.node_count; ++a) {
      const Index node = places.nodes[(batch * places.node_count + a) * lane_count + lane];
      for (int d = 0; d < places.dimension; ++d)
        at[d] += places.shapes[q * places.node_count + a] * places.coordinates[node * places.dimension + d];
    }
    for (int d = 0; d < 3; ++d) x[3 * i + d] = at[d];
  }
};

// index = entry
struct FillField {
  PointPlaces places;
  FieldInCells field;
  double* values;

  constexpr void operator()(Index i) const {
    const int q = static_cast<int>(i / lane_count % places.point_count);
    const Index lane = (places.first_batch + i / lane_count / places.point_count) * lane_count + i % lane_count;
    const Index element = lane < field.element_count ? lane : field.element_count - 1;
    const int table = field.place == nullptr ? 0 : field.place[element], count = field.counts[table];
    const std::int32_t* nodes = field.nodes + element * field.most;
    if (count == 0) {
      values[i] = field.values[nodes[0]];
      return;
    }
    const double* shapes = field.shapes + (Index{table} * places.point_count + q) * field.most;
    double sum = 0;
    for (int a = 0; a < count; ++a) sum += shapes[a] * field.values[nodes[a]];
    values[i] = sum;
  }
};

constexpr Index place_of(Index i, int number, int numbers) {
  return (i / lane_count * numbers + number) * lane_count + i % lane_count;
}

// index = block of W points
template <int W>
struct RunProgram {
  PointProgram program;
  ProgramPoints points;
  int number, numbers;
  double* out;

  constexpr void operator()(Index block) const {
    PointMachine<W> machine(program, points, block * W);
    const double* found = machine.run();
    for (int l = 0; l < W && block * W + l < points.count; ++l)
      out[place_of(block * W + l, number, numbers)] = found[l];
  }
};

struct IsMissing {
  int number, numbers;
  const double* out;

  constexpr Sums<1> operator()(Index i) const {
    const double value = out[place_of(i, number, numbers)];
    return {{value != value ? 1.0 : 0.0}};
  }
};

void positions(const Device& device, const PointPlaces& places, double* x) {
  for_each(device, "coefficients", places.count, FillPositions{places, x});
}

void field(const Device& device, const PointPlaces& places, const FieldInCells& field, double* values) {
  for_each(device, "coefficients", places.count, FillField{places, field, values});
}

void run(const Device& device, const PointProgram& program, const ProgramPoints& points, int number, int numbers,
         double* out) {
#ifdef __CUDACC__
  for_each(device, "coefficients", points.count, RunProgram<1>{program, points, number, numbers, out});
#else
  // A block is worth more than an entry of for_each: each is given to a thread by itself.
  constexpr int width = 64;
  const LaunchScope launch(device, "coefficients");
  const RunProgram<width> block{program, points, number, numbers, out};
  const Index blocks = (points.count + width - 1) / width;
#pragma omp parallel for num_threads(device.team(blocks)) schedule(static)
  for (Index i = 0; i < blocks; ++i) block(i);
#endif
}

void missing(const Device& device, Index count, int number, int numbers, const double* out, double* result) {
  reduce<1>(device, "coefficients", count, IsMissing{number, numbers, out}, result);
}

const CoefficientKernels table{positions, field, run, missing};
const Registration registration("coefficients", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND

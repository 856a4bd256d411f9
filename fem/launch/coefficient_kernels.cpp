#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/pack.hpp"
#include "fem/launch/coefficients.hpp"

namespace ritz::RITZ_BACKEND::coefficient_kernels {
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
  FieldView field;
  PointsInCells in;
  double* values;

  constexpr void operator()(Index i) const {
    if (in.element_count == 0) {
      const Index entry = places.first_batch * places.point_count * lane_count + i;
      values[i] = field.at(in.cells[entry], in.xi == nullptr ? Point{} : in.xi[entry]);
      return;
    }
    const Index q = i / lane_count % places.point_count;
    const Index lane = (places.first_batch + i / lane_count / places.point_count) * lane_count + i % lane_count;
    const Index element = lane < in.element_count ? lane : in.element_count - 1;
    const Index table = in.tables == nullptr ? 0 : in.tables[element];
    values[i] = field.at(in.cells[element], in.xi == nullptr ? Point{} : in.xi[table * places.point_count + q]);
  }
};

// index = element: the cell of one point is a guess at that of the next.
struct LocatePoints {
  PointPlaces places;
  const double* x;
  CellSearch search;
  double reach;
  FoundPoints found;

  constexpr void operator()(Index element) const {
    Index guess = -1;
    for (Index q = 0; q < places.point_count; ++q) {
      const Index i = (element / lane_count * places.point_count + q) * lane_count + element % lane_count;
      const FoundCell at = find_cell(search, {x[3 * i], x[3 * i + 1], x[3 * i + 2]}, reach, guess);
      found.cells[i] = static_cast<std::int32_t>(at.cell);
      if (found.xi != nullptr) found.xi[i] = at.xi;
      guess = at.cell;
    }
  }
};

struct IsLeft {
  const std::int32_t* cells;
  constexpr Sums<1> operator()(Index i) const { return {{cells[i] < 0 ? 1.0 : 0.0}}; }
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

void field(const Device& device, const PointPlaces& places, const FieldView& field, const PointsInCells& in,
           double* values) {
  for_each(device, "coefficients", places.count, FillField{places, field, in, values});
}

// f(i) for all i < count, each of which is worth more than an entry of for_each: it is given to a thread by itself.
template <class F>
void for_each_large(const Device& device, Index count, const F& f) {
#ifdef __CUDACC__
  for_each(device, "coefficients", count, f);
#else
  const LaunchScope launch(device, "coefficients");
#pragma omp parallel for num_threads(device.team(count)) schedule(static)
  for (Index i = 0; i < count; ++i) f(i);
#endif
}

void locate(const Device& device, const PointPlaces& places, const double* x, const CellSearch& search, double reach,
            const FoundPoints& found) {
  for_each_large(device, places.count / places.point_count, LocatePoints{places, x, search, reach, found});
}

void left(const Device& device, Index count, const std::int32_t* cells, double* result) {
  reduce<1>(device, "coefficients", count, IsLeft{cells}, result);
}

void run(const Device& device, const PointProgram& program, const ProgramPoints& points, int number, int numbers,
         double* out) {
#ifdef __CUDACC__
  constexpr int width = 1;
#else
  constexpr int width = 64;
#endif
  for_each_large(device, (points.count + width - 1) / width, RunProgram<width>{program, points, number, numbers, out});
}

void missing(const Device& device, Index count, int number, int numbers, const double* out, double* result) {
  reduce<1>(device, "coefficients", count, IsMissing{number, numbers, out}, result);
}

const CoefficientKernels table{positions, field, locate, left, run, missing};
const Registration registration("coefficients", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::coefficient_kernels

// Solids, beams and shells in one model: closed forms of a bar of both in series, a plate in a block, rigid motions of
// an assembly, balance, units, modes, and what cannot be joined.
#include "fem/analysis/analysis.hpp"
#include "fem/analysis/buckling.hpp"
#include "fem/analysis/vibration.hpp"
#include "fem/elements/bar.hpp"
#include "fem/elements/shell.hpp"
#include "fem/physics/body.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"
#include "tests/solvers/thread_ranks.hpp"

#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <numbers>
#include <tuple>

namespace ritz::test::body_test {
namespace {

struct Box {
  Point low, high;
  std::array<Index, 3> count;
  CellKind kind = CellKind::hex20;
};

// A mesh of boxes, lines and rectangles, whose cells are in regions by name. Parts have nodes of their own.
class Assembly {
 public:
  Assembly& box(const std::string& name, const Box& b) {
    MeshData part = box_data(b.count[0], b.count[1], b.count[2],
                             {b.high[0] - b.low[0], b.high[1] - b.low[1], b.high[2] - b.low[2]}, b.kind);
    transform_points(part, [&](std::span<double, 3> x) {
      for (std::size_t d = 0; d < 3; ++d) x[d] += b.low[d];
    });
    return add(name, std::move(part));
  }
  Assembly& lines(const std::string& name, const Point& from, const Point& to, int count) {
    MeshData part;
    std::vector<Node> nodes;
    for (int i = 0; i <= count; ++i) {
      for (std::size_t d = 0; d < 3; ++d) part.points.push_back(from[d] + (to[d] - from[d]) * i / count);
      if (i < count) nodes.insert(nodes.end(), {i, i + 1});
    }
    part.blocks.push_back({CellKind::line2, std::move(nodes)});
    part.regions.push_back({"x1", RegionKind::nodes, {}, {}, {0}});
    part.regions.push_back({"end", RegionKind::nodes, {}, {}, {count}});
    return add(name, std::move(part));
  }
  // From a corner along two edges.
  Assembly& plate(const std::string& name, const Point& corner, const Point& a, const Point& b, Index along_a,
                  Index along_b) {
    MeshData part = rectangle_data(along_a, along_b, {1, 1}, CellKind::quad4);
    transform_points(part, [&](std::span<double, 3> x) {
      const double r = x[0], s = x[1];
      for (std::size_t d = 0; d < 3; ++d) x[d] = corner[d] + r * a[d] + s * b[d];
    });
    for (Region& region : part.regions)
      if (region.kind == RegionKind::facets) {
        const Mesh flat(rectangle_data(along_a, along_b, {1, 1}, CellKind::quad4));
        region = {region.name, RegionKind::nodes, {}, {}, nodes_in(flat, flat.region(region.name))};
      }
    return add(name, std::move(part));
  }
  Mesh mesh() const {
    MeshData data = data_;
    data.structural = true;
    for (double& x : data.points) x *= scale;
    return Mesh(std::move(data));
  }
  double scale = 1;

 private:
  Assembly& add(const std::string& name, MeshData part) {
    const auto nodes = static_cast<Node>(data_.points.size() / 3);
    data_.points.insert(data_.points.end(), part.points.begin(), part.points.end());
    Region all{name, RegionKind::cells, {}, {}, {}};
    const Index first = cells_;
    for (CellBlock& block : part.blocks) {
      for (Node& node : block.nodes) node += nodes;
      for (Index i = 0; i < block.cell_count(); ++i) all.cells.push_back(cells_++);
      data_.blocks.push_back(std::move(block));
    }
    data_.regions.push_back(std::move(all));
    for (Region& region : part.regions) {
      if (region.kind == RegionKind::cells) continue;
      region.name = name + "_" + region.name;
      for (FacetOfCell& facet : region.facets) facet.cell += first;
      for (Node& node : region.nodes) node += nodes;
      data_.regions.push_back(std::move(region));
    }
    return *this;
  }
  MeshData data_;
  Index cells_ = 0;
};

constexpr double young = 200, b = 0.2, h = 0.3;
ElasticMaterial material(double poisson = 0, double modulus = young) {
  return {.young = modulus, .poisson = poisson, .density = 2};
}
// Local y along y, so that h along z counts in inertia_y.
Beam beam(double modulus = young) {
  return {.young = modulus,
          .poisson = 0,
          .area = b * h,
          .inertia_y = b * h * h * h / 12,
          .inertia_z = h * b * b * b / 12,
          .torsion = 0.196 * h * b * b * b,
          .shear_area_y = 5.0 / 6 * b * h,
          .shear_area_z = 5.0 / 6 * b * h,
          .orientation = {0, 1, 0},
          .offset_y = 0,
          .offset_z = 0};
}

Shell shell(double modulus, double poisson, double thickness) {
  Shell result{};
  result.young = modulus;
  result.poisson = poisson;
  result.thickness = thickness;
  return result;
}

// A solid bar from the wall at x = 0 to x = 1, and a beam of the same section from there to x = 2.
Mesh bar_and_beam(double scale = 1, int beams = 2, CellKind kind = CellKind::hex20) {
  Assembly parts;
  parts.scale = scale;
  return parts.box("bar", {{0, -b / 2, -h / 2}, {1, b / 2, h / 2}, {4, 2, 2}, kind})
      .lines("beam", {1, 0, 0}, {2, 0, 0}, beams)
      .mesh();
}

struct Solved {
  std::vector<double> solids, frames;  // [node of the whole mesh][component]
  std::array<double, 3> reaction{};
  Vector u;
  double residual = 0;
};

Solved solved(const Model& model, const LinearSolverOptions& options = {.method = LinearMethod::direct}) {
  const StaticSolution s = solve(model, Static{.linear = options});
  const Layout layout = layout_of(model.spaces());
  Solved result{.solids = model.space.to_mesh(layout.part(s.u, 0)),
                .frames = model.others[0].to_mesh(layout.part(s.u, 1)),
                .residual = s.residual};
  for (int k = 0; k < 2; ++k)
    for (Index i = 0; i < layout.size(k); ++i)
      if (const Index c = i % layout.width(k); c < 3)
        result.reaction[static_cast<std::size_t>(c)] += s.reaction[static_cast<std::size_t>(layout.first(k) + i)];
  result.u = Vector(s.u.device(), s.u.host(), "vectors");
  return result;
}

struct EndLoad {
  Vector3 force{}, moment{};
};

// [component] of the free end of the beam.
std::array<double, 6> end_of_bar_and_beam(const EndLoad& load, Solved* all = nullptr) {
  const Mesh mesh = bar_and_beam();
  Body body(mesh, {"beam"});
  body.solids.material("bar", material());
  body.solids.loads.fix("bar_x0");
  body.frames.section("beam", {.element = beam()});
  body.frames.loads.force("beam_end", load.force, load.moment);
  const Model model = body.model(device_under_test(2));
  EXPECT_EQ(std::ssize(model.joints), 1);
  const Joint& joint = model.joints.front();
  EXPECT_EQ(joint.kind, Joint::Kind::section);
  EXPECT_EQ(joint.region + joint.onto, "beambar");
  EXPECT_EQ(joint.at, (Point{1, 0, 0}));
  EXPECT_NEAR(joint.width, b, 1e-15);
  EXPECT_NEAR(joint.height, h, 1e-15);
  Solved s = solved(model);
  const Node end = body.frame_part.mesh.region("beam_end").nodes.front();
  std::array<double, 6> result{};
  std::copy_n(s.frames.begin() + 6 * end, 6, result.begin());
  if (all != nullptr) *all = std::move(s);
  return result;
}

TEST(Body, OfASolidBarAndABeamInSeriesStretchesAndBendsAsOneBar) {
  constexpr double M = 0.7, N = 3, L = 2;
  const double Iy = b * h * h * h / 12, Iz = h * b * b * b / 12, A = b * h;
  const std::array<double, 6> u = end_of_bar_and_beam({.force = {N, 0, 0}, .moment = {0, M, -2 * M}});
  EXPECT_NEAR(u[0], N * L / (young * A), 1e-9);
  EXPECT_NEAR(u[4], M * L / (young * Iy), 1e-8 * u[4]);  // a moment about y
  EXPECT_NEAR(u[2], -M * L * L / (2 * young * Iy), 1e-8 * -u[2]);
  EXPECT_NEAR(u[5], -2 * M * L / (young * Iz), 1e-8 * -u[5]);
  EXPECT_NEAR(u[1], -2 * M * L * L / (2 * young * Iz), 1e-8 * -u[1]);
}

TEST(Body, OfASolidBarAndABeamInSeriesShearsAndTwistsAsOneBar) {
  constexpr double F = 0.2, T = 0.1, L = 2;
  const double Iy = b * h * h * h / 12, G = young / 2, J = 0.196 * h * b * b * b;
  Solved all;
  const std::array<double, 6> u = end_of_bar_and_beam({.force = {0, 0, F}, .moment = {T, 0, 0}}, &all);
  EXPECT_NEAR(u[2], F * L * L * L / (3 * young * Iy) + F * L / (5.0 / 6 * G * b * h), 5e-3 * u[2]);
  EXPECT_NEAR(u[3], T * L / (G * J), 0.05 * u[3]);  // the wall holds the warping of the solid
  EXPECT_NEAR(all.reaction[2], -F, 1e-9);
  EXPECT_LT(all.residual, 1e-9);
}

double rigid(const Point& x, int component) {
  const double w[3] = {0.3, -0.5, 0.7}, t[3] = {0.2, 0.1, -0.4};
  if (component >= 3) return w[component - 3];
  const auto c = static_cast<std::size_t>(component), j = (c + 1) % 3, k = (c + 2) % 3;
  return t[c] + w[j] * x[k] - w[k] * x[j];
}

// Two cubes with a beam between them that is inclined, a plate between their sides, and a bar.
Assembly two_cubes() {
  Assembly parts;
  parts.box("left", {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, CellKind::hex8})
      .box("right", {{2, 0, 0}, {3, 1, 1}, {1, 2, 3}, CellKind::tet4})
      .lines("beam", {1, 0.4, 0.4}, {2, 0.6, 0.5}, 2)
      .plate("plate", {1, 0.1, 0.8}, {1, 0, 0}, {0, 0.7, 0}, 3, 4)
      .lines("bar", {1, 1, 0}, {2, 1, 0}, 1);
  return parts;
}

void give_materials(Body& body) {
  body.solids.material("left", material(0.3));
  body.solids.material("right", material(0.2, 3 * young));
  body.frames.section("beam", {.element = beam(), .density = 2, .size = b * h});
  body.frames.section("plate", {.element = shell(young, 0.3, 0.05), .density = 2, .size = 0.05});
  body.frames.section("bar", {.element = Bar{.young = young, .area = 0.01}, .density = 2, .size = 0.01});
}

TEST(Body, MovesRigidlyWithoutStress) {
  for (const LinearMethod method : {LinearMethod::direct, LinearMethod::minres}) {
    const Mesh mesh = two_cubes().mesh();
    Body body(mesh, {"beam", "plate", "bar"});
    give_materials(body);
    const auto field = [](int c) {
      return Coefficient(PointFunction([c](std::span<const double> x, std::span<double> values) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = rigid({x[3 * i], x[3 * i + 1], x[3 * i + 2]}, c);
      }));
    };
    for (int c = 0; c < 3; ++c) body.solids.loads.displacement("left_x0", c, field(c));
    const Model model = body.model(device_under_test(2));
    const bool direct = method == LinearMethod::direct;
    const Solved s = solved(model, {.method = method, .relative = direct ? 1e-8 : 1e-12});
    double largest = 0;
    for (int k = 0; k < 2; ++k) {
      const FunctionSpace space = model.spaces()[static_cast<std::size_t>(k)];
      const std::vector<double> u = layout_of(model.spaces()).part(s.u, k).host();
      for (Node node = 0; node < space.node_count(); ++node)
        for (int c = 0; c < space.components(); ++c) {
          const bool turns = c < 3 || u[static_cast<std::size_t>(6 * node + c)] != 0;  // bars know no rotation
          const double value = u[static_cast<std::size_t>(Index{node} * space.components() + c)];
          if (turns) largest = std::max(largest, std::abs(value - rigid(space.point(node), c)));
        }
    }
    EXPECT_LT(largest, direct ? 1e-10 : 1e-8);
    for (const double each : s.reaction) EXPECT_NEAR(each, 0, direct ? 1e-9 : 1e-6);
  }
}

// Deflection of the free edge of a plate that stands out of a block, per load.
double deflection_of_plate(double block_young, double block_poisson) {
  constexpr double t = 0.1, width = 0.4, length = 1;
  Assembly parts;
  parts.box("block", {{-0.6, -0.2, -0.3}, {0, 0.6, 0.3}, {4, 4, 6}})
      .plate("plate", {0, 0, 0}, {length, 0, 0}, {0, width, 0}, 16, 4);
  const Mesh mesh = parts.mesh();
  Body body(mesh, {"plate"});
  body.solids.material("block", material(block_poisson, block_young));
  body.solids.loads.fix("block_x0");
  body.frames.section("plate", {.element = shell(young, 0, t)});
  body.frames.loads.force("plate_x1", {0, 0, 1e-3});
  const Model model = body.model(device_under_test(2));
  const Solved s = solved(model);
  EXPECT_NEAR(s.reaction[2], -1e-3, 1e-9);
  const std::vector<Node>& end = body.frame_part.mesh.region("plate_x1").nodes;
  double mean = 0;
  for (const Node node : end)
    mean += s.frames[static_cast<std::size_t>(6 * node + 2)] / static_cast<double>(end.size());
  return mean / 1e-3;
}

TEST(Body, HoldsAPlateInAStiffBlockAsAClampDoes) {
  constexpr double t = 0.1, width = 0.4, length = 1;
  const double I = width * t * t * t / 12;
  const double clamped = length * length * length / (3 * young * I) + length / (5.0 / 6 * young / 2 * width * t);
  EXPECT_NEAR(deflection_of_plate(1e5 * young, 0.3), clamped, 3e-3 * clamped);
}

// The same of solids alone: the plate with cells of order 2 in the same block.
TEST(Body, BendsAPlateOutOfABlockAsSolidsAloneDo) {
  MeshData data = box_data(16, 4, 6, {1.6, 0.8, 0.6}, CellKind::hex20);
  transform_points(data, [](std::span<double, 3> x) {
    x[0] -= 0.6, x[1] -= 0.2, x[2] -= 0.3;
    // six layers of cells: those in the middle as thick as the plate
    const double edges[] = {-0.3, -0.175, -0.05, 0, 0.05, 0.175, 0.3};
    const double layer = (x[2] + 0.3) / 0.1;
    const int below = std::clamp(static_cast<int>(layer), 0, 5);
    x[2] = edges[below] + (layer - below) * (edges[below + 1] - edges[below]);
  });
  const Mesh brick(std::move(data));
  MeshData kept{.points = {brick.points().begin(), brick.points().end()}};
  CellBlock cells{CellKind::hex20, {}};
  for (Index cell = 0; cell < brick.cell_count(); ++cell) {
    Point centre{};
    for (int i = 0; i < 8; ++i)
      for (std::size_t d = 0; d < 3; ++d)
        centre[d] += brick.point(brick.nodes_of(cell)[static_cast<std::size_t>(i)])[d] / 8;
    if (centre[0] > 0 && (std::abs(centre[2]) > 0.05 || centre[1] < 0 || centre[1] > 0.4)) continue;
    const auto nodes = brick.nodes_of(cell);
    cells.nodes.insert(cells.nodes.end(), nodes.begin(), nodes.end());
  }
  kept.blocks.push_back(std::move(cells));
  const Mesh mesh = with_regions(Mesh(std::move(kept)), {});
  ElasticBody body(mesh);
  body.material("all", material());
  const Region wall{"wall", RegionKind::nodes, {}, {}, [&] {
                      std::vector<Node> nodes;
                      for (Node n = 0; n < mesh.node_count(); ++n)
                        if (mesh.point(n)[0] < -0.6 + 1e-9) nodes.push_back(n);
                      return nodes;
                    }()};
  const Region end{"end", RegionKind::nodes, {}, {}, [&] {
                     std::vector<Node> nodes;
                     for (Node n = 0; n < mesh.node_count(); ++n)
                       if (mesh.point(n)[0] > 1 - 1e-9 && std::abs(mesh.point(n)[2]) < 1e-9) nodes.push_back(n);
                     return nodes;
                   }()};
  Region used = end;
  const FunctionSpace space(mesh, 3, device_under_test(2));
  std::erase_if(used.nodes, [&](Node n) { return space.node_of(n) < 0; });
  body.loads.fix(wall);
  body.loads.force(used, {0.0, 0.0, 1e-3});
  ErrorList errors;
  const Model model = body.model(space, errors);
  errors.throw_if_any();
  const StaticSolution s = solve(model, Static{.linear = {.method = LinearMethod::direct}});
  const std::vector<double> u = space.to_mesh(s.u);
  double mean = 0;
  for (const Node node : used.nodes)
    mean += u[static_cast<std::size_t>(3 * node + 2)] / static_cast<double>(used.nodes.size());
  const double of_both = deflection_of_plate(young, 0);
  EXPECT_NEAR(of_both, mean / 1e-3, 0.03 * of_both);
}

// A shell on the upper face of a cube, and both stretched by 1 %: the force is that of both sections.
TEST(Body, HasASkinThatGoesWithTheSolid) {
  constexpr double t = 0.05, strain = 0.01;
  Assembly parts;
  parts.box("cube", {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, CellKind::hex8})
      .plate("skin", {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, 2, 2);
  const Mesh mesh = parts.mesh();
  Body body(mesh, {"skin"});
  body.solids.material("cube", material());
  for (const auto& [region, component, value] :
       {std::tuple{"cube_x0", 0, 0.0}, {"cube_x1", 0, strain}, {"cube_y0", 1, 0.0}, {"cube_z0", 2, 0.0}})
    body.solids.loads.displacement(region, component, value);
  body.frames.section("skin", {.element = shell(young, 0, t)});
  const Model model = body.model(device_under_test(2));
  EXPECT_THAT(lines_of(model.joints),
              ::testing::ElementsAre("joined: 9 nodes of 'skin' with 'cube', as its points move"));
  const StaticSolution s = solve(model, Static{.linear = {.method = LinearMethod::direct}});
  const Layout layout = layout_of(model.spaces());
  double pull = 0;
  for (int k = 0; k < 2; ++k) {
    const FunctionSpace space = model.spaces()[static_cast<std::size_t>(k)];
    for (Node node = 0; node < space.node_count(); ++node)
      if (space.point(node)[0] > 1 - 1e-9)
        pull += s.reaction[static_cast<std::size_t>(layout.first(k) + Index{node} * space.components())];
  }
  EXPECT_NEAR(pull, young * strain * (1 + t), 1e-9);
}

// A beam that runs into a solid: its nodes inside follow the solid as its end on a face does.
TEST(Body, HoldsABeamThatRunsIntoASolid) {
  Assembly parts;
  parts.box("cube", {{0, -0.5, -0.5}, {1, 0.5, 0.5}, {4, 4, 4}, CellKind::hex8})
      .lines("beam", {0.5, 0, 0}, {2, 0, 0}, 3);
  const Mesh mesh = parts.mesh();
  Body body(mesh, {"beam"});
  body.solids.material("cube", material(0, 1e6 * young));
  body.solids.loads.fix("cube_x0");
  body.frames.section("beam", {.element = beam()});
  body.frames.loads.force("beam_end", {0, 0, 0}, {0, 0.5, 0});
  const Model model = body.model(device_under_test(2));
  EXPECT_THAT(lines_of(model.joints),
              ::testing::ElementsAre(::testing::HasSubstr("joined: 2 nodes of 'beam' with 'cube' by its mean motion")));
  const Solved s = solved(model);
  const Node end = body.frame_part.mesh.region("beam_end").nodes.front();
  const double turn = s.frames[static_cast<std::size_t>(6 * end + 4)];
  EXPECT_NEAR(turn, 0.5 / (young * b * h * h * h / 12), 1e-4 * turn);  // of the length that stands out
}

// Millimetres and newtons against metres: lengths times 1000, moduli over 1e6; forces are the same.
TEST(Body, HasTheSameSolutionInOtherUnits) {
  const auto end_of = [](double scale) {
    const Mesh mesh = bar_and_beam(scale);
    Body body(mesh, {"beam"});
    const double modulus = young / (scale * scale);
    body.solids.material("bar", material(0.3, modulus));
    body.solids.loads.fix("bar_x0");
    Beam section = beam(modulus);
    const double s2 = scale * scale, s4 = s2 * s2;
    section.area *= s2, section.shear_area_y *= s2, section.shear_area_z *= s2;
    section.inertia_y *= s4, section.inertia_z *= s4, section.torsion *= s4;
    body.frames.section("beam", {.element = section});
    body.frames.loads.force("beam_end", {0.1, 0.2, 0.3}, {0.1 * scale, 0.2 * scale, 0.3 * scale});
    const Model model = body.model(device_under_test(2));
    const Solved s = solved(model);
    const Node end = body.frame_part.mesh.region("beam_end").nodes.front();
    std::vector<double> result;
    for (int c = 0; c < 6; ++c) result.push_back(s.frames[static_cast<std::size_t>(6 * end + c)] / (c < 3 ? scale : 1));
    return result;
  };
  const std::vector<double> metres = end_of(1);
  for (const double scale : {1e3, 1e6, 1e-6}) {
    const std::vector<double> others = end_of(scale);
    for (std::size_t c = 0; c < 6; ++c)
      EXPECT_NEAR(others[c], metres[c], 1e-8 * std::abs(metres[c])) << scale << " " << c;
  }
}

// Threads pose as ranks. Joints are between nodes of several of them.
TEST(Body, IsTheSameOverRanks) {
  const Mesh mesh = two_cubes().mesh();
  const auto solution = [&](LinearMethod method, Ranks* ranks) {
    Body body(mesh, {"beam", "plate", "bar"});
    give_materials(body);
    body.solids.loads.fix("left_x0");
    body.solids.loads.pressure("right_x1", 2.0);
    body.frames.loads.pressure("plate", 1.0);
    return solved(body.model(device_under_test(1)), {.method = method, .relative = 1e-12, .ranks = ranks});
  };
  const Solved alone = solution(LinearMethod::direct, nullptr);
  const std::vector<double> expected = alone.u.host();
  const double size = std::abs(*std::ranges::max_element(expected, {}, [](double u) { return std::abs(u); }));
  std::vector<std::vector<double>> found(3);
  ritz::testing::on_ranks(3, [&](Ranks& ranks) {
    const Solved mine = solution(LinearMethod::minres, &ranks);
    found[static_cast<std::size_t>(ranks.rank())] = mine.u.host();
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(mine.reaction[d], alone.reaction[d], 1e-6);
  });
  for (const std::vector<double>& mine : found) {
    ASSERT_EQ(mine.size(), expected.size());
    for (std::size_t i = 0; i < mine.size(); ++i) ASSERT_NEAR(mine[i], expected[i], 1e-6 * size) << i;
  }
}

std::string error_of(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const Errors& errors) {
    std::string all;
    for (const Error& each : errors.list()) all += each.message() + "\n";
    return all;
  } catch (const Error& error) { return error.message(); }
  return "nothing was thrown";
}

struct MovingBar {
  explicit MovingBar(bool held = true, Mesh of = bar_and_beam()) : mesh(std::move(of)) {
    body.solids.material("bar", material());
    if (held) body.solids.loads.fix("bar_x0");
    body.frames.section("beam", {.element = beam(), .density = 2, .size = b * h});
  }
  Model model() const { return body.model(device_under_test(2)); }
  Mesh mesh;
  Body body{mesh, {"beam"}};
};

// A bar of both, as long as it is slender, has the frequencies of one beam; along its axis those of one bar.
TEST(Body, VibratesAsOneBar) {
  const MovingBar bar;
  const VibrationModes modes = solve(bar.model(), Modal{{.count = 6}});
  const double A = b * h, L = 2, root = 1.8751040687;
  for (const double total : modes.total_mass) EXPECT_NEAR(total, 2 * A * L, 1e-9);
  const double Iz = h * b * b * b / 12;
  const double omega = root * root / (L * L) * std::sqrt(young * Iz / (2 * A));
  EXPECT_NEAR(std::sqrt(modes.eigen.values[0]), omega, 0.02 * omega);
  const auto along = std::ranges::max_element(modes.effective_mass, {}, [](const auto& of_mode) { return of_mode[0]; });
  const double of_axis = std::numbers::pi / (2 * L) * std::sqrt(young / 2);
  EXPECT_NEAR(std::sqrt(modes.eigen.values[static_cast<std::size_t>(along - modes.effective_mass.begin())]), of_axis,
              6e-3 * of_axis);  // (k h)^2 / 24 of the two elements of the beam
  EXPECT_NEAR((*along)[0], 8 / (std::numbers::pi * std::numbers::pi) * modes.total_mass[0], 0.01);
}

TEST(Body, FreeHasSixRigidMotionsWhateverItsParts) {
  const Mesh cubes = two_cubes().mesh();
  Body assembly(cubes, {"beam", "plate", "bar"});
  give_materials(assembly);
  const MovingBar bar(false);
  for (const Model& model : {bar.model(), assembly.model(device_under_test(2))}) {
    const VibrationModes modes = solve(model, Modal{{.count = 7}});
    EXPECT_EQ(modes.rigid_motions, 6);
    EXPECT_EQ(modes.rigid_count, 6);
    EXPECT_GT(modes.frequencies[6], 0);
    for (std::size_t d = 0; d < 3; ++d) {
      double moved = 0;  // by rigid motions: all of the mass
      for (std::size_t k = 0; k < 6; ++k) moved += modes.effective_mass[k][d];
      EXPECT_NEAR(moved, modes.total_mass[d], 1e-6 * moved);
    }
  }
}

// f^2 = f0^2 (1 - P / P_cr), of a cantilever within some per cent.
TEST(Body, VibratesSlowerUnderACompressiveForce) {
  MovingBar bar;
  const double L = 2, P = 0.5 * std::numbers::pi * std::numbers::pi * young * h * b * b * b / 12 / (4 * L * L);
  bar.body.frames.loads.force("beam_end", {-P, 0, 0});
  const Model model = bar.model();
  const double free = solve(model, Modal{{.count = 1}}).eigen.values[0];
  Modal loaded{{.count = 1}};
  loaded.begin.u = solved(model).u.host();
  EXPECT_NEAR(solve(model, loaded).eigen.values[0] / free, 0.5, 0.02);
}

// Euler's load of a cantilever with Engesser's part of the shear, P_E / (1 + P_E / (k G A)).
TEST(Body, BucklesAsOneColumn) {
  MovingBar bar;
  bar.body.frames.loads.force("beam_end", {-1, 0, 0});
  const double L = 2, euler = std::numbers::pi * std::numbers::pi * young * h * b * b * b / 12 / (4 * L * L),
               expected = euler / (1 + euler / (5.0 / 6 * young / 2 * b * h));
  const BucklingModes alone = solve(bar.model(), Buckling{.count = 2, .relative = 1e-9});
  EXPECT_NEAR(alone.factors[0], expected, 3e-3 * expected);
  EXPECT_GT(alone.factors[1], 1.5 * alone.factors[0]);  // about the stiff axis: (h / b)^2
}

// A mass of a motion of one unknown each is a mass at the node; a heavy one on a light bar swings by sqrt(k / m).
TEST(Body, SwingsWithAMassAtAReferencePointAsWithOneAtItsNode) {
  constexpr double m = 100;
  MovingBar with_node, with_point;
  with_node.body.frames.mass("beam_end", {.total = m});
  const Node end = with_point.body.frame_part.mesh.region("beam_end").nodes.front();
  Model model = with_point.model();
  for (int c = 0; c < 3; ++c)
    model.attached.push_back({.terms = {{model.others[0].node_of(end), c, 1.0}}, .mass = m, .field = 1});
  const VibrationModes expected = solve(with_node.model(), Modal{{.count = 3}}),
                       found = solve(model, Modal{{.count = 3}});
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(found.eigen.values[k], expected.eigen.values[k], 1e-7 * expected.eigen.values[k]);
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(found.total_mass[d], expected.total_mass[d], 1e-9 * m);
  const double L = 2, Iz = h * b * b * b / 12, soft = L * L * L / (3 * young * Iz) + L / (5.0 / 6 * young / 2 * b * h);
  EXPECT_NEAR(found.eigen.values[0], 1 / (soft * m), 5e-3 / (soft * m));

  const auto moved = [](const Model& of) {
    State begin{.u = std::vector<double>(static_cast<std::size_t>(layout_of(of.spaces()).total()), 0.0)};
    begin.v = begin.u;
    const FunctionSpace& frames = of.others[0];
    for (Node node = 0; node < frames.node_count(); ++node)
      begin.v[static_cast<std::size_t>(of.space.unknown_count() + Index{node} * 6 + 1)] = frames.point(node)[0];
    return solve(of, Transient{.end = 1, .fixed_step = 0.1, .begin = std::move(begin)}).state;
  };
  const State of_node = moved(with_node.model()), of_point = moved(model);
  const double size = std::abs(*std::ranges::max_element(of_node.u, {}, [](double u) { return std::abs(u); }));
  EXPECT_GT(size, 0.1);
  for (std::size_t i = 0; i < of_node.u.size(); ++i) ASSERT_NEAR(of_point.u[i], of_node.u[i], 1e-6 * size) << i;
  EXPECT_NEAR(of_point.energy.kinetic, of_node.energy.kinetic, 1e-6 * of_node.energy.kinetic);
}

// At rest in its place, with velocities of a cantilever that swings along z.
State swinging(const Model& model) {
  const Layout layout = layout_of(model.spaces());
  State begin{.u = std::vector<double>(static_cast<std::size_t>(layout.total()), 0.0), .v = {}};
  begin.v = begin.u;
  for (int k = 0; k < 2; ++k) {
    const FunctionSpace space = model.spaces()[static_cast<std::size_t>(k)];
    for (Node node = 0; node < space.node_count(); ++node) {
      const double x = space.point(node)[0];
      const auto first = static_cast<std::size_t>(layout.first(k) + Index{node} * space.components());
      begin.v[first + 2] = x * x / 2;
      if (k == 1) begin.v[first + 4] = -x;
    }
  }
  return begin;
}

// Average acceleration keeps the energy of a linear body; a state in balance with its loads stays as it is.
TEST(Body, KeepsItsEnergyInTime) {
  const MovingBar bar;
  const Model model = bar.model();
  const TransientResult result =
      solve(model, Transient{.end = 1, .spectral_radius = 1, .fixed_step = 0.1, .begin = swinging(model)});
  const EnergyBalance& energy = result.state.energy;
  EXPECT_GT(energy.begin, 0.05);
  EXPECT_GT(energy.strain, 0.05 * energy.begin);
  EXPECT_NEAR(energy.kinetic + energy.strain, energy.begin, 1e-8 * energy.begin);
}

TEST(Body, StaysInBalanceWithItsLoadsAndReachesItByNewtonsMethod) {
  MovingBar bar;
  bar.body.frames.loads.force("beam_end", {0.1, 0.2, 0.3}, {0.1, 0, 0});
  const Model model = bar.model();
  const std::vector<double> expected = solved(model).u.host();
  const double largest = std::abs(*std::ranges::max_element(expected, {}, [](double u) { return std::abs(u); }));
  const TransientResult in_time = solve(model, Transient{.end = 1, .fixed_step = 0.5, .from_equilibrium = true});
  const NonlinearSolution by_newton = solve(model, Nonlinear{.path = {0.5, 1}});
  const std::vector<double> of_newton = by_newton.u.host();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(in_time.state.u[i], expected[i], 1e-6 * largest);
    EXPECT_NEAR(of_newton[i], expected[i], 1e-6 * largest);
  }
}

// Masses are lumped in one and consistent in the other: they differ by the square of the length of the beams.
TEST(Body, MovesInExplicitStepsAsInImplicitOnes) {
  const auto difference = [](int beams) {
    const MovingBar bar(true, bar_and_beam(1, beams, CellKind::hex8));
    const Model model = bar.model();
    const Node end = model.others[0].node_of(bar.body.frame_part.mesh.region("beam_end").nodes.front());
    const auto at = static_cast<std::size_t>(model.space.unknown_count() + Index{end} * 6 + 2);
    const State
        implicit =
            solve(model, Transient{.end = 1, .spectral_radius = 1, .fixed_step = 0.04, .begin = swinging(model)}).state,
        explicitly =
            solve(model, Transient{.end = 1, .central_differences = CentralDifferences{}, .begin = swinging(model)})
                .state;
    EXPECT_LE(std::abs(explicitly.energy.lost()), 0.01 * explicitly.energy.begin);
    EXPECT_GT(implicit.u[at], 0.5);
    return std::abs(explicitly.u[at] / implicit.u[at] - 1);
  };
  const double coarse = difference(2), fine = difference(8);
  EXPECT_LE(fine, 0.01);
  EXPECT_LE(fine, 0.2 * coarse) << coarse;
}

std::string error_of_beam(const Point& from, const Point& to) {
  Assembly parts;
  parts.box("block", {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, CellKind::hex8}).lines("beam", from, to, 1);
  const Mesh mesh = parts.mesh();
  Body body(mesh, {"beam"});
  body.solids.material("block", material());
  body.solids.loads.fix("block_x0");
  body.frames.section("beam", {.element = beam()});
  return error_of([&] { (void)solved(body.model(device_under_test(1))); });
}

// A beam that ends far from a solid, and is joined with its face by hand: a rigid arm, or the mean motion of the face.
TEST(Body, IsJoinedByHandWithAFaceThatItDoesNotTouch) {
  constexpr double M = 0.7, F = 0.2, L = 1, arm = 0.5;
  const double I = b * h * h * h / 12;
  for (const bool is_rigid : {false, true}) {
    Assembly parts;
    parts.box("bar", {{0, -b / 2, -h / 2}, {1, b / 2, h / 2}, {4, 2, 2}})
        .lines("beam", {1 + L + arm, 0, 0}, {1 + arm, 0, 0}, 1);
    const Mesh mesh = parts.mesh();
    Body body(mesh, {"beam"});
    body.solids.material("bar", material());
    body.solids.loads.fix("bar_x0");
    body.frames.section("beam", {.element = beam()});
    body.join("beam_end", "bar_x1", is_rigid);
    body.frames.loads.force("beam_x1", {0, 0, F}, {0, M, 0});
    const Model model = body.model(device_under_test(2));
    ASSERT_EQ(std::ssize(model.joints), 1);
    EXPECT_EQ(model.joints.front().kind, is_rigid ? Joint::Kind::rigid_surface : Joint::Kind::surface);
    const Solved s = solved(model);
    const Node end = body.frame_part.mesh.region("beam_x1").nodes.front();
    const double turn = (M * (2 * L) - F * (L * (arm + L + 0.5) + 0.5 * L * L)) / (young * I);
    EXPECT_NEAR(s.frames[static_cast<std::size_t>(6 * end + 4)], turn, 5e-3 * std::abs(turn));
    EXPECT_NEAR(s.reaction[2], -F, 1e-9);
  }
}

TEST(Body, ReportsABeamThatNeitherTouchesNorIsClear) {
  EXPECT_THAT(error_of_beam({1.01, 0.5, 0.5}, {2, 0.5, 0.5}), ::testing::HasSubstr("of 'beam' lies 0.01 from a solid"));
}

TEST(Body, ReportsABeamWhoseSectionOverhangsTheSolid) {
  EXPECT_THAT(error_of_beam({1, 0, 0}, {2, 0, 0}), ::testing::HasSubstr("cannot be joined"));
}

TEST(Body, ReportsABeamThatNothingHolds) {
  EXPECT_THAT(error_of_beam({1.5, 0.5, 0.5}, {2, 0.5, 0.5}), ::testing::HasSubstr("can still move freely"));
}

TEST(Body, ReportsAPlateThatTouchesWithACornerAlone) {
  Assembly parts;
  parts.box("block", {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, CellKind::hex8})
      .plate("plate", {1, 0.5, 0.5}, {0.7, 0.7, 0}, {0.7, -0.7, 0}, 2, 2);
  const Mesh mesh = parts.mesh();
  Body body(mesh, {"plate"});
  body.solids.material("block", material());
  body.frames.section("plate", {.element = shell(young, 0, 0.1)});
  EXPECT_THAT(error_of([&] { (void)body.model(device_under_test(1)); }),
              ::testing::HasSubstr("corners of shells touch a solid"));
}

}  // namespace
}  // namespace ritz::test::body_test

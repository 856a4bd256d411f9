#include "apps/cases/model.hpp"

#include "apps/cases/shared_model.hpp"
#include "apps/show/units.hpp"
#include "device/memory_shortage.hpp"
#include "fem/plugins/element_check.hpp"
#include "mesh/quality/quality.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>
#include <string_view>
#include <utility>

namespace ritz {
namespace {

std::string place(const Mesh& mesh, std::size_t node) {
  const auto x = mesh.point(static_cast<Index>(node));
  return mesh.dimension() == 3 ? fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2])
                               : fmt::format("({:.6g}, {:.6g})", x[0], x[1]);
}

void check_radii(const Mesh& mesh) {
  const double tolerance = axis_tolerance(mesh);
  for (Index node = 0; node < mesh.node_count(); ++node)
    if (mesh.point(node)[0] < -tolerance)
      throw Error(
          ErrorKind::axisymmetric_radius,
          fmt::format("node {} lies at x = {:g}, but an axisymmetric mesh needs x >= 0", node, mesh.point(node)[0]),
          "x is the distance from the axis of revolution", "draw the half section at x >= 0, the axis along y");
}

}  // namespace

PlaneModel plane_model(Run& run, const Mesh& mesh, const std::vector<std::string>& types, const std::string& fallback) {
  PlaneModel model;
  const Case::Table table = run.input().table("model", "kind of model of the mesh");
  const bool solid = mesh.dimension() == 3;
  const std::vector<std::string> allowed = solid ? std::vector<std::string>{"solid"} : types;
  std::optional<std::string> assumed;
  if (solid) assumed = "solid";
  if (!solid && !fallback.empty()) assumed = fallback;
  model.type = table.choice("type", fmt::format("kind of model, for a mesh of {} dimensions", mesh.dimension()),
                            allowed, assumed);
  model.axisymmetric = model.type == "axisymmetric";
  if (!solid) model.weight = table.number("thickness", "thickness of plane models [m]", {.fallback = 1, .above = 0});
  if (model.axisymmetric) {
    if (table.has("thickness"))
      table.error(ErrorKind::model_options, "thickness", "an axisymmetric model has no thickness", {},
                  "remove the key");
    model.weight = 2 * std::numbers::pi;
    check_radii(mesh);
  }
  run.results().measure_by({model.weight, model.axisymmetric});
  return model;
}

void add_material_errors(Case& input, const Mesh& mesh, const std::vector<MaterialRegion>& materials) {
  // Materials whose regions could not be found have their own errors.
  if (materials.empty() && !input.tables("material", {}).empty()) return;
  ErrorList errors;
  check_materials(mesh, materials, errors);
  for (const Error& error : errors.errors()) input.add_error(error);
}

namespace {

// Rejects a plugin's reference element that matches no cell of the mesh or fails its checks.
bool can_be_used(const Case::Table& table, const Mesh& mesh, const std::string& name, const ReferenceElement& element) {
  const auto same_shape = [&](const CellBlock& block) { return traits(block.kind).linear == element.shape; };
  bool good = std::ranges::any_of(mesh.blocks(), same_shape);
  if (!good)
    table.error(ErrorKind::plugin, "element",
                fmt::format("the reference element '{}' is for cells of kind {}, of which the mesh has none", name,
                            traits(element.shape).name),
                {}, "take one for the cells of the mesh, or omit it");
  for (const CheckResult& r : check_functions(element)) {
    if (r.passed) continue;
    table.error(ErrorKind::plugin, "element",
                fmt::format("the reference element '{}' fails the check '{}'", name, r.check), r.note,
                fmt::format("correct it: 'ritz element check {} --plugin FILE' shows all checks", name));
    good = false;
  }
  return good;
}

}  // namespace

namespace {

// Few nodes may be meant as single points: those of the field between them belong, too.
void report_nodes_between(Run& run, const FunctionSpace& space) {
  constexpr Index few = 16;
  if (space.isoparametric()) return;
  for (const Region& region : space.mesh().regions()) {
    if (region.kind != RegionKind::nodes || region.size() < 2 || region.size() > few) continue;
    const std::size_t count = space.nodes_in(region).size();
    if (count > static_cast<std::size_t>(region.size()))
      run.log().notice(fmt::format(
          "region '{}': {} nodes of the mesh, {} of the field of order {}, since those between them belong, too; for "
          "single points use [mesh] order, not [space]",
          region.name, region.size(), count, space.order()));
  }
}

}  // namespace

const FunctionSpace& make_space(Run& run, const Mesh& mesh, int components, const FormCatalogue* catalogue) {
  auto phase = run.device().profile().phase("space");
  run.log().progress("numbering unknowns");
  const Case::Table table = run.input().table("space", "the unknown field");
  SpaceOptions options{.is_cut = run.options().ranks != nullptr};
  options.order = static_cast<int>(
      table.integer("order",
                    "order of the field's elements, independent of the mesh's; 0 takes the mesh's own. Quadrilaterals "
                    "and hexahedra to 8, triangles, tetrahedra and prisms to 4, pyramids to 3",
                    {.fallback = 0, .minimum = 0, .maximum = 8}));
  std::string element;
  if (catalogue != nullptr) {
    element = table.text("element", "a reference element of the plugin, for cells of its shape",
                         {.fallback = "", .may_be_empty = true});
    if (!element.empty()) {
      const ReferenceElement own = catalogue->element(element);
      if (can_be_used(table, mesh, element, own)) options.elements.push_back(own);
      if (options.order == 0) options.order = own.order;
    }
  }
  const std::string key = fmt::format("{} {} {}", components, options.order, element);
  try {
    const FunctionSpace& space =
        run.shared().space_for(key, [&] { return FunctionSpace(mesh, components, run.device(), options); });
    report_nodes_between(run, space);
    return space;
  } catch (const Error& error) {
    table.error("order", error);
    return run.shared().space_for("", [&] { return FunctionSpace(mesh, components, run.device()); });
  }
}

Operator& make_operator(Run& run, const FunctionSpace& space, std::vector<Integral> integrals,
                        const LinearSolverOptions* solver) {
  auto phase = run.device().profile().phase("pattern");
  run.log().progress("sparsity pattern");
  const bool divided = run.options().ranks != nullptr;  // each rank has the lists and the pattern of its part
  Operator& equations = run.shared().equations_for(space, std::move(integrals),
                                                   divided ? ElementLists::when_needed : ElementLists::written);
  if (!space.isoparametric() || divided || (solver != nullptr && without_matrix(equations, *solver))) return equations;
  std::span<const Node> nodes;  // of all cells, if a group of elements has these
  for (const ElementGroup& group : equations.terms().groups())
    if (group.elements.size() == space.cell_order().size()) nodes = {group.nodes.data(), group.host_nodes.size()};
  if (memory_shortage([&] { space.pattern(nodes); })) space.forget_pattern();  // the solution may do without a matrix
  return equations;
}

namespace {

bool acts(std::span<const Integral> integrals) {
  return std::ranges::any_of(integrals, [](const Integral& each) {
    return !each.form.has_matrix || each.is_load || each.form.law.free_strains > 0;
  });
}
bool acts(std::span<const PrescribedValue> values) {
  return std::ranges::any_of(
      values, [](const PrescribedValue& each) { return !each.value.is_number() || each.value.number() != 0; });
}

// Has the model loads or motions, of any size?
bool acts(const Model& model) {
  const auto has_value = [](const LinearEquations& each) {
    return std::ranges::any_of(each.values, [](double value) { return value != 0; });
  };
  return acts(model.equations) || acts(model.supports) || std::ranges::any_of(model.relations, has_value) ||
         std::ranges::any_of(model.means, [](const PrescribedMean& each) { return each.prescribed != 0; }) ||
         std::ranges::any_of(model.load_cases,
                             [](const ModelLoadCase& each) { return acts(each.loads) || acts(each.prescribed); });
}

// A static model on which nothing acts stays at rest: most often its loads were forgotten.
void check_loaded(Run& run, const CaseModel& read) {
  if (read.what_acts.empty()) return;
  const bool allowed = run.input().root().flag(
      "allow_unloaded", "run a static model on which nothing acts, whose solution is zero", false);
  if (acts(read.model) || !run.input().sound()) return;
  const std::string what = "nothing acts on the model: without a load or a prescribed motion its solution is zero";
  if (allowed) return run.log().notice(what);
  run.input().add_error(Error(ErrorKind::unloaded, what, fmt::format("what could act: {}", read.what_acts),
                              "add what acts, or allow_unloaded = true above the first table"));
}

}  // namespace

void check_model(Run& run, const CaseModel& read, const ModelDemands& demands) {
  auto phase = run.device().profile().phase("checks");
  ErrorList model;
  const auto collect = [&](const auto& check) {
    try {
      check();
    } catch (const Errors& errors) {
      for (const Error& error : errors.list()) model.add(error);
    } catch (const Error& error) { model.add(error); }
  };
  if (read.supports) {  // else those of a model that has fields are finished
    run.shared().join(read.supports->common());
    for (Constraints* each : read.supports->all()) collect([&] { each->finish(); });
    // Supports that could not be read leave motions free.
    if (demands.held && run.input().sound()) collect([&] { check_held(read.model, read.supports->common()); });
  }
  std::set<std::string> said;  // what several load cases share is wrong only once
  for (const Error& error : model.errors())
    if (said.insert(error.message() + error.why()).second) run.input().add_error(error);
  if (demands.loaded && !run.step().continues()) check_loaded(run, read);
}

void finish_model(Run& run, const CaseModel& read, const ModelDemands& demands, const ProbeFields& fields) {
  check_model(run, read, demands);
  run.checked(fields);
}

void print_range(Run& run, const Mesh& mesh, const std::string& name, const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax_element(values);
  const Units units = units_of(run.report());
  const std::string unit = units.of_field(name), length = units.of(" m");
  run.log().line("{}: from {:.6g}{} at {}{} to {:.6g}{} at {}{}", name, *low, unit,
                 place(mesh, static_cast<std::size_t>(low - values.begin())), length, *high, unit,
                 place(mesh, static_cast<std::size_t>(high - values.begin())), length);
}

double largest_of(std::span<const double> numbers) {
  double largest = 0;
  for (const double each : numbers) largest = std::max(largest, std::abs(each));
  return largest;
}

std::vector<double> without_rounding(std::span<const double> sums, double largest) {
  std::vector<double> result(sums.begin(), sums.end());
  for (double& each : result)
    if (std::abs(each) < 1e-9 * largest) each = 0;
  return result;
}

void print_balance(Run& run, std::span<const double> applied, const std::vector<double>& reaction, double residual,
                   int components, bool axisymmetric) {
  std::vector<double> sums(static_cast<std::size_t>(components), 0.0);
  for (std::size_t i = 0; i < reaction.size(); ++i) sums[i % static_cast<std::size_t>(components)] += reaction[i];
  if (!applied.empty()) {
    const std::string unit = units_of(run.report()).of_field("reaction");
    const double largest = std::max(largest_of(applied), largest_of(sums));
    const std::vector<double> loads = without_rounding(applied, largest), held = without_rounding(sums, largest);
    if (axisymmetric)  // radial forces all around add up to zero
      run.log().line("loads along y: {:.6g}{}, reactions: {:.6g}{}, relative residual {:.1e}", loads[1], unit, held[1],
                     unit, residual);
    else
      run.log().line("loads: ({:.6g}){}, reactions: ({:.6g}){}, relative residual {:.1e}", fmt::join(loads, ", "), unit,
                     fmt::join(held, ", "), unit, residual);
    run.results().facts()["applied_load"] = fmt::format("{:.10g}", fmt::join(applied, " "));
  }
  run.results().facts()["reaction"] = fmt::format("{:.10g}", fmt::join(sums, " "));
  run.results().facts()["residual_certificate"] = fmt::format("{:.3e}", residual);
}

void check_balance(std::string_view what, std::span<const double> contributions, double size, double tolerance,
                   const std::string& unit) {
  double sum = 0;
  for (const double each : contributions) {
    sum += each;
    size = std::max(size, std::abs(each));
  }
  const double most = std::max(1e-4, 1e4 * tolerance);
  if (std::abs(sum) <= most * size) return;
  throw Error(
      ErrorKind::not_in_balance,
      fmt::format("{} are not in balance: {:.6g}{} remain of ({:.6g}){}", what, sum, unit,
                  fmt::join(contributions, ", "), unit),
      fmt::format("in a state of rest they add up to zero; more than {:.0e} of their size is left", most),
      "set [solver] method = \"direct\" or a smaller tolerance; if it remains, this is a bug in Ritz: please report it "
      "with the case file");
}

void check_balance(const Run& run, const SolutionView& s, std::span<const double> applied,
                   const std::vector<double>& reaction, int components, bool axisymmetric) {
  if (applied.empty()) return;
  const auto count = static_cast<std::size_t>(components);
  std::vector<double> sums(count, 0.0), sizes(count, 0.0);
  for (std::size_t i = 0; i < reaction.size(); ++i) {
    sums[i % count] += reaction[i];
    sizes[i % count] += std::abs(reaction[i]);
  }
  const double size =
      std::max({s.load_size, largest_of(sizes), largest_of(applied.first(std::min(count, applied.size())))});
  for (std::size_t c = axisymmetric ? 1 : 0; c < std::min<std::size_t>(count, 3); ++c)
    check_balance(count == 1 ? "heat given and heat at prescribed temperatures"
                             : fmt::format("loads and reactions along {}", "xyz"[c]),
                  std::array{applied[c], sums[c]}, size, s.tolerance, units_of(run.report()).of_field("reaction"));
}

std::vector<double> magnitudes(const std::vector<double>& vectors, int components) {
  const auto count = static_cast<std::size_t>(components);
  std::vector<double> result(vectors.size() / count);
  for (std::size_t i = 0; i < vectors.size(); ++i) result[i / count] = std::hypot(result[i / count], vectors[i]);
  return result;
}

void print_peak(Run& run, const Mesh& mesh, const std::string& name, const std::vector<double>& magnitudes) {
  const auto high = std::ranges::max_element(magnitudes);
  const Units units = units_of(run.report());
  run.log().line("peak {}: {:.6g}{} at {}{}", name, *high, units.of_field(name),
                 place(mesh, static_cast<std::size_t>(high - magnitudes.begin())), units.of(" m"));
}

bool has_area(const Case::Table& table, const Mesh& mesh, const Region& facets, const PlaneModel& plane) {
  ErrorList errors;
  if (has_size(mesh, facets, {plane.weight, plane.axisymmetric}, {}, errors)) return true;
  const Error& error = errors.errors().front();
  table.error("region", error);
  return false;
}

void judge_displacements(Run& run, const Mesh& mesh, std::span<const double> displacements, int components) {
  constexpr std::string_view beginning = "displacements differ by";
  if (std::ranges::any_of(run.log().notices(),
                          [&](const std::string& notice) { return notice.starts_with(beginning); }))
    return;
  const auto count = static_cast<std::size_t>(components);
  double squares = 0;
  for (std::size_t c = 0; c < count; ++c) {
    double low = displacements[c], high = low;
    for (std::size_t i = c; i < displacements.size(); i += count) {
      low = std::min(low, displacements[i]);
      high = std::max(high, displacements[i]);
    }
    squares += (high - low) * (high - low);
  }
  const double size = bounding_box(mesh).diagonal(), moved = std::sqrt(squares);
  if (moved > 0.1 * size)
    run.log().notice(fmt::format(
        "{} {:.3g}, and the model measures {:.3g}: they are taken as small, which they are not; check units and loads",
        beginning, moved, size));
}

}  // namespace ritz

#include "apps/analyses/modal.hpp"
#include "apps/analyses/modal_response.hpp"
#include "apps/cases/regions_of_fields.hpp"
#include "apps/cases/responses.hpp"
#include "fem/analysis/substructure.hpp"
#include "io/case/csv.hpp"
#include "io/files/text_file.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// Matrix Market's format of full matrices, column after column; of symmetric ones the lower triangle.
std::string matrix_market(const std::vector<double>& rows, std::size_t n) {
  std::string text = fmt::format("%%MatrixMarket matrix array real symmetric\n{} {}\n", n, n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) text += fmt::format("{}\n", rows[i * n + j]);
  return text;
}
std::string matrix_market(const std::vector<std::vector<double>>& columns, std::size_t n) {
  std::string text = fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", n, columns.size());
  for (const std::vector<double>& column : columns)
    for (const double each : column) text += fmt::format("{}\n", each);
  return text;
}

// Rows of coordinates of the reduced model, in its order.
std::vector<std::vector<double>> read_coordinates(const std::string& path, int size) {
  const TextFile file(path);
  std::vector<std::vector<double>> rows;
  for (const std::vector<std::string>& cells : csv_rows({file.begin(), file.end()})) {
    std::vector<double>& row = rows.emplace_back();
    for (const std::string& cell : cells) {
      double value = 0;
      const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
      if (error != std::errc() || end != cell.data() + cell.size())
        throw Error(ErrorKind::wrong_value, fmt::format("'{}' in row {} of {} is no number", cell, rows.size(), path));
      row.push_back(value);
    }
    if (std::ssize(row) != size)
      throw Error(ErrorKind::wrong_value,
                  fmt::format("row {} of {} has {} numbers, and the reduced model {} unknowns", rows.size(), path,
                              row.size(), size),
                  {}, "give one number for each row of the table of unknowns, in its order");
  }
  return rows;
}

class SubstructureAnalysis final : public CaseAnalysis {
 public:
  SubstructureAnalysis(Run& run, CaseModel& read, CaseSolvers& solvers, const Case::Table& t)
      : input_(read_modal(run, read, solvers)) {
    for (const Region* each : t.regions("interface", "facets or nodes that other parts move; all that no support holds",
                                        named_mesh(run, read.model), {RegionKind::facets, RegionKind::nodes}))
      for (const RegionOfField& part : regions_of_fields(read.model, each))
        analysis_.interface.push_back({part.region, part.field});
    const bool with_modes =
        t.choice("method", "craig-bampton: with the modes of [modal] while the interface is held; guyan: without any",
                 {"craig-bampton", "guyan"}, "craig-bampton") == "craig-bampton";
    motions_ = t.path(
        "recover",
        "a table of comma-separated numbers: for each row of coordinates of the reduced model the fields of the part",
        {.fallback = ""});
    if (input_.nodal_diameters || input_.preload || run.step().continues())
      t.error(ErrorKind::modal_options, "interface",
              input_.nodal_diameters ? "a substructure of a sector with nodal diameters"
                                     : "a substructure about a state of stress",
              "its matrices are those of the part at rest", "make a case of the part alone");
    analysis_.linear = linear_of_answers(read, solvers);
    if (with_modes) analysis_.modal = input_.eigen;
    read.nodal_results.push_back({"interface", 1});
    if (!motions_.empty()) name_motions(read);
    std::erase_if(read.nodal_results, [](const Field& each) { return each.name == "acceleration"; });
    if (motions_.empty() && with_modes)
      for (std::size_t k = 0; k < static_cast<std::size_t>(input_.eigen.count); ++k) name_mode(k, read);
  }

  std::string beyond_linear_statics() const override { return "[substructure]"; }
  const LinearSolverOptions* linear() const override { return &analysis_.linear; }
  ModelDemands demands() const override { return {.held = false, .loaded = false}; }
  void check(const Model& model) const override { ritz::check(model, analysis_); }
  Rates rates() const override { return Rates::beside; }
  MemoryNeeds beside_system(const FieldsOfModel& fields) const override { return needs_of_modes(fields, input_); }
  Forecast forecast(Run&, const CaseModel& read, const Prepared& prepared) const override {
    return ritz::forecast(read.model, analysis_, prepared);
  }

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    const ReducedModel reduced = reduce(read.model, analysis_, observer, prepared);
    run.log().line("substructure: {} unknowns of the interface and {} modes with it held", reduced.interface.size(),
                   reduced.frequencies.size());
    auto& facts = run.results().facts();
    facts["interface_unknowns"] = fmt::format("{}", reduced.interface.size());
    facts["fixed_interface_hz"] = fmt::format("{:.12g}", fmt::join(reduced.frequencies, " "));
    const auto n = static_cast<std::size_t>(reduced.size());
    run.results().add_table("stiffness.mtx", matrix_market(reduced.stiffness, n));
    run.results().add_table("mass.mtx", matrix_market(reduced.mass, n));
    run.results().add_table("loads.mtx", matrix_market(reduced.loads, n));
    run.results().add_table("unknowns.csv", unknowns(read.model.spaces(), reduced));
    const Field marks{"interface", 1, interface_nodes(read.model.spaces(), reduced)};
    if (motions_.empty()) {
      std::vector<Field> fields = shapes(motion_of(run, read), reduced);
      fields.insert(fields.begin(), marks);
      run.results().write(std::move(fields), {});
      return {};
    }
    for (const std::vector<double>& q : read_coordinates(motions_, reduced.size())) {
      EvaluatedFields fields = fields_of_motion(run, read, reduced.recovered(q), nullptr);
      print_peaks(run, fields, "largest");
      fields.nodal.push_back(marks);
      run.results().write(std::move(fields.nodal), std::move(fields.cells));
    }
    return {};
  }

 private:
  // [node of the mesh] 1: of the interface.
  static std::vector<double> interface_nodes(const Spaces& spaces, const ReducedModel& reduced) {
    std::vector<double> all;
    for (int field = 0; field < std::ssize(spaces); ++field) {
      const FunctionSpace& space = spaces[static_cast<std::size_t>(field)];
      std::vector<double> own(static_cast<std::size_t>(space.node_count()), 0.0);
      for (const ReducedModel::Unknown& each : reduced.interface)
        if (each.field == field) own[static_cast<std::size_t>(each.node)] = 1;
      own = space.to_mesh(own, 1);
      all.resize(own.size(), 0.0);
      std::ranges::transform(all, own, all.begin(), [](double a, double b) { return std::max(a, b); });
    }
    return all;
  }

  std::vector<Field> shapes(const MotionOf& motion, const ReducedModel& reduced) const {
    std::vector<Field> fields;
    std::vector<double> q(static_cast<std::size_t>(reduced.size()), 0.0);
    for (std::size_t k = 0; k < reduced.frequencies.size(); ++k) {
      double& own = q[reduced.interface.size() + k];
      own = 1;
      for (Field& each : shape_fields(motion, reduced.recovered(q), k)) fields.push_back(std::move(each));
      own = 0;
    }
    return fields;
  }

  static std::string unknowns(const Spaces& spaces, const ReducedModel& reduced) {
    std::string text = "unknown,component,x,y,z,frequency\n";
    int number = 0;
    for (const ReducedModel::Unknown& each : reduced.interface) {
      const FunctionSpace& space = spaces[static_cast<std::size_t>(each.field)];
      const Point x = space.point(each.node);
      text += fmt::format("{},{},{},{},{},\n", ++number, space.component_name(each.component), x[0], x[1], x[2]);
    }
    for (const double frequency : reduced.frequencies) text += fmt::format("{},mode,,,,{}\n", ++number, frequency);
    return text;
  }

  ModalInput input_;
  Substructure analysis_;
  std::string motions_;  // a file
};

}  // namespace

std::unique_ptr<CaseAnalysis> substructure_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (!read.motion.moved || !run.input().root().has("substructure")) return nullptr;
  const Case::Table t = run.input().table(
      "substructure", "the part as matrices of the unknowns of its interface and of modes (docs/vibration.md)");
  return std::make_unique<SubstructureAnalysis>(run, read, solvers, t);
}

}  // namespace ritz

#include "fem/operator/given_numbers.hpp"

#include "device/kernels.hpp"
#include "fem/launch/coefficients.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace ritz {
namespace {

// Shape functions of the geometry at the points: [point][node].
std::vector<double> geometry_values(const ReferenceElement& geometry, const QuadratureRule& rule) {
  const std::size_t nodes = geometry.nodes.size();
  std::vector<double> values(rule.points.size() * nodes);
  std::vector<Point> gradients(nodes);
  for (std::size_t q = 0; q < rule.points.size(); ++q)
    geometry.evaluate(rule.points[q], std::span(values).subspan(q * nodes, nodes), gradients);
  return values;
}

// Numbers of the host where kernels can read them: a copy on machines with memory of their own.
template <class T>
class Readable {
 public:
  Readable(const Device& device, std::span<const T> numbers) : data_(numbers.data()) {
    if (!device.machine().is_apart() || numbers.empty()) return;
    copy_ = Array<T>(device, numbers, "coefficients");
    data_ = copy_.data();
  }
  const T* data() const { return data_; }

 private:
  Array<T> copy_;
  const T* data_;
};

// Cells of a group's elements, and where in them its points lie. None of nodes.
class PlacesInCells {
 public:
  PlacesInCells(const Mesh& mesh, const ElementGroup& group, const QuadratureRule& rule) : mesh_(mesh), group_(group) {
    if (!group.elements.empty()) tables_.push_back({mesh.kind_of(group.elements.front()), rule.points});
    for (const FacetOfCell& each : group.facets) {
      const CellKind kind = mesh.kind_of(each.cell);
      const auto [found, is_new] = on_facets_.try_emplace({kind, each.facet}, static_cast<int>(tables_.size()));
      if (!is_new) continue;
      const FacetMap onto_cell(kind, each.facet);
      tables_.push_back({kind, {}});
      for (const Point& xi : rule.points) tables_.back().points.push_back(onto_cell.place(xi));
    }
  }

  struct Table {
    CellKind kind;
    std::vector<Point> points;  // on the reference cell
  };
  const std::vector<Table>& tables() const { return tables_; }
  bool known() const { return !tables_.empty(); }
  Index cell(std::size_t element) const {
    return group_.elements.empty() ? group_.facets[element].cell : group_.elements[element];
  }
  int table(std::size_t element) const {
    if (!group_.elements.empty()) return 0;
    const FacetOfCell& facet = group_.facets[element];
    return on_facets_.at({mesh_.kind_of(facet.cell), facet.facet});
  }

 private:
  const Mesh& mesh_;
  const ElementGroup& group_;
  std::vector<Table> tables_;
  std::map<std::pair<CellKind, int>, int> on_facets_;
};

// A field on the mesh of the space, as kernels read it.
class FieldOnDevice {
 public:
  FieldOnDevice(const Device& device, const MeshField& field, const PlacesInCells& places, Index elements)
      : values_(device, field.values()) {
    std::size_t most = 1;
    const std::size_t points = places.tables().front().points.size();
    for (const auto& each : places.tables())
      if (field.at_nodes()) most = std::max(most, static_cast<std::size_t>(traits(each.kind).node_count));
    for (const auto& each : places.tables()) {
      counts_.push_back(field.at_nodes() ? traits(each.kind).node_count : 0);
      for (const Point& xi : each.points) {
        std::vector<double> N = shape_values(each.kind, xi);
        N.resize(most);
        shapes_.insert(shapes_.end(), N.begin(), N.end());
      }
    }
    nodes_.resize(static_cast<std::size_t>(elements) * most);
    place_.resize(places.tables().size() > 1 ? static_cast<std::size_t>(elements) : 0);
#pragma omp parallel for schedule(static)
    for (std::size_t e = 0; e < static_cast<std::size_t>(elements); ++e) {
      const Index cell = places.cell(e);
      std::int32_t* to = &nodes_[e * most];
      if (field.at_nodes()) std::ranges::copy(field.mesh().nodes_of(cell), to);
      else *to = static_cast<std::int32_t>(cell);
      if (!place_.empty()) place_[e] = places.table(e);
    }
    read_.emplace(device, *this);
    view_ = {values_.data(),
             read_->nodes.data(),
             place_.empty() ? nullptr : read_->place.data(),
             read_->counts.data(),
             read_->shapes.data(),
             static_cast<int>(most),
             elements};
    if (points == 0) view_.element_count = 0;
  }
  const FieldInCells& view() const { return view_; }

 private:
  std::vector<std::int32_t> nodes_, place_, counts_;
  std::vector<double> shapes_;
  Readable<double> values_;
  struct Copies {
    Readable<std::int32_t> nodes, place, counts;
    Readable<double> shapes;
    Copies(const Device& device, const FieldOnDevice& of)
        : nodes(device, of.nodes_), place(device, of.place_), counts(device, of.counts_), shapes(device, of.shapes_) {}
  };
  std::optional<Copies> read_;
  FieldInCells view_{};
};

// The arrays of a program, as kernels read them.
struct ProgramOnDevice {
  Readable<PointInstruction> code;
  Readable<PointTable> tables;
  Readable<PointBounds> bounds;
  Readable<double> numbers;
  PointProgram program;

  ProgramOnDevice(const Device& device, const PointCode& from)
      : code(device, from.code()),
        tables(device, from.tables()),
        bounds(device, from.bounds()),
        numbers(device, from.numbers()),
        program(from.program()) {
    program.code = code.data();
    program.tables = tables.data();
    program.bounds = bounds.data();
    program.numbers = numbers.data();
  }
};

// Inputs of several functions count as one where they are the same field.
bool same_input(const PointInput& a, const PointInput& b) {
  return &a == &b || (a.field && b.field && a.field->is_same(*b.field));
}

// The value of a function of time alone; nothing where it has none, or depends on more.
std::optional<double> value_everywhere(const PointCode& code, double t) {
  if (code.reads_position() || !code.inputs().empty()) return std::nullopt;
  const PointProgram program = code.program();
  const double value = *PointMachine<1>(program, ProgramPoints{.t = t, .count = 1}, 0).run();
  return value == value ? std::optional(value) : std::nullopt;
}

// Fills the numbers of a group, some batches at a time, so that positions and inputs need little memory.
class GivenEvaluation {
 public:
  GivenEvaluation(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule,
                  const FormValue& form, double t)
      : device_(space.device()),
        kernels_(kernels<CoefficientKernels>(device_, "ritz_fem_kernels", "coefficients")),
        mesh_(space.mesh()),
        group_(group),
        form_(form),
        t_(t),
        in_cells_(mesh_, group, rule),
        shapes_(geometry_values(*group.geometry, rule)),
        shapes_on_device_(device_, shapes_),
        points_(static_cast<Index>(rule.points.size())) {
    places_ = {shapes_on_device_.data(),
               group.geometry_nodes().data(),
               coordinates_of(space, group).data(),
               static_cast<int>(group.geometry->nodes.size()),
               static_cast<int>(points_),
               mesh_.dimension(),
               0,
               0};
    for (const PointFunction& each : form.given) {
      const std::optional<double> number = value_everywhere(each.code(), t);
      codes_.push_back(number ? PointCode(*number) : each.code());
    }
    for (const PointCode& each : codes_) {
      programs_.emplace_back(device_, each);
      reads_position_ = reads_position_ || each.reads_position();
      std::vector<std::size_t>& inputs = inputs_of_.emplace_back();
      for (const auto& input : each.inputs()) inputs.push_back(place_of(*input));
    }
    for (const PointInput* each : inputs_) {
      const bool here = each->field && &each->field->mesh() == &mesh_ && in_cells_.known();
      fields_.push_back(here ? std::make_unique<FieldOnDevice>(device_, *each->field, in_cells_, group.element_count)
                             : nullptr);
      needs_host_ = needs_host_ || !here;
    }
  }

  void fill(Vector& numbers) {
    constexpr Index most = 1024;  // batches at a time
    const Index batches = group_.batch_count(), entries = std::min(most, batches) * points_ * lane_count;
    if (reads_position_ || needs_host_) x_ = Vector(device_, 3 * entries, "coefficients");
    values_ = Vector(device_, static_cast<Index>(inputs_.size()) * entries, "coefficients");
    for (Index first = 0; first < batches; first += most) {
      places_.first_batch = first;
      places_.count = std::min(most, batches - first) * points_ * lane_count;
      evaluate_inputs(entries);
      run(entries, numbers.data() + first * points_ * lane_count * static_cast<Index>(form_.given.size()));
    }
  }

 private:
  std::size_t place_of(const PointInput& input) {
    const auto found = std::ranges::find_if(inputs_, [&](const PointInput* each) { return same_input(*each, input); });
    if (found == inputs_.end()) inputs_.push_back(&input);
    else return static_cast<std::size_t>(found - inputs_.begin());
    return inputs_.size() - 1;
  }

  void evaluate_inputs(Index stride) {
    if (!x_.empty()) kernels_.positions(device_, places_, x_.data());
    host_ready_ = false;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      double* to = values_.data() + static_cast<Index>(k) * stride;
      if (fields_[k]) {
        kernels_.field(device_, places_, fields_[k]->view(), to);
        continue;
      }
      values_on_host_.resize(static_cast<std::size_t>(places_.count));
      inputs_[k]->at(on_host(), t_, values_on_host_);
      copy_to_device(device_, to, values_on_host_.data(), places_.count * Index{sizeof(double)});
    }
  }

  // The points with their cells, for functions of the host and for errors.
  EvaluationPoints on_host() {
    const auto count = static_cast<std::size_t>(places_.count), lanes = static_cast<std::size_t>(lane_count),
               points = static_cast<std::size_t>(points_);
    if (!host_ready_) {
      x_on_host_.resize(3 * count);
      copy_to_host(device_, x_on_host_.data(), x_.data(), 3 * places_.count * Index{sizeof(double)});
      if (in_cells_.known()) cells_.resize(count), xi_.resize(count);
#pragma omp parallel for schedule(static)
      for (std::size_t i = 0; i < cells_.size(); ++i) {
        const std::size_t batch = static_cast<std::size_t>(places_.first_batch) + i / lanes / points,
                          e = std::min(batch * lanes + i % lanes, static_cast<std::size_t>(group_.element_count) - 1);
        cells_[i] = in_cells_.cell(e);
        xi_[i] = in_cells_.tables()[static_cast<std::size_t>(in_cells_.table(e))].points[i / lanes % points];
      }
      host_ready_ = true;
    }
    return in_cells_.known() ? EvaluationPoints(x_on_host_, mesh_, cells_, xi_) : EvaluationPoints(x_on_host_);
  }

  void run(Index stride, double* out) {
    const int numbers = static_cast<int>(form_.given.size());
    for (int m = 0; m < numbers; ++m) {
      const auto which = static_cast<std::size_t>(m);
      const PointCode& code = codes_[which];
      const double* inputs = values_.data();
      Vector own;  // inputs of this function one after the other, where they are not already
      const std::vector<std::size_t>& used = inputs_of_[which];
      const auto has_gap = [](std::size_t one, std::size_t next) { return next != one + 1; };
      if (!used.empty() && std::ranges::adjacent_find(used, has_gap) == used.end()) {
        inputs += static_cast<Index>(used.front()) * stride;
      } else if (!used.empty()) {
        own = Vector(device_, static_cast<Index>(used.size()) * stride, "coefficients");
        for (std::size_t k = 0; k < used.size(); ++k)
          device_.machine().copy_on_device(own.data() + static_cast<Index>(k) * stride,
                                           values_.data() + static_cast<Index>(used[k]) * stride,
                                           places_.count * Index{sizeof(double)});
        inputs = own.data();
      }
      kernels_.run(device_, programs_[which].program, {x_.data(), t_, inputs, stride, places_.count}, m, numbers, out);
      if (code.is_limited()) demand_values(code, m, out);
    }
  }

  void demand_values(const PointCode& code, int m, const double* out) {
    const int numbers = static_cast<int>(form_.given.size());
    Vector missing(device_, 1, "coefficients");
    kernels_.missing(device_, places_.count, m, numbers, out, missing.data());
    if (missing.host().front() == 0) return;
    if (x_.empty()) {
      x_ = Vector(device_, 3 * places_.count, "coefficients");
      kernels_.positions(device_, places_, x_.data());
    }
    std::vector<double> values(static_cast<std::size_t>(places_.count));
    code.run(on_host(), t_, values);
  }

  const Device device_;
  const CoefficientKernels& kernels_;
  const Mesh& mesh_;
  const ElementGroup& group_;
  const FormValue& form_;
  double t_;
  PlacesInCells in_cells_;
  std::vector<double> shapes_;
  Readable<double> shapes_on_device_;
  Index points_;
  PointPlaces places_{};
  std::vector<PointCode> codes_;                        // [number]
  std::vector<ProgramOnDevice> programs_;               // of them
  std::vector<const PointInput*> inputs_;               // of all numbers
  std::vector<std::vector<std::size_t>> inputs_of_;     // [number][input of its program]: which of them
  std::vector<std::unique_ptr<FieldOnDevice>> fields_;  // [input]; none: evaluated on the host
  bool reads_position_ = false, needs_host_ = false, host_ready_ = false;
  Vector x_, values_;  // [entry][3], [input][entry]
  std::vector<double> x_on_host_, values_on_host_;
  std::vector<Index> cells_;
  std::vector<Point> xi_;
};

}  // namespace

Index given_count(const ElementGroup& group, const QuadratureRule& rule, const FormValue& form) {
  return group.batch_count() * static_cast<Index>(rule.points.size() * form.given.size()) * lane_count;
}

void given_at_points(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule,
                     const FormValue& form, double t, Vector& numbers) {
  GivenEvaluation(space, group, rule, form, t).fill(numbers);
}

}  // namespace ritz

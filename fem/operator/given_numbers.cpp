#include "fem/operator/given_numbers.hpp"

#include "fem/operator/quadrature_points.hpp"

#include <algorithm>
#include <optional>

namespace ritz {
namespace {

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
std::optional<double> value_everywhere(const PointFunction& function, double t) {
  if (function.varies_in_space()) return std::nullopt;
  const PointCode& code = function.code();
  const PointProgram program = code.program();
  const double origin[3] = {};
  const double value = *PointMachine<1>(program, ProgramPoints{.x = origin, .t = t, .count = 1}, 0).run();
  return value == value ? std::optional(value) : std::nullopt;
}

// Fills the numbers of a group, a piece at a time.
class GivenEvaluation {
 public:
  GivenEvaluation(const QuadraturePoints& points, const FormValue& form, double t, FieldsAtPoints& fields)
      : points_(points), device_(points.device()), kernels_(points.kernels()), form_(form), t_(t) {
    for (const PointFunction& each : form.given) {
      const std::optional<double> number = value_everywhere(each, t);
      codes_.push_back(number ? PointCode(*number) : each.code());
    }
    for (const PointCode& each : codes_) {
      programs_.emplace_back(device_, each);
      needs_positions_ = needs_positions_ || each.reads_position();
      std::vector<std::size_t>& inputs = inputs_of_.emplace_back();
      for (const auto& input : each.inputs()) inputs.push_back(place_of(*input));
    }
    for (const PointInput* each : inputs_) {
      fields_.emplace_back();
      if (each->field) fields_.back() = fields.source(points, *each->field);
      else needs_positions_ = true;
    }
  }

  void fill(Vector& numbers) {
    const Index entries = points_.entries_of_piece();
    if (needs_positions_) x_ = Vector(device_, 3 * entries, "coefficients");
    values_ = Vector(device_, static_cast<Index>(inputs_.size()) * entries, "coefficients");
    points_.each_piece([&](const PointPlaces& places, Index first) {
      on_host_.reset();
      evaluate_inputs(places, entries);
      run(places, entries, numbers.data() + first * static_cast<Index>(form_.given.size()));
    });
  }

 private:
  std::size_t place_of(const PointInput& input) {
    const auto found = std::ranges::find_if(inputs_, [&](const PointInput* each) { return same_input(*each, input); });
    if (found == inputs_.end()) inputs_.push_back(&input);
    else return static_cast<std::size_t>(found - inputs_.begin());
    return inputs_.size() - 1;
  }

  void evaluate_inputs(const PointPlaces& places, Index stride) {
    if (!x_.empty()) kernels_.positions(device_, places, x_.data());
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      double* to = values_.data() + static_cast<Index>(k) * stride;
      if (fields_[k]) {
        kernels_.field(device_, places, fields_[k]->field, fields_[k]->in, to);
        continue;
      }
      values_on_host_.resize(static_cast<std::size_t>(places.count));
      inputs_[k]->at(on_host(places), t_, values_on_host_);
      copy_to_device(device_, to, values_on_host_.data(), places.count * Index{sizeof(double)});
    }
  }

  EvaluationPoints on_host(const PointPlaces& places) {
    if (!on_host_) on_host_.emplace(points_, places, x_);
    return on_host_->points();
  }

  void run(const PointPlaces& places, Index stride, double* out) {
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
                                           places.count * Index{sizeof(double)});
        inputs = own.data();
      }
      kernels_.run(device_, programs_[which].program, {x_.data(), t_, inputs, stride, places.count}, m, numbers, out);
      if (code.is_limited()) require_values(places, code, m, out);
    }
  }

  void require_values(const PointPlaces& places, const PointCode& code, int m, const double* out) {
    const int numbers = static_cast<int>(form_.given.size());
    Vector missing(device_, 1, "coefficients");
    kernels_.missing(device_, places.count, m, numbers, out, missing.data());
    if (missing.host().front() == 0) return;
    if (x_.empty()) {
      x_ = Vector(device_, 3 * places.count, "coefficients");
      kernels_.positions(device_, places, x_.data());
    }
    std::vector<double> values(static_cast<std::size_t>(places.count));
    code.run(on_host(places), t_, values);
  }

  const QuadraturePoints& points_;
  const Device& device_;
  const CoefficientKernels& kernels_;
  const FormValue& form_;
  double t_;
  std::vector<PointCode> codes_;                               // [number]
  std::vector<ProgramOnDevice> programs_;                      // of them
  std::vector<const PointInput*> inputs_;                      // of all numbers
  std::vector<std::vector<std::size_t>> inputs_of_;            // [number][input of its program]: which of them
  std::vector<std::optional<FieldsAtPoints::Source>> fields_;  // [input]; none: a function of the host
  bool needs_positions_ = false;
  Vector x_, values_;  // [entry][3], [input][entry]
  std::vector<double> values_on_host_;
  std::optional<QuadraturePoints::OnHost> on_host_;  // of the piece
};

// A function without a value anywhere throws at the first points.
void throw_without_value(const QuadraturePoints& points, const PointCode& code, double t) {
  Vector x(points.device(), 3 * points.entries_of_piece(), "coefficients");
  points.each_piece([&](const PointPlaces& places, Index) {
    points.kernels().positions(points.device(), places, x.data());
    std::vector<double> values(static_cast<std::size_t>(places.count));
    code.run(QuadraturePoints::OnHost(points, places, x).points(), t, values);
  });
}

}  // namespace

Index given_count(const ElementGroup& group, const QuadratureRule& rule, const FormValue& form) {
  return group.batch_count() * static_cast<Index>(rule.points.size() * form.given.size()) * lane_count;
}

std::vector<double> given_everywhere(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule,
                                     const FormValue& form, double t) {
  std::vector<double> numbers;
  for (const PointFunction& each : form.given) {
    const std::optional<double> value = value_everywhere(each, t);
    if (!value && each.code().is_limited()) throw_without_value(QuadraturePoints(space, group, rule), each.code(), t);
    numbers.insert(numbers.end(), lane_count, value.value_or(point_programs::none));
  }
  return numbers;
}

void given_at_points(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule,
                     const FormValue& form, double t, FieldsAtPoints& fields, Vector& numbers) {
  GivenEvaluation(QuadraturePoints(space, group, rule), form, t, fields).fill(numbers);
}

}  // namespace ritz

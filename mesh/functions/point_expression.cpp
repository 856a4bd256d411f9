#include "mesh/functions/point_expression.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace ritz {
namespace {

constexpr int lanes = 64;  // of a block of points that reads each instruction once

bool is_leaf(PointOperation operation) { return operation <= PointOperation::input; }

}  // namespace

struct PointExpression::Node {
  PointOperation operation;  // take: a choice
  std::vector<PointExpression> arguments = {};
  double number = 0;
  std::shared_ptr<const PointInput> input = {};
  std::shared_ptr<const TableValues> table = {};
  std::function<std::string(std::span<const double>)> left = {};
  PointBounds bounds = {};
  RefusePoint refuse = {};
  bool reads_time = false;
  int registers = 1;  // that its value takes
  int chain = 0;      // of a choice: beside those of the result and of what is taken

  // Registers of arguments that stay while others are computed, the largest first (Sethi and Ullman, J. ACM 17, 1970).
  void count_registers() {
    if (operation == PointOperation::take) {
      const Node &condition = *arguments[0].node_, &then = *arguments[1].node_, &rest = *arguments[2].node_;
      chain = std::max({condition.registers, then.registers + 1,
                        rest.operation == PointOperation::take ? rest.chain : rest.registers});
      registers = chain + 2;
      return;
    }
    std::vector<int> each;
    for (const PointExpression& argument : arguments) each.push_back(argument.node_->registers);
    std::ranges::sort(each, std::greater());
    for (std::size_t i = 0; i < each.size(); ++i) registers = std::max(registers, each[i] + static_cast<int>(i));
  }
};

TableView TableValues::view() const {
  TableView view;
  view.arguments = static_cast<int>(axes.size());
  view.interpolation = interpolation;
  view.continued = continued;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    view.axis[a] = axes[a].data();
    view.size[a] = static_cast<std::int64_t>(axes[a].size());
  }
  view.values = values.data();
  return view;
}

PointExpression::PointExpression(double number)
    : node_(std::make_shared<Node>(Node{.operation = PointOperation::number, .number = number})) {}

PointExpression PointExpression::input(PointInput input) {
  const bool varies = input.varies_in_time;
  return PointExpression(std::make_shared<Node>(Node{.operation = PointOperation::input,
                                                     .input = std::make_shared<const PointInput>(std::move(input)),
                                                     .reads_time = varies}));
}

namespace {

double value_of(PointOperation operation, std::span<const double> arguments) {
  std::vector<PointInstruction> code;
  for (const double each : arguments)
    code.push_back({.operation = PointOperation::number, .to = static_cast<std::uint8_t>(code.size()), .number = each});
  code.push_back({.operation = operation, .a = 0, .b = 1});
  const PointProgram program{.code = code.data(), .length = static_cast<std::int32_t>(code.size())};
  const double origin[3] = {};
  const ProgramPoints points{.x = origin, .inputs = origin, .count = 1};
  return *PointMachine<1>(program, points, 0).run();
}

}  // namespace

PointExpression PointExpression::of(PointOperation operation, std::vector<PointExpression> arguments) {
  const bool numbers = !arguments.empty() && std::ranges::all_of(arguments, &PointExpression::is_number);
  if (numbers) {
    std::vector<double> values;
    for (const PointExpression& each : arguments) values.push_back(each.number());
    return value_of(operation, values);
  }
  Node node{.operation = operation, .arguments = std::move(arguments), .reads_time = operation == PointOperation::t};
  for (const PointExpression& each : node.arguments) node.reads_time = node.reads_time || each.reads_time();
  node.count_registers();
  return PointExpression(std::make_shared<Node>(std::move(node)));
}

PointExpression PointExpression::table(std::shared_ptr<const TableValues> table, std::vector<PointExpression> arguments,
                                       std::function<std::string(std::span<const double>)> left) {
  if (std::ranges::all_of(arguments, &PointExpression::is_number)) {
    double at[3] = {};
    for (std::size_t a = 0; a < arguments.size(); ++a) at[a] = arguments[a].number();
    if (const double value = table_value(table->view(), at); !std::isnan(value)) return value;
  }
  Node node{.operation = PointOperation::table,
            .arguments = std::move(arguments),
            .table = std::move(table),
            .left = std::move(left)};
  for (const PointExpression& each : node.arguments) node.reads_time = node.reads_time || each.reads_time();
  node.count_registers();
  return PointExpression(std::make_shared<Node>(std::move(node)));
}

PointExpression PointExpression::choice(PointExpression condition, PointExpression then, PointExpression otherwise) {
  // A chain of choices stands after the last colon, where it takes no more registers than its largest part.
  const bool turned =
      then.node_->operation == PointOperation::take && otherwise.node_->operation != PointOperation::take;
  if (turned) std::swap(then, otherwise);
  Node node{.operation = PointOperation::take,
            .arguments = {std::move(condition), std::move(then), std::move(otherwise)},
            .number = turned ? 1.0 : 0.0};
  for (const PointExpression& each : node.arguments) node.reads_time = node.reads_time || each.reads_time();
  node.count_registers();
  return PointExpression(std::make_shared<Node>(std::move(node)));
}

PointExpression PointExpression::limited(const PointBounds& bounds, RefusePoint refuse) const {
  Node node{.operation = PointOperation::limit,
            .arguments = {*this},
            .bounds = bounds,
            .refuse = std::move(refuse),
            .reads_time = reads_time()};
  node.count_registers();
  return PointExpression(std::make_shared<Node>(std::move(node)));
}

PointExpression PointExpression::with_inputs(FunctionRef<PointInput(const PointInput&)> other) const {
  std::map<const Node*, PointExpression> known;
  std::map<const PointInput*, std::shared_ptr<const PointInput>> inputs;
  const auto visit = [&](const auto& self, const PointExpression& e) -> PointExpression {
    if (const auto found = known.find(e.node_.get()); found != known.end()) return found->second;
    Node node = *e.node_;
    for (PointExpression& each : node.arguments) each = self(self, each);
    if (node.input) {
      auto& made = inputs[node.input.get()];
      if (!made) made = std::make_shared<const PointInput>(other(*node.input));
      node.input = made;
    }
    return known.emplace(e.node_.get(), PointExpression(std::make_shared<const Node>(std::move(node)))).first->second;
  };
  return visit(visit, *this);
}

bool PointExpression::is_number() const { return node_->operation == PointOperation::number; }
double PointExpression::number() const { return node_->number; }
bool PointExpression::reads_time() const { return node_->reads_time; }
const PointInput* PointExpression::as_input() const { return node_->input.get(); }

double PointExpression::at(const Point& x, double t) const {
  double value = 0;
  PointCode(*this).run(x, t, {&value, 1});
  return value;
}

// Follows the expression as the program does, and no choice that is not taken.
void PointExpression::explain(const EvaluationPoints& point, double t, std::string* left) const {
  std::string ignored;
  std::string& said = left != nullptr ? *left : ignored;
  const auto visit = [&](const auto& self, const PointExpression& e) -> double {
    const Node& node = *e.node_;
    if (is_leaf(node.operation)) {
      double value = node.number;
      if (node.operation != PointOperation::number) PointCode(e).run(point, t, {&value, 1});
      return value;
    }
    if (node.operation == PointOperation::take) {
      const double condition = self(self, node.arguments[0]);
      if (std::isnan(condition)) return condition;
      return self(self, node.arguments[(condition != 0) == (node.number == 0) ? 1 : 2]);
    }
    std::vector<double> values;
    for (const PointExpression& each : node.arguments) values.push_back(self(self, each));
    if (node.operation == PointOperation::table) {
      double at[3] = {};
      std::ranges::copy(values, at);
      const double value = table_value(node.table->view(), at);
      if (std::isnan(value) && said.empty() && node.left) said = node.left(values);
      return value;
    }
    if (node.operation != PointOperation::limit) return value_of(node.operation, values);
    if (!std::isfinite(values[0]) || !node.bounds.allow(values[0])) node.refuse(values[0], point, t, said);
    return values[0];
  };
  visit(visit, *this);
}

// Writes the instructions of an expression. Parts that occur several times are computed once, in registers of their
// own.
class PointCompiler {
 public:
  explicit PointCompiler(PointCode& code) : code_(code) {}

  void compile() {
    const PointExpression& whole = code_.expression_;
    count(whole);
    int first = 0;
    for (const PointExpression& each : shared_) {
      if (first + std::max(each.node_->registers, whole.node_->registers) >= most_point_registers) break;
      const int at = emit(each, first);
      known_[each.node_.get()] = at;
      ++first;
    }
    code_.result_ = emit(whole, first);
  }

 private:
  using Node = PointExpression::Node;

  // Parts that occur several times, the inner ones first.
  void count(const PointExpression& e) {
    if (is_leaf(e.node_->operation)) return;
    if (const int uses = ++uses_[e.node_.get()]; uses > 1) {
      if (uses == 2) repeated_.insert({e.node_.get(), true});
      return;
    }
    for (const PointExpression& each : e.node_->arguments) count(each);
    order_.push_back(e);
    if (&e != &code_.expression_) return;
    for (const PointExpression& each : order_)
      if (repeated_.contains(each.node_.get())) shared_.push_back(each);
  }

  std::size_t add(PointInstruction instruction, int to, int a = 0, int b = 0, int c = 0) {
    if (std::max({to, a, b, c}) >= most_point_registers)
      throw Error(ErrorKind::formula_syntax, "a formula is nested too deeply", {}, "write it in fewer parts");
    instruction.to = static_cast<std::uint8_t>(to);
    instruction.a = static_cast<std::uint8_t>(a);
    instruction.b = static_cast<std::uint8_t>(b);
    instruction.c = static_cast<std::uint8_t>(c);
    code_.code_.push_back(instruction);
    return code_.code_.size() - 1;
  }

  // Puts the value into register `to`, or says in which it is known. Registers after `to` are free.
  int emit(const PointExpression& e, int to) {
    const Node& node = *e.node_;
    if (const auto known = known_.find(&node); known != known_.end()) return known->second;
    if (node.operation == PointOperation::take) {
      add({.operation = PointOperation::begin_choice}, to, to + 1);
      choose(e, to);
      return to;
    }
    std::vector<std::size_t> order(node.arguments.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return node.arguments[i].node_->registers; });
    int at[3] = {-1, -1, -1}, next = to;
    for (const std::size_t i : order) {
      at[i] = emit(node.arguments[i], next);
      if (at[i] == next) ++next;
    }
    const auto read = [&](int k) { return at[k] >= 0 ? at[k] : std::max(at[0], 0); };
    add({.operation = node.operation, .which = which(node), .number = node.number}, to, read(0), read(1), read(2));
    return to;
  }

  // Register to + 1 has what is not yet taken.
  void choose(const PointExpression& e, int to) {
    const Node& node = *e.node_;
    const int condition = emit(node.arguments[0], to + 2);
    const std::size_t skip =
        add({.operation = PointOperation::skip_unless_taken, .number = node.number}, to, to + 1, condition);
    const int value = emit(node.arguments[1], to + 3);
    add({.operation = PointOperation::take, .number = node.number}, to, to + 1, condition, value);
    skip_to_end(skip);
    const std::size_t rest = add({.operation = PointOperation::skip_if_all_taken}, to, to + 1);
    if (const PointExpression& last = node.arguments[2];
        last.node_->operation == PointOperation::take && !known_.contains(last.node_.get())) {
      choose(last, to);
    } else {
      const int at = emit(last, to + 2);
      add({.operation = PointOperation::take_rest}, to, to + 1, 0, at);
    }
    skip_to_end(rest);
  }
  void skip_to_end(std::size_t from) {
    code_.code_[from].which = static_cast<std::int32_t>(code_.code_.size() - from - 1);
  }

  int which(const Node& node) {
    switch (node.operation) {
      case PointOperation::x:
      case PointOperation::y:
      case PointOperation::z: code_.reads_position_ = true; return 0;
      case PointOperation::input: return place_of(node.input, code_.inputs_);
      case PointOperation::limit: code_.bounds_.push_back(node.bounds); return last_of(code_.bounds_);
      case PointOperation::table: return add_table(*node.table);
      default: return 0;
    }
  }
  template <class T>
  static int last_of(const std::vector<T>& list) {
    return static_cast<int>(list.size()) - 1;
  }
  template <class T>
  static int place_of(const T& each, std::vector<T>& list) {
    const auto found = std::ranges::find(list, each);
    if (found != list.end()) return static_cast<int>(found - list.begin());
    list.push_back(each);
    return last_of(list);
  }
  int add_table(const TableValues& values) {
    const auto [found, is_new] = tables_.emplace(&values, static_cast<int>(code_.tables_.size()));
    if (!is_new) return found->second;
    PointTable table{static_cast<int>(values.axes.size()),
                     values.interpolation,
                     values.continued,
                     {},
                     static_cast<std::int64_t>(code_.numbers_.size())};
    for (std::size_t a = 0; a < values.axes.size(); ++a) {
      table.size[a] = static_cast<std::int64_t>(values.axes[a].size());
      code_.numbers_.insert(code_.numbers_.end(), values.axes[a].begin(), values.axes[a].end());
    }
    code_.numbers_.insert(code_.numbers_.end(), values.values.begin(), values.values.end());
    code_.tables_.push_back(table);
    return found->second;
  }

  PointCode& code_;
  std::map<const Node*, int> uses_, known_;
  std::map<const Node*, bool> repeated_;
  std::map<const TableValues*, int> tables_;
  std::vector<PointExpression> order_, shared_;
};

PointCode::PointCode(PointExpression expression) : expression_(std::move(expression)) {
  PointCompiler(*this).compile();
}

PointProgram PointCode::program() const {
  return {code_.data(), tables_.data(), bounds_.data(), numbers_.data(), static_cast<std::int32_t>(code_.size()),
          result_};
}

void PointCode::run(const EvaluationPoints& points, double t, std::span<double> values) const {
  if (const PointInput* input = expression_.as_input()) return input->at(points, t, values);
  std::vector<double> of_inputs(inputs_.size() * values.size());
  for (std::size_t k = 0; k < inputs_.size(); ++k)
    inputs_[k]->at(points, t, std::span(of_inputs).subspan(k * values.size(), values.size()));
  const auto stride = static_cast<std::int64_t>(values.size());
  // Functions of time alone have one value for all points.
  const bool one = !reads_position_ && inputs_.empty();
  const ProgramPoints at{points.x.data(), t, of_inputs.data(), stride,
                         one ? std::min<std::int64_t>(stride, 1) : stride};
  const PointProgram instructions = program();
  const auto fill = [&](std::int64_t first) {
    PointMachine<lanes> machine(instructions, at, first);
    const double* found = machine.run();
    std::copy_n(found, std::min<std::int64_t>(lanes, at.count - first), values.begin() + first);
  };
  if (at.count > 2000) {
#pragma omp parallel for schedule(static)
    for (std::int64_t first = 0; first < at.count; first += lanes) fill(first);
  } else {  // a team of one, too, costs calls of the system
    for (std::int64_t first = 0; first < at.count; first += lanes) fill(first);
  }
  if (one && !values.empty()) std::ranges::fill(values, values[0]);
  explain(points, t, values);
}

void PointCode::explain(const EvaluationPoints& points, double t, std::span<const double> values) const {
  if (!is_limited()) return;
  const auto bad = std::ranges::find_if(values, [](double value) { return std::isnan(value); });
  if (bad != values.end()) expression_.explain(points.one(static_cast<std::size_t>(bad - values.begin())), t);
}

}  // namespace ritz

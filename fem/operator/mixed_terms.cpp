#include "fem/operator/mixed_terms.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/operator/given_numbers.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/operator/task_plans.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace ritz {
namespace {

std::vector<int> in_order(int count) {
  std::vector<int> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

// The fields of the operator that the form has, in its order.
std::vector<int> fields_of(const MixedIntegral& integral) {
  return integral.fields.empty() ? in_order(integral.form.field_count()) : integral.fields;
}

// Cells whose facet of this number belongs to the integral.
std::vector<Index> cells_at(const MixedIntegral& integral, int facet) {
  std::vector<Index> cells;
  for (const FacetOfCell& each : integral.facets)
    if (each.facet == facet) cells.push_back(each.cell);
  std::ranges::sort(cells);
  cells.erase(std::ranges::unique(cells).begin(), cells.end());
  return cells;
}

// The places of those integrals that have these fields, for the lists of elements, which know forms of one field.
// facet: -1: of integrals over cells; else the cells with this facet.
std::vector<Integral> places(const std::vector<MixedIntegral>& integrals, const FunctionSpace& space,
                             const std::vector<int>& fields, int facet) {
  std::vector<Integral> result;
  for (const MixedIntegral& integral : integrals) {
    FormRecord record{};
    record.name = integral.form.name.c_str();
    record.components = space.components();
    record.dimension = integral.form.dimension;
    record.cell = -1;
    Integral& place = result.emplace_back(Integral{FormValue(record, integral.form.numbers.module), false, {}, {}});
    if (fields_of(integral) != fields || (integral.form.codimension == 1) != (facet >= 0)) continue;
    place.everywhere = facet < 0 && integral.everywhere;
    place.cells = facet < 0 ? integral.cells : cells_at(integral, facet);
  }
  return result;
}

// Internal variables of the operators of single fields, one after the other. local: [field][owned | ghosts].
class StatesOfFields final : public PointStates {
 public:
  StatesOfFields(const std::vector<std::unique_ptr<Operator>>& of_fields, const Layout& owned, const Layout& local)
      : of_fields_(&of_fields), owned_(&owned), local_(&local) {}

  void commit(const Vector& u) override {
    Vector room;
    const Vector& all = owned_->with_ghosts(u, room);
    for (std::size_t k = 0; k < of_fields_->size(); ++k)
      if (const auto& each = (*of_fields_)[k]) each->states().commit_of_part(local_->part(all, static_cast<int>(k)));
  }

  Values values() const override {
    Values all;
    for (const auto& each : *of_fields_)
      if (each) std::ranges::move(each->states().values(), std::back_inserter(all));
    return all;
  }

  void set(const Values& values) override {
    std::size_t next = 0;
    for (const auto& each : *of_fields_) {
      if (each == nullptr) continue;
      const std::size_t count = std::min(each->states().values().size(), values.size() - next);
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(next);
      each->states().set(Values(begin, begin + static_cast<std::ptrdiff_t>(count)));
      next += count;
    }
  }

  void reset() override {
    for (const auto& each : *of_fields_)
      if (each) each->states().reset();
  }

 private:
  const std::vector<std::unique_ptr<Operator>>* of_fields_;
  const Layout *owned_, *local_;
};

// Has the element its nodes where unknowns of the family are?
bool numbers_family(const ReferenceElement& element, Family family) {
  for (int order = family == Family::cell ? 0 : 1; order <= highest_order(family); ++order)
    if (element.name == entity_element(element.shape, family, order).name) return true;
  return false;
}

}  // namespace

MixedTerms::MixedTerms(Spaces spaces, Layout layout, std::shared_ptr<Time> time, std::vector<MixedIntegral> integrals,
                       std::vector<Integral> of_fields, const std::vector<std::vector<Node>>& met_before)
    : spaces_(std::move(spaces)), layout_(std::move(layout)), time_(std::move(time)), integrals_(std::move(integrals)) {
  for (const FunctionSpace& space : spaces_)
    if (!integrals_.empty() && &space.geometry_coordinates() != &spaces_.front().geometry_coordinates())
      throw Error(ErrorKind::internal, "the spaces of a mixed operator do not share the geometry of their mesh", {},
                  "make them by spaces_of(), or name the first space in SpaceOptions::beside of the others");
  for (const MixedIntegral& integral : integrals_) {
    check(integral.form);
    check_fields(integral);
  }
  local_ = layout_.local();
  choose_families();
  std::vector<std::vector<Integral>> alone(spaces_.size());
  for (const Integral& each : of_fields)
    if (family(each.field) == Family::facet || family(each.field) == Family::edge)
      throw Error(ErrorKind::internal,
                  fmt::format("form '{}' of one field was given for facets or edges", each.form.name),
                  "forms of one field know unknowns at nodes", "write it as a form of several fields, if only of one");
  for (Integral& each : of_fields) alone.at(static_cast<std::size_t>(each.field)).push_back(std::move(each));
  of_fields_.resize(spaces_.size());
  for (std::size_t k = 0; k < spaces_.size(); ++k)
    if (!alone[k].empty()) of_fields_[k] = std::make_unique<Operator>(spaces_[k], std::move(alone[k]));
  std::vector<std::vector<int>> sets;
  for (const MixedIntegral& integral : integrals_)
    if (std::ranges::find(sets, fields_of(integral)) == sets.end()) sets.push_back(fields_of(integral));
  constexpr int most_facets = 6;  // of a cell
  for (const std::vector<int>& fields : sets)
    for (int facet = -1; facet < most_facets; ++facet) add_groups(fields, facet);
  for (const Group& group : *groups_)
    for (const ElementGroup& each : group.of_field)
      if (each.elements != group.geometry().elements)
        throw Error(ErrorKind::internal, "the spaces of a mixed operator list their cells in different orders");
  make_signs(met_before);
  states_ = std::make_unique<StatesOfFields>(of_fields_, layout_, local_);
}

void MixedTerms::check_fields(const MixedIntegral& integral) const {
  const MixedFormValue& form = integral.form;
  const std::vector<int> fields = fields_of(integral);
  bool fits = std::ssize(fields) == form.field_count() && form.dimension == space(0).mesh().dimension() &&
              (!integral.fields.empty() || form.field_count() == field_count());
  for (std::size_t j = 0; fits && j < fields.size(); ++j)
    fits = fields[j] >= 0 && fields[j] < field_count() && form.fields[j].components == space(fields[j]).components();
  if (!fits)
    throw Error(ErrorKind::internal,
                fmt::format("form '{}' has {} fields in {} dimensions, the operator {} spaces in {}, or their numbers "
                            "of components differ",
                            form.name, form.field_count(), form.dimension, field_count(), space(0).mesh().dimension()),
                {}, "say in MixedIntegral::fields which fields they are");
}

// All spaces have the same cells in the same order, so their groups are the same as well.
void MixedTerms::add_groups(const std::vector<int>& fields, int facet) {
  const std::size_t first = groups_->size();
  for (const auto& each : spaces_) {
    std::vector<ElementGroup> groups = element_groups(each, places(integrals_, each, fields, facet));
    groups_->resize(first + groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      Group& group = (*groups_)[first + g];
      if (!group.of_field.empty()) groups[g].own_geometry = {};  // that of the first field serves all
      group.of_field.push_back(std::move(groups[g]));
      group.fields = fields;
      group.facet = facet;
    }
  }
}

void MixedTerms::check(const MixedFormValue& form) const {
  if (static_cast<int>(form.numbers.given.size()) != form.numbers.given_count)
    throw Error(ErrorKind::internal, fmt::format("form '{}' needs {} numbers at every point, {} are given", form.name,
                                                 form.numbers.given_count, form.numbers.given.size()));
}

// Takes the families that the forms say, which must agree with each other and with the spaces.
void MixedTerms::choose_families() {
  families_.assign(spaces_.size(), Family::lagrange);
  std::vector<bool> known(spaces_.size(), false);
  for (std::size_t i = 0; i < integrals_.size(); ++i)
    for (std::size_t j = 0; j < integrals_[i].form.fields.size(); ++j) {
      const auto k = static_cast<std::size_t>(fields_of(integrals_[i])[j]);
      const Family family = integrals_[i].form.fields[j].family;
      if (!known[k]) families_[k] = family;
      known[k] = true;
      bool fits = family == families_[k];
      for (const CellBlock& block : spaces_[k].mesh().blocks())
        fits = fits && (family == Family::lagrange || numbers_family(spaces_[k].element(block.kind), family));
      if (!fits)
        throw Error(ErrorKind::internal,
                    fmt::format("field '{}' of form '{}' has its unknowns elsewhere than its space",
                                integrals_[i].form.fields[j].name, integrals_[i].form.name),
                    {}, "make the spaces by spaces_of() of this form");
    }
}

void MixedTerms::make_signs(const std::vector<std::vector<Node>>& met_before) {
  for (int k = 0; k < field_count(); ++k) {
    const bool signs_needed = family(k) == Family::facet || family(k) == Family::edge;
    const std::span<const Node> before =
        met_before.empty() ? std::span<const Node>() : met_before[static_cast<std::size_t>(k)];
    const EntitySigns signs = signs_needed ? EntitySigns(space(k), family(k), before) : EntitySigns();
    for (Group& group : *groups_) {
      const ElementGroup& nodes = group.of_field[static_cast<std::size_t>(k)];
      const auto numbers = [&](std::int8_t SeenUnknown::*part) {
        std::vector<double> values(static_cast<std::size_t>(nodes.entry_count()));
        const Index padded = nodes.batch_count() * lane_count;
        for (Index e = 0; e < padded; ++e)
          for (int a = 0; a < nodes.node_count(); ++a)
            values[static_cast<std::size_t>((e / lane_count * nodes.node_count() + a) * lane_count + e % lane_count)] =
                signs.of(nodes.elements[static_cast<std::size_t>(std::min(e, nodes.element_count - 1))], a).*part;
        return Vector(device(), std::span<const double>(values), "connectivity");
      };
      group.signs.push_back(signs_needed ? numbers(&SeenUnknown::own) : Vector());
      group.partners.push_back(signs.partners() ? numbers(&SeenUnknown::partner) : Vector());
    }
  }
}

EquationFacts MixedTerms::facts() const {
  EquationFacts facts;
  for (const MixedIntegral& integral : integrals_) {
    const bool varies = integral.form.numbers.varies_in_time();
    facts.symmetric = facts.symmetric && integral.form.symmetric;
    facts.linear = facts.linear && integral.form.linear;
    facts.varies_in_time = facts.varies_in_time || varies;
    facts.matrix_varies_in_time = facts.matrix_varies_in_time || varies;
  }
  for (const auto& each : of_fields_) {
    if (each == nullptr) continue;
    const EquationFacts alone = each->facts();
    facts.symmetric = facts.symmetric && alone.symmetric;
    facts.linear = facts.linear && alone.linear;
    facts.varies_in_time = facts.varies_in_time || alone.varies_in_time;
    facts.matrix_varies_in_time = facts.matrix_varies_in_time || alone.matrix_varies_in_time;
    facts.has_states = facts.has_states || alone.has_states;
  }
  return facts;
}

std::string MixedTerms::name_of(Index unknown) const {
  int field = 0;
  while (field + 1 < field_count() && unknown >= layout_.first(field + 1)) ++field;
  const FunctionSpace& of = space(field);
  const Index entity = (unknown - layout_.first(field)) / of.components();
  if (family(field) != Family::lagrange) return fmt::format("'{}', number {}", field_name(field), entity);
  return fmt::format("'{}' at {}", field_name(field), of.name_of(static_cast<Node>(entity)));
}

bool MixedTerms::couples(int test, int trial) const {
  return std::ranges::any_of(integrals_, [&](const MixedIntegral& integral) { return integral.couples(test, trial); });
}

std::string MixedTerms::field_name(int field) const {
  for (const MixedIntegral& each : integrals_)
    if (const int j = each.position_of(field); j >= 0) return each.form.fields[static_cast<std::size_t>(j)].name;
  const std::string& name = space(field).field_name();
  return name.empty() ? fmt::format("number {}", field) : name;
}

const Operator* MixedTerms::of_field(int field) const { return of_fields_[static_cast<std::size_t>(field)].get(); }

std::span<const Integral> MixedTerms::integrals_of(int field) const {
  if (of_field(field) == nullptr) return {};
  return of_field(field)->integrals();
}

bool MixedTerms::has_block(int row, int column) const {
  return couples(row, column) || (row == column && adds_matrix(row)) ||
         space(row).joined_with(space(column)) != nullptr;
}

bool MixedTerms::adds_matrix(int field) const {
  return of_field(field) != nullptr &&
         std::ranges::any_of(of_field(field)->integrals(), [](const Integral& i) { return i.form.has_matrix; });
}

// Equations between spaces change blocks of single fields alone.
void MixedTerms::require_no_joined(int row, int column) const {
  for (const int k : {row, column})
    if (space(k).joined_with(space(k)) != nullptr)
      throw Error(ErrorKind::several_fields,
                  fmt::format("equations join the field '{}' with others, and a form couples it with '{}'",
                              field_name(k), field_name(k == row ? column : row)),
                  "the matrix of such a coupling is not transformed by equations between fields",
                  "join fields that have forms of one field alone");
}

BlockOperator MixedTerms::make_matrix() const {
  BlockOperator K(device(), layout_);
  for (int row = 0; row < field_count(); ++row)
    for (int column = 0; column < field_count(); ++column) {
      if (!has_block(row, column)) continue;
      if (row != column && couples(row, column)) require_no_joined(row, column);
      if (row == column) {
        K.set(row, std::make_unique<SparseMatrix>(space(row).pattern(), space(row).components()));
        continue;
      }
      // Rows and columns of the components of each pair of nodes.
      const NodePattern& pattern = coupling_pattern(row, column);
      const Index c = space(row).components(), d = space(column).components();
      std::vector<Index> offsets{0};
      std::vector<std::int32_t> columns;
      for (std::size_t node = 0; node + 1 < pattern.offsets.size(); ++node)
        for (Index i = 0; i < c; ++i) {
          for (Index k = pattern.offsets[node]; k < pattern.offsets[node + 1]; ++k)
            for (Index j = 0; j < d; ++j)
              columns.push_back(static_cast<std::int32_t>(pattern.columns[static_cast<std::size_t>(k)] * d + j));
          offsets.push_back(static_cast<Index>(columns.size()));
        }
      K.set(row, column,
            std::make_unique<RectangularMatrix>(device(), offsets, columns, space(column).unknown_count()));
    }
  return K;
}

// Terms keep pointing to their arguments when a plan moves into the map: its vectors move with their memory.
void MixedTerms::run(Plan& plan, const char* name, const Vector* u, const Vector* direction, double* target) const {
  std::vector<AssemblyGroup> groups;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const std::vector<int>& fields = (*groups_)[static_cast<std::size_t>(plan.groups[g])].fields;
    for (MixedArguments& mixed : plan.mixed[g])
      for (std::size_t j = 0; j < fields.size(); ++j) {
        mixed.fields[j].u = u == nullptr ? nullptr : u->data() + local_.first(fields[j]);
        mixed.fields[j].direction = direction == nullptr ? nullptr : direction->data() + local_.first(fields[j]);
      }
    for (std::size_t t = 0; t < plan.terms[g].size(); ++t) {
      plan.terms[g][t].arguments.time = *time_;
      plan.terms[g][t].arguments.factor = integrals_[static_cast<std::size_t>(plan.integrals[g][t])].factor;
    }
    groups.push_back({plan.terms[g].data(), static_cast<int>(plan.terms[g].size()),
                      (*groups_)[static_cast<std::size_t>(plan.groups[g])].geometry().batch_count(),
                      plan.chunk_batches[g], plan.first_chunk[g], plan.items[g]});
  }
  const AssemblyJob<double> job{
      name,   groups.data(),         static_cast<int>(groups.size()), plan.scatter->view(), plan.block,
      target, plan.extension.data(), plan.workspace.data(),           plan.workspace.size()};
  kernels<AssemblyKernels>(device(), "ritz_fem_kernels", "assembly").run(device(), job);
}

// y += what the forms of single fields make of their parts of x, both with ghosts.
void MixedTerms::add_of_fields(const Vector& x, Vector& y,
                               FunctionRef<void(const Operator&, const Vector&, int, Vector&)> apply) const {
  for (int k = 0; k < field_count(); ++k) {
    if (of_field(k) == nullptr) continue;
    const Vector part = local_.part(x, k);
    Vector result = space(k).zeros(), sum = local_.part(y, k);
    apply(*of_field(k), part, k, result);
    axpy(1, result, sum);
    local_.put(sum, k, y);
  }
}

// compute(y) with the rows of ghosts, which are not complete: they are left out.
void MixedTerms::of_owned_rows(Vector& y, FunctionRef<void(Vector&)> compute) const {
  if (!layout_.is_divided()) return compute(y);
  Vector all(device(), local_.total(), "vectors");
  compute(all);
  layout_.keep_owned(all, y);
}

void MixedTerms::residual(const Vector& u, Vector& r) const {
  layout_.check(u);
  layout_.check(r);
  Vector room;
  const Vector& all = layout_.with_ghosts(u, room);
  of_owned_rows(r, [&](Vector& sum) {
    run(plan({Task::residual}), "residual", &all, nullptr, sum.data());
    add_of_fields(all, sum, [](const Operator& one, const Vector& part, int, Vector& result) {
      residual_of_part(one, part, result);
    });
  });
}

void MixedTerms::action(const Vector& u, const Vector& x, Vector& y) const {
  layout_.check(x);
  layout_.check(y);
  Vector room_of_u, room;
  const Vector& at = u.empty() ? u : layout_.with_ghosts(u, room_of_u);
  const Vector& all = layout_.with_ghosts(x, room);
  of_owned_rows(y, [&](Vector& sum) {
    run(plan({Task::action}), "operator action", at.empty() ? nullptr : &at, &all, sum.data());
    add_of_fields(all, sum, [&](const Operator& one, const Vector& part, int k, Vector& result) {
      Linearisation(one, at.empty() ? Vector() : local_.part(at, k)).action(part, result, nullptr);
    });
  });
}

void MixedTerms::assemble(const Vector& u, BlockOperator& K) const {
  Vector room;
  const Vector& at = u.empty() ? u : layout_.with_ghosts(u, room);
  if (K.layout() != layout_)
    throw Error(ErrorKind::internal, "a matrix of other spaces was given to assemble", {},
                "take it from make_matrix()");
  for (int row = 0; row < field_count(); ++row)
    for (int column = 0; column < field_count(); ++column) {
      if (K.block(row, column) == nullptr) continue;
      Vector& values = row == column ? K.square(row)->values() : K.coupling(row, column)->values();
      if (couples(row, column)) {
        Plan& lists = plan({Task::matrix, row, column});
        if (values.size() != lists.entries)
          throw Error(ErrorKind::internal,
                      fmt::format("a matrix with {} numbers in block ({}, {}) was given to assemble, which has {}",
                                  values.size(), row, column, lists.entries),
                      "equations between unknowns have joined others since it was made",
                      "finish the supports before make_matrix()");
        run(lists, "assembly", at.empty() ? nullptr : &at, nullptr, values.data());
      } else {
        values.fill_zero();
      }
      if (row != column || !adds_matrix(row)) continue;
      SparseMatrix alone = of_field(row)->make_matrix();
      of_field(row)->assemble(at.empty() ? Vector() : local_.part(at, row), alone);
      axpy(1, alone.values(), values);
    }
}

void MixedTerms::forget_assembly() const {
  std::erase_if(plans_, [](const auto& entry) { return entry.first.task == Task::matrix; });
  patterns_.clear();
  for (int k = 0; k < field_count(); ++k) {
    if (of_field(k) != nullptr) of_field(k)->plans().forget_assembly();
    space(k).forget_pattern();
  }
  device().memory().trim();
}

void MixedTerms::evaluate_given(bool only_in_time) {
  for (auto& [key, stored] : given_) {
    const auto& [group, integral, degree] = key;
    const FormValue& numbers = integral->form.numbers;
    if (only_in_time && !std::ranges::any_of(numbers.given, &PointFunction::varies_in_time)) continue;
    given_at_points(space(0), group->geometry(), rule_of(*group, degree), numbers, time_->t, fields_, stored);
  }
}

void MixedInputs::set_numbers(const std::vector<MixedFormValue>& forms) {
  std::vector<MixedIntegral>& integrals = of_->integrals_;
  bool fits = forms.size() == integrals.size();
  for (std::size_t i = 0; fits && i < forms.size(); ++i) fits = forms[i].name == integrals[i].form.name;
  if (!fits)
    throw Error(ErrorKind::internal,
                fmt::format("{} forms were given for {} integrals, or other ones", forms.size(), integrals.size()));
  for (std::size_t i = 0; i < forms.size(); ++i) {
    of_->check(forms[i]);
    integrals[i].form.numbers.bytes = forms[i].numbers.bytes;
    integrals[i].form.numbers.given = forms[i].numbers.given;
  }
  std::vector<FormValue> numbers;
  for (const MixedFormValue& form : forms) numbers.push_back(form.numbers);
  of_->fields_.forget_others(numbers);
  of_->evaluate_given(false);
}

void MixedInputs::set_factor_of_rates(double factor) {
  for (MixedIntegral& each : of_->integrals_)
    if (each.is_rate) each.factor = factor;
  for (const auto& each : of_->of_fields_)
    if (each) each->inputs().set_factor_of_rates(factor);
}

void MixedInputs::set_part_of_loads(double part) {
  for (const auto& each : of_->of_fields_)
    if (each) each->inputs().set_part_of_loads(part);
}

void MixedInputs::set_time(const Time& time) {
  const bool moves = time.t != of_->time_->t;
  *of_->time_ = time;
  if (moves) of_->evaluate_given(true);
  for (const auto& each : of_->of_fields_)
    if (each) each->inputs().set_time(time);
}

}  // namespace ritz

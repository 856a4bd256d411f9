#include "fem/operator/mixed_operator.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/operator/given_numbers.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

// The place of an integral for the lists of elements, which know forms of one field.
std::vector<Integral> places(const std::vector<MixedIntegral>& integrals, const FunctionSpace& space) {
  std::vector<Integral> result;
  for (const MixedIntegral& integral : integrals) {
    FormRecord record{};
    record.name = integral.form.name.c_str();
    record.components = space.components();
    record.dimension = integral.form.dimension;
    record.cell = -1;
    result.push_back({FormValue(record, integral.form.numbers.module), integral.everywhere, integral.cells, {}});
  }
  return result;
}

// Has the element its nodes where unknowns of the family are?
bool numbers_family(const ReferenceElement& element, Family family) {
  for (int order = family == Family::cell ? 0 : 1; order <= highest_order(family); ++order)
    if (element.name == entity_element(element.shape, family, order).name) return true;
  return false;
}

}  // namespace

Spaces spaces_of(const MixedFormValue& form, const Mesh& mesh, const Device& device, int raise) {
  Spaces spaces;
  for (const FieldFacts& field : form.fields) {
    SpaceOptions options{.beside = spaces.empty() ? nullptr : spaces.front().get()};
    if (field.family == Family::lagrange) options.order = field.order + raise;
    else
      for (const CellBlock& block : mesh.blocks())
        options.elements.push_back(entity_element(traits(block.kind).linear, field.family, field.order + raise));
    spaces.push_back(std::make_shared<const FunctionSpace>(mesh, field.components, device, options));
  }
  return spaces;
}

BlockLayout layout_of(const Spaces& spaces) {
  std::vector<Index> sizes;
  for (const auto& space : spaces) sizes.push_back(space->unknown_count());
  return BlockLayout(sizes);
}

MixedIntegral MixedIntegral::over(MixedFormValue form, const Region& region) {
  if (region.kind != RegionKind::cells)
    throw Error(Exit::input,
                fmt::format("'{}' acts on cells, but region '{}' holds other things", form.name, region.name), {},
                "name a region of cells");
  return {std::move(form), false, region.cells};
}

MixedOperator::MixedOperator(Spaces spaces, std::vector<MixedIntegral> integrals, std::vector<FieldIntegral> of_fields)
    : spaces_(std::move(spaces)), integrals_(std::move(integrals)) {
  if (spaces_.empty()) throw Error(Exit::internal, "a mixed operator was made without spaces");
  for (const auto& space : spaces_)
    if (&space->geometry_coordinates() != &spaces_.front()->geometry_coordinates())
      throw Error(Exit::internal, "the spaces of a mixed operator do not share the geometry of their mesh", {},
                  "make them by spaces_of(), or name the first space in SpaceOptions::beside of the others");
  for (const MixedIntegral& integral : integrals_) {
    const MixedFormValue& form = integral.form;
    check(form);
    bool fits = form.field_count() == field_count() && form.dimension == space(0).mesh().dimension();
    for (int k = 0; fits && k < field_count(); ++k)
      fits = form.fields[static_cast<std::size_t>(k)].components == space(k).components();
    if (!fits)
      throw Error(
          Exit::internal,
          fmt::format("form '{}' has {} fields in {} dimensions, the operator {} spaces in {}, or their numbers "
                      "of components differ",
                      form.name, form.field_count(), form.dimension, field_count(), space(0).mesh().dimension()));
  }
  layout_ = layout_of(spaces_);
  choose_families();
  std::vector<std::vector<Integral>> alone(spaces_.size());
  for (const FieldIntegral& each : of_fields)
    if (family(each.field) == Family::facet || family(each.field) == Family::edge)
      throw Error(Exit::internal,
                  fmt::format("form '{}' of one field was given for facets or edges", each.integral.form.name),
                  "forms of one field know unknowns at nodes", "write it as a form of several fields, if only of one");
  for (FieldIntegral& each : of_fields)
    alone.at(static_cast<std::size_t>(each.field)).push_back(std::move(each.integral));
  of_fields_.resize(spaces_.size());
  for (std::size_t k = 0; k < spaces_.size(); ++k)
    if (!alone[k].empty()) of_fields_[k] = std::make_unique<Operator>(*spaces_[k], std::move(alone[k]));
  // All spaces have the same cells in the same order, so their groups are the same as well.
  for (const auto& each : spaces_) {
    std::vector<ElementGroup> groups = element_groups(*each, places(integrals_, *each));
    groups_.resize(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (!groups_[g].of_field.empty()) groups[g].own_geometry = {};  // that of the first field serves all
      groups_[g].of_field.push_back(std::move(groups[g]));
    }
  }
  for (const Group& group : groups_)
    for (const ElementGroup& each : group.of_field)
      if (each.elements != group.geometry().elements)
        throw Error(Exit::internal, "the spaces of a mixed operator list their cells in different orders");
  make_signs();
}

void MixedOperator::check(const MixedFormValue& form) const {
  if (static_cast<int>(form.numbers.given.size()) != form.numbers.given_count)
    throw Error(Exit::internal, fmt::format("form '{}' needs {} numbers at every point, {} are given", form.name,
                                            form.numbers.given_count, form.numbers.given.size()));
}

// Takes the families that the forms say, which must agree with each other and with the spaces.
void MixedOperator::choose_families() {
  families_.assign(spaces_.size(), Family::lagrange);
  for (std::size_t i = 0; i < integrals_.size(); ++i)
    for (std::size_t k = 0; k < families_.size(); ++k) {
      const Family family = integrals_[i].form.fields[k].family;
      if (i == 0) families_[k] = family;
      bool fits = family == families_[k];
      for (const CellBlock& block : spaces_[k]->mesh().blocks())
        fits = fits && (family == Family::lagrange || numbers_family(spaces_[k]->element(block.kind), family));
      if (!fits)
        throw Error(Exit::internal,
                    fmt::format("field '{}' of form '{}' has its unknowns elsewhere than its space",
                                integrals_[i].form.fields[k].name, integrals_[i].form.name),
                    {}, "make the spaces by spaces_of() of this form");
    }
}

void MixedOperator::make_signs() {
  for (int k = 0; k < field_count(); ++k) {
    const bool signs_needed = family(k) == Family::facet || family(k) == Family::edge;
    const EntitySigns signs = signs_needed ? EntitySigns(space(k), family(k)) : EntitySigns();
    for (Group& group : groups_) {
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

bool MixedOperator::symmetric() const {
  return std::ranges::all_of(integrals_, [](const MixedIntegral& i) { return i.form.symmetric; }) &&
         std::ranges::all_of(of_fields_, [](const auto& each) { return each == nullptr || each->symmetric(); });
}

bool MixedOperator::linear() const {
  const auto is_linear = [](const Integral& i) { return i.form.linear; };
  return std::ranges::all_of(integrals_, [](const MixedIntegral& i) { return i.form.linear; }) &&
         std::ranges::all_of(of_fields_, [&](const auto& each) {
           return each == nullptr || std::ranges::all_of(each->integrals(), is_linear);
         });
}

Vector MixedOperator::zeros(const char* tag) const {
  Vector u(device(), layout_.total(), tag);
  u.fill_zero();
  return u;
}

bool MixedOperator::couples(int test, int trial) const {
  return std::ranges::any_of(integrals_, [&](const MixedIntegral& integral) {
    return integral.form.couples[static_cast<std::size_t>(test)][static_cast<std::size_t>(trial)];
  });
}

const Operator* MixedOperator::of_field(int field) const { return of_fields_[static_cast<std::size_t>(field)].get(); }

bool MixedOperator::has_block(int row, int column) const {
  return couples(row, column) || (row == column && adds_matrix(row));
}

bool MixedOperator::adds_matrix(int field) const {
  return of_field(field) != nullptr &&
         std::ranges::any_of(of_field(field)->integrals(), [](const Integral& i) { return i.form.has_matrix; });
}

BlockOperator MixedOperator::make_matrix() const {
  BlockOperator K(device(), layout_);
  for (int row = 0; row < field_count(); ++row)
    for (int column = 0; column < field_count(); ++column) {
      if (!has_block(row, column)) continue;
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
void MixedOperator::run(Plan& plan, const char* name, const Vector* u, const Vector* direction, double* target) const {
  std::vector<AssemblyGroup> groups;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    for (MixedArguments& mixed : plan.mixed[g])
      for (int k = 0; k < field_count(); ++k) {
        mixed.fields[k].u = u == nullptr ? nullptr : u->data() + layout_.first(k);
        mixed.fields[k].direction = direction == nullptr ? nullptr : direction->data() + layout_.first(k);
      }
    for (AssemblyTerm& term : plan.terms[g]) term.arguments.time = time_;
    groups.push_back({plan.terms[g].data(), static_cast<int>(plan.terms[g].size()),
                      groups_[static_cast<std::size_t>(plan.groups[g])].geometry().batch_count(), plan.chunk_batches[g],
                      plan.first_chunk[g], plan.items[g]});
  }
  const AssemblyJob<double> job{
      name,   groups.data(),         static_cast<int>(groups.size()), plan.scatter->view(), plan.block,
      target, plan.extension.data(), plan.workspace.data(),           plan.workspace.size()};
  kernels<AssemblyKernels>(device(), "ritz_fem_kernels", "assembly").run(device(), job);
}

// y += what the forms of single fields make of their parts of x.
void MixedOperator::add_of_fields(
    const Vector& x, Vector& y, const std::function<void(const Operator&, const Vector&, int, Vector&)>& apply) const {
  for (int k = 0; k < field_count(); ++k) {
    if (of_field(k) == nullptr) continue;
    const Vector part = layout_.part(x, k);
    Vector result = space(k).zeros(), sum = layout_.part(y, k);
    apply(*of_field(k), part, k, result);
    axpy(1, result, sum);
    layout_.put(sum, k, y);
  }
}

void MixedOperator::residual(const Vector& u, Vector& r) const {
  layout_.check(u);
  layout_.check(r);
  run(plan({Task::residual}), "residual", &u, nullptr, r.data());
  add_of_fields(u, r, [](const Operator& one, const Vector& part, int, Vector& result) { one.residual(part, result); });
}

void MixedOperator::action(const Vector& u, const Vector& x, Vector& y) const {
  if (!u.empty()) layout_.check(u);
  layout_.check(x);
  layout_.check(y);
  run(plan({Task::action}), "operator action", u.empty() ? nullptr : &u, &x, y.data());
  add_of_fields(x, y, [&](const Operator& one, const Vector& part, int k, Vector& result) {
    one.action(u.empty() ? Vector() : layout_.part(u, k), part, result);
  });
}

void MixedOperator::assemble(const Vector& u, BlockOperator& K) const {
  if (!u.empty()) layout_.check(u);
  if (K.layout() != layout_)
    throw Error(Exit::internal, "a matrix of other spaces was given to assemble", {}, "take it from make_matrix()");
  for (int row = 0; row < field_count(); ++row)
    for (int column = 0; column < field_count(); ++column) {
      if (K.block(row, column) == nullptr) continue;
      Vector& values = row == column ? K.square(row)->values() : K.coupling(row, column)->values();
      if (couples(row, column))
        run(plan({Task::matrix, row, column}), "assembly", u.empty() ? nullptr : &u, nullptr, values.data());
      else values.fill_zero();
      if (row != column || !adds_matrix(row)) continue;
      SparseMatrix alone = of_field(row)->make_matrix();
      of_field(row)->assemble(u.empty() ? Vector() : layout_.part(u, row), alone);
      axpy(1, alone.values(), values);
    }
}

void MixedOperator::evaluate_given(bool only_in_time) {
  for (auto& [key, stored] : given_) {
    const auto& [group, integral, degree] = key;
    const FormValue& numbers = integral->form.numbers;
    if (only_in_time && !std::ranges::any_of(numbers.given, &PointFunction::varies_in_time)) continue;
    given_at_points(space(0), group->geometry(), quadrature(group->geometry().kind, degree), numbers, time_.t, fields_,
                    stored);
  }
}

void MixedOperator::set_numbers(const std::vector<MixedFormValue>& forms) {
  bool fits = forms.size() == integrals_.size();
  for (std::size_t i = 0; fits && i < forms.size(); ++i) fits = forms[i].name == integrals_[i].form.name;
  if (!fits)
    throw Error(Exit::internal,
                fmt::format("{} forms were given for {} integrals, or other ones", forms.size(), integrals_.size()));
  for (std::size_t i = 0; i < forms.size(); ++i) {
    check(forms[i]);
    integrals_[i].form.numbers.bytes = forms[i].numbers.bytes;
    integrals_[i].form.numbers.given = forms[i].numbers.given;
  }
  std::vector<FormValue> numbers;
  for (const MixedFormValue& form : forms) numbers.push_back(form.numbers);
  fields_.forget_others(numbers);
  evaluate_given(false);
}

void MixedOperator::set_time(const Time& time) {
  const bool moves = time.t != time_.t;
  time_ = time;
  if (moves) evaluate_given(true);
  for (const auto& each : of_fields_)
    if (each) each->set_time(time);
}

}  // namespace ritz

#include "solvers/algebra/layout.hpp"

namespace ritz {
namespace {

std::vector<Layout::Field> fields_of_sizes(std::span<const Index> sizes) {
  std::vector<Layout::Field> fields;
  for (const Index size : sizes) fields.push_back({.nodes = size});
  return fields;
}

void copy_numbers(const Device& device, const double* from, double* to, Index count) {
  if (count == 0) return;
  device.profile().count(2 * count * Index{sizeof(double)});
  device.machine().copy_on_device(to, from, count * Index{sizeof(double)});
}

void check_size(const Vector& x, Index size) {
  if (x.size() != size) throw_size_mismatch(size, x.size());
}

}  // namespace

Layout::Layout(std::span<const Index> sizes) : Layout(fields_of_sizes(sizes)) {}

Layout::Layout(std::vector<Field> fields) : fields_(std::move(fields)) {
  for (const Field& field : fields_) first_.push_back(first_.back() + field.nodes * field.width);
}

void Layout::check(const Vector& whole) const { check_size(whole, total()); }

int Layout::field_at(Index unknown) const {
  int field = 0;
  while (field + 1 < count() && unknown >= first(field + 1)) ++field;
  return field;
}

Vector Layout::part(const Vector& whole, int field, const char* tag) const {
  Vector result(whole.device(), size(field), tag);
  take(whole, field, result);
  return result;
}

void Layout::take(const Vector& whole, int field, Vector& part) const {
  check(whole);
  check_size(part, size(field));
  copy_numbers(part.device(), whole.data() + first(field), part.data(), part.size());
}

void Layout::put(const Vector& part, int field, Vector& whole) const {
  check(whole);
  check_size(part, size(field));
  copy_numbers(part.device(), part.data(), whole.data() + first(field), part.size());
}

Layout Layout::local() const {
  std::vector<Field> fields;
  for (const Field& field : fields_)
    fields.push_back({.nodes = field.ghosts ? field.ghosts->size() : field.nodes, .width = field.width});
  return Layout(std::move(fields));
}

Layout Layout::whole() const {
  std::vector<Field> fields;
  for (const Field& field : fields_) fields.push_back({.nodes = field.ghosts->total(), .width = field.width});
  return Layout(std::move(fields));
}

Index Layout::size_over_all(int field) const {
  return ghosts(field) != nullptr ? ghosts(field)->total() * width(field) : size(field);
}

void Layout::fetch(int field, const Vector& owned, Vector& all) const {
  check_size(owned, size(field));
  copy_numbers(all.device(), owned.data(), all.data(), owned.size());
  ghosts(field)->fetch(all, width(field));
}

const Vector& Layout::with_ghosts(const Vector& x, Vector& room) const {
  check(x);
  if (!is_divided()) return x;
  const Layout all = local();
  if (room.size() != all.total()) room = Vector(x.device(), all.total(), "vectors");
  for (int k = 0; k < count(); ++k) {
    Vector of_field(x.device(), all.size(k), "vectors");
    fetch(k, part(x, k), of_field);
    all.put(of_field, k, room);
  }
  return room;
}

void Layout::keep_owned(const Vector& all, Vector& x) const {
  const Layout from = local();
  from.check(all);
  check(x);
  for (int k = 0; k < count(); ++k) copy_numbers(x.device(), all.data() + from.first(k), x.data() + first(k), size(k));
}

void Layout::apply(const LinearOperator& A, const Vector& x, Vector& y) const {
  if (!is_divided()) return A.apply(x, y);
  Vector room, rows(x.device(), A.rows(), "vectors");
  A.apply(with_ghosts(x, room), rows);
  keep_owned(rows, y);
}

std::vector<Index> Layout::global_numbers() const {
  const auto owned_by = [&](int field, int rank) {
    const std::vector<Index>& first = ghosts(field)->first();
    return first[static_cast<std::size_t>(rank) + 1] - first[static_cast<std::size_t>(rank)];
  };
  std::vector<std::vector<Index>> first(static_cast<std::size_t>(ranks().count()));  // [rank][field]
  Index next = 0;
  for (int rank = 0; rank < ranks().count(); ++rank)
    for (int k = 0; k < count(); ++k) {
      first[static_cast<std::size_t>(rank)].push_back(next);
      next += owned_by(k, rank) * width(k);
    }
  std::vector<Index> numbers;
  numbers.reserve(static_cast<std::size_t>(local().total()));
  for (int k = 0; k < count(); ++k)
    for (Index node = 0; node < ghosts(k)->size(); ++node) {
      const Index global = ghosts(k)->global(node);
      const auto owner = static_cast<std::size_t>(ghosts(k)->owner(global));
      const Index begin = first[owner][static_cast<std::size_t>(k)] + (global - ghosts(k)->first()[owner]) * width(k);
      for (int c = 0; c < width(k); ++c) numbers.push_back(begin + c);
    }
  return numbers;
}

RankRows Layout::rows(int field) const {
  RankRows rows{.ranks = &ranks(), .first = ghosts(field)->first()};
  for (Index& row : rows.first) row *= width(field);
  return rows;
}

void Layout::own(const Vector& whole, Vector& x) const {
  if (!is_divided()) {
    check(whole);
    return copy_numbers(x.device(), whole.data(), x.data(), x.size());
  }
  for (int k = 0; k < count(); ++k) {
    Vector mine(x.device(), size(k), "vectors");
    rows(k).take(this->whole().part(whole, k), mine);
    put(mine, k, x);
  }
}

Vector Layout::gathered(const Vector& x) const {
  const Layout all = whole();
  Vector result(x.device().alone(), all.total(), "vectors");
  if (count() == 1) rows(0).gather(x, result);
  for (int k = 0; count() > 1 && k < count(); ++k) {
    Vector of_field(result.device(), all.size(k), "vectors");
    rows(k).gather(part(x, k), of_field);
    all.put(of_field, k, result);
  }
  return result;
}

}  // namespace ritz

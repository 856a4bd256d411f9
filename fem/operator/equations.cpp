#include "fem/operator/equations.hpp"

#include "fem/space/function_space.hpp"

namespace ritz {

EquationFacts together(const EquationFacts& some, const EquationFacts& others) {
  return {.symmetric = some.symmetric && others.symmetric,
          .linear = some.linear && others.linear,
          .varies_in_time = some.varies_in_time || others.varies_in_time,
          .matrix_varies_in_time = some.matrix_varies_in_time || others.matrix_varies_in_time,
          .has_states = some.has_states || others.has_states};
}

namespace {

// compute(y) with the rows of ghosts, which are left out.
template <class Compute>
void of_owned_rows(const Layout& layout, Vector& y, const Compute& compute) {
  if (!layout.is_divided()) return compute(y);
  Vector rows(y.device(), layout.local().total(), "vectors");
  rows.fill_zero();
  compute(rows);
  layout.keep_owned(rows, y);
}

}  // namespace

void Equations::residual(const Vector& u, Vector& r) const {
  layout_.check(r);
  Vector room;
  const Vector& all = layout_.with_ghosts(u, room);
  of_owned_rows(layout_, r, [&](Vector& rows) { residual_of_part(all, rows); });
}

void Equations::action(const Vector& u, const Vector& x, Vector& y) const {
  layout_.check(y);
  Vector room_of_u, room;
  const Vector& at = u.empty() ? u : layout_.with_ghosts(u, room_of_u);
  const Vector& all = layout_.with_ghosts(x, room);
  of_owned_rows(layout_, y, [&](Vector& rows) { action_of_part(at, all, rows); });
}

Vector Equations::zeros(const char* tag) const {
  Vector u(device_, layout_.total(), tag);
  u.fill_zero();
  return u;
}

}  // namespace ritz

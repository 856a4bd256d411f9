#include "fem/analysis/revolution_with_waves.hpp"

#include "device/error.hpp"
#include "fem/forms/mass_across.hpp"
#include "fem/forms/mass.hpp"
#include "fem/forms/varying_elasticity.hpp"
#include "fem/forms/with_waves.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <numbers>
#include <utility>

namespace ritz {
namespace {

// Returns false for other forms.
template <class F>
bool set_waves(FormValue& form, int waves) {
  if (form.name != F::name) return false;
  F own;
  std::memcpy(&own, form.bytes.data(), sizeof own);
  own.waves = waves;
  std::memcpy(form.bytes.data(), &own, sizeof own);
  return true;
}

void set_waves(Integral& integral, int waves) {
  if (!set_waves<WithWaves<VaryingElasticity<Space::solid>>>(integral.form, waves) &&
      !set_waves<WithWaves<Mass<3, 3>>>(integral.form, waves) &&
      !set_waves<WithWaves<MassAcross<3, false>>>(integral.form, waves))
    throw Error(ErrorKind::vibration, fmt::format("waves around a body with '{}'", integral.form.name),
                "they are known of linear elasticity and of its mass", "omit it");
  integral.factor = (waves == 0 ? 2 : 1) * std::numbers::pi;  // cos^2 and sin^2 over theta
}

// A point of the axis has one displacement across it: u_x cos(theta) along r is -u_x sin(theta) around.
LinearEquations across_axis(const std::vector<Node>& nodes) {
  LinearEquations rows{.origin = "the axis of revolution"};
  for (const Node node : nodes) rows.add({{node, 2, 1.0}, {node, 0, 1.0}});
  return rows;
}

}  // namespace

Model revolution_with_waves(Model body, int waves) {
  for (std::vector<Integral>* all : {&body.equations, &body.inertia})
    for (Integral& each : *all) set_waves(each, waves);
  if (body.turning)
    for (Integral& each : body.turning->softening) set_waves(each, waves);
  body.waves = waves;
  body.rigid.reset();
  if (waves == 0) body.rigid = RigidModes::revolution;
  if (waves == 1) body.rigid = RigidModes::one_wave;
  if (waves == 1 && !body.held_on_axis.empty()) body.relations.push_back(across_axis(body.held_on_axis));
  return body;
}

Model model_without_waves(const Model& body) {
  Model result = *body.without_waves;
  for (const LinearEquations& each : body.relations) {
    LinearEquations kept{.origin = each.origin, .first_is_dependent = each.first_is_dependent};
    for (Index i = 0; i < each.size(); ++i)
      if (const auto row = each.terms_of(i);
          std::ranges::all_of(row, [](const UnknownTerm& t) { return t.component < 2; }))
        kept.add(row, each.values[static_cast<std::size_t>(i)]);
    if (kept.size() > 0) result.relations.push_back(std::move(kept));
  }
  return result;
}

}  // namespace ritz

#include "apps/cases/gradient_input.hpp"

#include "apps/cases/field_coefficient.hpp"

#include <algorithm>

namespace ritz {

namespace {

// One number over a region: [[force]], [[power]], also of a load case.
bool is_total(const std::string& key) {
  const std::string_view table = std::string_view(key).substr(0, key.rfind(".value"));
  const auto names = [&](std::string_view total) {
    const std::size_t at = table.rfind(total);
    return at == 0 || (at != std::string_view::npos && table[at - 1] == '.');
  };
  return names("force.") || names("power.");
}

}  // namespace

std::string gradient_field(const std::string& key) {
  std::string name = "gradient_" + key;
  std::ranges::replace(name, '.', '_');
  return name;
}

std::optional<GradientInput> read_gradient(Run& run, const Mesh& mesh) {
  const Case::Table t = run.input().table(
      "gradient",
      "derivatives of a probe by numbers of the case, as fields of one value in each cell, and by positions of nodes");
  if (!t.present()) return std::nullopt;
  const bool sound = run.input().sound();
  GradientInput gradient{t,
                         t.text("probe",
                                "name of a probe: of the unknown, or of stress, strain or flux, at a point, its "
                                "mean or integral over a region, or a reaction; of one component"),
                         t.texts("by",
                                 "numbers of the case by their keys: material.0.young, traction.0.value.2; "
                                 "entries count from 0; \"points\": the positions of the mesh's nodes")};
  if (t.has("load_case"))
    gradient.load_case = t.text("load_case", "the load case or combination in which the probe is taken");
  gradient.over_time =
      t.choice("over", "with [time]: the probe at the end, or its integral over time by trapezoids over the steps",
               {"end", "time"}, "end") == "time";
  if (gradient.keys.empty() && run.input().sound() == sound)
    t.refuse(ErrorKind::gradient, "by", "no gradient of the probe: 'by' names no number", {},
             "name one or more, such as \"material.0.young\"");
  for (std::size_t i = 0; i < gradient.keys.size(); ++i)
    if (std::ranges::count(gradient.keys, gradient.keys[i]) > 1)
      t.refuse(ErrorKind::gradient, "by", fmt::format("no gradient by '{}' twice", gradient.keys[i]), {},
               "name each number once");
  for (const std::string& key : gradient.keys)
    if (!is_total(key) && key != positions_key) vary_by_cells(run, mesh, key);
  return gradient;
}

}  // namespace ritz

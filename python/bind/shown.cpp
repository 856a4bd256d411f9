#include "python/bind/case_call.hpp"

#include "apps/show/page.hpp"
#include "apps/show/picture.hpp"
#include "apps/show/picture_command.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ritz::python {
namespace {

// Name, values of shape (entries,) or (entries, components), names of the components.
using ShownArrays = std::vector<std::tuple<std::string, Doubles, std::vector<std::string>>>;
using ShownSteps =
    std::vector<std::tuple<std::string, ShownArrays, ShownArrays>>;  // load case, fields at nodes, fields in cells

std::vector<Field> fields_of(const ShownArrays& arrays, const CallerCells& rows = {}) {
  std::vector<Field> fields;
  for (const auto& [name, values, labels] : arrays) {
    const auto span = span_of(values);
    const int components = values.ndim() > 1 ? static_cast<int>(values.shape(1)) : 1;
    fields.push_back({name, components, rows.in(span, components), labels});
  }
  return fields;
}

Look look_of(const py::dict& asked) {
  Look look;
  const auto take = [&](const char* key, auto& value) {
    if (asked.contains(key) && !asked[key].is_none()) value = asked[key].cast<std::decay_t<decltype(value)>>();
  };
  take("field", look.field);
  take("component", look.component);
  take("warp", look.warp);
  take("factor", look.factor);
  take("limits", look.limits);
  take("width", look.width);
  take("height", look.height);
  if (look.width < 32 || look.height < 32 || look.width > 16384 || look.height > 16384)
    throw Error(ErrorKind::other_input, fmt::format("a picture of {} x {} pixels", look.width, look.height), {},
                "take from 32 to 16384 of them");
  return look;
}

// Fields in cells stand block after block.
Shown shown_of(const MeshArrays& mesh, bool structural, const ShownSteps& steps) {
  std::vector<std::string> notices;
  MeshArrays in_blocks = mesh;
  in_blocks.order.clear();
  const CallerCells rows = in_blocks.cells(structural);
  Shown shown(mesh.mesh(structural, 1, notices));
  for (const auto& [name, nodal, cells] : steps) shown.add(name, fields_of(nodal), fields_of(cells, rows));
  return shown;
}

// The picture of a result in a file, as `ritz picture` draws it.
void picture_of_file(const std::string& result, const std::string& file, const py::dict& asked,
                     std::optional<double> time, bool in_cells) {
  PictureCommand command{
      .result = result, .file = file, .look = look_of(asked), .time = time, .in_cells = in_cells, .overwrite = true};
  if (command.look.limits) command.limits = {command.look.limits->first, command.look.limits->second};
  without_the_lock([&] { draw(command); });
}

py::bytes picture(const MeshArrays& mesh, bool structural, const ShownSteps& steps, const py::dict& look,
                  const std::string& label) {
  const Shown shown = shown_of(mesh, structural, steps);
  return py::bytes(png_of(shown, shown.steps().back(), look_of(look), label));
}

std::string page(const MeshArrays& mesh, bool structural, const ShownSteps& steps, const py::dict& look,
                 const std::string& report, const std::string& resolved,
                 const std::vector<std::pair<std::string, std::string>>& versions) {
  const Shown shown = shown_of(mesh, structural, steps);
  return html_of(
      {.report = report, .resolved = resolved, .shown = &shown, .look = look_of(look), .versions = versions});
}

}  // namespace

void bind_shown(py::module_& module) {
  module.def("picture", &picture);
  module.def("picture_of_file", &picture_of_file);
  module.def("page", &page);
}

}  // namespace ritz::python

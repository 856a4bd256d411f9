#include "apps/show/body_data.hpp"

#include "apps/show/colour_scale.hpp"
#include "apps/show/field_component.hpp"
#include "apps/show/html_text.hpp"
#include "apps/show/picture.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

using Json = nlohmann::ordered_json;

template <class Number>
std::string packed(const std::vector<Number>& numbers) {
  return base64(numbers.data(), numbers.size() * sizeof(Number));
}

std::vector<float> points_from_the_middle(const Shown& shown) {
  std::vector<float> points;
  for (std::size_t i = 0; i < shown.points().size(); ++i)
    points.push_back(static_cast<float>(shown.points()[i] - shown.middle()[i % 3]));
  return points;
}

// [values of one sign, of both signs][256][red, green, blue]
std::string colour_maps() {
  std::vector<std::uint8_t> bytes;
  for (const bool diverging : {false, true})
    for (int i = 0; i < 256; ++i)
      for (const double each : colour_of(i / 255.0, diverging))
        bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * each)));
  return packed(bytes);
}

Json data_of(const ShownStep& step) {
  Json fields = Json::array();
  for (const ShownField& each : step.fields)
    fields.push_back({{"name", each.field.name},
                      {"components", each.field.components},
                      {"labels", component_names(each.field)},
                      {"vector", is_vector(each.field)},
                      {"cells", each.in_cells},
                      {"values", packed(each.values)}});
  return {{"name", step.name}, {"fields", fields}};
}

}  // namespace

std::string body_data(const Shown& shown, const Look& look) {
  const Surface& surface = shown.surface();
  Json steps = Json::array();
  for (const ShownStep& step : shown.steps()) steps.push_back(data_of(step));
  std::vector<const Field*> fields;
  for (const ShownField& each : shown.steps().back().fields) fields.push_back(&each.field);
  const Shade shade = shade_of(fields, look);
  const ShownWarp warp = warp_of(shown, shown.steps().back(), look);
  const Json data = {
      {"points", packed(points_from_the_middle(shown))},
      {"flat", shown.is_flat()},
      {"size", shown.size()},
      {"triangles", packed(surface.triangles)},
      {"triangle_cells", packed(surface.triangle_cells)},
      {"segments", packed(surface.segments)},
      {"segment_cells", packed(surface.segment_cells)},
      {"edges", packed(surface.edges)},
      {"maps", colour_maps()},
      {"look", {{"field", shade.field}, {"component", shade.component}, {"warp", look.warp}, {"factor", warp.factor}}},
      {"steps", steps}};
  std::string text;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') text += "\\u003c";
    else text += c;
  }
  return text;
}

}  // namespace ritz

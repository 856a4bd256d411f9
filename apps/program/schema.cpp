#include "apps/program/schema.hpp"

#include "io/case/case_schema.hpp"
#include "mesh/generators.hpp"

namespace ritz {
namespace {

// Sizes differ, so that a default that is made of the mesh is seen to be no constant.
Mesh plane_mesh() { return rectangle(1, 1, {1, 2}, CellKind::quad4); }
Mesh solid_mesh() { return box(1, 1, 1, {1, 2, 3}, CellKind::hex8); }

// A frame of `size`: a line and a quadrilateral in space; or with a solid apart from them.
Mesh frame_mesh(double size, bool with_solid) {
  MeshData data = with_solid ? box_data(1, 1, 1, {1, 2, 3}, CellKind::hex8) : MeshData();
  data.dimension = 3;
  data.structural = true;
  transform_points(data, [&](std::span<double, 3> x) { x[0] += 3 * size; });
  const auto first = static_cast<Node>(data.points.size() / 3);
  data.points.insert(data.points.end(), {0, 0, 0, size, 0, 0, size, size, 0, 0, size, 0, 0, 0, size});
  data.blocks.push_back({CellKind::line2, {first, first + 4}});
  data.blocks.push_back({CellKind::quad4, {first, first + 1, first + 2, first + 3}});
  Region all{.name = "all", .kind = RegionKind::cells};
  Index cells = 0;
  for (const CellBlock& block : data.blocks)
    for (Index i = 0; i < block.cell_count(); ++i) all.cells.push_back(cells++);
  std::erase_if(data.regions, [](const Region& region) { return region.kind == RegionKind::cells; });
  data.regions.push_back(std::move(all));
  return Mesh(std::move(data));
}

}  // namespace

std::string schema_of_app(const AppInfo& info, FunctionRef<void(Run&)> app) {
  const Device device = Device::named("cpu", 1);
  const auto read = [&](int mesh, const std::map<std::string, std::string>& taken) {
    RunOptions options;
    options.case_file = "<case>.toml";
    options.quiet = true;
    options.survey = RunSurvey{taken,
                               [mesh](bool structural) {
                                 if (structural) return frame_mesh(mesh == 0 ? 1 : 2, mesh == 1);
                                 return mesh == 0 ? plane_mesh() : solid_mesh();
                               },
                               device};
    Run run(info, options);
    SurveyedReading result;
    try {
      app(run);
    } catch (const CheckedOnly&) {
      result.complete = true;
    } catch (const Error&) {  // this way leads nowhere: a form of another dimension
    }
    result.reading = run.input().reading();
    return result;
  };
  return case_schema({info.name, info.description}, 2, read);
}

}  // namespace ritz

#include "apps/program/schema.hpp"

#include "io/case/case_schema.hpp"
#include "mesh/generators.hpp"

namespace ritz {
namespace {

// Sizes differ, so that a default that is made of the mesh is seen to be no constant.
Mesh plane_mesh() { return rectangle(1, 1, {1, 2}, CellKind::quad4); }
Mesh solid_mesh() { return box(1, 1, 1, {1, 2, 3}, CellKind::hex8); }

// A frame of `size`: a line and a quadrilateral in space.
Mesh frame_mesh(double size) {
  MeshData data;
  data.dimension = 3;
  data.structural = true;
  data.points = {0, 0, 0, size, 0, 0, size, size, 0, 0, size, 0, 0, 0, size};
  data.blocks = {{CellKind::line2, {0, 4}}, {CellKind::quad4, {0, 1, 2, 3}}};
  data.regions = {{.name = "all", .kind = RegionKind::cells, .cells = {0, 1}}};
  return Mesh(std::move(data));
}

}  // namespace

std::string schema_of_app(const AppInfo& info, const std::function<void(Run&)>& app) {
  const auto read = [&](int mesh, const std::map<std::string, std::string>& taken) {
    RunOptions options;
    options.case_file = "<case>.toml";
    options.device = "cpu";
    options.threads = 1;
    options.quiet = true;
    options.survey = RunSurvey{taken, [mesh](bool structural) {
                                 if (structural) return frame_mesh(mesh == 0 ? 1 : 2);
                                 return mesh == 0 ? plane_mesh() : solid_mesh();
                               }};
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

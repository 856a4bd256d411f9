// MED 3 and 4, the format of Salome and code_aster: an HDF5 file whose layout libmed's documentation gives (Fichier
// MED, modele interne). Node orders as in MED's reference elements, which are ours seen in a mirror: the corners of a
// face in the plane z = 0 run clockwise when seen from above (also med2mshNodeIndex of Gmsh and CellModel of
// MEDCoupling).
#include "io/meshes/other_readers.hpp"

#include "io/hdf5/hdf5_tree.hpp"
#include "io/meshes/foreign_cells.hpp"
#include "io/meshes/raw_mesh.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace ritz {
namespace {

using enum CellKind;

struct MedType {
  std::string_view name;
  CellKind kind;
  std::vector<int> order;  // [VTK's local node] -> position in the file; empty: the same
};

const std::vector<MedType>& types() {
  static const std::vector<MedType> all = {
      {"SE2", line2, {}},
      {"SE3", line3, {}},
      {"TR3", tri3, {}},
      {"TR6", tri6, {}},
      {"QU4", quad4, {}},
      {"QU8", quad8, {}},
      {"QU9", quad9, {}},
      {"TE4", tet4, {0, 2, 1, 3}},
      {"T10", tet10, {0, 2, 1, 3, 6, 5, 4, 7, 9, 8}},
      {"HE8", hex8, {0, 3, 2, 1, 4, 7, 6, 5}},
      {"H20", hex20, {0, 3, 2, 1, 4, 7, 6, 5, 11, 10, 9, 8, 15, 14, 13, 12, 16, 19, 18, 17}},
      {"H27", hex27, {0,  3,  2,  1,  4,  7,  6,  5,  11, 10, 9,  8,  15, 14,
                      13, 12, 16, 19, 18, 17, 21, 23, 24, 22, 20, 25, 26}},
      {"PE6", prism6, {0, 2, 1, 3, 5, 4}},
      {"P15", prism15, {0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13}},
      {"P18", prism18, {0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13, 17, 16, 15}},
      {"PY5", pyramid5, {0, 3, 2, 1, 4}},
      {"P13", pyramid13, {0, 3, 2, 1, 4, 8, 7, 6, 5, 9, 12, 11, 10}}};
  return all;
}

// Names of groups by the number of the family that belongs to them.
std::map<std::int64_t, std::vector<std::string>> groups_of(const Hdf5Tree& tree, const std::string& families) {
  std::map<std::int64_t, std::vector<std::string>> groups;
  for (const std::string& family : tree.children(families)) {
    const std::string path = families + "/" + family;
    const auto number = tree.integer_attribute(path, "NUM");
    if (!number) tree.fail(path, "has no attribute NUM");
    const std::string names = path + "/GRO/NOM";
    if (!tree.has(names)) continue;
    const auto shape = tree.shape(names);
    const std::string characters = tree.characters(names);
    const std::size_t count = shape.empty() ? 1 : shape[0];
    if (count > 0) groups[*number] = fixed_texts(characters, characters.size() / count);
  }
  return groups;
}

class MedReader {
 public:
  MedReader(const std::string& path, bool structural) : tree_(Hdf5Tree::open(path)) {
    raw_.source = path;
    raw_.structural = structural;
  }
  MeshData read(std::vector<std::string>& notices) {
    const std::string step = find_mesh(notices);
    read_nodes(step);
    for (const std::string& type : tree_->children(step + "/MAI")) read_cells(step, type, notices);
    return mesh_of(std::move(raw_), notices);
  }

 private:
  // The group of the only mesh at its only time.
  std::string find_mesh(std::vector<std::string>& notices) {
    if (const auto version = tree_->integer_attribute("/INFOS_GENERALES", "MAJ"); version && *version < 3)
      throw Error(ErrorKind::mesh_format, fmt::format("'{}' is of MED {}", tree_->path(), *version),
                  "Ritz reads MED 3 and 4", "convert it with medimport of libmed");
    const std::vector<std::string> meshes = tree_->children("/ENS_MAA");
    if (meshes.size() != 1)
      throw Error(ErrorKind::mesh_contents, fmt::format("'{}' holds {} meshes", tree_->path(), meshes.size()),
                  meshes.empty() ? std::string("it may hold fields only") : "they are " + quoted_list(meshes),
                  "export one mesh only");
    const std::string mesh = "/ENS_MAA/" + meshes[0];
    families_ = "/FAS/" + meshes[0];
    if (const auto type = tree_->integer_attribute(mesh, "TYP"); type && *type != 0)
      tree_->fail(mesh, "is a structured mesh; write it as an unstructured one");
    if (const auto axes = tree_->integer_attribute(mesh, "REP"); axes && *axes != 0)
      tree_->fail(mesh, fmt::format("has {} coordinates; write it with Cartesian ones",
                                    *axes == 1 ? "cylindrical" : "spherical"));
    report_unit_of_length(tree_->path(), without_padding(tree_->text_attribute(mesh, "UNI").substr(0, 16)), notices);
    const std::vector<std::string> steps = tree_->children(mesh);
    if (steps.empty()) tree_->fail(mesh, "holds nothing");
    if (steps.size() > 1)
      notices.push_back(
          fmt::format("'{}' holds the mesh at {} times: the first was read", tree_->path(), steps.size()));
    dimension_ = tree_->integer_attribute(mesh, "ESP").value_or(3);
    if (dimension_ < 1 || dimension_ > 3) tree_->fail(mesh, fmt::format("is in a space of {} dimensions", dimension_));
    return mesh + "/" + steps[0];
  }

  void read_nodes(const std::string& step) {
    const std::vector<double> x = tree_->reals(step + "/NOE/COO");  // [axis][node]
    const auto axes = static_cast<std::size_t>(dimension_);
    if (x.size() % axes != 0)
      tree_->fail(step + "/NOE/COO", fmt::format("holds {} coordinates, which {} does not divide", x.size(), axes));
    const std::size_t count = x.size() / axes;
    raw_.points.resize(3 * count);
    for (std::size_t k = 0; k < axes; ++k)
      for (std::size_t i = 0; i < count; ++i) raw_.points[3 * i + k] = x[k * count + i];
    if (!tree_->has(step + "/NOE/FAM")) return;
    const std::vector<std::int64_t> family = tree_->integers(step + "/NOE/FAM");
    if (family.size() != count)
      tree_->fail(step + "/NOE/FAM", fmt::format("holds {} numbers for {} nodes", family.size(), count));
    const auto groups = groups_of(*tree_, families_ + "/NOEUD");
    for (std::size_t i = 0; i < count; ++i)
      if (const auto found = groups.find(family[i]); found != groups.end())
        for (const std::string& name : found->second) raw_.group(name).nodes.push_back(static_cast<Node>(i));
  }

  void read_cells(const std::string& step, const std::string& name, std::vector<std::string>& notices) {
    const std::string path = step + "/MAI/" + name;
    if (name == "PO1") {
      notices.push_back(fmt::format("the point elements of '{}' were left out", tree_->path()));
      return;
    }
    const auto type =
        std::find_if(types().begin(), types().end(), [&name](const MedType& one) { return one.name == name; });
    if (type == types().end())
      throw Error(
          ErrorKind::mesh_without_cells, fmt::format("'{}' holds elements '{}'", tree_->path(), name),
          "Ritz has no such cells (polygons, polyhedra, TRIA7, OCTA12 and structure elements)",
          "write segments, triangles, quadrangles, tetrahedra, hexahedra, pentahedra and pyramids of order 1 or 2");
    const std::vector<std::int64_t> columns = tree_->integers(path + "/NOD");  // [node][cell]
    const auto width = static_cast<std::size_t>(traits(type->kind).node_count), count = columns.size() / width;
    if (columns.size() % width != 0)
      tree_->fail(path + "/NOD", fmt::format("holds {} node numbers, which {} does not divide", columns.size(), width));
    std::vector<Node>& nodes = raw_.nodes_of(type->kind);
    nodes.resize(columns.size());
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t column = type->order.empty() ? i : static_cast<std::size_t>(type->order[i]);
      for (std::size_t cell = 0; cell < count; ++cell)
        nodes[cell * width + i] = node_of_number(columns[column * count + cell]);
    }
    if (!tree_->has(path + "/FAM")) return;
    const std::vector<std::int64_t> family = tree_->integers(path + "/FAM");
    if (family.size() != count)
      tree_->fail(path + "/FAM", fmt::format("holds {} numbers for {} elements", family.size(), count));
    const auto groups = groups_of(*tree_, families_ + "/ELEME");
    for (std::size_t cell = 0; cell < count; ++cell)
      if (const auto found = groups.find(family[cell]); found != groups.end())
        for (const std::string& group : found->second)
          append(raw_.group(group).cells, {type->kind, static_cast<Index>(cell), 1});
  }

  std::unique_ptr<Hdf5Tree> tree_;
  RawMesh raw_;
  std::string families_;
  std::int64_t dimension_ = 3;
};

}  // namespace

MeshData read_med(const std::string& path, std::vector<std::string>& notices, bool structural) {
  return MedReader(path, structural).read(notices);
}

}  // namespace ritz

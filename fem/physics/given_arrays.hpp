// Numbers of a calling program, one for each cell or node of the mesh, as functions of the position: the number of the
// cell that holds a point, or those of its nodes, interpolated. Where points lie is found once, so that other numbers
// at the same points cost a look-up.
//
//   GivenArrays arrays;   arrays.set("E", {.values = young});   arrays.use(mesh);
//   arrays.functions().at("E")(points, values);
#pragma once

#include "mesh/mesh.hpp"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

struct GivenArray {
  std::vector<double> values;
  bool at_nodes = false;  // else in cells
};

class GivenArrays {
 public:
  GivenArrays();
  ~GivenArrays();
  GivenArrays(const GivenArrays&) = delete;
  GivenArrays& operator=(const GivenArrays&) = delete;

  void set(const std::string& name, GivenArray array);  // also in place of one, whose functions follow
  const std::map<std::string, GivenArray>& all() const { return arrays_; }
  // The mesh must outlive the functions' use. Throws Error(Exit::input) where an array has another number of entries.
  void use(const Mesh& mesh);

  using Function = std::function<void(std::span<const double> points, std::span<double> values)>;
  std::map<std::string, Function> functions();  // this must outlive them

 private:
  class Places;
  void check(const std::string& name, const GivenArray& array) const;
  void evaluate(const std::string& name, std::span<const double> points, std::span<double> values);

  std::map<std::string, GivenArray> arrays_;
  const Mesh* mesh_ = nullptr;
  std::unique_ptr<Places> places_;
};

}  // namespace ritz

// A time series for ParaView: the index `name.pvd` and one VTU per step in `name/`. The index is rewritten and renamed
// after each step, so that a kill loses at most the step being written.
//
//   ResultSeries results("run.pvd");
//   results.write(t, mesh, {{"temperature", 1, T}});   // run/run_000000.vtu, then run.pvd
#pragma once

#include "io/result_folder.hpp"
#include "io/vtu_writer.hpp"

#include <string>
#include <vector>

namespace ritz {

struct PvdEntry {
  double time;
  int part;          // piece of a partitioned mesh
  std::string file;  // relative to the index
};

// The text of the index; `verify` compares it with the file.
std::string pvd_text(const std::vector<PvdEntry>& entries);

// The index alone.
class PvdWriter {
 public:
  explicit PvdWriter(std::string path) : path_(std::move(path)) {}
  void add(double time, const std::string& file, int part = 0);  // and writes the index
  const std::string& path() const { return path_; }
  const std::vector<PvdEntry>& entries() const { return entries_; }

 private:
  std::string path_;
  std::vector<PvdEntry> entries_;
};

class ResultSeries {
 public:
  // `path` ends in .pvd (added when missing). Throws Error(Exit::output) when the folder cannot be written.
  // With a folder every step is a line of its journal.
  explicit ResultSeries(const std::string& path, VtuOptions options = {}, ResultFolder* folder = nullptr);
  // Returns the path of the VTU file.
  std::string write(double time, const Mesh& mesh, std::span<const Field> point_fields,
                    std::span<const Field> cell_fields = {});
  std::string write(double time, const Mesh& mesh, std::initializer_list<Field> point_fields,
                    std::initializer_list<Field> cell_fields = {});
  // The next load case, in "<series>_000002_<name>.vtu" (what no file name may hold becomes _); its time is its number from 0.
  std::string write_load_case(const std::string& name, const Mesh& mesh, std::span<const Field> point_fields,
                              std::span<const Field> cell_fields = {});
  const std::string& path() const { return index_.path(); }
  int step_count() const { return static_cast<int>(index_.entries().size()); }

 private:
  std::string write_step(const std::string& name, double time, const Mesh& mesh, std::span<const Field> point_fields,
                         std::span<const Field> cell_fields);
  PvdWriter index_;
  VtuOptions options_;
  ResultFolder* folder_;
};

}  // namespace ritz

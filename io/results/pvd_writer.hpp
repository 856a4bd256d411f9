// A time series for ParaView: the index `name.pvd` and one VTU per step in `name/`. The index is rewritten and renamed
// after each step, so that a kill loses at most the step being written.
//
//   VtuSeries results("run.pvd");
//   results.write(mesh, {.time = t, .point_fields = fields});   // run/run_000000.vtu, then run.pvd
#pragma once

#include "io/results/result_pieces.hpp"
#include "io/results/result_series.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct PvdEntry {
  double time;
  int part;          // piece of a partitioned mesh
  std::string file;  // relative to the index
};

std::string escaped(const std::string& text);  // for an attribute of XML

// The text of the index; `verify` compares it with the file.
std::string pvd_text(const std::vector<PvdEntry>& entries);

// The index alone.
class PvdWriter {
 public:
  explicit PvdWriter(std::string path) : path_(std::move(path)) {}
  void add(double time, const std::string& file, int part = 0);         // and writes the index
  void adopt(PvdEntry entry) { entries_.push_back(std::move(entry)); }  // that the index has
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::vector<PvdEntry> entries_;
};

class VtuSeries : public ResultSeries {
 public:
  // `path` ends in .pvd (added when missing). Throws Error: Exit::output when the folder cannot be written.
  // With a folder every step is a line of its journal. With pieces a step is an index (.pvtu) and a file of each rank.
  explicit VtuSeries(const std::string& path, VtuOptions options = {}, ResultFolder* folder = nullptr,
                     std::optional<ResultPieces> pieces = {});
  const std::string& path() const override { return index_.path(); }

 private:
  // Returns the path of the VTU file: "run/run_000002.vtu", of a load case "run/run_000002_<name>.vtu" (what no file
  // name may hold becomes _).
  std::string add(const Mesh& mesh, const ResultStep& step) override;
  void leave() override {
    if (pieces_) pieces_->leave();
  }

  PvdWriter index_;
  VtuOptions options_;
  std::optional<ResultPieces> pieces_;
};

}  // namespace ritz

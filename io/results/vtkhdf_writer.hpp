// All steps in one file: VTKHDF 2.0, the mesh once, fields that grow by a slab for each step. ParaView from 5.12 and
// VTK from 9.3 show all steps, older ones (from 5.10 and 9.1) the first. Layout: VTK's documentation, "VTKHDF file
// format".
//
// A committed file is never written to. There are two files: the committed one, and a spare (.tmp) that is one step
// after. A step is appended to the spare, after the one it lacks; flushed; then the two exchange their names in one
// system call. So a kill at any moment leaves a whole file, and each step is written twice.
#pragma once

#include "io/results/result_series.hpp"

#include <memory>
#include <set>

namespace ritz {

struct Hdf5Rows;  // io/hdf5/hdf5_file.hpp
class Hdf5File;
struct WrittenCells;  // io/vtk/written_cells.hpp

class VtkhdfSeries : public ResultSeries {
 public:
  VtkhdfSeries(std::string path, VtuOptions options, ResultFolder* folder);
  ~VtkhdfSeries() override;  // the spare is removed
  const std::string& path() const override { return path_; }

 private:
  std::string add(const Mesh& mesh, const ResultStep& step) override;
  void take_up(const Mesh& mesh, const WrittenCells& written);
  void build_spare(int steps, const std::set<std::string>& once) const;
  void write_spare(const Mesh& mesh, const ResultStep& step, JournalFile& committed);
  void bring_up_to_date(Hdf5File& spare) const;

  std::string path_;
  VtuOptions options_;
  bool has_spare_ = false;
  bool taken_up_ = false;                        // the file of a run that was stopped
  std::vector<std::string> growing_;             // datasets
  std::unique_ptr<RemovedWhenStopped> removal_;  // of the spare
};

}  // namespace ritz

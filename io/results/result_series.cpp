#include "io/results/result_series.hpp"

#include "io/hdf5/hdf5_library.hpp"
#include "io/results/pvd_writer.hpp"
#include "io/results/vtkhdf_writer.hpp"
#include "io/vtk/vtk_library.hpp"

#include <optional>
#include <utility>

namespace ritz {

ResultSeries::ResultSeries(ResultFolder* folder, const std::string& path)
    : folder_(folder),
      committed_(folder != nullptr ? folder->committed(folder->relative(path)) : std::vector<JournalEntry>{}) {}

std::string ResultSeries::write(const Mesh& mesh, const ResultStep& step) {
  const auto number = static_cast<std::size_t>(step_count_);
  const bool is_there = number < committed_.size();
  if (is_there) leave();
  std::string file = is_there ? path_within(folder_->path(), committed_[number].files.front().path) : add(mesh, step);
  ++step_count_;
  return file;
}

std::unique_ptr<ResultSeries> make_result_series(const std::string& path, const SeriesOptions& options,
                                                 ResultFolder* folder) {
  if (options.format == ResultFormat::vtkhdf) return std::make_unique<VtkhdfSeries>(path + ".hdf", options.vtu, folder);
  std::optional<ResultPieces> pieces;
  if (options.format == ResultFormat::pvtu) pieces.emplace(options.ranks);
  return std::make_unique<VtuSeries>(path + ".pvd", options.vtu, folder, std::move(pieces));
}

void load_library_of(ResultFormat format) {
  if (format == ResultFormat::vtkhdf) hdf5_library();
  else vtk_library();
}

}  // namespace ritz

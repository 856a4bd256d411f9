#include "io/result_series.hpp"

#include "io/pvd_writer.hpp"
#include "io/vtkhdf_writer.hpp"

namespace ritz {

std::unique_ptr<ResultSeries> make_result_series(const std::string& path, const SeriesOptions& options, ResultFolder* folder) {
  if (options.format == ResultFormat::vtkhdf) return std::make_unique<VtkhdfSeries>(path + ".hdf", options.vtu, folder);
  return std::make_unique<VtuSeries>(path + ".pvd", options.vtu, folder);
}

}  // namespace ritz

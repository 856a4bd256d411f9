// Derived fields of a solution (apps/results/derived_fields.hpp), while every allocation of the host from the solution
// until the fields are handed to the results fails once: the run has all fields, or its results lack the derived ones
// and it says so, or it ends with exit code 6; nothing remains allocated.
#include "tests/memory/failing_new.hpp"

#include "apps/results/derived_fields.hpp"
#include "apps/cases/run.hpp"
#include "apps/cases/shared_model.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/loads.hpp"
#include "io/meshes/gmsh_writer.hpp"
#include "mesh/generators.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <new>

namespace ritz {
namespace {

using test::fail_new;
using test::live_news;
using test::new_calls;

enum class Outcome { complete, lacking, refused };

// A case with a small box and nothing else: the equations are the test's.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("ritz-derived-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
    write_gmsh((path_ / "box.msh").string(), box(2, 1, 1, {2, 1, 1}, CellKind::hex8));
    std::ofstream(path_ / "box.toml") << "[mesh]\nfile = \"box.msh\"\n";
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  RunOptions options() const {
    return {.case_file = (path_ / "box.toml").string(),
            .device = "cpu",
            .output = (path_ / "out").string(),
            .threads = 1,
            .quiet = true,
            .overwrite = true};
  }

 private:
  std::filesystem::path path_;
};

enum class Evaluation { works, never_fits };

struct Ended {
  Outcome outcome;
  std::vector<double> flux;          // at nodes, empty where it is lacking
  std::vector<std::string> missing;  // named by the report
};

// From derive() on the n-th allocation fails.
Ended run_with(const Folder& folder, Evaluation evaluation, long n, long& calls) {
  Run run({.name = "test", .description = "", .example = "", .components = 1}, folder.options());
  const Mesh& mesh = run.mesh();
  const FunctionSpace& space = run.shared().space_for("", [&] { return FunctionSpace(mesh, 1, run.device()); });
  const Operator& equations = run.shared().equations_for(
      space, {Integral::over_all_cells(Diffusion<3>{2.0}), Integral::over_all_cells(Load<1, 3, 0>{{5.0}})});
  const Field name{"heat_flux", 3};
  run.shared().writes_fields = false;  // writing files has its own tests (cases.faults)
  const std::vector<Field> nodal{{"temperature", 1}, name}, cells{name};
  run.checked({nodal, cells});
  Constraints fixed(space);
  fixed.prescribe(mesh.region("x0"), 0, 20, "test");
  fixed.finish();
  const StaticSolution s = solve_static(
      equations, fixed,
      {.method = LinearMethod::conjugate_gradient, .preconditioner = PreconditionerKind::jacobi, .relative = 1e-10});
  Ended ended{Outcome::complete, {}, {}};
  const long before = new_calls();
  fail_new(n);
  try {
    EvaluatedFields fields = derive(run.results(), equations, {{name}, {name}}, [&] {
      if (evaluation == Evaluation::never_fits) throw std::bad_alloc();
      const DerivedFields derived = evaluate(run.results(), equations, s.u);
      return EvaluatedFields{{{"heat_flux", 3, derived.at_nodes}}, {{"heat_flux", 3, derived.at_cells}}};
    });
    ended.flux = fields.nodal.front().values;
    run.results().write({{"temperature", 1, space.to_mesh(s.u)}, std::move(fields.nodal.front())},
                        std::move(fields.cells));
    fail_new(0);
    run.finish();
  } catch (const std::bad_alloc&) { ended.outcome = Outcome::refused; } catch (const Error& error) {
    fail_new(0);
    EXPECT_EQ(error.exit(), Exit::resources) << error.what();
    ended.outcome = error.message().starts_with("the results lack 'heat_flux'") ? Outcome::lacking : Outcome::refused;
  }
  fail_new(0);
  calls = new_calls() - before;
  ended.missing = run.report().missing_fields;
  return ended;
}

struct Count {
  int complete = 0, lacking = 0, refused = 0;
};

Count fail_each(Evaluation evaluation) {
  const Folder folder;
  long calls = 0;
  (void)run_with(folder, evaluation, 0, calls);
  const std::vector<double> flux = run_with(folder, Evaluation::works, 0, calls).flux;
  EXPECT_GT(flux.size(), 0u);
  (void)run_with(folder, evaluation, 0, calls);
  Count count;
  for (long n = 1, all = calls; n <= all + all / 10; ++n) {
    const long live = live_news();
    const Ended ended = run_with(folder, evaluation, n, calls);
    if (ended.outcome == Outcome::complete) {
      ++count.complete;
      EXPECT_EQ(ended.flux, flux) << n;
      EXPECT_TRUE(ended.missing.empty()) << n;
    } else if (ended.outcome == Outcome::lacking) {
      ++count.lacking;
      EXPECT_EQ(ended.missing, std::vector<std::string>{"heat_flux"}) << n;
      EXPECT_TRUE(ended.flux.empty()) << n;
    } else {
      ++count.refused;
    }
    EXPECT_LE(live_news() - live, static_cast<long>(ended.flux.size() > 0) + 8) << n;
    if (::testing::Test::HasFailure()) break;
  }
  printf("%ld allocations: %d runs complete, %d without the field, %d ended otherwise with exit 6\n", calls,
         count.complete, count.lacking, count.refused);
  return count;
}

TEST(DerivedFieldsWithoutMemory, AreTriedAgainOrTheRunEndsInOrder) {
  const Count count = fail_each(Evaluation::works);
  EXPECT_GT(count.complete, 10);
  EXPECT_EQ(count.lacking, 0);  // one failure is survived by the second attempt
}

TEST(DerivedFieldsWithoutMemory, AreLeftOutAndTheRunSaysSo) {
  const Count count = fail_each(Evaluation::never_fits);
  EXPECT_EQ(count.complete, 0);
  EXPECT_GT(count.lacking, 10);
}

}  // namespace
}  // namespace ritz

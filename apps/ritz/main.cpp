// The tool `ritz`: what there is to compute on; whether forms and elements are what they claim to be; what a mesh file
// holds, what is wrong with it, and into what it can be turned.
#include "apps/ritz/case_from.hpp"
#include "apps/ritz/devices.hpp"
#include "apps/ritz/doctor.hpp"
#include "apps/ritz/element_command.hpp"
#include "apps/ritz/material_command.hpp"
#include "apps/ritz/mesh_change.hpp"
#include "apps/ritz/mesh_check.hpp"
#include "apps/ritz/mesh_info.hpp"
#include "apps/ritz/new_case.hpp"
#include "apps/ritz/results.hpp"
#include "apps/ritz/run_case.hpp"
#include "apps/ritz/size.hpp"
#include "apps/run/command_line.hpp"
#include "apps/run/memory_limits.hpp"
#include "apps/run/option_tables.hpp"
#include "apps/run/short_of_address_space.hpp"
#include "apps/show/picture_command.hpp"
#include "device/process/process_start.hpp"
#include "io/case/material_library.hpp"
#include "io/files/input_file.hpp"
#include "io/files/version.hpp"
#include "io/results/error_catalogue.hpp"
#include "io/results/log.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <new>

namespace {

using namespace ritz;

struct Choice {
  bool errors = false, devices = false, doctor = false, sized = false, check = false, change = false, verify = false,
       from_deck = false, from_mesh = false, materials = false, run = false, json = false, elements = false,
       element = false, untrusted = false, draws = false, tests_law = false, fits_law = false, checks_law = false;
  std::string file, folder = ".", shell, completion;
  double scale = 1;
  int times = 1;
  MeshCheckOptions checks;
  MeshChange changes;
  CaseFrom case_from;
  NewCase new_case;
  MaterialCommand material_command;
  std::string material;
  RunCase run_case;
  PictureCommand picture;
  ElementCommand element_check;
  MemoryLimits memory;
  SizeQuestion size;
};

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error(ErrorKind::cannot_write, "standard output could not be written");
}

Exit outcome(const MeshInfo& info) {
  Log log(LogLevel::quiet);
  for (const Error& error : info.errors) log.error(error);
  return info.errors.empty() ? Exit::ok : info.errors.front().exit();
}

std::string text_for_a_case(const Choice& choice) {
  if (choice.from_mesh) return printable(new_case(choice.new_case));
  if (choice.json) return materials_as_json();
  return choice.material.empty() ? materials_as_text() : material_as_toml(choice.material);
}

Exit write_case_from_deck(const Choice& choice) {
  const WrittenCase written = case_from(choice.case_from);
  print(printable(written.text));
  written.missing.throw_if_any();
  return Exit::ok;
}

// The report of a command that writes files.
std::string report_of_work(const Choice& choice) {
  if (choice.draws) return draw(choice.picture);
  if (choice.checks_law) return check_material(choice.material_command);
  return choice.fits_law ? fit_material(choice.material_command) : test_material(choice.material_command);
}

Exit run(const Choice& choice) {
  if (choice.run) run_case(choice.run_case);
  if (!choice.shell.empty()) {
    print(choice.completion);
    return Exit::ok;
  }
  if (choice.devices) {
    const DevicesReport report = inspect_devices();
    print(choice.json ? json_of(report) : printable(text_of(report)));
    return Exit::ok;
  }
  if (choice.errors) {
    print(choice.json ? catalogue_as_json() : catalogue_as_markdown());
    return Exit::ok;
  }
  if (choice.doctor) {
    const Diagnosis diagnosis = diagnose(choice.folder);
    print(choice.json ? json_of(diagnosis) : printable(text_of(diagnosis)));
    return diagnosis.exit();
  }
  if (choice.sized) {
    print(answer(choice.size));
    return Exit::ok;
  }
  if (choice.elements) {
    print(list_elements(choice.element_check));
    return Exit::ok;
  }
  if (choice.element) {
    const ElementReport report = check_named(choice.element_check);
    print(choice.json ? json_of(report) : printable(text_of(report)));
    return report.passed() ? Exit::ok : Exit::model;
  }
  if (choice.tests_law || choice.fits_law || choice.checks_law || choice.draws) {
    print(printable(report_of_work(choice)));
    return Exit::ok;
  }
  if (choice.verify) {
    const ResultCheck check = check_results(choice.file);
    print(choice.json ? json_of(check) : printable(text_of(check)));
    return check.good() ? Exit::ok : Exit::checkpoint;
  }
  if (choice.change) {
    print(printable(change_mesh(choice.changes)));
    return Exit::ok;
  }
  if (choice.from_deck) return write_case_from_deck(choice);
  if (choice.from_mesh || choice.materials) {
    print(text_for_a_case(choice));
    return Exit::ok;
  }
  if (choice.check) {
    const MeshCheck check = check_mesh(choice.file, choice.checks);
    print(choice.json ? json_of(check) : printable(text_of(check)));
    return outcome(check.info);
  }
  const MeshInfo info = inspect_mesh(choice.file, choice.scale);
  print(choice.json ? json_of(info) : printable(text_of(info)));
  return outcome(info);
}

Exit guarded(const Choice& choice) {
  Log log(LogLevel::quiet);
  try {
    obey(choice.memory);
    if (choice.untrusted) {
      const std::string& mesh = choice.change ? choice.changes.from : choice.file;
      read_only_below(std::filesystem::path(mesh).parent_path().string());
    }
    return run(choice);
  } catch (const Error& error) {
    log.error(error);
    return error.exit();
  } catch (const std::bad_alloc&) {
    log.error(Error(ErrorKind::host_memory, "out of host memory", {}, "use a machine with more memory"));
    return Exit::resources;
  } catch (const std::exception& error) {
    log.error(Error(ErrorKind::internal, error.what(), "this is a bug in Ritz",
                    "please report it with the mesh or the plugin"));
    return Exit::internal;
  }
}

}  // namespace

constexpr const char* formats =
    "a mesh: Gmsh .msh, Abaqus or CalculiX .inp, VTK .vtu, .pvtu or .vtk, MEDIT .mesh or .meshb, MFEM .mesh, Nastran "
    ".bdf, Exodus II .e or .exo, MED .med, "
    "CGNS .cgns, I-DEAS universal .unv";

void add_mesh_commands(CLI::App& mesh, Choice& choice) {
  const auto add_scale = [](CLI::App* app, double& scale) {
    app->add_option("--scale", scale, "factor on the coordinates, 0.001 for a mesh in mm")->capture_default_str();
  };
  const auto add_untrusted = [&choice](CLI::App* app) {
    app->add_flag("--untrusted", choice.untrusted, "the mesh is a stranger's: nothing outside of its folder is read");
  };
  CLI::App* info =
      mesh.add_subcommand("info", "cells, regions, sizes, quality, and what is wrong with the mesh (exit code 3)");
  info->add_option("file", choice.file, formats)->required();
  add_scale(info, choice.scale);
  add_untrusted(info);
  info->add_flag("--json", choice.json, "as JSON");

  CLI::App* check = mesh.add_subcommand("check", "the same, and the cells with a problem as a picture for ParaView");
  check->add_option("file", choice.file, formats)->required();
  add_scale(check, choice.checks.scale);
  add_untrusted(check);
  check->add_option("--min-jacobian", choice.checks.least_jacobian, "cells with a smaller scaled Jacobian are errors")
      ->capture_default_str();
  check->add_option(
      "--vtu", choice.checks.picture,
      "where to write the offending cells; by default the mesh's name with -problems.vtu, in this folder");
  check->add_option("--quality", choice.checks.quality,
                    "where to write the whole mesh as .vtu with scaled Jacobians and aspects of its cells");
  check->add_flag("--json", choice.json, "as JSON");
  check->callback([&choice] { choice.check = true; });

  MeshChange& change = choice.changes;
  const auto add_change = [&](const char* name, const char* what) {
    CLI::App* app = mesh.add_subcommand(name, what);
    app->add_option("from", change.from, formats)->required();
    app->add_option("to", change.to, "a .msh (Gmsh 4.1), .vtu or .inp file")->required();
    add_scale(app, change.scale);
    add_untrusted(app);
    app->add_flag("--text", change.text, "write .msh as text, not binary");
    app->add_option("--plane-type", change.plane_type, "elements of plane meshes in .inp: CPS, CPE or CAX")
        ->capture_default_str()
        ->check(CLI::IsMember({"CPS", "CPE", "CAX"}));
    app->add_flag("--force", change.overwrite, "overwrite an existing file");
    app->callback([&choice] { choice.change = true; });
    return app;
  };
  CLI::App* convert = add_change("convert", "write a mesh in another format, order or unit; regions are kept");
  convert->add_option("--order", change.order, "1 (straight cells) or 2 (with mid nodes)")
      ->check(CLI::IsMember({1, 2}));
  convert->add_flag("--serendipity", change.serendipity,
                    "mid nodes on edges only: hex20 instead of hex27, quad8 instead of quad9");
  CLI::App* refine =
      add_change("refine", "halve all cells; orders and regions are kept, new nodes lie on curved cells");
  refine->add_option("--times", choice.times, "how often")->capture_default_str()->check(CLI::Range(1, 10));
  refine->callback([&choice] {
    choice.change = true;
    choice.changes.refinements = choice.times;
  });
}

CLI::App* add_run_command(CLI::App& cli, Choice& choice) {
  CLI::App* run = cli.add_subcommand("run", "run a case: start the program whose tables it has");
  run->add_option("case", choice.run_case.case_file, "the case file; options of the program follow")->required();
  return run->prefix_command();
}

void add_case_commands(CLI::App& cases, Choice& choice) {
  CLI::App* from = cases.add_subcommand(
      "from", "write a case with the materials, supports, loads and steps of an Abaqus or CalculiX deck");
  from->add_option("deck", choice.case_from.deck, "the deck, .inp; it stays the mesh of the case")->required();
  from->add_option("to", choice.case_from.to, "the case file, .toml; standard output without it");
  from->add_flag("--force", choice.case_from.overwrite, "overwrite an existing file");
  from->add_option("--units", choice.case_from.units,
                   "of the deck: SI, mm (mm, N, s, t), or none: results have no unit")
      ->check(CLI::IsMember({"SI", "mm", "none"}));
  from->add_flag("--partial", choice.case_from.partial,
                 "write the case although cards are missing, which its first lines name; exit code 4 stays");
  from->callback([&choice] { choice.from_deck = true; });
}

void add_new_commands(CLI::App& cli, Choice& choice) {
  NewCase& question = choice.new_case;
  CLI::App* app = cli.add_subcommand("new", "write a case with the regions of a mesh, and what is to be filled in");
  app->add_option("mesh", question.mesh, formats)->required();
  app->add_option("to", question.to, "the case file; by default the mesh's name with .toml, next to it");
  app->add_option("--program", question.program,
                  "whose case it is; by default elasticity, or structure for a mesh of lines and surfaces in space")
      ->check(CLI::IsMember(programs_of_new_cases()));
  app->add_option("--material", question.material, "of all cells, such as \"steel S235\"; 'ritz materials' lists them");
  app->add_option("--scale", question.scale, "factor on the coordinates, 0.001 for a mesh in mm");
  app->add_flag("--force", question.overwrite, "overwrite an existing file");
  app->callback([&choice] { choice.from_mesh = true; });
  CLI::App* materials = cli.add_subcommand("materials", "list the materials that cases may name, with their constants");
  materials->add_option("name", choice.material, "one of them: its constants as keys of a case, and their source");
  materials->add_flag("--json", choice.json, "all as JSON, with their sources");
  materials->callback([&choice] { choice.materials = true; });
}

void add_element_commands(CLI::App& cli, Choice& choice) {
  CLI::App& element = *cli.add_subcommand("element", "forms and reference elements, also of your own");
  element.require_subcommand(1);
  ElementCommand& command = choice.element_check;
  const auto add_plugin = [&](CLI::App* app) {
    app->add_option("--plugin", command.plugin,
                    "a C++ source with forms and elements of your own, or a module of ritz_add_plugin()");
    app->add_option("--device", command.device, "auto, cpu, cpu:v3, cpu:v4, gpu or gpu:NUMBER")->capture_default_str();
  };
  CLI::App* list =
      element.add_subcommand("list", "the forms, with their parameters, and the reference elements that have names");
  add_plugin(list);
  list->callback([&choice] { choice.elements = true; });
  CLI::App* check = element.add_subcommand(
      "check",
      "does a form or a reference element have the properties that it declares? A table; exit code 4 when not");
  check
      ->add_option("name", command.name,
                   "a form, an element of the plugin, or a Lagrange element such as hex8:3 (shape and order)")
      ->required();
  add_plugin(check);
  check->add_option("--set", command.parameters, "a parameter of the form: --set conductivity=3 (repeatable)")
      ->take_all()
      ->type_name("NAME=VALUE");
  check->add_option("--amplitude", command.amplitude, "size of the fields at which nonlinear forms are looked at")
      ->capture_default_str();
  check->add_flag("--json", choice.json, "as JSON");
  check->callback([&choice] { choice.element = true; });
}

void add_material_commands(CLI::App& cli, Choice& choice) {
  CLI::App& material = *cli.add_subcommand("material", "laws of materials at one point, next to measured data");
  material.require_subcommand(1);
  MaterialCommand& command = choice.material_command;
  const auto add = [&](const char* name, const char* what, bool& chosen) {
    CLI::App* app = material.add_subcommand(name, what);
    app->add_option("file", command.file, "law, its parameters and [[test]], as TOML (docs/materials.md)")->required();
    app->add_option("--curves", command.curves, "CSV of the curves; by default the file's name with -curves.csv");
    app->add_option("--picture", command.picture, "PNG of the curves and the measured data");
    app->add_flag("--force", command.overwrite, "overwrite existing files");
    app->callback([&chosen] { chosen = true; });
  };
  add("test", "one point of a law through tests of specimens: stresses, a CSV, a picture", choice.tests_law);
  add("fit", "the parameters under [fit] by least squares to the data of the tests, within their bounds",
      choice.fits_law);
  add("check", "whether moduli fit the stress, turning and closed paths of strain do what they must, of any law",
      choice.checks_law);
}

void add_size_command(CLI::App& cli, Choice& choice) {
  CLI::App* size = cli.add_subcommand("size", "what a model takes of memory, and which GPUs it fits, without a mesh");
  size->callback([&choice] { choice.sized = true; });
  size->add_option("--unknowns", choice.size.unknowns, "of the model, such as 50e6")->required();
  size->add_option("--physics", choice.size.physics, "elasticity or heat")
      ->capture_default_str()
      ->check(CLI::IsMember({"elasticity", "heat"}));
  size->add_option("--cell", choice.size.cell, "kind of its cells: tet4, tet10, hex8, hex20, ...")
      ->capture_default_str();
  size->add_option("--order", choice.size.order, "of [space]; 0: the cell's own")
      ->capture_default_str()
      ->check(CLI::Range(0, 8));
  size->add_option("--ranks", choice.size.ranks, "processes that solve it together: what each of them takes")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
}

void add_picture_command(CLI::App& cli, Choice& choice) {
  PictureCommand& picture = choice.picture;
  CLI::App* app =
      cli.add_subcommand("picture", "draw the surface of results, coloured by a field, as PNG; needs no display");
  app->add_option("result", picture.result, "the index (.pvd) or a step (.vtu, .pvtu) of a run")->required();
  app->add_option("picture", picture.file, "PNG file to write")->required();
  app->add_option("--field", picture.look.field,
                  "at points or in cells, which gives the colours; default: the first one");
  app->add_option("--component", picture.look.component, "of that field, by name or number; default: the magnitude");
  app->add_option("--warp", picture.look.warp, "vector field that moves the points, such as displacement");
  app->add_option("--factor", picture.look.factor, "how much it moves them; default: a tenth of the size at most");
  app->add_option("--limits", picture.limits, "of the colours: the lowest and the highest value")->expected(2);
  app->add_option("--size", picture.size, "width and height in pixels")->expected(2)->check(CLI::Range(32, 16384));
  app->add_flag("--cells", picture.in_cells, "the field in cells, where points have one of its name, too");
  app->add_option("--time", picture.time, "of a step in a .pvd; default: the last one");
  app->add_flag("--force", picture.overwrite, "overwrite an existing file");
  app->callback([&choice] { choice.draws = true; });
}

void add_results_commands(CLI::App& cli, Choice& choice) {
  CLI::App* results = cli.add_subcommand("results", "work on folders of results");
  results->require_subcommand(1);
  CLI::App* verify = results->add_subcommand(
      "verify", "read everything again and compare it with the journal of the run: ok, damaged, missing, extra");
  verify->add_option("folder", choice.file, "the folder that holds results.journal")->required();
  verify->add_flag("--json", choice.json, "as JSON");
  verify->callback([&choice] { choice.verify = true; });
  add_picture_command(cli, choice);
}

void add_completion_command(CLI::App& cli, Choice& choice) {
  CLI::App* completion = cli.add_subcommand("completion", "print a script that completes commands and options in bash");
  completion->add_option("shell", choice.shell, "bash; zsh takes the script, too")
      ->required()
      ->check(CLI::IsMember({"bash"}));
}

std::string completion_of(const CLI::App& cli) {
  CLI::App program;
  RunOptions options;
  add_run_options(program, options);
  program.set_version_flag("--version", "");
  add_man_option(program);
  return bash_completion(cli, program, {"ritz-elasticity", "ritz-heat", "ritz-modal", "ritz-solve", "ritz-structure"});
}

// About this machine and these programs.
void add_machine_commands(CLI::App& cli, Choice& choice) {
  CLI::App* doctor = cli.add_subcommand("doctor",
                                        "is this machine fit: processor, threads, memory, GPUs, disk, libraries, with "
                                        "a remedy for each fault (exit code 8)");
  doctor->add_flag("--json", choice.json, "as JSON");
  doctor->add_option("--folder", choice.folder, "whose disk is tried: where results are to go")->capture_default_str();
  doctor->callback([&choice] { choice.doctor = true; });
  CLI::App* errors = cli.add_subcommand(
      "errors", "all kinds of errors, with exit codes, reasons and remedies, as Markdown (docs/errors.md)");
  errors->add_flag("--json", choice.json, "as JSON");
  errors->callback([&choice] { choice.errors = true; });
}

int main(int argc, char** argv) {
  ritz::keep_standard_streams_open();
  ritz::spare_addresses_where_they_are_limited();
  Choice choice;
  CLI::App cli{
      "What there is to compute on, what mesh files hold and can be turned into, whether elements are right and "
      "results whole.",
      "ritz"};
  cli.footer(
      "Examples:\n  ritz run bracket.toml --output results/bracket\n  ritz doctor\n  ritz devices\n  ritz mesh info "
      "bracket.msh --scale 0.001\n  ritz mesh check "
      "bracket.inp --min-jacobian 0.1\n  ritz mesh convert bracket.inp bracket.vtu\n  ritz mesh refine coarse.msh "
      "fine.msh --times 2\n  ritz case from job.inp job.toml\n"
      "  ritz new part.msh --material \"steel S235\" --scale 0.001\n  ritz materials\n"
      "  ritz element check my_form --plugin my_form.cpp\n  ritz results verify results/bracket\n  ritz picture "
      "results/bracket/bracket.pvd u.png --field von_mises --warp displacement\n  ritz size "
      "--unknowns 50e6 --physics elasticity --cell tet10\n\n"
      "Exit codes: 0 nothing is wrong, 2 command line, 3 the mesh or its file, 4 a check of an element failed or a "
      "deck was not translated, 6 out "
      "of memory, 7 a file could not be\n"
      "written, 8 GPU or driver, 9 results are damaged or missing, 1 a bug in Ritz.");
  cli.set_version_flag("--version", std::string("ritz ") + ritz_version());
  add_man_option(cli);
  cli.require_subcommand(1);
  MemoryLimits limits;
  add_host_memory_option(cli, limits);
  CLI::App* devices = cli.add_subcommand("devices", "list the CPU and the GPUs, with the copy rate measured now");
  devices->add_flag("--json", choice.json, "as JSON");
  CLI::App* mesh = cli.add_subcommand("mesh", "work on mesh files");
  mesh->require_subcommand(1);
  add_mesh_commands(*mesh, choice);
  CLI::App* run = add_run_command(cli, choice);
  CLI::App* cases = cli.add_subcommand("case", "work on case files");
  cases->require_subcommand(1);
  add_case_commands(*cases, choice);
  add_new_commands(cli, choice);
  add_element_commands(cli, choice);
  add_material_commands(cli, choice);
  add_machine_commands(cli, choice);
  add_size_command(cli, choice);
  add_completion_command(cli, choice);
  add_results_commands(cli, choice);
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return cli.exit(error);  // --help
    Log(LogLevel::quiet)
        .error(command_line_error(cli, error, "'ritz --help' and 'ritz COMMAND --help' name what there is"));
    return static_cast<int>(Exit::input);
  }
  end_in_order_without_memory();
  choice.memory = limits;
  if (!choice.shell.empty()) choice.completion = completion_of(cli);
  choice.devices = devices->parsed();
  choice.run = run->parsed();
  choice.run_case.arguments = run->remaining();
  return static_cast<int>(guarded(choice));
}

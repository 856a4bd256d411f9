// The tool `ritz`: what there is to compute on, and what a mesh file holds.
#include "apps/ritz/devices.hpp"
#include "apps/ritz/mesh_info.hpp"
#include "io/log.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <new>

namespace {

using namespace ritz;

struct Choice {
  bool devices = false, json = false;
  std::string file;
  double scale = 1;
};

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error(Exit::output, "standard output could not be written");
}

Exit run(const Choice& choice) {
  if (choice.devices) {
    const DevicesReport report = inspect_devices();
    print(choice.json ? json_of(report) : text_of(report));
    return Exit::ok;
  }
  const MeshInfo info = inspect_mesh(choice.file, choice.scale);
  print(choice.json ? json_of(info) : text_of(info));
  Log log(LogLevel::quiet);
  for (const Error& error : info.errors) log.error(error);
  return info.errors.empty() ? Exit::ok : info.errors.front().exit();
}

Exit guarded(const Choice& choice) {
  Log log(LogLevel::quiet);
  try {
    return run(choice);
  } catch (const Error& error) {
    log.error(error);
    return error.exit();
  } catch (const std::bad_alloc&) {
    log.error(Error(Exit::resources, "out of host memory", {}, "use a machine with more memory"));
    return Exit::resources;
  } catch (const std::exception& error) {
    log.error(Error(Exit::internal, error.what(), "this is a bug in Ritz", "please report it with the mesh"));
    return Exit::internal;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Choice choice;
  CLI::App cli{"What there is to compute on, and what a mesh file holds.", "ritz"};
  cli.footer("Examples:\n  ritz devices\n  ritz mesh info bracket.msh --scale 0.001\n\n"
             "Exit codes: 0 nothing is wrong, 2 command line, 3 the mesh or its file, 6 out of memory, 8 GPU or driver,\n"
             "1 a bug in Ritz.");
  cli.require_subcommand(1);
  CLI::App* devices = cli.add_subcommand("devices", "list the CPU and the GPUs, with the copy rate measured now");
  devices->add_flag("--json", choice.json, "as JSON");
  CLI::App* mesh = cli.add_subcommand("mesh", "work on mesh files");
  mesh->require_subcommand(1);
  CLI::App* info = mesh->add_subcommand("info", "cells, regions, sizes, quality, and what is wrong with the mesh (exit code 3)");
  info->add_option("file", choice.file, "Gmsh .msh, Abaqus or CalculiX .inp, VTK .vtu")->required();
  info->add_option("--scale", choice.scale, "factor on the coordinates, 0.001 for a mesh in mm")->capture_default_str();
  info->add_flag("--json", choice.json, "as JSON");
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? 0 : static_cast<int>(Exit::input);
  }
  choice.devices = devices->parsed();
  return static_cast<int>(guarded(choice));
}

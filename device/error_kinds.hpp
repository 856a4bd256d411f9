// The kind of an error, given where it is thrown. The report and the log name it; scripts may rely on the names
// ("unknown-key" for ErrorKind::unknown_key). io/results/error_kinds.cpp holds the reason and the remedy of each.
#pragma once

namespace ritz {

// The exit codes of every Ritz executable. Documented in README.md; scripts rely on them.
enum class Exit : int {
  ok = 0,
  internal = 1,  // a bug of ours
  input = 2,     // command line or case file
  mesh = 3,      // mesh file or geometry
  model = 4,     // not well posed: unsupported body, missing material, conflicting conditions
  not_converged = 5,
  resources = 6,    // out of host or device memory
  output = 7,       // results or checkpoints could not be written
  environment = 8,  // GPU, driver
  checkpoint = 9,   // restart data unusable
  stopped = 75,     // stopped on request, with a committed checkpoint
};

// A kind's number is 100 times its exit code plus a position. The last of each code is that of errors that have no
// kind by themselves.
enum class ErrorKind : int {
  internal = 100,

  command_line = 200,
  case_unreadable,
  outside_folder,
  not_a_case,
  deck,
  other_program,
  case_syntax,
  override,
  unknown_key,
  missing_key,
  unit,
  formula_syntax,
  file_missing,
  unknown_material,
  law,
  gradient,
  unknown_region,
  region_empty,
  region_definition,
  table_data,
  show,
  probe,
  load_case,
  step,
  sweep,
  relation,
  several_fields,
  solids_and_sections,
  load_path,
  prescribes_nothing,
  solver_options,
  modal_options,
  model_options,
  output_options,
  initial_values,
  orientation,
  plugin,
  wrong_value,
  other_input,

  axisymmetric_radius = 300,
  inverted_cells,
  torn_mesh,
  mesh_unreadable,
  mesh_format,
  mesh_order,
  mesh_without_cells,
  mesh_reference,
  mesh_too_large,
  mesh_contents,

  law_kinematics = 400,
  deck_card,
  missing_material,
  overlapping_materials,
  repeated_members,
  unsupported_body,
  not_free_of_divergence,
  unloaded,
  conflicting_conditions,
  section_not_joined,
  not_joined,
  load_on_nothing,
  not_finite,
  formula_value,
  singular_matrix,
  material_value,
  material_axes,
  not_linear,
  nonlinear_load_cases,
  time_options,
  removed_part,
  analysis,
  buckling,
  vibration,
  inertia_relief,
  explicit_steps,
  damping,
  other_model,

  newton_not_converged = 500,
  modes_not_converged,
  not_in_balance,
  not_converged,

  direct_solver_memory = 600,
  missing_fields,
  host_memory,
  device_memory,

  folder_in_use = 700,
  results_exist,
  cannot_write,

  no_gpu = 800,
  processor,
  several_ranks,
  no_compiler,
  file_library,
  environment,

  journal_damaged = 900,
  checkpoint_unusable,

  stopped = 7500,
};

constexpr Exit exit_of(ErrorKind kind) { return static_cast<Exit>(static_cast<int>(kind) / 100); }

// A program that is stopped ends with the code of its reason: 124 for a time limit, 128 and the number of a signal.
constexpr ErrorKind kind_of_stop(Exit exit) { return static_cast<ErrorKind>(100 * static_cast<int>(exit)); }

}  // namespace ritz

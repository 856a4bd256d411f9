#include "io/case/known_physics.hpp"

#include <algorithm>
#include <cctype>

namespace ritz {
namespace {

struct Topic {
  std::vector<std::string_view> words;  // a key is about it when it is or contains one; "=word": only when it is
  std::string_view answer;
  bool is_of_a_program = false;  // nothing to be said where its other words are keys
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> list{
      {{"expansion", "=cte", "=alpha", "thermal_strain", "reference_temperature"},
       "thermal expansion is 'expansion' of [[material]], with [thermal] temperature and reference, in ritz-elasticity "
       "(docs/thermal.md)"},
      {{"contact", "friction", "bolt", "preload", "pretension", "=gap"},
       "contact, friction and bolts are not in Ritz yet: join the parts by [[tie]] or a common mesh (docs/limits.md); "
       "a "
       "bolt is tightened by cooling it (docs/recipes.md)"},
      {{"=tied", "=ties", "glue", "interface"},
       "parts whose meshes do not match are joined by [[tie]] (docs/joining.md)"},
      {{"plastic", "yield", "hardening"},
       "plasticity is law = \"j2\" of [[material]] in ritz-elasticity, with 'yield_stress' or 'hardening' "
       "(docs/materials.md)"},
      {{"creep", "viscoelastic", "viscosity", "relaxation", "prony"},
       "creep is law = \"norton\", viscoelasticity law = \"prony\" of [[material]] in ritz-elasticity, with [time] "
       "(docs/materials.md)"},
      {{"damping", "rayleigh"},
       "Rayleigh damping is [damping] of ritz-elasticity and ritz-structure, with [time] (docs/motion.md)"},
      {{"harmonic", "frequency_response", "steady_state_dynamics", "spectrum", "random_vibration", "=psd",
        "power_spectral", "base_excitation", "base_motion", "loss_factor", "modal_dynamic", "time_history"},
       "answers to harmonic and random loads, loads in time, motions of the base and response spectra are [harmonic], "
       "[random], [spectrum] and [history] next to [modal] in ritz-modal (docs/vibration.md)"},
      {{"buckling"},
       "linear buckling is [buckling] of ritz-elasticity and ritz-structure (docs/buckling.md); limit loads are found "
       "by "
       "[newton]"},
      {{"hyperelastic", "neo_hooke", "mooney", "ogden", "yeoh", "rubber"},
       "rubber is a law of [[material]] in ritz-elasticity, such as law = \"neo_hooke\" (docs/materials.md)"},
      {{"nlgeom", "large_displacement", "large_deformation", "finite_strain", "geometric_nonlinear"},
       "large displacements of solids are [model] large_displacement = true in ritz-elasticity; not of beams and "
       "shells "
       "yet"},
      {{"orthotropic", "anisotropic", "young_x", "young_1", "=e1", "=ex", "=e_x", "shear_modulus_xy", "=g12"},
       "orthotropic materials are [material.orthotropic] of ritz-elasticity and ritz-modal, with [[orientation]] "
       "(docs/thermal.md)"},
      {{"laminate", "composite", "=layer", "=layers", "=layup", "=ply", "=plies"},
       "laminates are layers of cells with an [[orientation]] each (docs/thermal.md); layered shells are not in Ritz "
       "yet"},
      {{"failure", "tsai", "hashin", "=puck"},
       "failure indices are not in Ritz yet: compute them from the stresses of the results, in Python "
       "(docs/recipes.md)"},
      {{"=material", "=library", "=grade"},
       "materials are [[material]], or keys of [[section]] in ritz-structure; one of the library is taken by its name: "
       "name = \"steel S235\" ('ritz materials' lists them)"},
      {{"magnet", "=coil", "=coils", "=current", "current_density", "vector_potential", "maxwell"},
       "magnetostatics is [model] form = \"curl_curl3\" (in the plane curl_curl2) in ritz-solve, with B and H as "
       "results: docs/several-fields.md, examples/several_fields/solenoid.toml"},
      {{"permittivity", "voltage", "=charge", "electrostatic", "electric"},
       "electrostatics and direct currents are conduction: in ritz-heat the potential is the temperature, the "
       "permittivity or electric conductivity is 'conductivity'"},
      {{"=path", "=paths", "=line", "=curve", "linearization", "linearisation", "linearise", "linearize", "=scl"},
       "fields along a line are [[path]] with 'points', and linearised stresses its linearise = true "
       "(docs/results.md)"},
      {{"fatigue", "fracture", "stress_intensity", "j_integral"}, "fatigue and fracture are not in Ritz yet"},
      {{"coupling", "=mpc", "=equations", "rigid_body", "rigid_link", "periodicity", "cyclic", "multi_point"},
       "relations between unknowns are [[rigid]], [[periodic]], [[coupling]] and [[equation]] (docs/joining.md)"},
      {{"=remote", "remote_"},
       "a remote force is [[force]] with 'at' and 'moment', on facets of a solid in ritz-elasticity"},
      {{"centrifugal", "angular_velocity", "=omega", "=rpm", "rotation_speed"},
       "a body that turns is [rotation] with speed and axis, in ritz-elasticity and ritz-modal (docs/vibration.md)"},
      {{"prestress", "initial_stress", "initial_strain", "residual_stress", "eigenstrain"},
       "initial stresses and strains are not in Ritz yet: docs/limits.md"},
      {{"velocity", "acceleration", "newmark", "explicit", "impact", "inertia"},
       "dynamics is [time] of ritz-elasticity and ritz-structure, with [initial] displacement and velocity "
       "(docs/motion.md)"},
      {{"=time", "=dt", "time_step", "timestep", "transient", "end_time", "duration", "=initial",
        "initial_temperature"},
       "evolution in time is [time], with [initial]: of heat and forms (docs/time.md), of motion in ritz-elasticity "
       "and "
       "ritz-structure (docs/motion.md)"},
      {{"specific_heat", "heat_capacity", "=cp", "=c_p"},
       "the specific heat is a key of [[material]] in ritz-heat, for [time] (docs/heat.md)"},
      {{"conductivity", "convection", "film", "emissivity", "radiation", "heat_flux", "=flux", "heat_source",
        "=temperature", "heat_generation"},
       "heat conduction is in ritz-heat (docs/heat.md)",
       true},
      {{"=modal", "=modes", "frequency", "frequencies", "eigen", "vibration"},
       "modes and frequencies are in ritz-modal, [modal]; it takes supports, and no loads"},
      {{"=section", "=sections", "=beam", "=beams", "=shell", "=shells", "truss", "=bars", "=bar"},
       "beams, bars, springs and shells are in ritz-structure, [[section]] (docs/structures.md)",
       true},
      {{"=young", "=poisson", "=elastic", "=traction", "=body_force"},
       "linear elasticity is in ritz-elasticity; frames and shells are in ritz-structure",
       true},
      {{"=moment", "=moments", "torque"},
       "a moment is 'moment' of [[force]], [[rigid]] and [[coupling]] (docs/joining.md)"},
      {{"symmetry", "=symmetric"},
       "a plane of symmetry is [[displacement]] with normal = 0 on its facets, in ritz-structure [[support]]; heat "
       "needs nothing there"},
      {{"insulat", "adiabatic"}, "facets without a load, convection, radiation or temperature are insulated"},
      {{"latent", "phase_change", "melting"},
       "latent heat is a peak of specific_heat over the temperature, a [[table]] (docs/limits.md)"},
      {{"=mass", "=masses", "point_mass"},
       "a mass at a point is 'mass' of [[rigid]] and [[coupling]] (docs/joining.md), and [[mass]] of frames and shells "
       "in ritz-structure and ritz-modal"},
      {{"=force", "=forces", "=pressure", "=gravity"},
       "forces, pressures and gravity are loads of ritz-elasticity and ritz-structure, and of ritz-modal with [modal] "
       "preload = true"},
      {{"foundation", "=spring", "=springs", "=winkler"},
       "an elastic ground is [[foundation]] and [[spring]] of ritz-elasticity and ritz-modal, for solids; springs of "
       "frames are [[spring]] of ritz-structure"},
      {{"fluid", "navier_stokes", "viscous_flow"},
       "flow is [model] form = \"navier_stokes3\", or \"stokes3\" where it is slow (in the plane navier_stokes2, "
       "stokes2), in ritz-solve: docs/several-fields.md"},
      {{"=units", "=unit", "unit_system"},
       "the system of all numbers is [output] units; a number with a unit is a text such as \"210 GPa\" "
       "(docs/case-files.md); [mesh] scale = 0.001 turns a mesh in mm to m"},
      {{"=steps", "=step", "stages"},
       "steps one after the other are [[step]] (docs/steps.md); [[load_case]] has alternatives (docs/load-cases.md)"},
      {{"=nonlinear", "=increments", "=arc_length", "=riks", "load_path"},
       "nonlinear solutions are [newton], with increments, a line search and the arc length (docs/solver-methods.md)"},
      {{"topology", "optimisation", "optimization"},
       "optimisation is a program of yours around ritz.Model and its derivatives (docs/python.md, "
       "examples/python/topology.py)"},
      {{"=surface_load", "distributed_load"},
       "loads of surfaces are [[pressure]] and [[traction]], and [[surface_load]] and [[line_load]] in ritz-structure"},
      {{"adaptive", "remesh"}, "adaptive refinement is not in Ritz yet; [mesh] refine halves all cells"},
      {{"=mpi", "=ranks", "=gpus", "=processes"},
       "the number of ranks is mpirun's (docs/clusters.md); --device and --threads choose what each runs on"},
      {{"threads", "=cores", "=device", "=gpu", "=cpus", "memory_limit"},
       "what a case runs on is chosen by options of the command line: --device, --threads, --memory-limit"},
  };
  return list;
}

bool is_about(const std::string& key, std::string_view word) {
  return word.front() == '=' ? key == word.substr(1) : key.find(word) != std::string::npos;
}

}  // namespace

std::optional<KnownPhysics> known_physics(std::string_view key, const std::vector<std::string>& valid) {
  std::string lower(key);
  for (char& c : lower) c = c == '-' || c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Topic& topic : topics()) {
    const auto word = std::ranges::find_if(topic.words, [&](std::string_view each) { return is_about(lower, each); });
    if (word == topic.words.end()) continue;
    const std::string bare(word->front() == '=' ? word->substr(1) : *word);
    const bool is_here = std::ranges::any_of(valid, [&](const std::string& name) {
      if (!topic.is_of_a_program) return name.find(bare) != std::string::npos;
      return std::ranges::any_of(topic.words, [&](std::string_view each) { return is_about(name, each); });
    });
    if (is_here) return std::nullopt;
    return KnownPhysics{bare, std::string(topic.answer)};
  }
  return std::nullopt;
}

}  // namespace ritz

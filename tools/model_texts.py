"""Models as text of case files, on the regions all, x0 and x1 of box_meshes.py; which program solves each."""
import pathlib

ELASTICITY = """[[material]]
region = "all"
young = 1.0
poisson = 0.3
[[displacement]]
region = "x0"
fixed = true
[[force]]
region = "x1"
value = [0.0, 0.0, -1e-4]
"""
PLANE = '[model]\ntype = "plane_stress"\nthickness = 1.0\n' + ELASTICITY.replace("[0.0, 0.0, -1e-4]", "[0.0, -1e-4]")
HEAT = """[[material]]
region = "all"
conductivity = 1.0
[[temperature]]
region = "x0"
value = 0
[[flux]]
region = "x1"
value = 1.0
"""
# ritz-solve: forms by name, and plugins of the examples.
EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"
LAME = '[[material]]\nregion = "all"\nlambda = 1.0\nmu = 0.5\n'
HELD = '[[prescribe]]\nregion = "x0"\nvalue = 0\n'
LINEAR = f"""[model]
form = "elasticity"
{LAME}{HELD}[[load]]
region = "x1"
value = [0, 0, -1e-4]
"""
NEWTON = f"""plugin = "{EXAMPLES}/custom_energy/neo_hooke.cpp"
{LAME}{HELD}[[prescribe]]
region = "x1"
component = 0
value = 0.1
"""
UNSYMMETRIC = f"""plugin = "{EXAMPLES}/custom_form/varying_conduction.cpp"
[[material]]
region = "all"
conductivity = 2
growth = 1
source = 0.5
{HELD}"""
SHELL = """[[section]]
region = "all"
element = "shell"
young = 30e9
poisson = 0.2
thickness = 0.02
[[support]]
region = "x0"
fixed = true
[[pressure]]
region = "all"
value = 100
"""
FRAME = """[[section]]
region = "all"
element = "beam"
young = 210e9
poisson = 0.3
area = 1e-3
inertia_y = 1e-6
inertia_z = 1e-6
torsion = 2e-6
orientation = [0.3, 0.5, 0.7]
[[support]]
region = "x0"
fixed = true
[[force]]
region = "x1"
value = [0, 0, -100]
"""
MODAL = """[[material]]
region = "all"
young = 1.0
poisson = 0.3
density = 1.0
[[displacement]]
region = "x0"
fixed = true
"""
MODAL_FREE = MODAL.split("[[displacement]]")[0]



def with_soft_half(model, key, ratio):
    """Of a box of heights 0 to 1: below a material with a smaller value, and the regions."""
    stiff = model.replace('region = "all"', 'region = "upper"', 1)
    material = stiff.split("\n[[")[0]
    soft = material.replace('"upper"', '"lower"').replace(f"{key} = 1.0", f"{key} = {1 / ratio}")
    regions = "".join(f'[[region]]\nname = "{name}"\nkind = "cells"\nexpression = "{where}"\n' for name, where in (("upper", "z > 0.5"), ("lower", "z <= 0.5")))
    return f"{regions}{soft}\n{stiff}"


SOFT_HALF, COLD_HALF = with_soft_half(ELASTICITY, "young", 100), with_soft_half(HEAT, "conductivity", 100)



def load_cases(model, kind, loads, combinations, common=False):
    """In the place of the model's load, a load case for each text of `loads`, and combinations of all of them. common: the load stays, and acts in each."""
    text = (model if common else model.split(f"[[{kind}]]")[0])
    for number, load in enumerate(loads):
        text += f'[[load_case]]\nname = "case {number}"\n{load}\n'
    for number in range(combinations):
        factors = ", ".join(f'"case {k}" = {1 + 0.1 * number + 0.2 * k}' for k in range(len(loads)))
        text += f'[[combination]]\nname = "sum {number}"\nfactors = {{{factors}}}\n'
    return text


PULLS = [f'[[load_case.force]]\nregion = "x1"\nvalue = [{1e-4 * k}, 0, -1e-4]' for k in range(12)]
WEIGHTS = [f"gravity = {{ acceleration = [0, {0.1 * k}, -1e-4] }}" for k in range(3)]
SOURCES = [f'[[load_case.source]]\nregion = "all"\nvalue = {1 + k}' for k in range(5)]
HEAVY = ELASTICITY.replace("poisson = 0.3\n", "poisson = 0.3\ndensity = 1.0\n")
PULLED, PULLED_SUMS = load_cases(ELASTICITY, "force", PULLS, 0), load_cases(ELASTICITY, "force", PULLS[:5], 10)
WEIGHED_SUMS, WEIGHED_AND_PULLED = load_cases(HEAVY, "force", WEIGHTS[:2], 10), load_cases(HEAVY, "force", WEIGHTS, 4, common=True)
HEATED_SUMS = load_cases(HEAT, "flux", SOURCES, 6)
STEP = ELASTICITY.replace("young = 1.0", 'young = "z > 0.5 ? 1 : 0.01"')
GRADED = ELASTICITY.replace("young = 1.0", 'young = "exp(-4.6 * z)"')
COLD_STEP = HEAT.replace("conductivity = 1.0", 'conductivity = "z > 0.5 ? 1 : 0.01"')

AXISYMMETRIC = PLANE.replace('type = "plane_stress"\nthickness = 1.0', 'type = "axisymmetric"')
COOLED = HEAT + '[[convection]]\nregion = "x1"\ncoefficient = 2\nambient = 20\n[[source]]\nregion = "all"\nvalue = "1 + x"\n'
PLASTIC = """[model]
form = "von_mises_plasticity"
[newton]
increments = 2
[[material]]
region = "all"
young = 1000
poisson = 0.3
yield_stress = 1
isotropic_hardening = 10
[[prescribe]]
region = "x0"
value = 0
[[prescribe]]
region = "x1"
component = 0
value = 0.002
"""

PROGRAMS = {COOLED: "ritz-heat", PLASTIC: "ritz-solve", COLD_STEP: "ritz-heat", HEATED_SUMS: "ritz-heat", MODAL: "ritz-modal", MODAL_FREE: "ritz-modal", SHELL: "ritz-structure", FRAME: "ritz-structure", HEAT: "ritz-heat", COLD_HALF: "ritz-heat", LINEAR: "ritz-solve", NEWTON: "ritz-solve", UNSYMMETRIC: "ritz-solve"}

# Keys of [solver], and members of a sweep.
MULTIGRID = 'method = "cg"\npreconditioner = "multigrid"'
MEMBERS = '\n[sweep]\nfields = false\n[[sweep.parameter]]\nkey = "{key}"\nfrom = {first}\nto = {last}\ncount = {count}\n'


def case_text(physics, mesh_file, mesh_keys="", solver=""):
    """A case file: the plugin first, where there is one; `solver`: keys of [solver], or tables."""
    head, body = physics.split("\n", 1) if physics.startswith("plugin") else ("", physics)
    solver = solver if solver.startswith("[") or not solver else "[solver]\n" + solver
    return f'{head}\n[mesh]\nfile = "{mesh_file}"\n{mesh_keys}\n{body}\n{solver}\n'

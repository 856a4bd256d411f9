#include "io/results/error_catalogue.hpp"

#include <cctype>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

const std::vector<ErrorKind>& kinds() {
  static const std::vector<ErrorKind> list = {
      {"internal",
       Exit::internal,
       "Ritz contradicts itself",
       "a bug in Ritz: a check of its own failed",
       "report it, with the case file and the mesh",
       {"*"}},

      {"command-line",
       Exit::input,
       "the command line is not understood",
       "an option that does not exist, lacks its value, or contradicts another",
       "see --help",
       {"*, on the command line", "--*", "unknown device*", "* threads were asked for*", "meshes cannot be written as*",
        "'*' carries no field here*"}},
      {"case-unreadable",
       Exit::input,
       "the case file cannot be read",
       "no such file, a folder, or no permission",
       "check the name",
       {"cannot read the case file*"}},
      {"outside-folder",
       Exit::input,
       "a file is outside of the folder of the case",
       "--untrusted reads no other files",
       "put the file there, or leave out --untrusted for a case that you trust",
       {"the file '*' is outside of the folder*"}},
      {"not-a-case",
       Exit::input,
       "what was given as the case file is a mesh, a deck or another file",
       "programs take a case file that names the mesh",
       "name the mesh in [mesh] file; ritz case from writes a case for a deck",
       {"'*' is not a case file*"}},
      {"deck",
       Exit::input,
       "a deck cannot be turned into a case",
       "no such file, a file that includes itself, or a text in place of a number",
       "correct the deck; the message has its line",
       {"cannot read the deck*", "the deck * includes itself*", "'*' of ** is no number*"}},
      {"other-program",
       Exit::input,
       "the case is one of another program",
       "all of its tables and materials are read by that one, and not by this one",
       "run the program that is named",
       {"'*' is a case for *", "no program reads all tables of *"}},
      {"case-syntax",
       Exit::input,
       "the case file is not valid TOML",
       "a text without quotes, a comma in a number, a key or table given twice",
       "see toml.io; the message has line and column",
       {"*\nthe case file is not valid TOML", "a key of more than*", "*\neach key and each table may be given once"}},
      {"override",
       Exit::input,
       "a --set cannot be applied",
       "no = in it, or a path through a value that is not a table",
       "write it like material.0.young=1e9; entries count from 0",
       {"cannot understand override*", "there is no entry '*' at override*", "there is no key '*' at override*"}},
      {"unknown-key",
       Exit::input,
       "the case file has a key or table that the program does not read",
       "a misspelling, a key in the wrong table, or one of another model",
       "take the name that is suggested; --describe prints all keys of this case, --schema all of the program",
       {"unknown * '*' at *"}},
      {"missing-key",
       Exit::input,
       "a required key or table is missing",
       "it has no default, at least in this combination",
       "add it; the message explains it",
       {"missing key*", "* of * needed tables*"}},
      {"unit",
       Exit::input,
       "the unit of a number is unknown, or of another kind than the key's",
       "a number in a text, such as \"210 GPa\", is turned into the unit that the message names",
       "write a unit of that kind, or the number alone",
       {"'*' is '*', with the unknown unit*", "'*' is '*', and this key has no unit*", "'*' is '*', and its unit is*"}},
      {"formula-syntax",
       Exit::input,
       "a formula is not understood",
       "an unknown name, a missing operator or parenthesis, z on a mesh of two dimensions, or a constant that is out "
       "of bounds",
       "look at the character that is marked; docs/formulas.md lists variables and functions",
       {"'*' is the formula*"}},
      {"file-missing",
       Exit::input,
       "a file that the case names does not exist",
       "relative names start at the folder of the case file",
       "check the name and the folder",
       {"'*' names the file*", "there is no plugin*", "there is no folder*"}},
      {"unknown-region",
       Exit::input,
       "a region is not in the mesh, or is of another kind",
       "names are those of the mesh file and of [[region]]",
       "take one of the names that are listed; ritz mesh info prints them",
       {"'*' names the region*", "'*' names '*', a region of*", "'*' names '*', which is a region of*",
        "there is no region*", "* has no region named*", "* facets of '*' lie between*",
        "the normals of '*' look to*"}},
      {"region-empty",
       Exit::input,
       "a region is empty, or has no cells, facets or nodes of the required kind",
       "a selection that misses the mesh (units, tolerance), or a region of other cells",
       "check coordinates and units",
       {"the region '*' is empty*", "the region '*' holds no*", "the area of region*", "facets of bars*"}},
      {"region-definition",
       Exit::input,
       "a [[region]] of the case file is contradictory or incomplete",
       "no condition, a name that exists already, or regions of different kinds in one operation",
       "see docs/regions.md",
       {"there is a region '*' already*", "this region has no condition*", "'*' is a region of *", "* have no normal*",
        "a direction of length 0*", "the condition '*' of a region*"}},
      {"table-data",
       Exit::input,
       "a [[table]] or its CSV file cannot be used",
       "no line of names, separators other than commas, a missing point of the grid, an argument twice, a name that is "
       "taken",
       "see docs/formulas.md",
       {"cannot read the table*", "the table '*' has no rows*", "the tables of the elastic constants*",
        "the * rows of the table*", "a table has 2 to 4 columns*", "the first line of a table*",
        "* columns instead of*", "'*' is not a finite number*", "the arguments of line*",
        "'*' is not a valid name of a function*", "'*' has a meaning in formulas*", "a second table is called*",
        "a table has no rows*", "row * of a table*", "a table of * rows*"}},
      {"probe",
       Exit::input,
       "a [[probe]] names something that does not exist",
       "an unknown field or component, one that the cells do not have, a point outside of the mesh, a region of nodes "
       "to integrate over, or of lines and surfaces, a name twice",
       "take one of the names that are listed",
       {"there is no field*", "the field '*' has no component*", "the point *", "a second probe*", "a probe has*",
        "an integral over*", "field '*' has * components*", "the field '*' lies in cells*",
        "the field '*' has no values*", "'*' holds lines and surfaces*"}},
      {"load-case",
       Exit::input,
       "a [[load_case]] or [[combination]] is contradictory or incomplete",
       "no loads, a name twice, a table that belongs to the model, an unknown load case",
       "see docs/load-cases.md",
       {"a load case cannot have*", "the load case '*' has no loads*", "the load case '*' has a temperature*",
        "a second load case*", "a combination of nothing*", "there is no load case*"}},
      {"sweep",
       Exit::input,
       "a [sweep] is contradictory or incomplete",
       "a key that does not exist or does not belong to the model, values that are missing or given twice, lists of "
       "different lengths, a name twice",
       "see docs/sweeps.md; the message names the key",
       {"'*' cannot be swept*", "'*' is no key*", "'*' is swept twice*", "the first row of '*' holds*",
        "equal ratios from*", "values and a range*", "a swept key without*", "'*' has * values, '*' has*",
        "a sweep of*", "'*' cannot name a member*", "two members are called*", "a table and parameters*"}},
      {"relation",
       Exit::input,
       "a [[tie]], [[rigid]], [[periodic]], [[equation]] or a support along a direction is contradictory or incomplete",
       "a component that the unknown does not have, a direction of no length, a rotation and a translation, a term on "
       "several nodes",
       "see docs/joining.md",
       {"'*' is no component of*", "the direction of a support*", "the axis of a *", "a rotation together*",
        "a rigid region of a field*", "a coupling of a field*", "a support along a direction*",
        "the region '*' of a term*", "the region '*' of a tie by its surface*", "equation * of * has a number*"}},
      {"prescribes-nothing",
       Exit::input,
       "a support, displacement or load has no component",
       "no component is given",
       "give fixed = true or some of the components",
       {"this displacement prescribes*", "this support holds*", "this load is nothing*", "this spring has no*",
        "this foundation has no*"}},
      {"solver-options",
       Exit::input,
       "options of [solver] do not go together",
       "a preconditioner for a direct method, restart without GMRES, conjugate gradients for a matrix that is not "
       "symmetric",
       "omit one of them; auto always fits",
       {"'*' was named together*", "'restart' was given*", "a near-null space of *", "the method '*' was *",
        "method '*' was asked for*", "GMRES was asked*", "p-multigrid with*", "multigrid over nested meshes*",
        "a Chebyshev preconditioner*", "there is no linear method*", "there is no preconditioner*",
        "there is no method*"}},
      {"modal-options",
       Exit::input,
       "options of [modal] do not go together",
       "a count and a band, an empty band, more modes than unknowns, a support that moves",
       "the message names the key",
       {"a count and a band*", "the band *", "lobpcg finds*", "LOBPCG finds*", "* eigenvalues were asked for*",
        "the support moves by*"}},
      {"model-options",
       Exit::input,
       "a key does not fit the kind of model",
       "a thickness around an axis or gravity across it, rotations without beams, an order that cells do not have",
       "remove the key, or choose another model",
       {"an axisymmetric model*",
        "mid_nodes = *",
        "gravity across the axis*",
        "a total force across the axis*",
        "'each' on *",
        "this model has no rotations*",
        "order * is not available*",
        "'[model] *' was given*",
        "'*' has no kernels for*",
        "'*' was given with*",
        "the form '*' is one of*",
        "'*' acts on*",
        "cells of order*",
        "a spring along z of a plane model*",
        "a displacement of component*",
        "a prescribed value of component*",
        "the * has * numbers*",
        "a density that varies*",
        "[output] error_estimate of*",
        "there are no unknowns on * of cells*",
        "fields of * of order * were asked for*",
        "fields in cells of kind * of order*"}},
      {"output-options",
       Exit::input,
       "options of [output] do not go together",
       "a compression or an encoding that the format does not have",
       "use another compression, encoding or format",
       {"the format vtkhdf*", "lz4 with encoding*", "* up to * makes * results*", "* is after the end*"}},
      {"initial-values",
       Exit::input,
       "the field of another run does not fit this case",
       "another mesh, a field that is not there or has other components, a time without a step, a format that is not "
       "read",
       "name a field at the nodes of results (.pvd, .vtu) on the same mesh",
       {"'*' has *, and the mesh has*", "'*' has point * at *", "the field '*' of '*'*", "'*' has no field '*'*",
        "'*' has fields '*' at its points*", "fields of '*', which has*", "'*' has as many rows*",
        "'*' has no step at the time*", "'*' is not read as results*", "'*' has * points, and its mesh*",
        "a field of * values on a mesh*"}},
      {"orientation",
       Exit::input,
       "an [[orientation]] has no directions, or a material names one that is not there",
       "parallel vectors, a direction of no length, a name twice",
       "give two different directions, and each orientation a name of its own; docs/thermal.md",
       {"the two vectors of an orientation*", "the direction of a * orientation*", "two orientations are called*",
        "there is no [[orientation]]*"}},
      {"plugin",
       Exit::input,
       "a plugin cannot be used",
       "it does not compile, cannot be loaded, adds nothing, or registers a form that exists already",
       "look at the compiler's message, which is printed; docs/your-own-element.md",
       {"the plugin '*", "two kernel modules*", "the form '*' declares*", "the parameter '*' of '*' is missing*",
        "there is no * '*'", "a form has *", "element '*' does not match*", "the reference element '*' *",
        "there is no element of one node '*'*", "the nodes of element*", "the node (* of a facet has no mirror*"}},
      {"wrong-value",
       Exit::input,
       "a value has the wrong type or is out of its bounds",
       "",
       "the message says which values are allowed",
       {"'*' is *", "the scale of mesh*", "the table of cards*", "'*' depends on the position*", "'*' depends on t*"}},
      {"other-input", Exit::input, "the input is not accepted", "", "the message gives the reason", {"*"}},

      {"axisymmetric-radius",
       Exit::mesh,
       "a mesh of a body of revolution reaches across its axis",
       "x is the distance from the axis",
       "draw the half section at x >= 0",
       {"node * lies at x =*"}},
      {"inverted-cells",
       Exit::mesh,
       "cells are inverted, folded or flat",
       "nodes in a wrong order, or a mesh that was moved or curved too far",
       "mesh again; ritz mesh check FILE lists these cells and writes them to a VTU file for ParaView",
       {"* of kind * in * inside out*", "* of kind * in * folded*", "* of kind * in * are *; the first is at *",
        "* of kind * in * is *; the first is at *"}},
      {"torn-mesh",
       Exit::mesh,
       "cells on both sides of some facets do not match",
       "hanging nodes on facets of their own body, or quadrilaterals against triangles: the solution would be "
       "discontinuous "
       "there",
       "mesh both sides together; allow_torn = true in [mesh] if this is intended",
       {"* hanging node*", "* quadrilateral facets meet*"}},
      {"mesh-unreadable",
       Exit::mesh,
       "the mesh file cannot be opened or read",
       "no permission, a folder, an empty file, a broken disk",
       "check the file",
       {"cannot open the mesh file*", "cannot read the mesh file*", "the mesh file '*' is *",
        "* asks for more memory*"}},
      {"mesh-format",
       Exit::mesh,
       "the format of the mesh file is not known",
       "the file's name and first bytes fit no reader",
       "see docs/formats.md; ritz mesh convert changes formats",
       {"the format of the mesh file*", "* cannot be read as a mesh of beams and shells*", "* is no Exodus II file*",
        "* cannot be opened as an HDF5 file*", "* cannot be read as a netCDF file*", "* is not an unstructured grid*",
        "* is of MED *"}},
      {"mesh-order",
       Exit::mesh,
       "the mesh file has cells of an order or a kind that Ritz cannot convert to order 2",
       "incomplete cells of order 3 and more, several orders in cells of one shape, or cells that share nodes but no "
       "edge or face",
       "mesh again with order 1 or 2, or with one order and all nodes; docs/formats.md",
       {"the cells that share node *", "'*' holds * elements of type *", "nodes in the space *",
        "pyramids in the space *", "'*' holds * cells of VTK type *"}},
      {"mesh-without-cells",
       Exit::mesh,
       "the mesh file has no cells that can be used",
       "only points, only a surface that is not flat, or kinds of cells that Ritz does not have",
       "export the volume mesh, too; docs/formats.md lists the kinds",
       {"* holds no *", "* holds surface cells only*", "* holds cells but no points*", "* holds * cells, which decks*",
        "* holds elements*", "* are not facets of any cell*", "block '*' of '*' holds elements*",
        "section '*' of '*' holds*", "* holds {}*"}},
      {"mesh-reference",
       Exit::mesh,
       "the mesh file defines a node, a cell or a coordinate system twice, or refers to one that does not exist",
       "a damaged file, or pieces put together by hand",
       "write it again with the mesher",
       {"* is defined twice in*", "* does not exist in*", "* uses node *", "* uses point *", "coordinate system *",
        "region '*' of * names*", "two regions of*", "a region of * has no name*", "the table of region*",
        "group 'all' of*"}},
      {"mesh-too-large",
       Exit::mesh,
       "the mesh has more than 2^31 nodes",
       "",
       "use a coarser mesh or order 1",
       {"* would have more than*", "* holds * nodes*", "* holds * points*"}},
      {"mesh-contents",
       Exit::mesh,
       "the contents of the mesh file are contradictory",
       "the file is truncated, damaged or written by hand; the message gives the line or byte",
       "write it again with the mesher",
       {"*"}},

      {"missing-material",
       Exit::model,
       "cells have no material or section",
       "no [[material]] or [[section]] names their region",
       "add one; region = \"all\" takes all cells",
       {"* cells have no material*", "* cells have no section*"}},
      {"overlapping-materials",
       Exit::model,
       "cells have two materials or sections",
       "regions overlap",
       "give each cell exactly one",
       {"* cells have two*"}},
      {"unsupported-body",
       Exit::model,
       "a body can still move, or its temperature is not determined",
       "too few supports: the message names the body and its motions",
       "hold each body against translation and rotation; prescribe a temperature or a convection",
       {"* can still move freely*", "the temperature of * is not determined*"}},
      {"conflicting-conditions",
       Exit::model,
       "one unknown has two prescribed values",
       "regions share nodes",
       "the message names both tables: change one of them",
       {"conflicting values*", "* is prescribed in load case*", "equation * of * contradicts*",
        "prescribed values contradict*", "the mean motion is prescribed twice*"}},
      {"not-joined",
       Exit::model,
       "regions of a [[tie]], [[rigid]] or [[periodic]] do not fit, or a support has no direction at a node",
       "parts that do not touch, a translation or an angle of another sector, a rotation of nodes on one line",
       "the message names the farthest node: check regions and units, or give a tolerance; docs/joining.md",
       {"* of * nodes of '*' lie outside of*", "* of * nodes of '*' have no image*", "* lies on the axis, and is*",
        "the rigid region '*' has no nodes*", "the * of a rigid region is prescribed*"}},
      {"load-on-nothing",
       Exit::model,
       "a load or element acts where nothing carries it",
       "a node of no section, a moment on a node without rotations, a region of other cells, facets on the axis of "
       "revolution",
       "load a node of a beam, bar or shell; facets at x > 0",
       {"node * belongs to no section*", "node * of line * belongs*", "node * has no rotations*",
        "a node of '*' has no rotations*", "a node of '*' belongs to no *", "the mass of '*' on cells*",
        "the region '*' holds cells that are no shells*", "'*' acts on node*", "'*' stands on cells*",
        "the element '*' stands*", "the element '*' has no*", "the form '*' was asked for on*", "beam * runs along*",
        "'*' lies on the axis*"}},
      {"not-finite",
       Exit::model,
       "loads or equations are not finite numbers",
       "values so large or small that they overflow, or a form that divides by zero",
       "check units; the message names the node and its regions",
       {"* are not finite*", "* is not finite*"}},
      {"formula-value",
       Exit::model,
       "a formula has no value, or a value out of its bounds, somewhere in its region",
       "a logarithm of a negative number, or an argument outside of a table",
       "the message gives the point; outside = \"constant\" extends a table",
       {"the formula '*' of *", "the solution * lies outside of the table*",
        "the temperature * lies outside of the table*", "a field is needed where it has no values*"}},
      {"singular-matrix",
       Exit::model,
       "the matrix is singular or not positive definite",
       "a mechanism, a zero stiffness, or a form that is not the derivative of an energy",
       "check supports and materials; ritz-solve solves unsymmetric equations",
       {"the matrix is *", "the matrix has *", "row *", "the diagonal entry *", "entry *", "no unknown is free*",
        "* tangent that is not symmetric*"}},
      {"material-value",
       Exit::model,
       "a material or section is impossible",
       "a modulus that is not positive, Poisson's ratio outside of (-1, 0.5), a wall thicker than its section",
       "the message says which values are allowed",
       {"'*' is * at *", "the parameter '*' of '*' is *", "the parameter '*' is *",
        "the material of '*' has no density*", "the walls are thicker*", "no temperature for the elastic constants of*",
        "* coefficients of expansion of*", "the elastic constants of '*'*"}},
      {"material-axes",
       Exit::model,
       "material axes have no direction, or do not suit the model",
       "a point on the axis of a cylindrical or spherical orientation; in the plane, an axis that leaves it",
       "move the axis out of the material; let one material axis stand across the plane",
       {"material axes *", "the material axes of*"}},
      {"not-linear",
       Exit::model,
       "the solution of a linear solve does not satisfy the equations",
       "a form that is not linear, or whose derivative is wrong",
       "ritz element check FORM; ritz-solve uses Newton's method for forms that do not declare themselves linear",
       {"*the solution does not satisfy the equations*"}},
      {"nonlinear-load-cases",
       Exit::model,
       "load cases of a model with nonlinear equations",
       "load cases share one matrix, which nonlinear elements, radiation and tables over the temperature change",
       "write one case file for each",
       {"load cases of a model*", "load cases along a path*"}},
      {"time-options",
       Exit::model,
       "[time] does not go with another part of the case",
       "load cases are states of their own, and increments of loads are another kind of time",
       "omit [time], or the load cases or increments; loads may be formulas of t",
       {"load cases of an evolution in time*", "[newton] increments or path with*"}},
      {"analysis",
       Exit::model,
       "the analysis makes no sense for the model",
       "modes need inertia and symmetric matrices, evolutions in time need a capacity or inertia, linear statics needs "
       "linear equations",
       "take another analysis, or give the materials what the message names",
       {"linear statics of a model*", "one static solution of a model*", "an analysis of load cases*",
        "combination '*' has * factors*", "modes of a model*", "modes of equations*",
        "an evolution in time of a model*", "a prescribed mean motion in an analysis of *",
        "a spectral radius at infinity of *", "Rayleigh damping of *", "a mixed problem was given equations*",
        "adjoint solutions of a model*", "other prescribed values in a model*", "the derivative by the array*"}},
      {"damping",
       Exit::model,
       "there is no such damping",
       "Rayleigh damping has two factors: not every pair of damping ratios is possible, and internal variables have no "
       "stiffness to be proportional to",
       "give ratios at two different frequencies that are closer to each other, or the two factors",
       {"damping ratios of *", "damping proportional to the stiffness*"}},
      {"other-model", Exit::model, "the model is not well posed", "", "the message gives the reason", {"*"}},

      {"newton-not-converged",
       Exit::not_converged,
       "Newton's method did not converge",
       "too large a step, or no solution: buckling, a limit load",
       "more [newton] increments; check units",
       {"Newton's method*"}},
      {"modes-not-converged",
       Exit::not_converged,
       "modes did not converge",
       "",
       "more [modal] max_iterations, or method = \"lanczos\"",
       {"* did not converge for *", "* projected matrix*", "the eigenvectors found*", "more eigenvalues were found*",
        "* start vectors span*"}},
      {"not-converged",
       Exit::not_converged,
       "a linear solver did not converge",
       "the limit of iterations, stagnation at rounding level, or a matrix that does not suit the method",
       "method = \"direct\" where memory allows, more iterations, or multigrid",
       {"*"}},

      {"direct-solver-memory",
       Exit::resources,
       "a factorisation needs more memory than the limit allows",
       "",
       "method = \"cg\", a larger direct_memory, or a coarser mesh",
       {"the direct solver *", "the factorisation needs*"}},
      {"missing-fields",
       Exit::resources,
       "the results lack fields that are derived from the solution",
       "memory was short for them after the solve; the solution and all other fields are written",
       "raise the limit to the value that the message names, or solve fewer load cases at once",
       {"the results lack *"}},
      {"host-memory",
       Exit::resources,
       "the host has no memory left",
       "",
       "a coarser mesh, order 1, a larger --host-memory-limit, or another machine",
       {"out of host memory*", "cannot map the mesh file*"}},
      {"device-memory",
       Exit::resources,
       "the device has no memory left",
       "all fall-backs were tried (docs/memory.md)",
       "--estimate says what would fit; a coarser mesh, order 1, --device cpu",
       {"*"}},

      {"folder-in-use",
       Exit::output,
       "another run writes to the folder",
       "",
       "wait, or name another folder with --output",
       {"another run writes*", "the folder '*' is locked*", "'*' is no lock of a run*"}},
      {"results-exist",
       Exit::output,
       "the folder holds results already",
       "nothing is overwritten without --overwrite",
       "--overwrite, --resume, or another --output",
       {"the folder '*' holds*", "'*' exists already*"}},
      {"cannot-write",
       Exit::output,
       "a file cannot be written or read back",
       "no permission, a full or broken disk, a file where a folder should be",
       "make room, or name another folder; committed files are whole",
       {"*"}},

      {"no-gpu",
       Exit::environment,
       "the required GPU does not exist or cannot be used",
       "no GPU, no driver, a build without CUDA, or fewer GPUs",
       "--device cpu; ritz doctor reports what is missing",
       {"device '*' was asked for*", "GPU *", "kernel module *"}},
      {"processor",
       Exit::environment,
       "the processor lacks an instruction set",
       "x86-64-v3 (AVX2) is required",
       "use another machine",
       {"this processor *", "this build has no CPU kernels*"}},
      {"several-ranks",
       Exit::environment,
       "a launcher started several ranks that cannot work together",
       "linear statics of ritz-heat and ritz-elasticity with a matrix, and members of a sweep are divided among "
       "ranks, nothing else is; or MPI is missing or another one",
       "start it without mpirun, or with one task; RITZ_INDEPENDENT_RANKS=1 where each rank has a case of its own",
       {"started as * ranks*", "MPI failed in *"}},
      {"no-compiler",
       Exit::environment,
       "a plugin cannot be compiled here",
       "no compiler, or the headers of Ritz are not installed with the program",
       "install g++, or build the plugin with ritz_add_plugin()",
       {"no compiler for the plugin*", "the headers of Ritz*", "* cannot be started*", "no pipe to*"}},
      {"file-library",
       Exit::environment,
       "VTK or HDF5 cannot be loaded",
       "they are loaded with the first file that needs them, through modules in the folder of libritz_io.so",
       "install Ritz again, or the libraries that it was built with; ldd ritz_vtk.so ritz_hdf5.so lists the missing "
       "ones",
       {"* cannot be loaded"}},
      {"environment",
       Exit::environment,
       "the GPU, its driver or a library failed",
       "",
       "ritz doctor; --device cpu",
       {"*"}},

      {"journal-damaged",
       Exit::checkpoint,
       "the journal of the results is damaged or missing",
       "it was edited, the disk lost data, or a link leads out of the folder",
       "ritz results verify reports which files are whole",
       {"* is damaged in line*", "* holds no results.journal*", "* leads out of the folder*",
        "the journal names no rows of *"}},
      {"checkpoint-unusable",
       Exit::checkpoint,
       "a run cannot be resumed from its checkpoint",
       "another case, mesh or version, or damage",
       "run anew with --overwrite",
       {"*"}},

      {"stopped",
       Exit::stopped,
       "stopped on request",
       "Ctrl-C, SIGTERM, SIGHUP or --time-limit",
       "--resume continues from the checkpoint, if one was written",
       {"*"}},
  };
  return list;
}

// In a pattern, * stands for any text.
bool fits(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string capitalised(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace

std::span<const ErrorKind> error_catalogue() { return kinds(); }

const ErrorKind& kind_of(const Error& error) {
  const bool stopped = static_cast<int>(error.exit()) >= static_cast<int>(Exit::stopped);  // 75, 124, 128 + signal
  const std::string with_why = error.message() + "\n" + error.why();
  for (const ErrorKind& kind : kinds()) {
    if (kind.exit != (stopped ? Exit::stopped : error.exit())) continue;
    for (const char* pattern : kind.patterns)
      if (fits(std::string_view(pattern).find('\n') == std::string_view::npos ? error.message() : with_why, pattern))
        return kind;
  }
  return kinds().front();
}

ErrorParts parts_of(const Error& error) {
  ErrorParts parts;
  const std::string& text = error.message();
  static const std::regex value("^'([^']*)' is (.*) at ([^ ].*)$"), place(".*[ ]at ([^ ]+:[0-9]+(:[0-9]+)?)[,;]?.*");
  if (text.size() > 2000) return parts;  // std::regex is recursive
  static const std::regex asked("^(?:unknown|missing) (?:key|table) '([^']*)' (?:at|in) (.*)$");
  std::smatch found;
  if (std::regex_match(text, found, asked)) return {found[1], {}, found[2]};
  if (std::regex_match(text, found, value)) return {found[1], found[2], found[3]};
  if (std::regex_match(text, found, place)) parts.place = found[1];
  return parts;
}

std::string catalogue_as_markdown() {
  std::string text =
      "# Errors and exit codes\n\n"
      "Reference: all kinds of errors with exit code, reason and remedy. Printed by `ritz errors` from\n"
      "`io/results/error_catalogue.cpp`; not edited by hand. Every message has the form\n\n"
      "    error: <what is wrong, with the value> at <file>:<line> or <object>\n"
      "      why: <the reason>\n"
      "      fix: <what to do, with valid names and the nearest match>\n\n"
      "The report (`--json`) and the log (`--log-json`) name the kind: `\"kind\": \"unknown-key\"`. Kinds and exit "
      "codes "
      "are\nstable, sentences are not. In messages, * stands for names and numbers; a lone * stands for all other "
      "messages of\nthe exit code.\n";
  static const std::pair<Exit, const char*> headers[] = {
      {Exit::internal, "1: internal error"},
      {Exit::input, "2: command line or case file"},
      {Exit::mesh, "3: mesh file or geometry"},
      {Exit::model, "4: model not well posed"},
      {Exit::not_converged, "5: not converged"},
      {Exit::resources, "6: out of resources"},
      {Exit::output, "7: output or checkpoint I/O"},
      {Exit::environment, "8: GPU, driver or environment"},
      {Exit::checkpoint, "9: checkpoint or journal unusable"},
      {Exit::stopped, "75 with a checkpoint; else 124 (time limit), 129, 130, 143 (signals)"}};
  for (const auto& [exit, header] : headers) {
    text += fmt::format("\n## Exit code {}\n", header);
    for (const ErrorKind& kind : kinds()) {
      if (kind.exit != exit) continue;
      std::string sentences;
      for (std::string pattern : kind.patterns) {
        for (std::size_t at; (at = pattern.find('\n')) != std::string::npos;) pattern.replace(at, 1, " why: ");
        sentences += fmt::format("{}`{}`", sentences.empty() ? "" : ", ", pattern);
      }
      text += fmt::format("\n### {}\n\n{}.\n\n", kind.name, capitalised(kind.what));
      if (*kind.why != '\0') text += fmt::format("- Reason: {}.\n", kind.why);
      text += fmt::format("- Remedy: {}.\n- Messages: {}\n", kind.remedy, sentences);
    }
  }
  return text;
}

std::string catalogue_as_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ErrorKind& kind : kinds())
    list.push_back({{"kind", kind.name},
                    {"exit_code", static_cast<int>(kind.exit)},
                    {"what", kind.what},
                    {"why", kind.why},
                    {"remedy", kind.remedy},
                    {"patterns", kind.patterns}});
  return list.dump(2) + "\n";
}

}  // namespace ritz

#!/usr/bin/python3
"""A picture of a result: the surface of a VTU file, coloured by a field.

    xvfb-run -a tools/picture.py result.vtu out.png --field temperature
    xvfb-run -a tools/picture.py result.vtu out.png --field displacement --component magnitude --warp displacement

Needs VTK's Python (Debian: python3-vtk9) and a display; xvfb-run gives one where there is none.
Exit codes are those of Ritz: 2 wrong question, 3 unreadable file, 7 picture not written.
"""
import argparse
import os
import sys
import textwrap

import vtk


def fail(code, what, fix=""):
    print(f"error: {what}" + (f"\n  fix: {fix}" if fix else ""), file=sys.stderr)
    sys.exit(code)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="VTU file")
    parser.add_argument("picture", help="PNG file to write")
    parser.add_argument("--field", help="point or cell field that gives the colour; default: the first one")
    parser.add_argument("--component", default="magnitude", help="magnitude, or a component by name or number")
    parser.add_argument("--warp", help="vector field that moves the points")
    parser.add_argument("--factor", default="auto", help="how much it moves them; auto: a tenth of the size at most")
    parser.add_argument("--range", nargs=2, type=float, metavar=("LOW", "HIGH"), help="of the colours")
    parser.add_argument("--edges", action="store_true", help="draw the edges of the cells")
    parser.add_argument("--title", help="default: the field, its component and the file")
    parser.add_argument("--size", nargs=2, type=int, default=(1200, 900), metavar=("WIDTH", "HEIGHT"))
    return parser.parse_args()


def read(path):
    if not os.path.isfile(path):
        fail(3, f"there is no file '{path}'")
    reader = vtk.vtkXMLUnstructuredGridReader()
    if not reader.CanReadFile(path):
        fail(3, f"'{path}' is not an unstructured grid of VTK (.vtu)")
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    if grid.GetNumberOfCells() == 0:
        fail(3, f"'{path}' holds no cells")
    return grid


def field_names(data):
    return [data.GetArrayName(i) for i in range(data.GetNumberOfArrays())]


def find_field(grid, name):
    """Data set attributes and name of the field to colour by."""
    points, cells = grid.GetPointData(), grid.GetCellData()
    if name is None:
        names = field_names(points) or field_names(cells)
        if not names:
            fail(2, "the file holds no fields")
        name = names[0]
    for data in (points, cells):
        if data.HasArray(name):
            return data is points, name
    fail(2, f"there is no field '{name}'", f"the fields are {', '.join(field_names(points) + field_names(cells))}")


def component_number(array, wanted):
    """-1 for the magnitude."""
    if array.GetNumberOfComponents() == 1:
        return 0
    if wanted == "magnitude":
        return -1
    names = [array.GetComponentName(i) or str(i) for i in range(array.GetNumberOfComponents())]
    if wanted in names:
        return names.index(wanted)
    if wanted.isdigit() and int(wanted) < len(names):
        return int(wanted)
    fail(2, f"'{array.GetName()}' has no component '{wanted}'", f"take magnitude or one of {', '.join(names)}")


def warp_factor(grid, array, asked):
    if asked != "auto":
        try:
            return float(asked)
        except ValueError:
            fail(2, f"the factor '{asked}' is neither a number nor auto")
    largest = array.GetRange(-1)[1]
    size = grid.GetLength()
    return 0.1 * size / largest if largest > 0 else 1.0


def warped(grid, name, factor):
    if name is None:
        return grid, None
    array = grid.GetPointData().GetArray(name)
    if array is None or array.GetNumberOfComponents() != 3:
        fail(2, f"'{name}' is no vector field at points", f"the fields are {', '.join(field_names(grid.GetPointData()))}")
    factor = warp_factor(grid, array, factor)
    warp = vtk.vtkWarpVector()
    warp.SetInputData(grid)
    warp.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_POINTS, name)
    warp.SetScaleFactor(factor)
    warp.Update()
    return warp.GetOutput(), factor


def surface_of(grid, with_edges):
    """Quadratic cells are drawn with four pieces per facet edge, so that they look as curved as they are; with two
    where edges are drawn, which VTK breaks at the middle node only."""
    surface = vtk.vtkDataSetSurfaceFilter()
    surface.SetInputData(grid)
    surface.SetNonlinearSubdivisionLevel(1 if with_edges else 2)
    normals = vtk.vtkPolyDataNormals()
    normals.SetInputConnection(surface.GetOutputPort())
    normals.SetFeatureAngle(40)
    normals.Update()
    return normals.GetOutput()


def edges_of(grid):
    """The edges of the cells, not those of the pieces that they are drawn with."""
    geometry = vtk.vtkUnstructuredGridGeometryFilter()
    geometry.SetInputData(grid)
    edges = vtk.vtkExtractEdges()
    edges.SetInputConnection(geometry.GetOutputPort())
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(edges.GetOutputPort())
    mapper.ScalarVisibilityOff()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(0.15, 0.15, 0.15)
    actor.GetProperty().SetLineWidth(1.2)
    actor.GetProperty().LightingOff()
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyLineOffsetParameters(-2, -2)
    return actor


def colours(low, high, component):
    """Blue over white-grey to red, readable in print (Moreland's diverging map)."""
    transfer = vtk.vtkColorTransferFunction()
    transfer.SetColorSpaceToDiverging()
    transfer.AddRGBPoint(0, 0.230, 0.299, 0.754)
    transfer.AddRGBPoint(1, 0.706, 0.016, 0.150)
    table = vtk.vtkLookupTable()
    table.SetNumberOfTableValues(256)
    for i in range(256):
        table.SetTableValue(i, *transfer.GetColor(i / 255), 1)
    table.SetRange(low, high)
    if component < 0:
        table.SetVectorModeToMagnitude()
    else:
        table.SetVectorModeToComponent()
        table.SetVectorComponent(component)
    table.Build()
    return table


def black(text, size):
    text.SetColor(0, 0, 0)
    text.SetFontFamilyToArial()
    text.SetFontSize(size)
    text.BoldOff()
    text.ItalicOff()
    text.ShadowOff()


def colour_bar(table, title, height):
    bar = vtk.vtkScalarBarActor()
    bar.SetLookupTable(table)
    bar.SetTitle("\n".join(line for part in title.split(" ") for line in textwrap.wrap(part.replace("_", "_ "), 16)).replace("_ ", "_"))
    bar.SetNumberOfLabels(5)
    bar.SetLabelFormat("%.4g")
    bar.UnconstrainedFontSizeOn()
    bar.SetVerticalTitleSeparation(height // 60)
    bar.SetPosition(0.86, 0.15)
    bar.SetWidth(0.1)
    bar.SetHeight(0.7)
    black(bar.GetLabelTextProperty(), height // 45)
    black(bar.GetTitleTextProperty(), height // 45)
    return bar


def heading(text, size):
    actor = vtk.vtkTextActor()
    actor.SetInput(text)
    black(actor.GetTextProperty(), size[1] // 35)
    actor.GetTextProperty().SetJustificationToCentered()
    actor.SetPosition(size[0] // 2, size[1] - size[1] // 15)
    return actor


def place_camera(renderer, grid, surface):
    low_x, high_x, low_y, high_y, low_z, high_z = grid.GetBounds()
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint((low_x + high_x) / 2, (low_y + high_y) / 2, (low_z + high_z) / 2)
    flat = all(grid.GetCell(i).GetCellDimension() < 3 for i in range(min(100, grid.GetNumberOfCells())))
    x, y, z = camera.GetFocalPoint()
    if flat and high_z - low_z < 1e-9 * grid.GetLength():
        camera.SetPosition(x, y, z + 1)
        camera.SetViewUp(0, 1, 0)
    else:
        camera.SetPosition(x + 1, y - 1, z + 0.8)
        camera.SetViewUp(0, 0, 1)
    renderer.ResetCamera()
    fit(renderer, surface)


def fit(renderer, surface):
    """Zooms and shifts until the part fills what the title and the colour bar leave free."""
    camera = renderer.GetActiveCamera()
    camera.OrthogonalizeViewUp()
    seen = vtk.vtkTransformPolyDataFilter()
    seen.SetInputData(surface)
    seen.SetTransform(camera.GetViewTransformObject())
    seen.Update()
    bounds = seen.GetOutput().GetBounds()
    low, high = (bounds[0], bounds[2]), (bounds[1], bounds[3])
    to_world = vtk.vtkMatrix4x4()
    vtk.vtkMatrix4x4.Invert(camera.GetViewTransformMatrix(), to_world)
    middle = to_world.MultiplyPoint([(bounds[i] + bounds[i + 1]) / 2 for i in (0, 2, 4)] + [1])
    moved = [middle[i] - camera.GetFocalPoint()[i] for i in range(3)]
    camera.SetPosition(*(camera.GetPosition()[i] + moved[i] for i in range(3)))
    camera.SetFocalPoint(*middle[:3])
    width, height = renderer.GetRenderWindow().GetSize()
    free_width, free_height = 0.78, 0.80
    camera.SetParallelScale(0.5 * max((high[1] - low[1]) / free_height,
                                      (high[0] - low[0]) / free_width * height / width, 1e-12))
    # The bar takes the right margin: the part moves to the left by half of what it takes.
    camera.SetWindowCenter(0.11, 0.02)
    renderer.ResetCameraClippingRange()


def write(window, path):
    window.Render()
    image = vtk.vtkWindowToImageFilter()
    image.SetInput(window)
    image.ReadFrontBufferOff()
    image.Update()
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(path)
    writer.SetInputConnection(image.GetOutputPort())
    writer.Write()
    if not os.path.isfile(path) or writer.GetErrorCode() != 0:
        fail(7, f"cannot write '{path}'", "check that the folder exists and may be written to")


def main():
    arguments = parse_arguments()
    grid = read(arguments.result)
    at_points, name = find_field(grid, arguments.field)
    data = grid.GetPointData() if at_points else grid.GetCellData()
    component = component_number(data.GetArray(name), arguments.component)
    grid, factor = warped(grid, arguments.warp, arguments.factor)

    low, high = arguments.range or data.GetArray(name).GetRange(component)
    table = colours(low, high, component)
    mapper = vtk.vtkPolyDataMapper()
    surface = surface_of(grid, arguments.edges)
    mapper.SetInputData(surface)
    mapper.SetLookupTable(table)
    mapper.UseLookupTableScalarRangeOn()
    mapper.InterpolateScalarsBeforeMappingOn()
    (mapper.SetScalarModeToUsePointFieldData if at_points else mapper.SetScalarModeToUseCellFieldData)()
    mapper.SelectColorArray(name)
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetAmbient(0.35)
    actor.GetProperty().SetDiffuse(0.7)
    actor.GetProperty().SetLineWidth(max(arguments.size) // 240)  # bars and beams

    array = data.GetArray(name)
    which = "" if array.GetNumberOfComponents() == 1 else " " + arguments.component
    title = arguments.title or f"{name}{which}   {os.path.basename(arguments.result)}" + (
        f"   {arguments.warp} x {factor:.4g}" if factor is not None else "")

    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    renderer.AddActor(actor)
    if arguments.edges:
        renderer.AddActor(edges_of(grid))
    renderer.AddActor2D(colour_bar(table, name + which, arguments.size[1]))
    renderer.AddActor2D(heading(title, arguments.size))
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(8)
    window.SetSize(*arguments.size)
    window.AddRenderer(renderer)
    place_camera(renderer, grid, surface)
    write(window, arguments.picture)


if __name__ == "__main__":
    main()

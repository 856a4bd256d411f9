"""A picture by ParaView's own readers: the check that what Ritz writes opens there.

    xvfb-run -a pvbatch tools/paraview_picture.py results/bracket.pvd out.png displacement [step] [warp factor]

Prints ParaView's version, the reader, the steps, the fields and their ranges. Debian 12's ParaView needs an X server (xvfb), and
python3-paraview, which cannot be installed beside libvtk9-dev.
"""
import sys

from paraview.simple import *  # noqa: F403: ParaView's own way

path, picture, field = sys.argv[1:4]
step, factor = (sys.argv[4:] + ["0", "0"][len(sys.argv) - 4:])[:2]
reader = OpenDataFile(path)
reader.UpdatePipeline()
times = list(getattr(reader, "TimestepValues", None) or [])
time = times[int(step)] if times else 0
reader.UpdatePipeline(time)
data = reader.GetDataInformation()
print("ParaView", GetParaViewVersion(), reader.GetXMLName(), "times", times, "points", data.GetNumberOfPoints(), "cells", data.GetNumberOfCells())
for name in reader.PointData.keys():
    array = reader.PointData[name]
    print(" ", name, array.GetNumberOfComponents(), "components, range", array.GetRange(-1 if array.GetNumberOfComponents() > 1 else 0))
if field not in reader.PointData.keys():
    sys.exit(f"error: '{path}' has no point field '{field}'")
shown = reader
if float(factor) > 0:
    shown = WarpByVector(Input=reader, Vectors=["POINTS", "displacement"], ScaleFactor=float(factor))
view = CreateView("RenderView")
view.ViewSize = [640, 440]
view.Background = [1, 1, 1]
view.UseColorPaletteForBackground = 0
view.OrientationAxesVisibility = 1
view.ViewTime = time
display = Show(shown, view)
display.SetRepresentationType("Surface With Edges" if data.GetNumberOfCells() < 5000 else "Surface")
display.NonlinearSubdivisionLevel = 4  # of Lagrange cells
ColorBy(display, ("POINTS", field))
display.RescaleTransferFunctionToDataRange(True)
display.SetScalarBarVisibility(view, True)
bar = GetScalarBar(GetColorTransferFunction(field), view)
bar.TitleColor = bar.LabelColor = [0, 0, 0]
view.CameraPosition, view.CameraFocalPoint, view.CameraViewUp = ([1, -1.6, 1], [0, 0, 0], [0, 0, 1]) if data.GetBounds()[5] > data.GetBounds()[4] else ([0, 0, 1], [0, 0, 0], [0, 1, 0])
view.ResetCamera(True)
Render(view)
SaveScreenshot(picture, view, CompressionLevel=9)

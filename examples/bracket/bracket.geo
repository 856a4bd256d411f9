// A wall bracket: base plate with four bolt holes, upright with an eye, two ribs, rounded inner edge. Millimetres.
//   gmsh -3 bracket.geo -o bracket.msh
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 80, 60, 8};                       // base plate
Box(2) = {0, 0, 8, 8, 60, 62};                       // upright
Cylinder(3) = {-1, 30, 48, 10, 0, 0, 12};            // eye through the upright
// inner radius between plate and upright
Box(4) = {8, 0, 8, 10, 60, 10};
Cylinder(5) = {18, -1, 18, 0, 62, 0, 10};
BooleanDifference(6) = { Volume{4}; Delete; }{ Volume{5}; Delete; };
rib() = {};  // two of them
For i In {0:1}
  y = 4 + i * 46;
  p = newp; Point(p) = {8, y, 8}; Point(p + 1) = {60, y, 8}; Point(p + 2) = {8, y, 56};
  l = newl; Line(l) = {p, p + 1}; Line(l + 1) = {p + 1, p + 2}; Line(l + 2) = {p + 2, p};
  c = newll; Curve Loop(c) = {l, l + 1, l + 2}; s = news; Plane Surface(s) = {c};
  out() = Extrude {0, 6, 0} { Surface{s}; };
  rib() += out(1);
EndFor
BooleanUnion(50) = { Volume{1}; Delete; }{ Volume{2, 6, rib()}; Delete; };
Cylinder(60) = {28, 15, -1, 0, 0, 10, 4.5};
Cylinder(61) = {28, 45, -1, 0, 0, 10, 4.5};
Cylinder(62) = {66, 15, -1, 0, 0, 10, 4.5};
Cylinder(63) = {66, 45, -1, 0, 0, 10, 4.5};
BooleanDifference(70) = { Volume{50}; Delete; }{ Volume{3, 60, 61, 62, 63}; Delete; };

e = 0.05;
holes() = Surface In BoundingBox{23, 9, -e, 71, 51, 8 + e};
eye() = Surface In BoundingBox{-e, 17, 35, 8 + e, 43, 61};
Physical Volume("steel") = {70};
Physical Surface("bolts") = {holes()};
Physical Surface("eye") = {eye()};

Mesh.MeshSizeMin = 1.5;
Mesh.MeshSizeMax = 5;
Mesh.MeshSizeFromCurvature = 16;
Mesh.ElementOrder = 2;
Mesh.HighOrderOptimize = 1;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;

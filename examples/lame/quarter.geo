// A quarter of a ring: radius 0.1 ... 0.2 m. Triangles of 6 nodes.
//   gmsh -2 quarter.geo -o quarter.msh
Point(1) = {0, 0, 0};
Point(2) = {0.1, 0, 0}; Point(3) = {0.2, 0, 0}; Point(4) = {0, 0.2, 0}; Point(5) = {0, 0.1, 0};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};

Physical Surface("tube") = {1};
Physical Curve("inside") = {4};
Physical Curve("on_x_axis") = {1};
Physical Curve("on_y_axis") = {3};

Mesh.MeshSizeMin = 0.008;
Mesh.MeshSizeMax = 0.008;
Mesh.ElementOrder = 2;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;

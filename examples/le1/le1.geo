// LE1: a quarter of an elliptic membrane. Metres. 16 x 32 quadrilaterals of 8 nodes.
//   gmsh -2 le1.geo -o le1.msh
Point(1) = {0, 0, 0};
Point(2) = {2, 0, 0}; Point(3) = {3.25, 0, 0};
Point(4) = {0, 1, 0}; Point(5) = {0, 2.75, 0};
Line(1) = {2, 3};
Ellipse(2) = {3, 1, 3, 5};
Line(3) = {5, 4};
Ellipse(4) = {4, 1, 2, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 17;
Transfinite Curve{2, 4} = 33;
Transfinite Surface{1} = {2, 3, 5, 4};
Recombine Surface{1};

Physical Surface("membrane") = {1};
Physical Curve("on_x_axis") = {1};
Physical Curve("on_y_axis") = {3};
Physical Curve("outer") = {2};

Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;

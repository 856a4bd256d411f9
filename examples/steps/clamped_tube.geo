// A quarter of a tube along z, 0.06 m high: radius 0.02 ... 0.04 m. 4 x 8 x 6 hexahedra of 27 nodes.
//   gmsh -3 clamped_tube.geo -o clamped_tube.msh
Point(1) = {0, 0, 0};
Point(2) = {0.02, 0, 0}; Point(3) = {0.04, 0, 0}; Point(4) = {0, 0.04, 0}; Point(5) = {0, 0.02, 0};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 5;
Transfinite Curve{2, 4} = 9;
Transfinite Surface{1};
Recombine Surface{1};
out() = Extrude {0, 0, 0.06} { Surface{1}; Layers{6}; Recombine; };

Physical Volume("tube") = {out(1)};
Physical Surface("bottom") = {1};
Physical Surface("top") = {out(0)};
Physical Surface("on_y0") = {out(2)};
Physical Surface("outside") = {out(3)};
Physical Surface("on_x0") = {out(4)};
Physical Surface("inside") = {out(5)};

Mesh.ElementOrder = 2;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;

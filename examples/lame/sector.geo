// A quarter of a ring, 0.02 m high: radius 0.1 ... 0.2 m. 8 x 12 x 1 hexahedra of 27 nodes.
//   gmsh -3 sector.geo -o sector.msh
Point(1) = {0, 0, 0};
Point(2) = {0.1, 0, 0}; Point(3) = {0.2, 0, 0}; Point(4) = {0, 0.2, 0}; Point(5) = {0, 0.1, 0};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1} = 9 Using Progression 1.15;
Transfinite Curve{-3} = 9 Using Progression 1.15;
Transfinite Curve{2, 4} = 13;
Transfinite Surface{1};
Recombine Surface{1};
out() = Extrude {0, 0, 0.02} { Surface{1}; Layers{1}; Recombine; };

Physical Volume("tube") = {out(1)};
Physical Surface("bottom") = {1};
Physical Surface("on_y0") = {out(2)};
Physical Surface("on_x0") = {out(4)};
Physical Surface("inside") = {out(5)};

Mesh.ElementOrder = 2;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;

// A sector of 60 degrees of a tube in two rings that share no nodes: 0.1 to 0.15 m fine, 0.15 to 0.2 m coarse.
//   gmsh -2 tube.geo -o tube.msh
a = Pi / 9; b = a + Pi / 3;
Point(9) = {0, 0, 0};
fine = 0.008; coarse = 0.02;
Point(1) = {0.1 * Cos(a), 0.1 * Sin(a), 0, fine}; Point(2) = {0.15 * Cos(a), 0.15 * Sin(a), 0, fine};
Point(3) = {0.15 * Cos(b), 0.15 * Sin(b), 0, fine}; Point(4) = {0.1 * Cos(b), 0.1 * Sin(b), 0, fine};
Line(1) = {1, 2}; Circle(2) = {2, 9, 3}; Line(3) = {3, 4}; Circle(4) = {4, 9, 1};
Point(5) = {0.15 * Cos(a), 0.15 * Sin(a), 0, coarse}; Point(6) = {0.2 * Cos(a), 0.2 * Sin(a), 0, coarse};
Point(7) = {0.2 * Cos(b), 0.2 * Sin(b), 0, coarse}; Point(8) = {0.15 * Cos(b), 0.15 * Sin(b), 0, coarse};
Line(5) = {5, 6}; Circle(6) = {6, 9, 7}; Line(7) = {7, 8}; Circle(8) = {8, 9, 5};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Curve Loop(2) = {5, 6, 7, 8}; Plane Surface(2) = {2};
Physical Surface("inner_ring") = {1}; Physical Surface("outer_ring") = {2};
Physical Curve("inside") = {4}; Physical Curve("inner_joint") = {2}; Physical Curve("outer_joint") = {8};
Physical Curve("cuts") = {1, 3, 5, 7};
Mesh.ElementOrder = 2;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;

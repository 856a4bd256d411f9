// NAFEMS 13 and 21: a square plate of 10 m, simply supported. 16 x 16 quadrilaterals.
//   gmsh -2 nafems_13.geo -o nafems_13.msh
Point(1) = {0, 0, 0}; Point(2) = {5, 0, 0}; Point(3) = {10, 0, 0};
Point(4) = {0, 5, 0}; Point(5) = {5, 5, 0}; Point(6) = {10, 5, 0};
Point(7) = {0, 10, 0}; Point(8) = {5, 10, 0}; Point(9) = {10, 10, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {4, 5}; Line(4) = {5, 6}; Line(5) = {7, 8}; Line(6) = {8, 9};
Line(7) = {1, 4}; Line(8) = {4, 7}; Line(9) = {2, 5}; Line(10) = {5, 8}; Line(11) = {3, 6}; Line(12) = {6, 9};
Curve Loop(1) = {1, 9, -3, -7}; Curve Loop(2) = {2, 11, -4, -9};
Curve Loop(3) = {3, 10, -5, -8}; Curve Loop(4) = {4, 12, -6, -10};
Plane Surface(1) = {1}; Plane Surface(2) = {2}; Plane Surface(3) = {3}; Plane Surface(4) = {4};
Transfinite Curve {1:12} = 9;
Transfinite Surface {1:4};
Recombine Surface {1:4};
Physical Surface("plate") = {1:4};
Physical Curve("along_y") = {7, 8, 11, 12};
Physical Curve("along_x") = {1, 2, 5, 6};
Physical Point("middle") = {5};

Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;

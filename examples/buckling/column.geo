// A column of 1000 mm: gmsh -1 column.geo -o column.msh
Point(1) = {0, 0, 0};
Point(2) = {0, 0, 1000};
Line(1) = {1, 2};
Transfinite Curve {1} = 9;
Physical Curve("column") = {1};
Physical Point("foot") = {1};
Physical Point("head") = {2};

// NAFEMS 5T: a beam of 10 m along x. 10 lines.
//   gmsh -1 nafems_5t.geo -o nafems_5t.msh
Point(1) = {0, 0, 0}; Point(2) = {5, 0, 0}; Point(3) = {10, 0, 0};
Line(1) = {1, 2}; Line(2) = {2, 3};
Transfinite Curve{1, 2} = 6;

Physical Curve("beam") = {1, 2};
Physical Point("left") = {1};
Physical Point("middle") = {2};
Physical Point("right") = {3};

Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;

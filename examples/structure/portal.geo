// A portal frame of steel: gmsh -1 portal.geo -o portal.msh
Point(1) = {0, 0, 0};
Point(2) = {0, 0, 4};
Point(3) = {6, 0, 4};
Point(4) = {6, 0, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {4, 3};
Transfinite Curve {1, 3} = 3;
Transfinite Curve {2} = 5;
Physical Curve("columns") = {1, 3};
Physical Curve("girder") = {2};
Physical Point("left foot") = {1};
Physical Point("right foot") = {4};
Physical Point("corners") = {2, 3};

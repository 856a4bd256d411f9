// Square of side 2 without the quarter of radius 1 around its corner; triangles and quadrilaterals. Area 4 - pi/4.
SetFactory("Built-in");
Mesh.MeshSizeFactor = 1;
h = 0.6;
Point(1) = {0,0,5,h}; Point(2) = {1,0,5,h}; Point(3) = {2,0,5,h}; Point(4) = {2,2,5,h}; Point(5) = {0,2,5,h};
Point(6) = {0,1,5,h}; c = Sqrt(0.5); Point(7) = {c,c,5,h};
Line(1) = {2,3}; Line(2) = {3,4}; Line(3) = {4,5}; Line(4) = {5,6}; Circle(5) = {6,1,7}; Circle(6) = {7,1,2};
Line(7) = {7,4};
Line Loop(1) = {1,2,-7,6}; Plane Surface(1) = {1};
Line Loop(2) = {7,3,4,5}; Plane Surface(2) = {2};
Transfinite Line {1,2,7,6} = 4; Transfinite Surface {1}; Recombine Surface {1};
Physical Surface("quads") = {1};
Physical Surface("triangles") = {2};
Physical Curve("hole") = {5,6};
Physical Curve("right") = {2};
Physical Point("corner") = {4};

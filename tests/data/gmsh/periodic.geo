// A unit square whose right side repeats the left one; nodes with parameters.
SetFactory("Built-in");
Point(1) = {0,0,0,0.4}; Point(2) = {1,0,0,0.4}; Point(3) = {1,1,0,0.4}; Point(4) = {0,1,0,0.4};
Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,1};
Line Loop(1) = {1,2,3,4}; Plane Surface(1) = {1};
Periodic Line {2} = {-4};
Physical Surface("plate") = {1};
Physical Curve("left") = {4};
Physical Curve("right") = {2};

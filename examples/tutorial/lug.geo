// Names the faces of a part from CAD and meshes it. Lengths in millimetres.
//   gmsh -3 lug.geo -o lug.msh
SetFactory("OpenCASCADE");
Merge "lug.step";

// The part is in the corner x, y, z > 0: a base plate 60 x 40 x 6 with two holes, an upright 50 high with an eye.
Physical Volume("steel") = Volume{:};
Physical Surface("bolts") = Surface In BoundingBox{41, 5, -0.1, 51, 35, 6.1};
Physical Surface("eye") = Surface In BoundingBox{-0.1, 13, 31, 6.1, 27, 45};
Physical Surface("fillet") = Surface In BoundingBox{5.9, -0.1, 5.9, 14.1, 40.1, 14.1};

Mesh.MeshSizeMax = 6;
Mesh.MeshSizeFromCurvature = 10;      // elements around a full circle
Mesh.ElementOrder = 2;
Mesh.HighOrderOptimize = 1;

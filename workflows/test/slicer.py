"""The logic of workflows/slicer without 3D Slicer: a scene of a few lines in its place, with VTK's own reader.

slicer.py FACE_STUDY SHAPE_STUDY: loads both as the module does, and compares points and sequences with the arrays of the export. Needs numpy, vtk,
and the command in VISARD_COMMAND.
"""

import json
import sys
import types
from pathlib import Path

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

nodes = []


class Node:
    """A node of the scene: remembers what it was told."""

    def __init__(self, kind, name=""):
        self.kind, self.name, self.told, self.poly, self.steps = kind, name, {}, vtkPolyData(), {}

    def SetName(self, name):
        self.name = name

    def GetName(self):
        return self.name

    def GetID(self):
        return id(self)

    def GetDisplayNode(self):
        return self

    def CopyContent(self, other):
        self.poly.DeepCopy(other.poly)

    def SetDataNodeAtValue(self, node, value):
        self.steps[value] = np.array(points(node))

    def __getattr__(self, name):
        return lambda *values: self.told.__setitem__(name, values)


def points(model):
    return vtk_to_numpy(model.poly.GetPoints().GetData())


def read(file):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(file)
    reader.Update()
    return reader.GetOutput()


def add(kind, name):
    nodes.append(Node(kind, name))
    return nodes[-1]


def load_model(file):
    model = add("vtkMRMLModelNode", "")
    model.poly.DeepCopy(read(file))
    points(model)[:, :2] *= -1  # From LPS to RAS, as Slicer does.
    return model


def load_markups(file):
    markups = add("vtkMRMLMarkupsFiducialNode", "")
    markups.content = json.loads(Path(file).read_text())["markups"][0]
    return markups


slicer = types.ModuleType("slicer")
slicer.mrmlScene = types.SimpleNamespace(AddNewNodeByClass=add, RemoveNode=nodes.remove)
slicer.util = types.SimpleNamespace(
    loadModel=load_model,
    loadMarkups=load_markups,
    arrayFromModelPoints=points,
    arrayFromModelPointsModified=lambda model: None,
    arrayFromModelPointData=lambda model, name: vtk_to_numpy(model.poly.GetPointData().GetArray(name)),
)
base = types.ModuleType("slicer.ScriptedLoadableModule")
for name in ("ScriptedLoadableModule", "ScriptedLoadableModuleLogic", "ScriptedLoadableModuleWidget"):
    setattr(base, name, type(name, (), {}))
sys.modules.update({"slicer": slicer, "slicer.ScriptedLoadableModule": base})
sys.path.insert(0, str(Path(__file__).parent.parent / "slicer"))

from VisardRelease import VisardReleaseLogic  # noqa: E402

face, shape = sys.argv[1:]
logic = VisardReleaseLogic()
told = logic.load(face)
model, *others = nodes
exported = Path(face) / "of_slicer.vtp"
answer, _ = logic.visard("export", face, "--out", exported, "--force")
file = read(str(exported))
assert answer["standing"] == "may be published" or any(answer["standing"] in line for line in told), told
lps = np.array([-1, -1, 1])
np.testing.assert_allclose(points(model) * lps, vtk_to_numpy(file.GetPoints().GetData()))
sequences = [node for node in others if node.kind == "vtkMRMLSequenceNode"]
assert [s.name.split(": ")[1] for s in sequences] == answer["ways"] and sequences, [n.name for n in nodes]
for sequence, way in zip(sequences, answer["ways"]):
    moves = vtk_to_numpy(file.GetPointData().GetArray(way))
    last = 2 if way.startswith("mode") else 1
    np.testing.assert_allclose(sequence.steps[f"{last}"], points(model) + last * moves * lps)
    np.testing.assert_allclose(sequence.steps["0"], points(model))
assert not any(node.name == "moved" for node in nodes)

nodes.clear()
logic.load(shape)
(markups,) = nodes
mean = np.load(Path(shape) / "release" / "mean.npy")
found = np.array([point["position"] for point in markups.content["controlPoints"]])
np.testing.assert_array_equal(found[:, : mean.shape[1]], mean)
assert markups.content["coordinateSystem"] == "LPS"

try:
    logic.price("nowhere", Path(face).parent / "unused", "mean", 1)
except RuntimeError as error:
    assert "nowhere" in str(error)
else:
    raise AssertionError("a folder that is not there was priced")
print(f"3D Slicer's module: {len(sequences)} sequences of {len(points(model))} points, {len(found)} markups")

"""A scripted module for 3D Slicer: makes a private study of a folder of scans with the command `visard`, and loads what was released.

In Slicer: Edit > Application Settings > Modules > Additional module paths: this folder. A release opens as a model with its error in colours, or as
markups of its landmarks; each mode of variation, and each covariate, becomes a sequence to play.
"""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import slicer
from slicer.ScriptedLoadableModule import ScriptedLoadableModule, ScriptedLoadableModuleLogic, ScriptedLoadableModuleWidget

# Files are in LPS, the scene is in RAS. Slicer turns points when it reads them, and leaves other vectors as they are.
LPS_TO_RAS = np.array([-1.0, -1.0, 1.0])
# Steps of a sequence: for a mode in standard deviations, for a covariate in shares of the way to its bound.
OF_A_MODE = np.linspace(-2.0, 2.0, 9)
OF_A_COVARIATE = np.linspace(0.0, 1.0, 5)


class VisardRelease(ScriptedLoadableModule):
    """What Slicer lists."""

    def __init__(self, parent):
        super().__init__(parent)
        parent.title = "Visard Release"
        parent.categories = ["Shape Analysis"]
        parent.helpText = "Private mean shapes: run visard on a folder of scans, and load the release."


class VisardReleaseWidget(ScriptedLoadableModuleWidget):
    """A folder, a budget, two buttons."""

    def setup(self):
        super().setup()
        import ctk
        import qt

        self.logic = VisardReleaseLogic()
        form = qt.QFormLayout()
        self.layout.addLayout(form)
        self.folder = ctk.ctkPathLineEdit()
        self.folder.filters = ctk.ctkPathLineEdit.Dirs
        self.out = ctk.ctkPathLineEdit()
        self.out.filters = ctk.ctkPathLineEdit.Dirs | ctk.ctkPathLineEdit.Writable
        self.mu = qt.QDoubleSpinBox()
        self.mu.minimum, self.mu.maximum, self.mu.singleStep, self.mu.value = 0.05, 10.0, 0.25, 1.0
        self.statistic = qt.QComboBox()
        self.statistic.addItems(["mean", "modes"])
        for label, field in [("Scans", self.folder), ("Statistic", self.statistic), ("Budget (mu)", self.mu), ("Study", self.out)]:
            form.addRow(label, field)
        for label, action in [("Charge and release", self.run), ("Load the study", self.load)]:
            button = qt.QPushButton(label)
            button.connect("clicked()", action)
            form.addRow(button)
        self.layout.addStretch(1)

    def run(self):
        with slicer.util.tryWithErrorDisplay("The study failed", waitCursor=True):
            price = self.logic.price(self.folder.currentPath, self.out.currentPath, self.statistic.currentText, self.mu.value)
            if slicer.util.confirmOkCancelDisplay(price + "\n\nA charge cannot be taken back.", "Visard"):
                self.logic.run(self.folder.currentPath, self.out.currentPath, self.statistic.currentText, self.mu.value)
                self.load()

    def load(self):
        with slicer.util.tryWithErrorDisplay("The release could not be loaded", waitCursor=True):
            told = self.logic.load(self.out.currentPath)
            if told:
                slicer.util.warningDisplay("\n".join(told), "Visard")


class VisardReleaseLogic(ScriptedLoadableModuleLogic):
    """What the buttons do; needs no window."""

    def visard(self, *words):
        """Runs the command with --json. Returns its answer, and its notes line by line. Raises RuntimeError with the command's own message."""
        program = os.environ.get("VISARD_COMMAND") or shutil.which("visard")
        if not program:
            raise RuntimeError("visard is not on the path: install it, or name it in the environment variable VISARD_COMMAND")
        done = subprocess.run([program, *map(str, words), "--json"], capture_output=True, text=True, check=False)
        answer = json.loads(done.stdout) if done.stdout.strip() else {}
        error = answer.get("error")
        if error or done.returncode:
            raise RuntimeError(". ".join(filter(None, [error["message"], error.get("hint")])) if error else done.stderr.strip())
        return answer, done.stderr.splitlines()

    def price(self, scans, out, statistic, mu):
        """What a study would be charged, in words; charges nothing."""
        answer, notes = self.visard("face", statistic, scans, "--mu", mu, "--out", out, "--dry-run")
        return "\n".join([*notes, json.dumps(answer, indent=1)])

    def run(self, scans, out, statistic, mu):
        """Charges the ledger, and releases. Returns the command's answer."""
        return self.visard("face", statistic, scans, "--mu", mu, "--out", out)[0]

    def load(self, study):
        """Loads a study's release into the scene. Returns what is to be told, as that it must not be published."""
        is_face = (Path(study) / "release" / "mean.ply").is_file() or (Path(study) / "mean.ply").is_file()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / ("mean.vtp" if is_face else "mean.mrk.json")
            answer, notes = self.visard("export", study, "--out", file)
            if is_face:
                self._face(file, Path(study).name, answer)
            else:
                slicer.util.loadMarkups(str(file)).SetName(Path(study).name)
        return [note.removeprefix("note: ") for note in notes if note.startswith("note: ")]

    def _face(self, file, name, answer):
        model = slicer.util.loadModel(str(file))
        model.SetName(name)
        if "error" in answer["fields"]:
            model.GetDisplayNode().SetActiveScalar("error", 0)
            model.GetDisplayNode().SetScalarVisibility(True)
        for way in answer["ways"]:
            self._sequence(model, way, OF_A_MODE if way.startswith("mode ") else OF_A_COVARIATE)

    def _sequence(self, model, way, steps):
        """The model moved along one of its vectors, step by step, with a browser to play it."""
        moves = LPS_TO_RAS * slicer.util.arrayFromModelPointData(model, way)
        at_rest = np.array(slicer.util.arrayFromModelPoints(model))
        sequence = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSequenceNode", f"{model.GetName()}: {way}")
        sequence.SetIndexName("standard deviations" if way.startswith("mode ") else "share of the way")
        for step in steps:
            moved = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLModelNode", "moved")
            moved.CopyContent(model)
            slicer.util.arrayFromModelPoints(moved)[:] = at_rest + step * moves
            slicer.util.arrayFromModelPointsModified(moved)
            sequence.SetDataNodeAtValue(moved, f"{step:g}")
            slicer.mrmlScene.RemoveNode(moved)
        browser = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSequenceBrowserNode", f"{model.GetName()}: {way}")
        browser.SetAndObserveMasterSequenceNodeID(sequence.GetID())

'''A model of torchvision is given its new last layer under a name that its forward() does not run.

## Why is this bad?
Python lets any name be set on a module, and the layer is registered: it shows in print(model), moves with .to(device)
and its weights are among the parameters. But the forward() of a ResNet ends with `fc`, that of VGG, DenseNet, MobileNet
and EfficientNet with `classifier`. The outputs stay 1000 wide, those of ImageNet's classes; a crossentropy takes labels
below 10 all the same, the new layer never gets a gradient, and frozen features leave nothing to learn.

## Example

```python
import torch
from torch import nn
from torchvision import models

model = models.resnet18()
model.classifier = nn.Linear(512, 10)  # error: [unused-head]
optimizer = torch.optim.Adam(model.classifier.parameters())
loss = nn.CrossEntropyLoss()(model(torch.randn(2, 3, 224, 224)), torch.tensor([3, 7]))
```

```python
import torch
from torch import nn
from torchvision import models


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = models.vgg16()
        self.base.fc = nn.Sequential(nn.Linear(4096, 64), nn.ReLU(), nn.Linear(64, 5))  # error: [unused-head]

    def forward(self, x):
        return self.base(x)


scores = Net()(torch.randn(2, 3, 224, 224))
```

## Use instead

```python
import torch
from torch import nn
from torchvision import models

model = models.resnet18()
model.fc = nn.Linear(512, 10)
y = model(torch.randn(2, 3, 224, 224))  # revealed: float32[2, 10]
```

A head that the program runs itself is used:

```python
import torch
from torch import nn
from torchvision import models

model = models.resnet18()
model.fc = nn.Identity()
model.classifier = nn.Linear(512, 10)
y = model.classifier(model(torch.randn(2, 3, 224, 224)))  # revealed: float32[2, 10]
```

## Where it fails
Nowhere: training goes on with the old last layer (run with torchvision 0.29: `resnet18().classifier` gets no gradient,
and the outputs are 1000 wide).

## Known limits
Of ResNet, ResNeXt, VGG, AlexNet, DenseNet, MobileNetV2 and EfficientNet, where the model is run in the file that gives
it the head. Silent in files that come by the parts of a model without naming them, by children(), modules() or
getattr().

## References
* torchvision/models/resnet.py: ResNet._forward_impl
* torchvision/models/vgg.py: VGG.forward
* torchvision/models/densenet.py: DenseNet.forward
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Problem


@rule("CUD629", "unused-head", Level.WARNING, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.UNUSED:
        yield event.finding(
            event.mismatch.message, help=event.mismatch.help,
            fails="silently: the outputs are those of the old last part, and the new one learns nothing")

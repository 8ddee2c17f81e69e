# SPDX-License-Identifier: Apache-2.0
"""BoTorch's composite model of the toy cannon: a GP of the landing point with the turn as a point on a circle, and the
known reward as Monte-Carlo objective. Shared by the benchmarks of one suggestion, of learning and of retargeting."""
import torch
from botorch.acquisition import qSimpleRegret, qUpperConfidenceBound
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.models.transforms.input import InputTransform
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood

torch.set_num_threads(1)
BOX = torch.stack([torch.zeros(3), torch.ones(3)]).double()


class Circle(InputTransform, torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.transform_on_train = self.transform_on_eval = self.transform_on_fantasize = True
        self.is_one_to_many = False

    def transform(self, z):
        angle = 2 * torch.pi * z[..., :1]
        return torch.cat([(1 + torch.cos(angle)) / 2, (1 + torch.sin(angle)) / 2, z[..., 1:]], dim=-1)


def fit(x, landings):
    inputs, outputs = torch.tensor(x, dtype=torch.double), torch.tensor(landings, dtype=torch.double)
    model = SingleTaskGP(inputs, outputs, outcome_transform=Standardize(2), input_transform=Circle())
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def objective(target):
    wanted = torch.tensor(target, dtype=torch.double)

    def reward(landed, X=None):
        speed = 0.1 + 4.9 * X[..., 2]
        return -((landed - wanted).square().sum(-1) + 1e-12).sqrt() - 0.05 * speed**2

    return GenericMCObjective(reward)


def sampler():
    return SobolQMCNormalSampler(torch.Size([64]), seed=0)


def suggest(model, target, kappa):
    """The next trial: mean plus kappa deviations of the reward."""
    acquisition = qUpperConfidenceBound(model, beta=kappa**2, objective=objective(target), sampler=sampler())
    return optimize_acqf(acquisition, BOX, q=1, num_restarts=10, raw_samples=512)[0][0].numpy()


def best(model, target):
    """The parameters with the largest expected reward."""
    acquisition = qSimpleRegret(model, objective=objective(target), sampler=sampler())
    return optimize_acqf(acquisition, BOX, q=1, num_restarts=4, raw_samples=256)[0][0].numpy()

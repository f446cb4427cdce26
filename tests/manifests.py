#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manifests in packaging/kubernetes: their fields are those of Kubernetes' API, selectors select, and what they have
in common with the program and with compose/hosts.yml is as there. No cluster is needed. $ZKHERD is the program.

Needs python3-kubernetes and python3-yaml: exit status 75 without them."""

import glob
import os
import re
import subprocess
import sys

try:
    import yaml
    from kubernetes.client import models
except ImportError as why:
    print(f"tests/manifests.py: {why}")
    sys.exit(75)

FOLDER = "packaging/kubernetes"
KINDS = {
    ("v1", "Service"): "V1Service",
    ("apps/v1", "Deployment"): "V1Deployment",
    ("batch/v1", "Job"): "V1Job",
    ("networking.k8s.io/v1", "NetworkPolicy"): "V1NetworkPolicy",
}
failures = []


def fail(where, why):
    failures.append(f"{where}: {why}")


def check_type(value, kind, where):
    """A value against a type of the client library, such as list[V1Container], dict(str, str) or V1PodSpec."""
    many = re.fullmatch(r"list\[(.*)\]", kind)
    named = re.fullmatch(r"dict\(str, (.*)\)", kind)
    if many:
        if not isinstance(value, list):
            return fail(where, "expected a list")
        for i, one in enumerate(value):
            check_type(one, many[1], f"{where}[{i}]")
    elif named:
        if not isinstance(value, dict):
            return fail(where, "expected an object")
        for key, one in value.items():
            check_type(one, named[1], f"{where}.{key}")
    elif hasattr(models, kind):
        check_object(value, getattr(models, kind), where)
    elif kind == "object":  # a number or a text: a port, an amount
        if not isinstance(value, (int, str)):
            fail(where, "expected a number or a text")
    else:
        expected = {"str": str, "int": int, "bool": bool}[kind]
        # True is an int of Python.
        if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
            fail(where, f"expected {kind}, not {value!r}")


def check_object(value, model, where):
    if not isinstance(value, dict):
        return fail(where, "expected an object")
    attributes = {key: attribute for attribute, key in model.attribute_map.items()}
    for key in value:
        if key not in attributes:
            fail(where, f"the API has no field {key}")
        else:
            check_type(value[key], model.openapi_types[attributes[key]], f"{where}.{key}")
    try:  # what is required, and which words there are
        model(**{attributes[key]: one for key, one in value.items() if key in attributes})
    except ValueError as why:
        fail(where, str(why))


def options_of(subcommand):
    text = subprocess.run([os.environ["ZKHERD"], subcommand, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^ +(?:-., )?(--[a-z-]+)", text, re.MULTILINE))


def pod_of(document):
    return document["spec"].get("template", {}).get("spec")


objects = []
for path in sorted(glob.glob(f"{FOLDER}/*.yaml")):
    with open(path, encoding="utf-8") as file:
        for document in yaml.safe_load_all(file):
            where = f"{path}: {document.get('kind')} {document.get('metadata', {}).get('name')}"
            model = KINDS.get((document.get("apiVersion"), document.get("kind")))
            if model is None:
                fail(where, "no kind that this test knows")
            else:
                check_object(document, getattr(models, model), where)
                objects.append((where, document))
if not objects:
    fail(FOLDER, "no manifests")

# Selectors, images, options, settings.
labels = [d["spec"]["template"]["metadata"]["labels"] for _, d in objects if pod_of(d)]
services = {d["metadata"]["name"] for _, d in objects if d["kind"] == "Service"}
with open("compose/Dockerfile", encoding="utf-8") as file:
    targets = {"zkherd-" + target for target in re.findall(r" AS ([a-z]+)$", file.read(), re.MULTILINE)}
with open("compose/hosts.yml", encoding="utf-8") as file:
    settings = yaml.safe_load(file)["x-server"]["command"]
for where, document in objects:
    spec = document["spec"]
    selector = spec.get("podSelector", spec.get("selector"))
    if selector is not None:
        wanted = selector.get("matchLabels", selector)
        pods = [spec["template"]["metadata"]["labels"]] if pod_of(document) else labels
        if not any(wanted.items() <= pod.items() for pod in pods):
            fail(where, "its selector selects no pod")
    for container in (pod_of(document) or {"containers": []})["containers"]:
        arguments = container["args"]
        if container["image"] not in targets:
            fail(where, f"compose/Dockerfile makes no image {container['image']}")
        elif container["image"] == "zkherd-server":
            if arguments != settings:
                fail(where, "other settings than in compose/hosts.yml")
        else:
            for option in (word for word in arguments if word.startswith("--")):
                if option not in options_of(arguments[0]):
                    fail(where, f"zkherd {arguments[0]} has no {option}")
            place = arguments[arguments.index("--meet") + 1]
            if place.split("/")[0] not in services:
                fail(where, f"--meet {place}: there is no such service")

for failure in failures:
    print(f"tests/manifests.py: {failure}", file=sys.stderr)
sys.exit(1 if failures else 0)

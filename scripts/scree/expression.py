"""Expressions of the columns of a table, such as `wall_floor_force_z / (0.022 - 2 * wall_left_travel) ** 2`."""

from __future__ import annotations

import ast
import dataclasses
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scree.errors import UsageError

OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow,
    ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {"sqrt": np.sqrt, "log": np.log, "exp": np.exp, "abs": np.abs}
EXPECTED = f"numbers, names of columns, + - * / ** ( ), {', '.join(FUNCTIONS)}"


@dataclasses.dataclass(frozen=True)
class Expression:
    """A column, or an expression of columns."""

    label: str  # name from the user, or the text; empty for a single column
    tree: ast.expr

    @property
    def columns(self) -> list[str]:
        """Names of the columns in the expression."""
        function_nodes = {id(node.func) for node in ast.walk(self.tree) if isinstance(node, ast.Call)}
        names = [node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and id(node) not in function_nodes]
        return list(dict.fromkeys(names))

    @property
    def is_column(self) -> bool:
        return isinstance(self.tree, ast.Name)

    def value(self, columns: Mapping[str, np.ndarray]) -> Any:
        """Value, [K] for columns of K rows; NaN or infinite where the expression is undefined."""
        with np.errstate(all="ignore"):
            return _evaluate(self.tree, columns)


def parse(text: str) -> Expression:
    """The Expression of `COLUMN`, `EXPRESSION` or `LABEL = EXPRESSION`; raises UsageError."""
    label, equals, formula = text.rpartition("=")
    try:
        tree = ast.parse(formula.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"'{formula.strip()}' is not an expression; expected {EXPECTED}") from error
    if re.fullmatch(r"\s*", label) and equals:
        raise UsageError(f"'{text}' has no label before '='; expected LABEL = EXPRESSION, as in strain = 1 - height / 0.03")
    _check_node(tree)
    name = label.strip() or formula.strip()
    return Expression("" if isinstance(tree, ast.Name) and not equals else name, tree)


def _check_node(node: ast.AST) -> None:
    """Raises UsageError if the node contains anything that EXPECTED does not list."""
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        _check_node(node.left)
        _check_node(node.right)
    elif isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        _check_node(node.operand)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and len(node.args) == 1 \
            and not node.keywords:  # fmt: skip
        _check_node(node.args[0])
    elif not (isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and type(node.value) in (int, float))):
        raise UsageError(f"'{ast.unparse(node)}' cannot be in an expression; expected {EXPECTED}")


def _evaluate(node: ast.AST, columns: Mapping[str, np.ndarray]) -> Any:
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](_evaluate(node.left, columns), _evaluate(node.right, columns))
    if isinstance(node, ast.UnaryOp):
        return OPERATORS[type(node.op)](_evaluate(node.operand, columns))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return FUNCTIONS[node.func.id](_evaluate(node.args[0], columns))
    if isinstance(node, ast.Name):
        return columns[node.id]
    assert isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
    return float(node.value)

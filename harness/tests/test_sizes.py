"""Files stay small enough to be read at one go, packages hold no logic, and names say what is inside."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUDGETS = {"source": 250, "test": 400, "script": 120}
# Files that may be longer, each with its bound and the reason.
LONGER: dict[str, tuple[int, str]] = {}
VAGUE = {"utils", "util", "helpers", "helper", "manager", "misc", "common"}


def sources() -> list[Path]:
    found = [path for room in ("harness", "chat", "e2e") for path in (ROOT / room).rglob("*.py")]
    scripts = [path for room in ("static", "e2e") for path in (ROOT / room).rglob("*.js")]
    return sorted(path for path in found + scripts if not {"vendor", "migrations", "node_modules"} & set(path.parts))


def budget(path: Path) -> int:
    is_test = "tests" in path.parts or "e2e" in path.parts or path.name.startswith("test_")
    return BUDGETS["test" if is_test else "script" if path.suffix == ".js" else "source"]


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_file_is_over_its_budget() -> None:
    over = []
    for path in sources():
        name = str(path.relative_to(ROOT))
        bound = LONGER.get(name, (budget(path), ""))[0]
        if lines(path) > bound:
            over.append(f"{name}: {lines(path)} lines, budget {bound}")
    assert not over, "split by responsibility:\n" + "\n".join(over)


def test_every_exception_is_still_needed_and_has_a_reason() -> None:
    for name, (bound, reason) in LONGER.items():
        assert (ROOT / name).is_file(), f"{name} is gone"
        assert budget(ROOT / name) < lines(ROOT / name) <= bound and len(reason) > 20, name


def test_packages_hold_no_logic() -> None:
    busy = []
    for path in sources():
        if path.name == "__init__.py":
            body = ast.parse(path.read_text()).body
            if any(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in body):
                busy.append(str(path.relative_to(ROOT)))
    assert not busy


def test_no_name_is_vague() -> None:
    assert not [path for path in sources() if path.stem in VAGUE or VAGUE & set(path.relative_to(ROOT).parts[:-1])]


def test_every_module_says_what_it_is_for() -> None:
    silent = []
    for path in sources():
        if path.suffix == ".py" and path.name != "__init__.py" and not ast.get_docstring(ast.parse(path.read_text())):
            silent.append(str(path.relative_to(ROOT)))
    assert not silent

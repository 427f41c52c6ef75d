"""What a release offers to other packages: the names in its modules, and the arguments of its functions and classes.

Read from the source as an importer would see it, with re-exports followed. An answer of None means that the source does
not determine it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator

from vcompat.facts.use import ARGUMENT, ATTRIBUTE, METHOD, Use
from vcompat.upstream.members import Members
from vcompat.upstream.modules import Defined, Module, imported_by, parsed
from vcompat.upstream.subjects import module_source
from vcompat.upstream.text import Text

Read = Callable[[str], str | None]
#: Limit on re-exports that are followed one after the other.
_MAX_DEPTH = 12
#: transformers computes further names of classes from names with these ends.
_COMPUTED_ENDS = ("Fast", "Tokenizer", "ImageProcessor", "FeatureExtractor")


class Surface:
    """What one release offers."""

    def __init__(
        self, read: Read, package: str = "", paths: Collection[str] = (), parse: Callable[..., Module | None] = parsed
    ) -> None:
        """`package` is the name that Python imports; `paths` are all files of the release, for more answers.

        `parse` is `modules.parsed`, or keeps what it returned.
        """
        self._read, self._parse = read, parse
        self._modules: dict[str, Module | None] = {}
        self._broken: set[str] = set()
        self._missing: dict[str, bool] = {}
        self._text = Text(package, read, paths)
        self._members = Members(self._find, self.find_for_typing, self.imported)

    def offers(self, use: Use) -> bool | None:
        """Whether the release has what `use` needs; None if the source does not determine it."""
        # An argument, a method or an attribute needs an import, which is a use of its own and fails there.
        needs_import = use.kind in (ARGUMENT, METHOD, ATTRIBUTE)
        if self._module(use.module) is None:
            return False if not needs_import and self._is_certainly_missing(use.module) else None
        if not use.name:
            return True
        if use.kind == ATTRIBUTE:
            return self._has_attribute(use)
        first, _, rest = use.name.partition(".")
        defined = self._find(use.module, first)
        if defined is None:
            return None if needs_import or self._may_have(use.module, first) else False
        if not rest and use.kind != ARGUMENT:
            return True
        if self._has_several_meanings(defined):
            return None
        return self._members.takes(defined, rest, use.argument) if use.argument else self._members.has(defined, rest)

    def _has_attribute(self, use: Use) -> bool | None:
        """Whether an object has an attribute, by its class. False only if nothing in the release has that name."""
        holder, _, attribute = use.name.rpartition(".")
        name, is_result, method = holder.removesuffix("()"), holder.endswith("()"), ""
        if is_result:
            name, _, method = name.partition(".")
        defined = self._find(use.module, name)
        if defined is None or self._has_several_meanings(defined):
            return None
        owner = self._members.returned(defined, method) if is_result else defined
        has = self._members.has(owner, attribute) if owner else None
        unnamed = self._text.is_known and not self._text.defines(attribute)
        return has if has or (has is False and unnamed) else None

    def _has_several_meanings(self, defined: Defined) -> bool:
        module = self._module(defined.module)
        name = getattr(defined.node, "name", "")
        return module is not None and name in module.several

    def _is_certainly_missing(self, name: str) -> bool:
        """Whether a release cannot have a module of which there is no file: nothing compiles or creates it."""
        root = self._module(name.partition(".")[0])
        if name in self._broken or root is None:
            return False
        if root.makes_modules and root.may_make(name):
            return False
        if name not in self._missing:
            self._missing[name] = not (self._text.below(name.replace(".", "/")) or self._text.imports(name))
        return self._missing[name]

    def _may_have(self, name: str, attribute: str, depth: int = 0) -> bool:
        """Whether a module may define a name that its text does not show where it was looked for."""
        here = self._module(name)
        if here is None or depth > _MAX_DEPTH or attribute in here.names:
            return True
        if here.replaced or here.forwards:
            return not self._text.is_known or attribute.endswith(_COMPUTED_ENDS) or self._text.defines(attribute)
        if here.computes_names or attribute in here.lazy:
            return True
        inside = f"{name}.{attribute}"
        if here.is_package and (self._text.below(inside.replace(".", "/")) or self._text.imports(inside)):
            return True
        return any(self._may_have(star, attribute, depth + 1) for star in here.stars)

    def find(self, module: str, name: str) -> Defined | None:
        """Return where a name in a module is defined, with re-exports followed; None if there is no such name."""
        return self._find(module, name)

    def find_for_typing(self, module: str, name: str) -> Defined | None:
        """Like `find`, for a package that defines its names only ``if TYPE_CHECKING`` and loads them lazily."""
        for _ in range(_MAX_DEPTH):
            here = self._module(module)
            if here is None:
                return None
            found = here.names.get(name) or here.typing_only.get(name)
            if isinstance(found, ast.AST):
                return Defined(module, found)
            if found is None or found[0].partition(".")[0] != module.partition(".")[0]:
                return None
            module, name = found[0], found[1] or name
        return None

    def modules_with(self, name: str) -> list[str]:
        """Return the modules that define a function, a class or a variable, those nearest to the top first."""
        return self._text.modules_with(name)

    def with_bases(self, defined: Defined) -> Iterator[Defined]:
        """Yield a class and its bases, in the order of a lookup; without a node for those that are not known."""
        return self._members.with_bases(defined)

    def imported(self, module: str, name: str) -> tuple[str, str] | None:
        """Return the module and the name in it that a module imports as `name`; None if it does not import it."""
        here = self._module(module)
        found = here.names.get(name) if here else None
        return found if isinstance(found, tuple) else None

    def imports_in(self, module: str) -> dict[str, tuple[str, str]]:
        """Return what a module imports by name anywhere, also for type checkers: the module and the name in it."""
        here = self._module(module)
        nodes = (node for node in ast.walk(here.tree) if isinstance(node, ast.ImportFrom)) if here else ()
        by_name = (node for node in nodes if node.names[0].name != "*")
        return {alias: origin for node in by_name for alias, origin in imported_by(node, here)} if here else {}

    def is_package(self, module: str) -> bool:
        """Whether a module is a package, whose file is ``__init__.py``."""
        here = self._module(module)
        return here is not None and here.is_package

    def tree(self, module: str) -> ast.Module | None:
        """Return the parsed source of a module; None if there is no such module, or it has another syntax."""
        here = self._module(module)
        return here.tree if here else None

    def _module(self, name: str) -> Module | None:
        if name not in self._modules:
            path, source = module_source(name, self._read)
            module = None if source is None else self._parse(name, source, path.endswith("__init__.py"))
            if source is not None and module is None:
                self._broken.add(name)
            self._modules[name] = module
        return self._modules[name]

    def _find(self, module: str, name: str, depth: int = 0) -> Defined | None:
        here = self._module(module)
        if here is None or depth > _MAX_DEPTH:
            return None
        found = here.names.get(name)
        if found is None and name in here.lazy:
            found = here.typing_only.get(name, ("", ""))
        if found is None and here.replaced:
            found = here.typing_only.get(name)
        if isinstance(found, ast.AST):
            return Defined(module, found)
        if found is not None:
            return self._follow(module, found, depth)
        for star in here.stars if not here.replaced else []:
            inside = self._find(star, name, depth + 1)
            if inside is not None:
                return inside
        return Defined(f"{module}.{name}", None) if self._module(f"{module}.{name}") is not None else None

    def _follow(self, module: str, found: tuple[str, str], depth: int) -> Defined | None:
        where, name = found
        if not where or where.partition(".")[0] != module.partition(".")[0]:
            return Defined(where, None)
        if not name:
            return Defined(where, None) if self._module(where) is not None else None
        return self._find(where, name, depth + 1)

#!/usr/bin/env python3
"""Lists circles of files: groups of source files of a crate that use each other, directly or in a round.

An import is followed through re-exports to the file that defines the item; a file that only re-exports an item does not use it.
Test code is left out.
The roots of crates (`lib.rs`) are no nodes: they re-export everything.
"""
import argparse
import pathlib
import re
import sys

def strip(text):
    """Removes comments, strings and test modules."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'b?r#+".*?"#+', '""', text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text, flags=re.S)
    out, at = [], 0
    for found in re.finditer(r"#\[cfg\((?:test|all\(test[^]]*|doctest)\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([a-z]+\))? )?(mod \w+;|mod \w+ \{|use [^;]*;|fn |impl|struct)", text):
        if found.start() < at: continue
        out.append(text[at:found.start()])
        if found[1].endswith(";"):
            at = found.end(); continue
        depth, here = 0, text.find("{", found.start())
        while here < len(text):
            depth += {"{": 1, "}": -1}.get(text[here], 0); here += 1
            if depth == 0: break
        at = here
    out.append(text[at:])
    return "".join(out)

def leaves(tree):
    """Yields (path, name) of a use tree."""
    tree = tree.strip()
    brace = tree.find("{")
    if brace < 0:
        path, _, alias = tree.partition(" as ")
        parts = [p.strip() for p in path.split("::")]
        yield parts, (alias.strip() or parts[-1])
        return
    head = [p for p in tree[:brace].strip().rstrip(":").split("::") if p]
    body, depth, begin = tree[brace + 1:tree.rfind("}")], 0, 0
    pieces = []
    for i, c in enumerate(body):
        if c == "{": depth += 1
        elif c == "}": depth -= 1
        elif c == "," and depth == 0: pieces.append(body[begin:i]); begin = i + 1
    pieces.append(body[begin:])
    for piece in pieces:
        if piece.strip():
            for parts, name in leaves(piece):
                if parts == ["self"]: yield head, (name if name != "self" else head[-1])
                else: yield head + parts, name

class Crate:
    def __init__(self, src, name):
        self.name, self.mods, self.text = name, {}, {}
        for file in src.rglob("*.rs"):
            rel = file.relative_to(src)
            parts = list(rel.with_suffix("").parts)
            if "tests" in parts or parts[-1] in ("main",) or "bin" in parts: continue
            if parts[-1] in ("mod", "lib"): parts.pop()
            self.mods[tuple(parts)] = file
        self.uses, self.exports, self.defs = {}, {}, {}
        for mod, file in self.mods.items():
            text = strip(file.read_text())
            self.text[mod] = text
            self.defs[mod] = set(re.findall(r"\b(?:fn|struct|enum|trait|const|static|union|macro_rules!)\s+(\w+)", text)) | set(re.findall(r"^(?:pub(?:\([^)]*\))? )?type\s+(\w+)", text, re.M))
            uses, exports = [], {}
            bare = re.sub(r"\buse\s+[^;]+;", "", text)
            for vis, tree in re.findall(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", text):
                for parts, name in leaves(tree):
                    # What is only handed on is not used here.
                    if not vis or name == "*" or re.search(rf"\b{name}\b", bare):
                        uses.append(parts)
                    exports.setdefault(name, []).append(parts)
            uses += [p.split("::") for p in re.findall(r"\b(?:crate|super|self)(?:::\w+)+", bare)]
            kids = [m[-1] for m in self.mods if len(m) == len(mod) + 1 and m[:-1] == mod]
            names = set(kids)
            uses += [p.split("::") for p in re.findall(r"(?<![\w:])[a-z]\w*(?:::\w+)+", bare) if p.split("::")[0] in names]
            for first in {p.split("::")[0] for p in re.findall(r"(?<![\w:])[a-z]\w*(?:::\w+)+", bare)}:
                for target in exports.get(first, []):
                    rest = [p.split("::")[1:] for p in re.findall(r"(?<![\w:])[a-z]\w*(?:::\w+)+", bare) if p.split("::")[0] == first]
                    uses += [target + r for r in rest]
            self.uses[mod], self.exports[mod] = uses, exports

    def resolve(self, mod, parts, seen=()):
        """The modules that a path as written in `mod` leads to."""
        parts = list(parts)
        if not parts: return set()
        here = None
        if parts[0] == "crate" or parts[0] == self.name: here, parts = (), parts[1:]
        else:
            while parts and parts[0] in ("self", "super"):
                here = (here if here is not None else mod)
                if parts[0] == "super": here = here[:-1]
                parts = parts[1:]
            if here is None:
                if mod + (parts[0],) in self.mods: here = mod
                elif parts[0] in self.exports[mod] and (mod, parts[0]) not in seen and len(parts) > 1:
                    found = set()
                    for target in self.exports[mod][parts[0]]:
                        if target[0] != parts[0]:
                            found |= self.resolve(mod, target + parts[1:], seen + ((mod, parts[0]),))
                    return found
                else: return set()
        while parts and here + (parts[0],) in self.mods: here, parts = here + (parts[0],), parts[1:]
        if here not in self.mods: return set()
        if not parts: return {here} if here != () else set()
        name = parts[0]
        if name == "*": return {here}
        if name in self.defs[here]: return {here}
        if (here, name) in seen: return set()
        if name in self.exports[here]:
            found = set()
            for target in self.exports[here][name]:
                found |= self.resolve(here, target + parts[1:] if target[-1:] != ["*"] else target, seen + ((here, name),))
            return found
        found = set()
        for target in self.exports[here].get("*", []):
            for m in self.resolve(here, target[:-1] + [name], seen + ((here, name),)): found.add(m)
        return found or {here}

    def graph(self):
        edges = {}
        for mod in self.mods:
            to = set()
            for parts in self.uses[mod]: to |= self.resolve(mod, parts)
            edges[mod] = {t for t in to if t in self.mods} - {mod}
        return {m: t - {()} for m, t in edges.items() if m != ()}

def circles(edges):
    index, low, stack, on, out, counter = {}, {}, [], set(), [], [0]
    sys.setrecursionlimit(10000)
    def visit(v):
        index[v] = low[v] = counter[0]; counter[0] += 1; stack.append(v); on.add(v)
        for w in edges[v]:
            if w not in index: visit(w); low[v] = min(low[v], low[w])
            elif w in on: low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            group = []
            while True:
                w = stack.pop(); on.discard(w); group.append(w)
                if w == v: break
            if len(group) > 1: out.append(sorted(group))
    for v in edges:
        if v not in index: visit(v)
    return out

def main():
    """Lists the circles of all crates; fails where there are more, or larger ones, than allowed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=".", help="the folder of the workspace")
    parser.add_argument("--most", type=int, help="fail if there are more circles")
    parser.add_argument("--largest", type=int, help="fail if a circle has more files")
    parser.add_argument("--arrows", nargs=3, metavar=("CRATE", "FROM", "TO"), help="list the uses of TO in FROM")
    wanted = parser.parse_args()
    found = []
    for manifest in sorted(pathlib.Path(wanted.root).rglob("Cargo.toml")):
        src = manifest.parent / "src"
        if "target" in manifest.parts or "fuzz" in manifest.parts or not (src / "lib.rs").exists():
            continue
        name = manifest.parent.name
        edges = Crate(src, name.replace("-", "_")).graph()
        if wanted.arrows and name == wanted.arrows[0]:
            for module in edges:
                for target in edges[module]:
                    if (module[:1], target[:1]) == ((wanted.arrows[1],), (wanted.arrows[2],)):
                        print("arrow", "/".join(module), "->", "/".join(target))
        found += [(len(circle), name, ["/".join(module) for module in circle]) for circle in circles(edges)]
    for size, name, files in sorted(found, reverse=True):
        print(size, name, " ".join(files))
    print(f"{len(found)} circles")
    largest = max((size for size, _, _ in found), default=0)
    if wanted.most is not None and len(found) > wanted.most:
        sys.exit(f"{len(found)} circles of files, at most {wanted.most} are allowed")
    if wanted.largest is not None and largest > wanted.largest:
        sys.exit(f"a circle of {largest} files, at most {wanted.largest} are allowed")


if __name__ == "__main__":
    main()

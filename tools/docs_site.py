#!/usr/bin/env python3
"""The documentation as a website with search, from the pages of this repository, by MkDocs:

    python3 -m venv build/site-tools && build/site-tools/bin/pip install mkdocs
    build/site-tools/bin/python tools/docs_site.py build/site          # then open build/site/index.html

Links that lead nowhere end it. --stage FOLDER only gathers the pages, as MkDocs gets them, and needs no MkDocs.
"""
import argparse
import logging
import os
import pathlib
import re
import shutil
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^\s*```")


def slug(heading, separator="-"):
    """The anchor of a heading as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", separator)


def pages():
    found = [SOURCE / name for name in ("README.md", "CHANGELOG.md", "SECURITY.md", "examples/README.md")]
    return [page for page in found if page.exists()] + sorted((SOURCE / "docs").rglob("*.md"))


def lines_of(text):
    """Lines, and whether each lies within a block of code."""
    inside = False
    for line in text.splitlines():
        fence = bool(FENCE.match(line))
        yield line, inside or fence
        inside ^= fence


def for_mkdocs(text, page, wanted):
    """The page with links to folders as links to their lists, and empty lines before lists and tables, which MkDocs needs and GitHub does not.
    Adds the files it links to."""

    def link(match):
        path, _, anchor = match[2].partition("#")
        if not path or re.match(r"[a-z]+:", match[2]):
            return match[0]
        target = (page.parent / path).resolve()
        wanted.add(target)
        folder = os.path.join(path, "README.md") if target.is_dir() else path
        return match[1] + folder + ("#" + anchor if anchor else "") + match[3]

    result, before = [], ""
    for line, in_code in lines_of(text):
        if not in_code:
            line = LINK.sub(link, line)
            for start in (r"\s*([-*]|\d+\.) ", r"\|"):
                if re.match(start, line) and before.strip() and not re.match(start, before) and not before.startswith(" "):
                    result.append("")
        result.append(line)
        before = "```" if in_code else line
    return "\n".join(result) + "\n"


def stage(folder):
    """Pages, and the files they link to, under the folder; folders that are linked to get a list of their files."""
    wanted, done = set(), set()
    while left := [page for page in {*pages(), *wanted} - done if page.suffix == ".md"]:
        page = left[0]
        done.add(page)
        target = folder / page.relative_to(SOURCE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(for_mkdocs(page.read_text(), page, wanted))
    for path in sorted(wanted):
        target = folder / path.relative_to(SOURCE)
        if path.is_dir() and not (target / "README.md").exists():
            target.mkdir(parents=True, exist_ok=True)
            files = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
            for each in files:
                if not (target / each.name).exists():
                    shutil.copy(each, target / each.name)
            (target / "README.md").write_text(f"# {path.relative_to(SOURCE)}\n\n" + "".join(f"- [{each.name}]({each.name})\n" for each in files))
        elif path.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)


def navigation():
    """By the index of the documentation: its chapters, and under each the pages it links to, by their own titles."""
    index, title, entries = (SOURCE / "docs" / "README.md").read_text(), "", [{"Ritz": "README.md"}, {"Documentation": "docs/README.md"}]
    for line in index.splitlines():
        if line.startswith("## "):
            title = line[3:]
            entries.append({title: []})
        for _, path, _ in LINK.findall(line):
            target = (SOURCE / "docs" / path.partition("#")[0]).resolve()
            page = target / "README.md" if target.is_dir() else target
            name = page.relative_to(SOURCE).as_posix()
            heading = re.search(r"^# (.*)$", page.read_text(), re.M)[1] if page.exists() else target.name.capitalize()
            short = heading.split(":")[0].replace("`", "")
            if title and all({short: name} != each for part in entries[2:] for each in next(iter(part.values()))):
                entries[-1][title].append({short: name})
    return entries + [{"Changes": "CHANGELOG.md"}]


def build(target):
    from mkdocs.commands.build import build as make
    from mkdocs.config import load_config

    with tempfile.TemporaryDirectory() as folder:
        staged = pathlib.Path(folder) / "pages"
        stage(staged)
        (pathlib.Path(folder) / "mkdocs.yml").write_text("site_name: Ritz\n")
        logging.basicConfig(level=logging.WARNING, format="%(message)s")
        config = load_config(str(pathlib.Path(folder) / "mkdocs.yml"), docs_dir=str(staged), site_dir=str(target.resolve()), strict=True, theme="readthedocs",
                             use_directory_urls=False, nav=navigation(), plugins=["search"],
                             validation={"links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}, "nav": {"omitted_files": "ignore"}},
                             markdown_extensions=["tables", "fenced_code", "sane_lists", {"toc": {"slugify": slug, "permalink": True}}])
        make(config)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, help="where the site is written; an older one there is replaced")
    parser.add_argument("--stage", type=pathlib.Path, metavar="FOLDER", help="only gather the pages there")
    asked = parser.parse_args()
    if asked.stage:
        stage(asked.stage)
    elif asked.folder is None:
        parser.error("say where the site is to go")
    else:
        try:
            import mkdocs  # noqa: F401
        except ImportError:
            sys.exit("error: MkDocs is not installed for this Python\n  fix: python3 -m venv build/site-tools && build/site-tools/bin/pip install mkdocs")
        build(asked.folder)


if __name__ == "__main__":
    main()

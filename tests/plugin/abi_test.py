#!/usr/bin/env python3
"""Fails if a header that plugins can reach changed and kAbiNumber (framework/plugin/abi.h) did not.

    python3 tests/plugin/abi_test.py            compare with tests/plugin/abi.txt
    python3 tests/plugin/abi_test.py --bump     raise kAbiNumber and record: plugins must be built again
    python3 tests/plugin/abi_test.py --record   record only: for a change that no compiled plugin can notice

Comments and white space do not count.
"""
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRAMEWORK = ROOT / "framework"
ABI = FRAMEWORK / "plugin/abi.h"
RECORD = ROOT / "tests/plugin/abi.txt"
NUMBER = re.compile(r"(kAbiNumber = )(\d+);")
TEXT_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.S)


def without_comments(source):
    return TEXT_OR_COMMENT.sub(lambda m: " " if m[0].startswith("/") else m[0], source)


def reachable(header, found):
    if header in found:
        return
    source = without_comments(header.read_text(encoding="utf-8"))
    found[header] = source
    for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', source, re.M):
        reachable(FRAMEWORK / name, found)


def interface_hash():
    found = {}
    reachable(FRAMEWORK / "assay.h", found)
    whole = hashlib.sha256()
    for header in sorted(found):
        text = NUMBER.sub("", found[header])
        whole.update(f"{header.relative_to(FRAMEWORK)}\n{''.join(text.split())}\n".encode())
    return whole.hexdigest()


def main(arguments):
    if arguments not in ([], ["--bump"], ["--record"]):
        sys.exit(__doc__)
    source = ABI.read_text(encoding="utf-8")
    number = int(NUMBER.search(source)[2])
    if arguments == ["--bump"]:
        number += 1
        ABI.write_text(NUMBER.sub(rf"\g<1>{number};", source), encoding="utf-8")
    current = f"{number} {interface_hash()}"
    if arguments:
        RECORD.write_text(current + "\n", encoding="utf-8")
        return
    recorded = RECORD.read_text(encoding="utf-8").strip()
    if current == recorded:
        return
    if current.split()[0] == recorded.split()[0]:
        sys.exit(
            "Headers that plugins can reach have changed, but kAbiNumber has not: plugins built before "
            "would be opened and could give wrong results.\n"
            "Run: python3 tests/plugin/abi_test.py --bump"
        )
    sys.exit("kAbiNumber has changed. Run: python3 tests/plugin/abi_test.py --record")


if __name__ == "__main__":
    main(sys.argv[1:])

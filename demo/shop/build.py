"""`python -m demo.shop.build ESBUILD`: the shop's scripts as browsers get them, with their source maps."""

import json
import subprocess
import sys
import uuid
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"
BUILT = Path(__file__).parent / "static" / "js"
# What upload tools insert: a stack names the debug ID of its script.
REGISTERED = (
    "!function(){try{var r=globalThis,s=(new r.Error).stack;"
    's&&((r._sentryDebugIds=r._sentryDebugIds||{})[s]="%s")}catch(e){}}();'
)


def main() -> None:
    for script in sorted(SCRIPTS.glob("*.js")):
        built = BUILT / script.name
        debug_id = str(uuid.uuid5(uuid.NAMESPACE_URL, script.name + read_all()))
        options = ("--bundle", "--minify", "--format=iife", "--target=es2020", "--sourcemap")
        marks = (f"--banner:js={REGISTERED % debug_id}", f"--footer:js=//# debugId={debug_id}")
        esbuild = [sys.argv[1], script.name, *options, *marks, f"--outfile={built}"]
        subprocess.run(esbuild, check=True, cwd=SCRIPTS)
        mapped = built.with_suffix(".js.map")
        names = json.loads(mapped.read_text("utf-8"))
        names["sources"] = [f"scripts/{Path(source).name}" for source in names["sources"]]
        mapped.write_text(json.dumps(names | {"debug_id": debug_id}), "utf-8")


def read_all() -> str:
    return "".join(path.read_text("utf-8") for path in sorted(SCRIPTS.glob("*.js")))


if __name__ == "__main__":
    main()

// Runs pytest in Pyodide, CPython compiled to WebAssembly: node run.mjs PACKAGES PROJECT DATA ARGUMENT...
import { loadPyodide } from "pyodide";

const [packages, project, data, ...args] = process.argv.slice(2);
const python = await loadPyodide({ env: { HOME: "/tmp", PYTHONDONTWRITEBYTECODE: "1" } });
for (const [at, root] of Object.entries({ "/packages": packages, "/zom": project, "/data": data })) {
  python.FS.mkdirTree(at);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, at);
}
python.globals.set("args", python.toPy(args));
process.exitCode = python.runPython(`
import os, sys
sys.path[:0] = ["/zom/src", "/packages"]
os.chdir("/zom")
import pytest
int(pytest.main(["-p", "no:cacheprovider", "-p", "no:faulthandler", *args]))
`);

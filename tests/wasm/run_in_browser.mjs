// Runs asks.py in Pyodide, in a page or in a worker of it, and sends what it found to the server of the page.
export async function run(name) {
  let found;
  try {
    const { loadPyodide } = await import("/pyodide/pyodide.mjs");
    const python = await loadPyodide();
    for (const archive of ["packages", "src"]) {
      const bytes = await (await fetch(`/${archive}.zip`)).arrayBuffer();
      python.unpackArchive(bytes, "zip", { extractDir: `/${archive}` });
    }
    python.globals.set("places", python.toPy(await (await fetch("/places.json")).json()));
    python.globals.set("source", await (await fetch("/asks.py")).text());
    found = python.runPython(`
import json, sys
sys.path[:0] = ["/src", "/packages"]
exec(source)
json.dumps({place: answers(url) for place, url in places.items()})
`);
  } catch (error) {
    found = JSON.stringify({ error: String(error) });
  }
  await fetch(`/found/${name}`, { method: "POST", body: found });
}

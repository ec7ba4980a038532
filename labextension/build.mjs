// Bundles the widget into one module, its loader, and one style sheet; with --page also the page for trying it out.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const common = {
  absWorkingDir: here,
  bundle: true,
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
  minify: true,
  target: "es2022",
};

/** Graphviz as zipped bytes, in place of the library's own packing, which a script would have to undo. */
const graphviz = {
  name: "graphviz",
  setup(bundler) {
    bundler.onResolve({ filter: /^graphviz\.wasm\?packed$/ }, ({ path }) => ({
      path,
      namespace: "graphviz",
    }));
    bundler.onLoad({ filter: /.*/, namespace: "graphviz" }, async () => ({
      contents: gzipSync(await graphvizBytes(), { level: 9 }).toString("base64"),
      loader: "text",
    }));
    bundler.onLoad({ filter: /wasm-graphviz.dist.index\.js$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const unpacking = /([\w$]+)\?\?=[\w$]+\([\w$]+\([\w$]+\)\)/g;
      if (source.match(unpacking)?.length !== 1)
        throw new Error(
          `${path} unpacks its bytes in another way than it used to: look for it in this file`,
        );
      const ours = JSON.stringify(resolve(here, "src/layout/wasm.ts"));
      const contents = source.replace(unpacking, "$1??=graphvizBytes()");
      return { contents: `import {graphvizBytes} from ${ours};${contents}` };
    });
  },
};

/** What the library, having unpacked it, gives to WebAssembly. */
async function graphvizBytes() {
  const { instantiate } = WebAssembly;
  let found;
  WebAssembly.instantiate = (bytes, imports) => {
    found = bytes;
    return instantiate(bytes, imports);
  };
  await (await import("@hpcc-js/wasm-graphviz")).Graphviz.load();
  WebAssembly.instantiate = instantiate;
  return found;
}

/** `import text from "./x.worker.ts?worker-text"`: the worker as classic script text inside the module. */
const workerText = {
  name: "worker-text",
  setup(bundler) {
    bundler.onResolve({ filter: /\?worker-text$/ }, ({ path, importer }) => ({
      path: resolve(dirname(importer), path.replace(/\?.*/, "")),
      namespace: "worker-text",
    }));
    bundler.onLoad({ filter: /.*/, namespace: "worker-text" }, async ({ path }) => {
      const { outputFiles } = await build({
        ...common,
        entryPoints: [path],
        format: "iife",
        plugins: [graphviz],
        write: false,
      });
      return { contents: outputFiles[0].text, loader: "text" };
    });
  },
};

const version = JSON.parse(readFileSync(resolve(here, "package.json"), "utf8")).version;
const worker = readFileSync(resolve(here, "src/layout/layout.worker.ts"));
const buildId = `${version}-${createHash("sha256").update(worker).digest("hex").slice(0, 8)}`;

const bundle = (entry, outfile, options = {}) =>
  build({
    ...common,
    entryPoints: [entry],
    format: "esm",
    outfile,
    plugins: [workerText],
    define: { __BUILD__: JSON.stringify(buildId) },
    ...options,
  });

const target = process.argv.includes("--page") ? "tests/page/out" : "../onnx_explorer/static";
await bundle("src/widget.ts", `${target}/widget.js`);
await bundle("src/loader.ts", `${target}/loader.js`);
await build({ ...common, entryPoints: ["style/widget.css"], outfile: `${target}/widget.css` });
if (process.argv.includes("--page"))
  await bundle("tests/page/page.ts", `${target}/page.js`, { minify: false });

/** Writes a level as DOT. Only numbers go in: ids are integers and labels stay outside. */
import type { LayoutGraph, LayoutNode } from "./geometry";
import { routesItself } from "./routes";

/** Widths and heights of table cells are 16-bit in Graphviz. */
const LARGEST_CELL = 60_000;

const inches = (pixels: number) => (pixels / 72).toFixed(4);

export const NODE_GAP = 18;
/** High enough for a label and an arrow between two ranks. */
export const RANK_GAP = 38;

/** `nslimit`, `nslimit1` and `mclimit` trade a little straightness for a lot of time on large levels. */
const SETTINGS = `nslimit=0.1 nslimit1=1 mclimit=0.2 nodesep=${inches(NODE_GAP)}`;

/** The weight of an arc beside loose ones, which would pull it aside. */
const STRAIGHTER = 6;

export function writeDot(graph: LayoutGraph): string {
  const lines = [
    "digraph{",
    `graph[${SETTINGS}${routesItself(graph) ? " splines=none" : ""} ranksep=${inches(graph.rankGap ?? RANK_GAP)}]`,
    'node[shape=box fixedsize=true label=""]',
    "edge[dir=none]",
  ];
  graph.nodes.forEach((node, i) => {
    lines.push(`${i}[${nodeAttributes(node)}]`);
  });
  for (const [pin, rank] of [
    ["top", "source"],
    ["bottom", "sink"],
  ] as const) {
    const pinned = graph.nodes.flatMap((node, i) => (node.pin === pin ? [i] : []));
    if (pinned.length > 0) lines.push(`{rank=${rank};${pinned.join(";")}}`);
  }
  const usual = graph.arcs.some(({ loose }) => loose) ? STRAIGHTER : undefined;
  graph.arcs.forEach((arc, i) => {
    const [out, into] = arc.loose ? (["", ""] as const) : (["s", "n"] as const);
    const from = `${arc.from}${port(graph.nodes[arc.from], "o", arc.fromPort, out)}`;
    const to = `${arc.to}${port(graph.nodes[arc.to], "i", arc.toPort, into)}`;
    const own = arc.weight ?? (arc.loose ? undefined : usual);
    const weight = own === undefined ? "" : ` weight=${own}`;
    lines.push(`${from}->${to}[id=${i}${weight}]`);
  });
  for (const chain of graph.chains ?? [])
    if (chain.length > 1) lines.push(`${chain.join("->")}[style=invis]`);
  lines.push("}");
  return lines.join("\n");
}

function port(
  node: LayoutNode | undefined,
  prefix: "i" | "o",
  index: number | undefined,
  side: "n" | "s" | "",
): string {
  if (!node || node.pin) return "";
  if (index !== undefined) return `:${prefix}${index}:${side || "c"}`;
  return side && `:${side}`;
}

function nodeAttributes(node: LayoutNode): string {
  const tops = node.tops ?? [];
  const bottoms = node.bottoms ?? [];
  if (tops.length + bottoms.length === 0)
    return `width=${inches(node.width)} height=${inches(node.height)}`;
  return `shape=plain fixedsize=false label=<${portTable(node, tops, bottoms)}>`;
}

/** A table of the node's exact size whose first and last row hold the ports at their places. */
function portTable(node: LayoutNode, tops: readonly number[], bottoms: readonly number[]): string {
  const width = Math.round(node.width);
  const rows: string[] = [];
  let height = Math.round(node.height);
  if (tops.length > 0) {
    rows.push(portRow(tops, "i", width));
    height -= 1;
  }
  if (bottoms.length > 0) height -= 1;
  for (let left = height; left > 0; left -= LARGEST_CELL)
    rows.push(`<tr>${cell("", width, Math.min(left, LARGEST_CELL))}</tr>`);
  if (bottoms.length > 0) rows.push(portRow(bottoms, "o", width));
  return table(rows.join(""));
}

function portRow(places: readonly number[], prefix: string, width: number): string {
  const order = places.map((x, i) => ({ x, i })).sort((a, b) => a.x - b.x);
  const cells: string[] = [];
  let done = 0;
  for (const { x, i } of order) {
    // The port is the two pixels around its place; what lies before it is a spacer.
    const left = Math.max(done, Math.min(Math.round(x) - 1, width - 2));
    if (left > done) cells.push(cell("", left - done, 1));
    cells.push(cell(` port="${prefix}${i}"`, 2, 1));
    done = left + 2;
  }
  if (done < width) cells.push(cell("", width - done, 1));
  return `<tr><td cellpadding="0">${table(`<tr>${cells.join("")}</tr>`)}</td></tr>`;
}

function table(rows: string): string {
  return `<table border="0" cellborder="0" cellspacing="0" cellpadding="0">${rows}</table>`;
}

function cell(port: string, width: number, height: number): string {
  return `<td${port} fixedsize="true" width="${width}" height="${height}"></td>`;
}

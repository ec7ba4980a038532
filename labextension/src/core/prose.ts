/** The plain text of operator pages as paragraphs, lists and tables. */

export interface Span {
  readonly text: string;
  readonly code: boolean;
}

export type Block =
  | { readonly kind: "paragraph"; readonly spans: readonly Span[] }
  | { readonly kind: "list"; readonly items: readonly (readonly Span[])[] }
  /** Lines that are set as they stand. */
  | { readonly kind: "literal"; readonly text: string };

const isLiteral = (line: string) => line.startsWith("    ") || line.startsWith("|");
const isItem = (line: string) => line.startsWith("- ");

export function prose(text: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  const close = () => {
    const [first] = lines;
    if (first === undefined) return;
    if (isLiteral(first)) blocks.push({ kind: "literal", text: dedent(lines) });
    else if (isItem(first)) blocks.push({ kind: "list", items: items(lines) });
    else blocks.push({ kind: "paragraph", spans: spans(lines.join(" ")) });
    lines = [];
  };
  for (const line of text.trim().split("\n")) {
    const [first] = lines;
    const begins =
      first !== undefined &&
      !isItem(first) &&
      (isItem(line) || isLiteral(line) !== isLiteral(first));
    if (line.trim() === "" || begins) close();
    if (line.trim() !== "") lines.push(line);
  }
  close();
  return blocks;
}

function items(lines: readonly string[]): Span[][] {
  const texts: string[] = [];
  for (const line of lines)
    if (isItem(line)) texts.push(line.slice(2));
    else texts.push(`${texts.pop() ?? ""} ${line.trim()}`);
  return texts.map(spans);
}

function dedent(lines: readonly string[]): string {
  const indent = Math.min(...lines.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(indent)).join("\n");
}

/** What stands between backticks is code. */
export function spans(text: string): Span[] {
  return text
    .split("`")
    .map((part, i) => ({ text: part, code: i % 2 === 1 }))
    .filter((span) => span.text !== "");
}

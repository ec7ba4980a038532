/** Short forms in place of long names of dims: labels stay narrow, hints and the inspector say the whole. */

export type Shorten = (text: string) => string;

export function shortener(aliases: ReadonlyMap<string, string>): Shorten {
  if (aliases.size === 0) return (text) => text;
  // The longest first: a name may be the beginning of another.
  const names = [...aliases.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(names.map(escaped).join("|"), "g");
  const known = new Map<string, string>();
  return (text) => {
    let short = known.get(text);
    if (short === undefined) {
      short = text.replace(pattern, (name) => aliases.get(name) ?? name);
      known.set(text, short);
    }
    return short;
  };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}

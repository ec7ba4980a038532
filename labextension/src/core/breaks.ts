/** Where a long name may go on in the next line: behind the signs between its words, before it is broken in one of them. */

/** What any column has room for is shorter. */
const LONG = /\S{15,}/g;
const SIGNS = /[/._:*(,=]+(?=[^/._:*(,=])/g;

/** The text in pieces, between which a line may end; together they are the text. */
export function pieces(text: string): string[] {
  const cuts = [...text.matchAll(LONG)].flatMap((long) =>
    [...long[0].matchAll(SIGNS)].map((signs) => long.index + signs.index + signs[0].length),
  );
  return [0, ...cuts].map((from, i) => text.slice(from, cuts[i]));
}

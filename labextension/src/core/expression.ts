/** Arithmetic over symbolic sizes, as Python prints it: `2*seq + 1`, `floor((height - 1)/2)`, `broadcast(B, S)`. */

/** The number that the symbols make of it; undefined where the text is no arithmetic. */
type Formula = (sizes: ReadonlyMap<string, number>) => number;

export interface Expression {
  readonly symbols: readonly string[];
  readonly at: Formula;
}

const TOKEN = /\s*(?:(\d+)|(`(?:[^`]|``)*`)|([\p{L}_?][\p{L}\p{N}_?.:]*)|(\*\*|[-+*/%(),]))/uy;

/** What a symbol is taken for that nobody gave a size. */
export const OPEN = 1;

const FUNCTIONS: Readonly<Record<string, (...numbers: number[]) => number>> = {
  floor: Math.floor,
  ceil: Math.ceil,
  ceiling: Math.ceil,
  max: Math.max,
  min: Math.min,
  broadcast: (...sizes) => sizes.find((size) => size !== 1) ?? 1,
};

const READ = new Map<string, Expression | undefined>();

export function readExpression(text: string): Expression | undefined {
  if (!READ.has(text)) READ.set(text, new Reader(text).whole());
  return READ.get(text);
}

const mod = (a: number, b: number) => a - b * Math.floor(a / b);

class Reader {
  readonly #tokens: string[] = [];
  readonly #symbols = new Set<string>();
  #place = 0;
  #depth = 0;
  #broken = false;

  constructor(text: string) {
    TOKEN.lastIndex = 0;
    const end = text.trimEnd().length;
    while (TOKEN.lastIndex < end) {
      const found = TOKEN.exec(text);
      if (!found) {
        this.#broken = true;
        return;
      }
      this.#tokens.push(found[0].trim());
    }
  }

  whole(): Expression | undefined {
    const at = this.#broken ? undefined : this.#sum();
    if (!at || this.#broken || this.#place < this.#tokens.length) return undefined;
    return { at, symbols: [...this.#symbols] };
  }

  #take(...signs: string[]): string | undefined {
    const token = this.#tokens[this.#place];
    if (token === undefined || !signs.includes(token)) return undefined;
    this.#place++;
    return token;
  }

  #sum(): Formula {
    let left = this.#product();
    for (let sign = this.#take("+", "-"); sign; sign = this.#take("+", "-")) {
      const [a, b, factor] = [left, this.#product(), sign === "+" ? 1 : -1];
      left = (sizes) => a(sizes) + factor * b(sizes);
    }
    return left;
  }

  #product(): Formula {
    let left = this.#signed();
    for (;;) {
      const sign = this.#take("*", "/", "%", "mod");
      if (!sign) return left;
      const [a, b] = [left, this.#signed()];
      left =
        sign === "*"
          ? (sizes) => a(sizes) * b(sizes)
          : sign === "/"
            ? (sizes) => a(sizes) / b(sizes)
            : (sizes) => mod(a(sizes), b(sizes));
    }
  }

  #signed(): Formula {
    const sign = this.#take("-", "+");
    if (sign) {
      const inner = this.#signed();
      return sign === "-" ? (sizes) => -inner(sizes) : inner;
    }
    const base = this.#operand();
    if (!this.#take("**")) return base;
    const power = this.#operand();
    return (sizes) => base(sizes) ** power(sizes);
  }

  #operand(): Formula {
    const token = this.#tokens[this.#place++] ?? "";
    if (/^\d/.test(token)) return () => Number(token);
    // Text that nests this deep is no size.
    if (token === "(" && this.#depth++ < 60) {
      const inner = this.#sum();
      if (!this.#take(")")) this.#broken = true;
      this.#depth--;
      return inner;
    }
    const name = token.startsWith("`") ? token.slice(1, -1).replaceAll("``", "`") : token;
    if (!/^[\p{L}_?`]/u.test(token)) {
      this.#broken = true;
      return () => Number.NaN;
    }
    if (Object.hasOwn(FUNCTIONS, token) && this.#take("(")) return this.#call(token);
    this.#symbols.add(name);
    return (sizes) => sizes.get(name) ?? OPEN;
  }

  #call(name: string): Formula {
    const given = [this.#sum()];
    while (this.#take(",")) given.push(this.#sum());
    if (!this.#take(")")) this.#broken = true;
    const apply = FUNCTIONS[name];
    return (sizes) => apply?.(...given.map((each) => each(sizes))) ?? Number.NaN;
  }
}

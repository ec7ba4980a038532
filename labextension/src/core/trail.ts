/** Where a person has been, to go back and forth. */
export class Trail<Place> {
  #places: Place[] = [];
  #at = -1;
  readonly #most: number;

  constructor(most = 200) {
    this.#most = most;
  }

  get canGoBack(): boolean {
    return this.#at > 0;
  }

  get canGoForward(): boolean {
    return this.#at < this.#places.length - 1;
  }

  /** A new place; what lay ahead is forgotten. */
  go(place: Place): void {
    this.#places = [...this.#places.slice(0, this.#at + 1), place].slice(-this.#most);
    this.#at = this.#places.length - 1;
  }

  /** The place where the person is looks other now. */
  update(place: Place): void {
    if (this.#at >= 0) this.#places[this.#at] = place;
  }

  /** The same places as they are called now. */
  rename(renamed: (place: Place) => Place): void {
    this.#places = this.#places.map(renamed);
  }

  /** A step came to nothing: the person is still where this holds, one place before or after. */
  stay(isHere: (place: Place) => boolean): void {
    const found = [this.#at, this.#at - 1, this.#at + 1].find((i) => {
      const place = this.#places[i];
      return place !== undefined && isHere(place);
    });
    if (found !== undefined) this.#at = found;
  }

  back(): Place | undefined {
    return this.canGoBack ? this.#places[--this.#at] : undefined;
  }

  forward(): Place | undefined {
    return this.canGoForward ? this.#places[++this.#at] : undefined;
  }

  clear(): void {
    this.#places = [];
    this.#at = -1;
  }
}

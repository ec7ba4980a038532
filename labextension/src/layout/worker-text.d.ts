declare module "*?worker-text" {
  const source: string;
  export default source;
}

declare module "graphviz.wasm?packed" {
  const source: string;
  export default source;
}

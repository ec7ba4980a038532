declare module "*?worker-text" {
  const source: string;
  export default source;
}

import { expect, it } from "vitest";
import { Pace } from "../src/core/pace";

it("lets events in while many things go on side by side", async () => {
  const pace = new Pace();
  let events = 0;
  const timer = setInterval(() => events++, 1);
  const work = async () => {
    await pace.rest();
    const began = performance.now();
    while (performance.now() - began < 3);
  };
  // 120 ms of work in pieces of some 20.
  await Promise.all(Array.from({ length: 40 }, work));
  clearInterval(timer);
  expect(events).toBeGreaterThanOrEqual(3);
});

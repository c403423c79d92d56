import { expect, test } from "vitest";
import { RequestQueue } from "./requestQueue.ts";

const second = 1_000;

/** Creates a queue of at most ten requests, in which a request may wait for a second in lasting overload. */
function createQueue() {
  let nowMs = 0;
  const queue = new RequestQueue<number>({ nowMs: () => nowMs, maxLength: 10, maxWaitMs: second });
  let pushed = 0;
  return {
    queue,
    push: () => queue.push(++pushed),
    advance: (milliseconds: number) => {
      nowMs += milliseconds;
    },
  };
}

test("returns requests in the order of arrival", () => {
  const { queue, push } = createQueue();
  for (let n = 0; n < 3; n++) push();
  expect([queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual([1, 2, 3, undefined]);
});

test("removes the requests that have waited for at least a time", () => {
  const { queue, push, advance } = createQueue();
  for (let n = 0; n < 3; n++) {
    push();
    advance(second);
  }
  expect(queue.takeOlder(2 * second)).toEqual([1, 2]);
  expect(queue.takeOlder(0)).toEqual([3]);
  expect(queue.takeOlder(0)).toEqual([]);
});

test("is overloaded while the maximum number of requests wait", () => {
  const { queue, push } = createQueue();
  for (let n = 0; n < 9; n++) push();
  expect(queue.isOverloaded()).toBe(false);
  push();
  expect(queue.isOverloaded()).toBe(true);
  queue.shift();
  expect(queue.isOverloaded()).toBe(false);
});

test("is not overloaded by a burst that drains in ten seconds, with any delay, nor by the next burst", () => {
  const { queue, push, advance } = createQueue();
  for (let burst = 0; burst < 3; burst++) {
    for (let n = 0; n < 9; n++) push();
    for (let n = 0; n < 9; n++) {
      advance(second);
      expect(queue.isOverloaded()).toBe(false);
      queue.shift();
    }
    advance(10 * second);
  }
});

test("is overloaded if requests have waited longer than maxWaitMs for ten seconds, while one waits that long", () => {
  const { queue, push, advance } = createQueue();
  for (let n = 0; n < 3; n++) push();
  advance(second + 1);
  expect(queue.isOverloaded()).toBe(false);
  advance(10 * second - 1);
  push();
  expect(queue.isOverloaded()).toBe(false);
  advance(1);
  expect(queue.isOverloaded()).toBe(true);
  for (let n = 0; n < 3; n++) queue.shift();
  expect(queue.isOverloaded()).toBe(false);
  advance(second);
  expect(queue.isOverloaded()).toBe(true);
});

test("is not overloaded by requests that never wait longer than maxWaitMs, nor by a burst after them", () => {
  const { queue, push, advance } = createQueue();
  push();
  for (let n = 0; n < 60; n++) {
    push();
    advance(second / 2);
    queue.shift();
    expect(queue.isOverloaded()).toBe(false);
  }
  advance(9 * second);
  expect(queue.isOverloaded()).toBe(false);
});

test("stays overloaded while the queue is briefly empty, until no request has waited too long for ten seconds", () => {
  const { queue, push, advance } = createQueue();
  const waitTwoSeconds = () => {
    push();
    advance(2 * second);
    const isOverloaded = queue.isOverloaded();
    queue.shift();
    return isOverloaded;
  };
  for (let n = 0; n < 6; n++) expect(waitTwoSeconds()).toBe(n === 5);
  advance(7 * second);
  expect(waitTwoSeconds()).toBe(true);
  advance(9 * second);
  expect(waitTwoSeconds()).toBe(false);
});

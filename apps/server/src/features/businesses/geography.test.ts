import { expect, test } from "vitest";
import { type Box, getBoundingBoxes, type Place } from "./geography.ts";

const holds = (boxes: readonly Box[], { lat, lon }: Place) =>
  boxes.some(({ south, north, west, east }) => lat >= south && lat <= north && lon >= west && lon <= east);

/** Returns the place at a distance and bearing. Source: the direct problem on a sphere. */
function travel({ lat, lon }: Place, distanceKm: number, bearing: number): Place {
  const [phi, angle] = [(lat * Math.PI) / 180, distanceKm / 6_371.008_8];
  const sin = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing);
  const turn = Math.atan2(Math.sin(bearing) * Math.sin(angle) * Math.cos(phi), Math.cos(angle) - Math.sin(phi) * sin);
  const turned = lon + (turn * 180) / Math.PI;
  return { lat: (Math.asin(Math.max(-1, Math.min(1, sin))) * 180) / Math.PI, lon: ((turned + 540) % 360) - 180 };
}

test("boxes contain every place within the distance, everywhere on the Earth", () => {
  for (const lat of [-90, -89.99, -60, 0, 45, 89, 90]) {
    for (const lon of [-180, -179.99, -90, 0, 179.5, 180]) {
      for (const radius of [0.001, 1, 50, 1_000, 9_000, 20_038]) {
        const boxes = getBoundingBoxes({ lat, lon }, radius);
        for (let step = 0; step < 16; step++) {
          for (const part of [0.1, 0.5, 1]) {
            const place = travel({ lat, lon }, radius * part, (step * Math.PI) / 8);
            if (!holds(boxes, place)) expect.fail(JSON.stringify({ lat, lon, radius, place, boxes }));
          }
        }
      }
    }
  }
});

test("boxes exclude most of the Earth for a small distance", () => {
  for (const lon of [0, 180, -180]) {
    const boxes = getBoundingBoxes({ lat: 50, lon }, 10);
    const degrees = boxes.reduce((sum, { south, north, west, east }) => sum + (north - south) * (east - west), 0);
    expect(degrees).toBeLessThan(0.1);
  }
});

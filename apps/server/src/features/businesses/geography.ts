/** A place in degrees. */
export type Place = { lat: number; lon: number };

/** Ranges of latitude and longitude in degrees, edges included. */
export type Box = { south: number; north: number; west: number; east: number };

/** The mean radius of the Earth in kilometres (IUGG 1980, R1). */
export const earthRadiusKm = 6_371.008_8;

const toRadians = (degrees: number) => (degrees * Math.PI) / 180;
const toDegrees = (radians: number) => (radians * 180) / Math.PI;

/** Margin that widens boxes against rounding errors; about a hundred metres. */
const marginDegrees = 0.001;

/**
 * Returns boxes that together contain every place within a distance: one box, or two if the circle crosses the
 * antimeridian. The box of a circle that contains a pole spans all longitudes. Source: J. P. Matuschek, "Finding Points
 * Within a Distance of a Latitude/Longitude Using Bounding Coordinates", 3.3.
 */
export function getBoundingBoxes({ lat, lon }: Place, radiusKm: number): Box[] {
  const angle = radiusKm / earthRadiusKm;
  const south = Math.max(-90, lat - toDegrees(angle) - marginDegrees);
  const north = Math.min(90, lat + toDegrees(angle) + marginDegrees);
  const whole: Box = { south, north, west: -180, east: 180 };
  const width = Math.sin(angle) / Math.cos(toRadians(lat));
  // The circle contains a pole, or is so close to a pole that the width is not defined.
  if (south <= -90 || north >= 90 || angle >= Math.PI / 2 || !(width < 1)) return [whole];
  const half = toDegrees(Math.asin(width)) + marginDegrees;
  const [west, east] = [lon - half, lon + half];
  if (east - west >= 360) return [whole];
  if (west < -180)
    return [
      { south, north, west: west + 360, east: 180 },
      { south, north, west: -180, east },
    ];
  if (east > 180)
    return [
      { south, north, west, east: 180 },
      { south, north, west: -180, east: east - 360 },
    ];
  // The antimeridian itself has two longitudes.
  if (west === -180)
    return [
      { south, north, west, east },
      { south, north, west: 180, east: 180 },
    ];
  if (east === 180)
    return [
      { south, north, west, east },
      { south, north, west: -180, east: -180 },
    ];
  return [{ south, north, west, east }];
}

/**
 * Creates SQL of the distance in whole metres between two places, by the haversine formula. Source: R. W. Sinnott,
 * "Virtues of the Haversine", Sky and Telescope 68 (2), 1984. For antipodes, rounding can exceed 1, where the arc sine
 * is undefined.
 */
export function createDistanceSql(from: { lat: string; lon: string }, to: { lat: string; lon: string }): string {
  const square = `power(sind((${to.lat} - ${from.lat}) / 2), 2)
    + cosd(${from.lat}) * cosd(${to.lat}) * power(sind((${to.lon} - ${from.lon}) / 2), 2)`;
  return `round(2 * ${earthRadiusKm * 1_000} * asin(least(1, sqrt(${square}))))::bigint`;
}

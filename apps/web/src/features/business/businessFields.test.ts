import { businessInput } from "@slipway/protocol/businesses";
import { describe, expect, test } from "vitest";
import { emptyFields, linkFields, toBusinessInput, toFaults, toFields } from "./businessFields.ts";

const typed = {
  ...emptyFields,
  ...{ name: " Tin Boat ", description: "Bread", category: "food-drink", tags: "Bread, rye  bread," },
  ...{ "address.country": "DE", "location.lat": "52.5", "location.lon": "-13", "links.x": "https://x.com/tinboat" },
};

describe("the listing form", () => {
  test("has all fields of the request", () => {
    const paths = Object.entries(businessInput.shape).flatMap(([name, schema]) => {
      const inner = "unwrap" in schema ? (schema.unwrap() as { shape?: object }) : (schema as { shape?: object });
      return inner.shape ? Object.keys(inner.shape).map((part) => `${name}.${part}`) : [name];
    });
    expect(Object.keys(emptyFields).toSorted()).toEqual(paths.toSorted());
    expect(Object.keys(businessInput.shape.links.unwrap().shape)).toEqual([...linkFields]);
  });

  test("sends typed fields, and omits empty ones", () => {
    const input = toBusinessInput(typed);
    expect(businessInput.parse(input)).toEqual({
      ...{ name: "Tin Boat", description: "Bread", category: "food-drink", tags: ["bread", "rye"] },
      ...{ address: { country: "DE" }, location: { lat: 52.5, lon: -13 }, links: { x: "https://x.com/tinboat" } },
    });
  });

  test("sends an invalid coordinate as text, so that the service reports it", () => {
    expect(toBusinessInput({ ...typed, "location.lat": "1e5x" }).location).toEqual({ lat: "1e5x", lon: -13 });
  });

  test("shows a stored listing", () => {
    const listing = {
      ...{ name: "Tin Boat", description: "Bread", category: "food-drink", website: null, tags: ["bread", "rye"] },
      ...{ image: { uri: "https://a.example/b.png" }, location: { lat: 52.5, lon: -13 } },
      address: { street: null, city: null, region: null, postal_code: null, country: "DE" },
      contact: { email: null, phone: null, hours: null },
      links: { x: "https://x.com/tinboat" },
    };
    expect(toFields(listing as never)).toEqual({
      ...{ ...typed, name: "Tin Boat", tags: "bread, rye", image_uri: "https://a.example/b.png" },
    });
  });

  test("shows the first fault of each field, and faults without a field separately", () => {
    const fields = [
      { field: "tags[3]", code: "invalid", message: "tags[3] must be short." },
      { field: "tags[4]", code: "invalid", message: "later" },
      { field: "address.country", code: "invalid", message: "is no country" },
      { field: "constructor", code: "unknown_field", message: "is not a field here" },
    ];
    expect([...toFaults({ fields })]).toEqual([
      ["tags", "It must be short."],
      ["address.country", "is no country"],
      ["", "is not a field here"],
    ]);
    expect([...toFaults(undefined)]).toEqual([]);
  });
});

import { businessInput } from "@slipway/protocol/businesses";
import { describe, expect, test } from "vitest";
import { emptyFields, linkFields, toBusinessInput, toFaults, toFields } from "./businessFields.ts";

const typed = {
  ...emptyFields,
  ...{ name: " Tin Boat ", description: "Bread", category: "food-drink", tags: "Bread, rye  bread," },
  ...{ "address.country": "DE", "location.lat": "52.5", "location.lon": "-13", "links.x": "https://x.com/tinboat" },
};

describe("the form of a business", () => {
  test("has all fields of the input", () => {
    const paths = Object.entries(businessInput.shape).flatMap(([name, schema]) => {
      const inner = "unwrap" in schema ? (schema.unwrap() as { shape?: object }) : (schema as { shape?: object });
      return inner.shape ? Object.keys(inner.shape).map((part) => `${name}.${part}`) : [name];
    });
    expect(Object.keys(emptyFields).toSorted()).toEqual(paths.toSorted());
    expect(Object.keys(businessInput.shape.links.unwrap().shape)).toEqual([...linkFields]);
  });

  test("sends what is typed, and leaves out what is empty", () => {
    const input = toBusinessInput(typed);
    expect(businessInput.parse(input)).toEqual({
      ...{ name: "Tin Boat", description: "Bread", category: "food-drink", tags: ["bread", "rye"] },
      ...{ address: { country: "DE" }, location: { lat: 52.5, lon: -13 }, links: { x: "https://x.com/tinboat" } },
    });
  });

  test("sends a coordinate that is no number as it is, so that the service names it", () => {
    expect(toBusinessInput({ ...typed, "location.lat": "1e5x" }).location).toEqual({ lat: "1e5x", lon: -13 });
  });

  test("shows a listing as it was typed", () => {
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

  test("shows each fault at its field, the first one of a field, and those of no field apart", () => {
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

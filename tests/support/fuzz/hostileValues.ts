import fc from "fast-check";

/** Texts that have broken parsers, patterns, databases and renderers. */
export const hostileTexts: readonly string[] = [
  "",
  " ",
  "0",
  "-1",
  "null",
  "undefined",
  "NaN",
  "1e400",
  "0x",
  `0x${"0".repeat(40)}`,
  `0x${"f".repeat(40)}`,
  `0x${"a".repeat(39)}`,
  `0X${"A".repeat(40)}`,
  `0x${"0".repeat(64)}`,
  "115792089237316195423570985008687907853269984665640564039457584007913129639935",
  "115792089237316195423570985008687907853269984665640564039457584007913129639936",
  "9".repeat(79),
  "0".repeat(78),
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\ufeff{}",
  "\u202eevil\u2066",
  "\u{1f469}\u200d\u{1f469}\u200d\u{1f466}".repeat(20),
  "e\u0301".repeat(80),
  "__proto__",
  "constructor",
  "%_\\",
  "%".repeat(200),
  "_".repeat(200),
  "'; drop table app.accounts; --",
  "../../../etc/passwd",
  "..%2f..%2f",
  "<script>alert(1)</script>",
  "javascript:alert(1)",
  "https://user:password@example.org/",
  "https://",
  "https://[::1",
  "https://xn--/",
  "http://169.254.169.254/latest/meta-data",
  "#{7*7}{{7*7}}",
  `${"a".repeat(199)}!`,
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@",
  "x".repeat(300),
  "x".repeat(5_000),
];

const nested = (depth: number): unknown => {
  let value: unknown = {};
  for (let level = 0; level < depth; level++) value = level % 2 ? { a: value } : [value];
  return value;
};

/** Values of the wrong type or beyond every limit, in the forms that JSON allows. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileTexts) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(null, true, 0, -0, -1, 0.5, 1e21, 2 ** 53, -(2 ** 63), 1e308, [], {}),
  },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 80 }) },
  { weight: 1, arbitrary: fc.constantFrom(3, 50, 500).map(nested) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3, noUnicodeString: false }) },
);

/** Bodies that are not a JSON object, or that a careless parser mistakes for another body. */
export const hostileBodies: readonly string[] = [
  "",
  " ",
  "null",
  "[]",
  "0",
  '"text"',
  "{",
  "{}",
  "{}{}",
  "{,}",
  "\ufeff{}",
  "\u0000",
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"a":1e400}',
  '{"a":"\\ud800"}',
  '{"a":1,"a":2}',
  "[".repeat(10_000),
  `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  `{"name":"${"x".repeat(70_000)}"}`,
  "name=a&symbol=b",
  "<?xml version='1.0'?><a/>",
];

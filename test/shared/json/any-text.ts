/** Arbitraries of hostile text. */
import fc from 'fast-check'

/** The two surrogates of one character: neither can be stored alone. */
export const HIGH = '\ud83d'
export const LOW = '\ude00'
export const GRIN = HIGH + LOW

/** Any sequence of UTF-16 units, including NUL, lone surrogates and backslashes before them. */
export const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(0, 0x5c, 0x75, 0x30, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0x41), fc.nat(0xffff)))
  .map((units) => String.fromCharCode(...units))

/** Payloads of an exact size. */

/** A JSON object whose text is `bytes` long. */
export function payloadOf(bytes: number): { readonly text: string } {
  const frame = JSON.stringify({ text: '' }).length
  return { text: 'x'.repeat(bytes - frame) }
}

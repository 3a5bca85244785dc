/** Reduces an error message to a group key: variable parts become placeholders. */
import { limits } from '../limits.ts'

/** The start of a message identifies its group; the patterns below are slow on long lines. */
const MAX_SCANNED = 500

export function errorKey(message: string): string {
  const firstLine = message.trimStart().slice(0, MAX_SCANNED).split('\n', 1)[0] ?? ''
  return firstLine
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<uuid>')
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s'")]+/gi, '<url>')
    .replace(/[\w.+-]+@[\w-]+\.[\w.-]+/g, '<email>')
    .replace(/\b(?:0x)?[0-9a-f]{12,}\b/gi, '<hex>')
    .replace(/'[^']*'|"[^"]*"/g, '<text>')
    .replace(/\d+(?:[.:]\d+)*/g, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, limits.errorKeyLength)
    .replace(/[\ud800-\udbff]$/, '')
}

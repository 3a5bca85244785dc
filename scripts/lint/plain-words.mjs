// Finds words that the project's plain-English rules ban (see CONTRIBUTING.md) in tracked files.
// Usage: node scripts/lint/plain-words.mjs [path …]; prints `file:line: word` and exits with 1 when there are any.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Whole words, also as parts of camelCase names. */
const WORDS = new Set([
  // Persons: name the component instead (worker, caller, operator, client).
  ...['whoever', 'whomever', 'nobody', 'somebody', 'anybody', 'everybody'],
  // Speech for data flow: emit, return, report, log, receive, send.
  ...['tell', 'tells', 'told', 'telling', 'hear', 'hears', 'heard', 'hearing', 'say', 'says', 'said', 'saying'],
  ...['complain', 'complains', 'complained', 'felt', 'whisper'],
  // Private vocabulary of earlier versions.
  ...['mend', 'mends', 'mended', 'mending', 'wish', 'wishes', 'fate', 'patiently', 'steadily', 'tamed'],
  ...['caretaking', 'door', 'doorway', 'impatient', 'chapter', 'chapters', 'bell', 'bone', 'bones'],
])
const PHRASES = [
  /\bin words\b/i,
  /\bof (?:its|their|his) own\b/i,
  /(?<!there )\bis none\b|\bthat are none\b/i,
  /\bown words\b/i,
]
const CHECKED = /\.(?:ts|tsx|mts|mjs|css|html|md|yml|yaml|sh|grit)$/
/** The list itself, and files that are generated from others. */
const SKIPPED = /^(?:scripts\/lint\/plain-words\.mjs|openapi\.yaml|.*package-lock\.json|drizzle\/.*\/meta\/)/
/** A line with this comment may use a banned word; the reason stands behind the colon. */
const EXCEPTION = /plain-words: \S/

export function findHits(paths = []) {
  const files = execFileSync('git', ['ls-files', '--', ...paths], { cwd: ROOT, encoding: 'utf8' }).split('\n')
  const hits = []
  for (const file of files) {
    if (!CHECKED.test(file) || SKIPPED.test(file)) continue
    let text
    try {
      text = readFileSync(`${ROOT}/${file}`, 'utf8')
    } catch {
      continue // deleted, and not yet committed
    }
    for (const [index, line] of text.split('\n').entries()) {
      if (EXCEPTION.test(line)) continue
      const found = [
        ...(line.replace(/([a-z0-9])([A-Z])/g, '$1 $2').match(/[A-Za-z]+/g) ?? []).filter((word) =>
          WORDS.has(word.toLowerCase()),
        ),
        ...PHRASES.flatMap((phrase) => phrase.exec(line)?.[0] ?? []),
      ]
      for (const word of found) hits.push({ file, line: index + 1, word, text: line.trim() })
    }
  }
  return hits
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const hits = findHits(process.argv.slice(2))
  for (const { file, line, word, text } of hits) console.log(`${file}:${line}: ${word}: ${text.slice(0, 120)}`)
  console.error(`${hits.length} banned words`)
  process.exitCode = hits.length > 0 ? 1 : 0
}

/** Generated sections of docs/BENCHMARKS.md, each between two comments with its name. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Table } from './table.ts'

/** Returns `document` with a new content of the section. */
export function replaceSection(document: string, name: string, content: string): string {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`]
  const from = document.indexOf(begin)
  const to = document.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`The document has no section ${name}; add the comments ${begin} and ${end}.`)
  return `${document.slice(0, from + begin.length)}\n\n${content.trim()}\n\n${document.slice(to)}`
}

export function writeSection(file: string, name: string, content: string): void {
  writeFileSync(file, replaceSection(readFileSync(file, 'utf8'), name, content))
}

export function markdownTable({ head, rows }: Pick<Table, 'head' | 'rows'>): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const rule = `|---|${head
    .slice(1)
    .map(() => '---:|')
    .join('')}`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

/** A table with its title and notes. */
export function markdownOf(table: Table): string {
  const notes = (table.notes ?? []).map((note) => `- ${note}`)
  return [`**${table.title}**`, markdownTable(table), notes.join('\n')].filter((part) => part !== '').join('\n\n')
}

/** How a section was measured: the command, the day and the machine. */
export function provenance(command: string, machine: string): string {
  return `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: ${machine}.`
}

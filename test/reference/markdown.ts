/** Markdown tables with escaped cells. */

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const used = heads.map((_, column) => rows.some((row) => row[column] !== ''))
  const line = (cells: readonly string[]) => `| ${cells.filter((_, column) => used[column]).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map((row) => line(row.map(cell)))].join('\n')
}

export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

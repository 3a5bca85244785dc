/** Words inside a page. */

export function escapeHtml(words: string): string {
  return words.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Words between backticks are code. */
export function prose(words: string): string {
  return escapeHtml(words).replace(/`([^`]*)`/g, '<code>$1</code>')
}

/** Error page in HTML for browsers that open an address directly. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ERRORS, type QueueError } from '../../../shared/errors.ts'

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:34rem;margin:20vh auto 0;padding:0 1.25rem;overflow-wrap:anywhere}
h1{font-size:1.25rem}`

/** API clients accept anything or JSON; only browsers that open an address name text/html. */
export function prefersHtml({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '')
}

export function sendErrorPage(response: ServerResponse, { code, message }: QueueError): void {
  const nonce = randomBytes(16).toString('base64')
  const title = code === 'NOT_FOUND' ? 'There is nothing here' : 'No access'
  response.statusCode = ERRORS[code].http
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.setHeader(
    'content-security-policy',
    `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  response.end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Millrace</title>
<style nonce="${nonce}">${STYLE}</style>
<h1>${title}</h1>
<p>${escapeHtml(message)}</p>
<p><a href="">Try again</a></p>
</html>
`)
}

/** Messages and addresses contain text from the request, such as its path. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** A refusal for people: whoever asks for a page is not shown JSON. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ERRORS, type QueueError } from '../../../shared/errors.ts'

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:34rem;margin:20vh auto 0;padding:0 1.25rem;overflow-wrap:anywhere}
h1{font-size:1.25rem}`

/** Programs say that they take anything, or JSON; only browsers that open an address ask for HTML by name. */
export function asksForPage({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '')
}

export function sendRefusalPage(response: ServerResponse, { code, message }: QueueError): void {
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
<p>${asText(message)}</p>
<p><a href="">Try again</a></p>
</html>
`)
}

/** Paths and names of whoever calls stand in messages and addresses. */
export function asText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

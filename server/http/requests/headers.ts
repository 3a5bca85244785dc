/** Security headers of every response, and the Content-Security-Policy of pages. */
import type { ServerResponse } from 'node:http'

const DENY_ALL = "default-src 'none'; frame-ancestors 'none'"

export function setSecurityHeaders(response: ServerResponse): void {
  response.setHeader('content-security-policy', DENY_ALL)
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('x-frame-options', 'DENY')
  response.setHeader('referrer-policy', 'no-referrer')
  response.setHeader('cross-origin-opener-policy', 'same-origin')
  response.setHeader('cross-origin-resource-policy', 'same-origin')
  response.setHeader('cache-control', 'no-store')
}

/** Scripts and styles must come from this server or carry the nonce of this response. */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

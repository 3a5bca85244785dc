/** The dashboard's files: hashed assets that never change, and a page that gets its base path and a fresh nonce each time. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import express, { type Router } from 'express'
import { pagePolicy } from './headers.ts'

const NONCE = /__CSP_NONCE__/g
const BASE = '<base href="/" />'

/** The addresses of the page's own router, and those that older systems had for the same. */
const PAGES = [
  ...['/', '/index.html', '/jobs', '/jobs/:id', '/failures', '/types', '/workers', '/new', '/settings'],
  ...['/inbox', '/task-queue', '/tasks', '/tasks/stats', '/tasks/:id'],
]

export function pageRouter(folder: string, basePath: string): Router {
  const template = readFileSync(join(folder, 'index.html'), 'utf8').replace(BASE, `<base href="${basePath}/" />`)
  const router = express.Router()
  router.get(PAGES, (_request, response) => {
    const nonce = randomBytes(16).toString('base64')
    response.setHeader('content-security-policy', pagePolicy(nonce))
    response.type('html').send(template.replace(NONCE, nonce))
  })
  router.use(
    express.static(folder, {
      index: false,
      redirect: false,
      setHeaders(response, path) {
        const hashed = path.startsWith(join(folder, 'assets') + sep)
        response.setHeader('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    }),
  )
  return router
}

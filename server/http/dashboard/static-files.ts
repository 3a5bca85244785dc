/** Dashboard files: immutable hashed assets, and the page with its base path and a new nonce. */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import express, { type Request, type RequestHandler, type Router } from 'express'
import { escapeHtml, prefersHtml } from '../requests/error-page.ts'
import { pagePolicy } from '../requests/headers.ts'

const NONCE = /__CSP_NONCE__/g
const BASE = '<base href="/" />'

/**
 * Serves the compressed copy that the build wrote beside a file. Only gzip: browsers accept Brotli over HTTPS only, and many internal
 * queues are served over plain HTTP.
 */
function preferCompressed(assets: string): RequestHandler {
  const copies = new Set(existsSync(assets) ? readdirSync(assets).filter((name) => name.endsWith('.gz')) : [])
  return (request, response, next) => {
    const copy = `${request.path.slice(1)}.gz`
    if (!copies.has(copy)) return next()
    response.vary('accept-encoding')
    if (request.acceptsEncodings('gzip') === 'gzip') {
      response.type(extname(request.path)).setHeader('content-encoding', 'gzip')
      request.url = `/${copy}`
    }
    next()
  }
}

/** Paths of the client-side router, and paths that earlier dashboards used. */
const PAGES = [
  ...[
    '/',
    '/index.html',
    '/jobs',
    '/jobs/:id',
    '/failures',
    '/types',
    '/groups',
    '/schedules',
    '/workers',
    '/new',
    '/settings',
  ],
  ...['/inbox', '/task-queue', '/tasks', '/tasks/stats', '/tasks/:id'],
]

export function pageRouter(folder: string, basePathOf: (request: Request) => string): Router {
  const template = readFileSync(join(folder, 'index.html'), 'utf8')
  const router = express.Router()
  const sendPage: RequestHandler = (request, response) => {
    const nonce = randomBytes(16).toString('base64')
    response.setHeader('content-security-policy', pagePolicy(nonce))
    const base = `<base href="${escapeHtml(basePathOf(request))}/" />`
    response.type('html').send(template.replace(NONCE, nonce).replace(BASE, () => base))
  }
  router.get(PAGES, sendPage)
  router.use('/assets', preferCompressed(join(folder, 'assets')))
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
  // The page shows its own 404 view.
  router.use((request, response, next) => {
    response.removeHeader('content-encoding')
    if (!prefersHtml(request)) return next()
    response.status(404)
    return sendPage(request, response, next)
  })
  return router
}

/** The dashboard's files: hashed assets that never change, and a page that gets its base path and a fresh nonce each time. */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import express, { type Request, type RequestHandler, type Router } from 'express'
import { pagePolicy } from '../requests/headers.ts'
import { asksForPage, asText } from './refusal-page.ts'

const NONCE = /__CSP_NONCE__/g
const BASE = '<base href="/" />'

/**
 * Leads to the compressed copy that the build has put beside a file. Only gzip: browsers take Brotli over https alone, and a queue
 * often lives on a plain address of its own house.
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

/** Where the page is, as its browser sees it, without a slash at the end: '' or '/queue'. */
export type BaseOf = (request: Request) => string

/** The addresses of the page's own router, and those that older systems had for the same. */
const PAGES = [
  ...['/', '/index.html', '/jobs', '/jobs/:id', '/failures', '/types', '/workers', '/new', '/settings'],
  ...['/inbox', '/task-queue', '/tasks', '/tasks/stats', '/tasks/:id'],
]

export function pageRouter(folder: string, baseOf: BaseOf): Router {
  const template = readFileSync(join(folder, 'index.html'), 'utf8')
  const router = express.Router()
  const sendPage: RequestHandler = (request, response) => {
    const nonce = randomBytes(16).toString('base64')
    response.setHeader('content-security-policy', pagePolicy(nonce))
    const base = `<base href="${asText(baseOf(request))}/" />`
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
  // The page says itself that it has nothing there, and where to go instead.
  router.use((request, response, next) => {
    response.removeHeader('content-encoding')
    if (!asksForPage(request)) return next()
    response.status(404)
    return sendPage(request, response, next)
  })
  return router
}

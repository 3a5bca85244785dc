/** Serves the description of the API: for programs as JSON, for people as a page. It holds nothing secret. */
import { randomBytes } from 'node:crypto'
import express, { type Router } from 'express'
import { pagePolicy } from '../requests/headers.ts'
import { sendJson } from '../requests/refusal.ts'
import { describeServer } from './document.ts'
import { referencePage } from './reference.ts'

export function openapiRouter(basePath: string): Router {
  const document = describeServer(basePath)
  const router = express.Router()
  router.get('/openapi.json', (_request, response) => sendJson(response, 200, document))
  router.get('/reference', (_request, response) => {
    const nonce = randomBytes(16).toString('base64')
    response.setHeader('content-security-policy', pagePolicy(nonce))
    response.type('html').send(referencePage(document, nonce))
  })
  return router
}

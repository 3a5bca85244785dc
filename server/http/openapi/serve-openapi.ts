/** /openapi.json and /reference: the API description as JSON and as a page. Public, it contains no data. */
import { randomBytes } from 'node:crypto'
import express, { type Router } from 'express'
import { sendJson } from '../requests/error-response.ts'
import { pagePolicy } from '../requests/headers.ts'
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

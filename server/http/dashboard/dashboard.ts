/** The page and what it talks to: sessions, the API, exports, its files. The same in the server and in an application that mounts it. */
import express, { type Router } from 'express'
import { sessionRouter } from '../auth/sign-in.ts'
import { exportHandler } from '../export/export.ts'
import { type TrpcParts, trpcHandlers } from '../trpc.ts'
import { type BaseOf, pageRouter } from './static-files.ts'

export interface DashboardParts extends TrpcParts {
  /** The built page; null where a development server shows it. */
  readonly pageFolder: string | null
  readonly baseOf: BaseOf
}

export function dashboardRouter({ pageFolder, baseOf, ...parts }: DashboardParts): Router {
  const router = express.Router()
  router.use(sessionRouter({ engine: parts.engine, access: parts.config, baseOf }))
  router.get('/dashboard', (request, response) => response.redirect(`${baseOf(request)}/`))
  router.use('/trpc', trpcHandlers(parts))
  router.get('/export', exportHandler(parts))
  if (pageFolder !== null) router.use(pageRouter(pageFolder, baseOf))
  return router
}

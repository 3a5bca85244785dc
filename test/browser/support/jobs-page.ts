/** Helpers for tests of the Jobs page: rows, URL and toasts. */
import type { Page } from 'playwright-core'
import type { Engine } from '../../../server/engine/engine.ts'
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { add, take } from '../../support/engine.ts'

export const row = (id: string, status = '') => `[data-job-id="${id}"]${status && `[data-job-status=${status}]`}`
/** The table with this filter. */
export const table = (q: string) => `/jobs?view=table&q=${encodeURIComponent(q)}`
export const question = (page: Page) => new URL(page.url()).searchParams.get('q')
export const toast = (page: Page, text: string) => page.getByTestId('toast').filter({ hasText: text })

/** The ids of the rows in view. */
export function order(page: Page): Promise<(string | null)[]> {
  return page.locator('[data-job-id]').evaluateAll((rows) => rows.map((one) => one.getAttribute('data-job-id')))
}

/** Creates a permanently failed job. */
export async function fail(engine: Engine, input: Partial<EnqueueInput> = {}, error = 'it broke'): Promise<string> {
  const id = await add(engine, input)
  const { version } = await take(engine, { types: [input.type ?? 'mail'] })
  await engine.fail({ id, version, error, retry: false })
  return id
}

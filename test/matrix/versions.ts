/** The oldest and the newest versions of the ranges in package.json that the matrix installs. */

export const OLDEST = {
  zod: '4.0.0',
  '@trpc/server': '11.4.0',
  '@trpc/client': '11.4.0',
  'better-sqlite3': '12.8.0',
  'drizzle-orm': '0.44.0',
  express: '5.0.0',
  pg: '8.11.0',
  pino: '9.0.0',
} as const

/** Versions of @trpc/client and @trpc/server are published together, but not always both. */
export const NEWEST = {
  zod: '^4.0.0',
  '@trpc/server': '11.22.1',
  '@trpc/client': '11.22.1',
  'better-sqlite3': '12.11.1',
  'drizzle-orm': '^0.45.0',
  express: '^5.0.0',
  pg: '^8.11.0',
  pino: '^10.0.0',
} as const

export const TYPESCRIPTS = ['5.4', '5.7', '5.9', '7.0'] as const

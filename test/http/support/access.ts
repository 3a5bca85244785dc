/** Access settings and in-memory tokens for testing auth checks without a server. */
import { readServerConfig } from '../../../server/base/config/server-config.ts'
import { digest } from '../../../server/engine/auth/digest.ts'
import type { Key } from '../../../server/engine/auth/keyring.ts'
import type { Access } from '../../../server/http/auth/access.ts'
import { Throttle } from '../../../server/http/auth/throttle.ts'
import type { Token } from '../../../shared/contracts/tokens.ts'
import { TestClock } from '../../support/test-clock.ts'

export interface TestKey extends Partial<Omit<Token, 'id'>> {
  readonly secret: string
  readonly isExpired?: boolean
}

export function access(
  settings: Readonly<Record<string, string>> = {},
  { tokens = [], clock = new TestClock() }: { readonly tokens?: readonly TestKey[]; readonly clock?: TestClock } = {},
): Access & { readonly used: string[] } {
  const keys = new Map(tokens.map((one, n) => [digest(one.secret), keyOf(one, `id-${n}`)]))
  const used: string[] = []
  return {
    ...readServerConfig(settings),
    keys: {
      isLocked: keys.size > 0,
      find: (hash) => keys.get(hash) ?? null,
      findById: (id) => [...keys.values()].find(({ token }) => token.id === id) ?? null,
      used: ({ name }) => used.push(name),
    },
    throttle: new Throttle(clock),
    used,
  }
}

function keyOf({ secret, isExpired = false, ...token }: TestKey, id: string): Key {
  const plain = {
    name: id,
    scopes: ['read' as const],
    typePrefix: null,
    createdAt: 1,
    lastUsedAt: null,
    expiresAt: null,
  }
  return { token: { ...plain, ...token, id, hash: digest(secret) }, isExpired }
}

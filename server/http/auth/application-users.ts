/** Authentication by the host application: maps the result of `authorize` to a caller. */
import type { IncomingMessage } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'
import { SCOPES, type Scope } from '../../../shared/scopes.ts'
import type { Caller } from '../../api/caller.ts'
import type { Clock } from '../../base/clock.ts'

/** A user of your application, with the name and the scopes that the dashboard uses. */
export interface DashboardUser {
  /** The name in the audit trail. */
  readonly actor: string
  /** Default: all scopes. `['read']` shows everything and changes nothing. */
  readonly scopes?: readonly Scope[]
}

/** `true` grants full access under the name `application`; a user is admitted with their scopes; any other value is rejected with 403. */
export type Authorize<Request> = (
  request: Request,
) => DashboardUser | boolean | null | undefined | Promise<DashboardUser | boolean | null | undefined>

const DEFAULT_ACTOR = 'application'
const MAX_NAME = 200
/** Admission and the API both authenticate within one request: one call of `authorize` serves both. Event streams repeat it later. */
const CACHE_MS = 1_000

/** Keeps the framework's request object for each Node request, so that `authorize` receives the object it expects. */
export class ApplicationUsers<Request extends IncomingMessage> {
  private readonly authorize: Authorize<Request>
  private readonly clock: Clock
  private readonly lookups = new WeakMap<IncomingMessage, () => Promise<Caller>>()

  constructor(authorize: Authorize<Request>, clock: Clock) {
    this.authorize = authorize
    this.clock = clock
  }

  register(request: Request): void {
    let cached: { readonly at: number; readonly caller: Promise<Caller> } | null = null
    this.lookups.set(request, () => {
      const at = this.clock.monotonic()
      if (cached === null || at - cached.at >= CACHE_MS) cached = { at, caller: this.callAuthorize(request) }
      return cached.caller
    })
  }

  readonly authenticate = async (request: IncomingMessage): Promise<Caller> => {
    const lookUp = this.lookups.get(request)
    if (!lookUp) throw new Error('This request was not registered by the dashboard.')
    return lookUp()
  }

  private async callAuthorize(request: Request): Promise<Caller> {
    const user = await this.authorize(request)
    if (user === true) return callerOf({ actor: DEFAULT_ACTOR })
    if (user) return callerOf(user)
    throw new QueueError('FORBIDDEN', 'This application does not let you see its queue; sign in to it, then try again.')
  }
}

function callerOf({ actor, scopes = SCOPES }: DashboardUser): Caller {
  if (typeof actor !== 'string' || actor === '' || actor.length > MAX_NAME) {
    throw new Error(`authorize must name an actor in 1 to ${MAX_NAME} characters, not ${JSON.stringify(actor)}.`)
  }
  const unknown = scopes.filter((scope) => !SCOPES.includes(scope))
  if (unknown.length > 0) throw new Error(`authorize named ${unknown.join(', ')}; scopes are ${SCOPES.join(', ')}.`)
  return { actor, scopes: new Set(scopes), typePrefix: null, mayRunCommands: true }
}

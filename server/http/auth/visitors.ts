/** Who an application says its visitors are, when it knows them better than a token would. */
import type { IncomingMessage } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'
import { SCOPES, type Scope } from '../../../shared/scopes.ts'
import type { Caller } from '../../api/caller.ts'
import type { Clock } from '../../base/clock.ts'

/** A user of your application, as the dashboard should know them. */
export interface Visitor {
  /** The name in the audit trail. */
  readonly actor: string
  /** What they may do; default: everything. `['read']` shows all and changes nothing. */
  readonly scopes?: readonly Scope[]
}

/** true lets them do everything under the name `application`; a visitor is let in by that name; anything else is refused. */
export type Authorize<Request> = (
  request: Request,
) => Visitor | boolean | null | undefined | Promise<Visitor | boolean | null | undefined>

const NAME = 'application'
const MAX_NAME = 200
/** The door and the API ask within one request: one answer serves both. An event stream asks again later. */
const KEEP_MS = 1_000

/** Remembers for each request how to ask about it: guards see it only as Node's own. */
export class Visitors<Request extends IncomingMessage> {
  private readonly authorize: Authorize<Request>
  private readonly clock: Clock
  private readonly questions = new WeakMap<IncomingMessage, () => Promise<Caller>>()

  constructor(authorize: Authorize<Request>, clock: Clock) {
    this.authorize = authorize
    this.clock = clock
  }

  arrive(request: Request): void {
    let kept: { readonly at: number; readonly caller: Promise<Caller> } | null = null
    this.questions.set(request, () => {
      const at = this.clock.monotonic()
      if (kept === null || at - kept.at >= KEEP_MS) kept = { at, caller: this.ask(request) }
      return kept.caller
    })
  }

  readonly identify = async (request: IncomingMessage): Promise<Caller> => {
    const question = this.questions.get(request)
    if (!question) throw new Error('This request was never seen by the dashboard.')
    return question()
  }

  private async ask(request: Request): Promise<Caller> {
    const said = await this.authorize(request)
    if (said === true) return callerOf({ actor: NAME })
    if (said) return callerOf(said)
    throw new QueueError('FORBIDDEN', 'This application does not let you see its queue; sign in to it, then try again.')
  }
}

function callerOf({ actor, scopes = SCOPES }: Visitor): Caller {
  if (typeof actor !== 'string' || actor === '' || actor.length > MAX_NAME) {
    throw new Error(`authorize must name an actor in 1 to ${MAX_NAME} characters, not ${JSON.stringify(actor)}.`)
  }
  const unknown = scopes.filter((scope) => !SCOPES.includes(scope))
  if (unknown.length > 0) throw new Error(`authorize named ${unknown.join(', ')}; scopes are ${SCOPES.join(', ')}.`)
  return { actor, scopes: new Set(scopes), typePrefix: null, mayRunCommands: true }
}
